//! Every tool as a model sees it, and the same answer for a model and for a program.

use std::collections::BTreeSet;
use std::time::UNIX_EPOCH;

use serde::Serialize;
use serde_json::{Value, json};
use workspace_core::Finished;
use workspace_memory::{ManualClock, Memory, MemoryConfig, Reply, Script};
use workspace_tools::{
    ApplyPatchInput, ApprovalPolicy, BackgroundPolicy, CopyInput, EditFileInput, ExistsInput, GlobInput,
    GrepInput, ListDirInput, MkdirInput, MoveInput, MultiEditInput, Policy, ReadFileInput, RemoveInput,
    Result, RunShellInput, RunTestsInput, ShellInputInput, ShellKillInput, ShellOutputInput, ShellPolicy,
    StatInput, TestsPolicy, TextEdit, TodoInput, TodoReadInput, TodoWriteInput, ToolError, ToolName, ToolSet,
    Workspace, WriteFileInput,
};

/// A workspace with every tool that a tree in memory can have. Two of them are equal.
fn workspace() -> Workspace {
    let memory = MemoryConfig::new().with_clock(ManualClock::new(UNIX_EPOCH)).build().unwrap();
    let memory: Memory = memory.with_file("src/a.txt", "one\ntwo\nthree\n").with_file("src/b.txt", "one\n");
    let shell = memory.shell(
        Script::new()
            .with_argv(["serve"], Reply::new().with_stdout("up\n").without_end())
            .with_function(|_, _| Some(Finished::new(3).with_stdout("out\n"))),
    );
    let mut policy = Policy { approval: ApprovalPolicy::never(), ..Policy::default() };
    policy.shell = Some(ShellPolicy {
        background: Some(BackgroundPolicy::default()),
        ..ShellPolicy::allowing(["make", "serve"])
    });
    policy.tests = Some(TestsPolicy::running("make test"));
    let workspace = Workspace::builder(memory).shell(shell).policy(policy).build().unwrap();
    workspace.pick(ToolName::ALL.iter().map(|tool| tool.as_str()))
}

/// The same calls, made by a model on one workspace and by a program on its twin.
struct Twins {
    model: ToolSet,
    program: Workspace,
    called: BTreeSet<String>,
}

impl Twins {
    /// Holds two answers, or two failures, against each other.
    async fn equal<T: Serialize>(
        &mut self,
        tool: &str,
        input: Value,
        typed: impl AsyncFnOnce(Workspace) -> Result<T>,
    ) {
        let call = format!("{tool} {input}");
        let model = self.model.call(tool, input).await.map(|output| Value::Object(output.value));
        let program = typed(self.program.clone()).await.map(|output| serde_json::to_value(output).unwrap());
        let told = |result: Result<Value>| {
            let mut value = result.unwrap_or_else(|error: ToolError| error.to_value(tool));
            for field in ["started_at", "duration_ms"] {
                if let Some(object) = value.as_object_mut() {
                    object.remove(field);
                }
            }
            value
        };
        let (model, program) = (told(model), told(program));
        assert_eq!(model, program, "{call}");
        self.called.insert(tool.to_owned());
    }
}

