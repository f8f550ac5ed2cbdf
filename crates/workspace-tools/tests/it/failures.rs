//! Failures as a model is told of them.

use serde_json::{Value, json};
use workspace_memory::{Memory, Script};
use workspace_tools::{
    BackgroundPolicy, Guard, Policy, ReadFileInput, ShellPolicy, TestsPolicy, ToolError, ToolName, ToolSet,
    Workspace,
};

fn files() -> Memory {
    Memory::new()
        .with_file("src/main.rs", "fn main() {}\nfn main() {}\n")
        .with_file("src/image.png", b"\0\0".to_vec())
        .with_file("src/latin.txt", b"\xe9\n".to_vec())
        .with_file("secret/key", "k\n")
        .with_special("pipe")
        .with_link("loop", "loop")
        .with_link("out", "/etc")
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.paths.deny = vec!["secret".into()];
    policy.shell = Some(ShellPolicy {
        background: Some(BackgroundPolicy::default()),
        ..ShellPolicy::allowing(["make"])
    });
    policy.tests = Some(TestsPolicy::running("make test"));
    policy.edit.guard = Guard::ReadFirst;
    policy
}

fn workspace(change: impl FnOnce(&mut Policy)) -> Workspace {
    let memory = files();
    let shell = memory.shell(Script::new());
    let mut policy = policy();
    change(&mut policy);
    Workspace::builder(memory).shell(shell).policy(policy).build().unwrap()
}

/// Calls that fail, on any projection.
fn bad_calls() -> Vec<(&'static str, Value)> {
    let mut calls = Vec::new();
    for path in [
        "gone/x",
        "src/mian.rs",
        "src",
        "src/image.png",
        "src/latin.txt",
        "secret/key",
        "pipe",
        "loop",
        "out/passwd",
        "../x",
        "",
        "~/x",
    ] {
        calls.push(("read_file", json!({"path": path})));
        calls.push(("edit_file", json!({"path": path, "old_string": "a", "new_string": "b"})));
        calls.push(("multi_edit", json!({"path": path, "edits": [{"old_string": "a", "new_string": "b"}]})));
        calls.push(("write_file", json!({"path": path, "content": "x", "if_exists": "fail"})));
        calls.push(("write_file", json!({"path": path, "content": "x", "expect_hash": "0"})));
        calls.push(("list_dir", json!({"path": format!("{path}/x")})));
        calls.push(("grep", json!({"pattern": "x", "path": format!("{path}/x")})));
        calls.push(("glob", json!({"pattern": "x", "path": format!("{path}/x")})));
        calls.push(("stat", json!({"path": path})));
        calls.push(("remove", json!({"path": path})));
        calls.push(("move", json!({"from": path, "to": "src/main.rs"})));
        calls.push(("copy", json!({"from": path, "to": "src/main.rs"})));
        for action in ["Update", "Delete"] {
            let body = ["", "-a\n+b\n"][usize::from(action == "Update")];
            let patch = format!("*** Begin Patch\n*** {action} File: {path}\n{body}*** End Patch\n");
            calls.push(("apply_patch", json!({"patch": patch})));
        }
        calls.push(("mkdir", json!({"path": format!("src/main.rs/{path}")})));
    }
    calls.extend([
        ("read_file", json!({"path": "src/main.rs", "offset": 99})),
        ("edit_file", json!({"path": "src/main.rs", "old_string": "fn main", "new_string": "x"})),
        ("edit_file", json!({"path": "src/main.rs", "old_string": "", "new_string": "x"})),
        ("edit_file", json!({"path": "src/main.rs", "old_string": "  fn main", "new_string": "x"})),
        ("edit_file", json!({"path": "src/main.rs", "insert_line": 99, "new_string": "x"})),
        ("edit_file", json!({"path": "src/main.rs", "new_string": "x"})),
        ("multi_edit", json!({"path": "src/main.rs", "edits": []})),
        ("write_file", json!({"path": "src/main.rs", "content": "", "if_exists": "fail"})),
        ("grep", json!({"pattern": "("})),
        ("grep", json!({"pattern": "(?=x)"})),
        ("glob", json!({"pattern": "[z-a]"})),
        ("glob", json!({"pattern": "../*"})),
        ("run_shell", json!({"command": "rm -rf x"})),
        ("run_shell", json!({"command": "make; make"})),
        ("run_shell", json!({"command": "make"})),
        ("run_shell", json!({"command": "make", "cwd": "gone"})),
        ("run_tests", json!({"pattern": "-x"})),
        ("shell_output", json!({"id": "job-9"})),
        ("shell_kill", json!({"id": "job-9"})),
        ("shell_input", json!({"id": "job-9", "text": "x"})),
        ("todo_write", json!({"update": [{"id": "9", "status": "pending"}]})),
        ("no_such_tool", json!({})),
    ]);
    calls
}