#[tokio::test]
async fn r_call_4_a_program_and_a_model_get_the_same() {
    let mut twins = Twins { model: ToolSet::new(workspace()), program: workspace(), called: BTreeSet::new() };
    /// One call in both forms.
    macro_rules! same {
        ($tool:literal, $input:tt, $method:ident, $typed:expr) => {
            twins.equal($tool, json!($input), async |workspace| workspace.$method($typed).await).await;
        };
    }
    same!("read_file", {"path": "src/a.txt", "offset": 2, "limit": 1}, read_file, ReadFileInput::new("src/a.txt").from_line(2).lines(1));
    same!("read_file", {"filePath": "src/a.text"}, read_file, ReadFileInput::new("src/a.text"));
    same!("read_file", {"path": "../a"}, read_file, ReadFileInput::new("../a"));
    same!("write_file", {"path": "new/c.txt", "content": "c\n"}, write_file, WriteFileInput::new("new/c.txt", "c\n"));
    same!("write_file", {"path": "src/a.txt", "content": "", "expect_hash": "0"}, write_file, WriteFileInput::new("src/a.txt", "").expecting("0"));
    same!("edit_file", {"path": "src/a.txt", "old_string": "one", "new_string": "1"}, edit_file, EditFileInput::replace("src/a.txt", "one", "1"));
    same!("edit_file", {"path": "src/a.txt", "insert_line": 1, "new_string": "x"}, edit_file, EditFileInput::insert("src/a.txt", 1, "x"));
    same!("edit_file", {"path": "src/a.txt", "old_string": "gone", "new_string": ""}, edit_file, EditFileInput::replace("src/a.txt", "gone", ""));
    same!("multi_edit", {"path": "src/a.txt", "edits": [{"old_string": "two", "new_string": "2"}]}, multi_edit, MultiEditInput::new("src/a.txt", [TextEdit::new("two", "2")]));
    same!("multi_edit", {"path": "src/a.txt", "edits": []}, multi_edit, MultiEditInput::new("src/a.txt", []));
    same!("list_dir", {"depth": 2}, list_dir, ListDirInput::new("").levels(2));
    same!("list_dir", {"path": "src/a.txt"}, list_dir, ListDirInput::new("src/a.txt"));
    same!("grep", {"pattern": "o"}, grep, GrepInput::new("o"));
    same!("grep", {"pattern": "("}, grep, GrepInput::new("("));
    same!("glob", {"pattern": "**/*.txt"}, glob, GlobInput::new("**/*.txt"));
    same!("glob", {"pattern": "../*"}, glob, GlobInput::new("../*"));
    same!("todo_write", {"todos": [{"content": "a", "status": "pending"}]}, todo_write, TodoWriteInput::replacing([TodoInput::new("a")]));
    same!("todo_write", {}, todo_write, TodoWriteInput::default());
    same!("todo_read", {}, todo_read, TodoReadInput {});
    same!("exists", {"path": "src"}, exists, ExistsInput::new("src"));
    same!("stat", {"path": "src/b.txt"}, stat, StatInput::new("src/b.txt"));
    same!("stat", {"path": "gone"}, stat, StatInput::new("gone"));
    same!("mkdir", {"path": "made/deep"}, mkdir, MkdirInput::new("made/deep"));
    same!("copy", {"from": "src/b.txt", "to": "made/b.txt"}, copy, CopyInput::new("src/b.txt", "made/b.txt"));
    same!("move", {"from": "made/b.txt", "to": "b.txt"}, r#move, MoveInput::new("made/b.txt", "b.txt"));
    same!("move", {"from": "b.txt", "to": "src/a.txt"}, r#move, MoveInput::new("b.txt", "src/a.txt"));
    same!("apply_patch", {"input": "*** Begin Patch\n*** Add File: p.txt\n+p\n*** End Patch\n"}, apply_patch, ApplyPatchInput::new("*** Begin Patch\n*** Add File: p.txt\n+p\n*** End Patch\n"));
    same!("apply_patch", {"patch": "*** Begin Patch\n"}, apply_patch, ApplyPatchInput::new("*** Begin Patch\n"));
    same!("remove", {"path": "src"}, remove, RemoveInput::new("src"));
    same!("remove", {"path": "src", "recursive": true}, remove, RemoveInput::new("src").recursive());
    same!("run_shell", {"command": "make"}, run_shell, RunShellInput::new("make"));
    same!("run_shell", {"command": "make; rm x"}, run_shell, RunShellInput::new("make; rm x"));
    same!("run_shell", {"command": "serve", "background": true}, start_shell, RunShellInput::new("serve"));
    same!("shell_output", {"id": "job-1"}, shell_output, ShellOutputInput::new("job-1"));
    same!("shell_input", {"id": "job-1", "text": "x"}, shell_input, ShellInputInput::new("job-1", "x"));
    same!("shell_kill", {"id": "job-1"}, shell_kill, ShellKillInput::new("job-1"));
    same!("shell_kill", {"id": "job-9"}, shell_kill, ShellKillInput::new("job-9"));
    same!("run_tests", {"pattern": "cart"}, run_tests, RunTestsInput::matching("cart"));
    same!("run_tests", {"pattern": "-x"}, run_tests, RunTestsInput::matching("-x"));
    let all: BTreeSet<_> = ToolName::ALL.iter().map(|tool| tool.as_str().to_owned()).collect();
    assert_eq!(twins.called, all, "a tool that the table does not call");
}

/// Every key of a schema, at any depth.
fn keys(schema: &Value, found: &mut Vec<String>) {
    if let Some(items) = schema.get("items") {
        keys(items, found);
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        found.push(name.clone());
        keys(property, found);
    }
}

#[test]
fn r_call_1_every_tool_says_what_it_is_takes_and_changes() {
    let snake = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    let every = workspace();
    let definitions = ToolSet::new(every.clone()).definitions();
    let names: Vec<_> = definitions.iter().map(|tool| tool.name.as_str()).collect();
    let vended: Vec<_> = every.tools().into_iter().map(ToolName::as_str).collect();
    assert_eq!(names, vended);
    for tool in &definitions {
        assert!(snake(&tool.name) && tool.name.len() < 40, "{}", tool.name);
        assert!(tool.description.len() > 20 && !tool.title.is_empty(), "{}", tool.name);
        for schema in [&tool.input_schema, &tool.output_schema] {
            jsonschema::meta::validate(schema).unwrap();
            assert_eq!(
                (&schema["type"], &schema["additionalProperties"]),
                (&json!("object"), &json!(false)),
                "{}",
                tool.name
            );
            let mut found = Vec::new();
            keys(schema, &mut found);
            let odd: Vec<_> = found.into_iter().filter(|key| !snake(key)).collect();
            assert_eq!(odd, [""; 0], "{}", tool.name);
        }
        assert!(!(tool.read_only && tool.destructive), "{}", tool.name);
    }
    let readers: Vec<_> =
        definitions.iter().filter(|tool| tool.read_only).map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        readers,
        ["read_file", "list_dir", "shell_output", "grep", "glob", "todo_read", "exists", "stat"]
    );
    // Whoever changes files may lose what they held.
    for tool in ToolName::ALL.iter().filter(|tool| tool.changes_files() || tool.runs_commands()) {
        let Some(definition) = definitions.iter().find(|definition| definition.name == tool.as_str()) else {
            continue;
        };
        let makes_only = matches!(tool, ToolName::Mkdir | ToolName::Copy);
        assert_eq!(definition.destructive, !makes_only, "{}", definition.name);
    }
}

#[tokio::test]
async fn r_call_1_a_call_tells_whether_it_needs_approval() {
    let memory = Memory::new().with_file("a.txt", "a\n");
    let shell = memory.shell(Script::new());
    let policy = Policy { shell: Some(ShellPolicy::default()), ..Policy::default() };
    let tools = ToolSet::new(Workspace::builder(memory).shell(shell).policy(policy).build().unwrap());
    for (tool, input, needed) in [
        ("read_file", json!({"path": "a.txt"}), false),
        ("write_file", json!({"path": "b.txt", "content": ""}), false),
        ("run_shell", json!({"command": "make"}), true),
        ("todo_read", json!({}), false),
    ] {
        assert_eq!(tools.needs_approval(tool, input).await, Ok(needed), "{tool}");
    }
}