/// The tools that a text names between backticks.
fn named(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).filter(|word| ToolName::parse(word).is_some()).collect()
}

/// Words with which a text would speak of its reader instead of the call.
const BLAME: [&str; 6] = ["you should have", "you must not", "your fault", "wrongly", "please", "illegal"];

/// What is wrong with a failure, as its reader would find.
fn faults(error: &ToolError, vended: &[&str]) -> Vec<String> {
    let Some(hint) = error.next_step() else { return vec!["it has no next step".into()] };
    let strange = named(hint).into_iter().filter(|name| !vended.contains(name));
    let mut faults: Vec<_> = strange.map(|name| format!("it names `{name}`, which is not there")).collect();
    for text in [hint, error.message()] {
        let lower = text.to_lowercase();
        faults.extend(
            BLAME.iter().filter(|word| lower.contains(**word)).map(|word| format!("it says {word:?}")),
        );
        if text.ends_with('.') || text.starts_with(char::is_uppercase) {
            faults.push("it is a sentence with a capital or a full stop".into());
        }
    }
    faults
}

#[tokio::test]
async fn r_err_2_a_hint_says_what_to_do_next_and_names_only_tools_that_are_there() {
    let full = workspace(|_| {});
    let every: Vec<_> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
    let (mut failed, mut bad) = (0, Vec::new());
    for (view, workspace) in [
        ("full", full.clone()),
        ("every tool", full.pick(every.iter().copied())),
        ("read-only", full.readonly()),
        ("one reader", full.pick(["read_file"])),
        ("one writer", full.pick(["write_file"])),
        ("edits", full.pick(["edit_file", "multi_edit", "move", "copy", "remove", "mkdir", "stat"])),
        ("searches", full.pick(["grep", "glob"])),
        ("commands", full.pick(["run_shell", "run_tests"])),
    ] {
        let vended: Vec<_> = workspace.tools().into_iter().map(ToolName::as_str).collect();
        let tools = ToolSet::new(workspace);
        for (tool, input) in bad_calls() {
            if let Err(error) = tools.call(tool, input.clone()).await {
                failed += 1;
                let found = faults(&error, &vended).into_iter();
                bad.extend(found.map(|fault| format!("{view}: {tool} {input}: {fault}: {error:?}")));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(failed > 600, "only {failed} calls failed");
}

#[tokio::test]
async fn r_err_3_what_is_closed_is_told_apart_from_what_is_missing() {
    let open = workspace(|_| {});
    let closed = open.read_file(ReadFileInput::new("secret/key")).await.unwrap_err();
    let missing = open.read_file(ReadFileInput::new("secre/key")).await.unwrap_err();
    assert_eq!((closed.kind().as_str(), missing.kind().as_str()), ("denied-path", "not-found"));
    assert_eq!(closed.fields()["rule"], "secret");
}

#[tokio::test]
async fn r_err_3_hidden_paths_look_like_missing_ones() {
    let hidden = workspace(|policy| policy.paths.hide_denied = true);
    let tools = ToolSet::new(hidden.pick(ToolName::ALL.iter().map(|tool| tool.as_str())));
    // A directory that is closed, and its twin that is not there.
    for (tool, input) in [
        ("read_file", r#"{"path": "P/key"}"#),
        ("edit_file", r#"{"path": "P/key", "old_string": "k", "new_string": "x"}"#),
        ("multi_edit", r#"{"path": "P/key", "edits": [{"old_string": "k", "new_string": "x"}]}"#),
        ("list_dir", r#"{"path": "P"}"#),
        ("grep", r#"{"path": "P", "pattern": "k"}"#),
        ("glob", r#"{"path": "P", "pattern": "*"}"#),
        ("stat", r#"{"path": "P/key"}"#),
        ("exists", r#"{"path": "P/key"}"#),
        ("remove", r#"{"path": "P/key"}"#),
        ("move", r#"{"from": "P/key", "to": "x"}"#),
        ("copy", r#"{"from": "P/key", "to": "x"}"#),
    ] {
        let told = async |path: &str| {
            let input: Value = serde_json::from_str(&input.replace('P', path)).unwrap();
            match tools.call(tool, input).await {
                Ok(output) => Value::Object(output.value).to_string().replace(path, "P"),
                Err(error) => format!("{:?}", error.to_value(tool)).replace(path, "P"),
            }
        };
        let (closed, missing) = (told("secret").await, told("zzzzzz").await);
        assert_eq!(closed, missing, "{tool}");
        assert!(tool == "exists" || closed.contains("not-found"), "{closed}");
    }
}
