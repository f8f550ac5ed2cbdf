//! Tools whose schemas belong to vendors of models: declared as they are, held by our policy.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use workspace_core::{Finished, Program};
use workspace_memory::{Memory, MemoryShell, Script};
use workspace_tools::{
    ApprovalMode, ApprovalPolicy, ApprovalRequest, Approver, BashTool, Decision, Guard, Interpreter,
    MemoryTool, PatchTool, Policy, ShellPolicy, ShellShape, ShellTool, TextEditorTool, VendorTool,
    VendorTools, Workspace,
};

fn files() -> Memory {
    Memory::new().with_file("src/a.txt", "one\ntwo\nthree\n").with_file("secret/key", "k\n")
}

fn workspace(files: &Memory, change: impl FnOnce(&mut Policy)) -> (Workspace, MemoryShell) {
    let shell = files.shell(Script::new().with_function(|_, _| Some(Finished::new(3).with_stdout("out\n"))));
    let mut policy = Policy { approval: ApprovalPolicy::never(), ..Policy::default() };
    policy.paths.deny = vec!["secret".into()];
    policy.shell = Some(ShellPolicy::allowing(["ls", "cat"]));
    change(&mut policy);
    (Workspace::builder(files.clone()).shell(shell.clone()).policy(policy).build().unwrap(), shell)
}

fn with_sh(policy: &mut Policy) {
    policy.shell.as_mut().unwrap().interpreter = Interpreter::Sh;
}

async fn call(tool: &impl VendorTool, input: Value) -> (String, bool) {
    let answer = tool.call(input, &CancellationToken::new()).await;
    (answer.text, answer.is_error)
}

async fn ok(tool: &impl VendorTool, input: Value) -> String {
    let (text, is_error) = call(tool, input).await;
    assert!(!is_error, "{text}");
    text
}

async fn fails(tool: &impl VendorTool, input: Value) -> String {
    let (text, is_error) = call(tool, input).await;
    assert!(is_error, "{text}");
    text
}

#[tokio::test]
async fn vendors_tools_are_declared_as_their_vendors_know_them() {
    let (workspace, _) = workspace(&files(), with_sh);
    let tools = VendorTools::new()
        .with(TextEditorTool::new(workspace.clone()).max_characters(900))
        .with(BashTool::new(workspace.clone()).unwrap())
        .with(MemoryTool::open(&workspace, "notes").await.unwrap())
        .with(PatchTool::new(workspace.clone()))
        .with(ShellTool::new(workspace.clone(), ShellShape::Responses))
        .with(ShellTool::new(workspace.clone(), ShellShape::LocalShell));
    assert_eq!(
        tools.declarations(),
        [
            json!({"type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 900}),
            json!({"type": "bash_20250124", "name": "bash"}),
            json!({"type": "memory_20250818", "name": "memory"}),
            json!({"type": "apply_patch"}),
            json!({"type": "shell", "environment": {"type": "local"}}),
            json!({"type": "local_shell"}),
        ]
    );
    assert!(tools.has("memory") && !tools.has("run_shell"));
    let unknown = tools.call("memori", json!({})).await;
    assert_eq!(unknown.text, "invalid-input: there is no tool `memori` here\ndid you mean `memory`?");
    assert!(unknown.is_error);
}

#[tokio::test]
async fn a_text_editor_views_and_changes_files() {
    let files = files();
    let editor = TextEditorTool::new(workspace(&files, |_| {}).0);
    let view = |range: Value| json!({"command": "view", "path": "src/a.txt", "view_range": range});
    assert_eq!(ok(&editor, view(Value::Null)).await, "     1\tone\n     2\ttwo\n     3\tthree");
    assert_eq!(ok(&editor, view(json!([2, 2]))).await, "     2\ttwo");
    assert_eq!(ok(&editor, view(json!([2, -1]))).await, "     2\ttwo\n     3\tthree");
    assert!(fails(&editor, view(json!([3, 2]))).await.contains("`view_range`"));
    let short = editor.clone().max_characters(20);
    assert_eq!(
        ok(&short, view(Value::Null)).await,
        "     1\tone\n\n[lines 1 to 1 of 3 are shown; give `view_range` [2, -1] for the rest]"
    );
    let listed = ok(&editor, json!({"command": "view", "path": "."})).await;
    assert_eq!(listed, ". holds, 2 levels deep:\nsrc/\nsrc/a.txt\t14 bytes");
    ok(&editor, json!({"command": "create", "path": "b/new.txt", "file_text": "new\n"})).await;
    ok(&editor, json!({"command": "str_replace", "path": "src/a.txt", "old_str": "two", "new_str": "2"}))
        .await;
    ok(&editor, json!({"command": "insert", "path": "src/a.txt", "insert_line": 0, "insert_text": "zero"}))
        .await;
    assert_eq!(files.read_now("src/a.txt").unwrap(), b"zero\none\n2\nthree\n");
    assert_eq!(files.read_now("b/new.txt").unwrap(), b"new\n");
    // In the words of that tool, and under our rules.
    let twice = json!({"command": "str_replace", "path": "src/a.txt", "old_str": "e", "new_str": "E"});
    let told = fails(&editor, twice).await;
    assert!(told.starts_with("not-unique: `old_str`") && !told.contains("replace_all"), "{told}");
    assert!(
        fails(&editor, json!({"command": "view", "path": "secret/key"})).await.starts_with("denied-path")
    );
    assert!(fails(&editor, json!({"command": "view", "path": "../x"})).await.starts_with("path-escape"));
    assert!(fails(&editor, json!({"command": "delete", "path": "b"})).await.starts_with("invalid-input"));
    let reader = TextEditorTool::new(workspace(&files, |_| {}).0.readonly());
    let create = json!({"command": "create", "path": "c", "file_text": ""});
    assert!(fails(&reader, create).await.starts_with("read-only"));
}

#[tokio::test]
async fn a_text_editor_is_held_by_the_stale_guard() {
    let files = files();
    let editor = TextEditorTool::new(workspace(&files, |policy| policy.edit.guard = Guard::ReadFirst).0);
    let edit = || json!({"command": "str_replace", "path": "src/a.txt", "old_str": "two", "new_str": "2"});
    let told = fails(&editor, edit()).await;
    assert!(told.starts_with("stale-hash") && told.contains("`view`"), "{told}");
    ok(&editor, json!({"command": "view", "path": "src/a.txt"})).await;
    ok(&editor, edit()).await;
}

#[tokio::test]
async fn a_memory_has_a_root_of_its_own_and_no_way_out() {
    let files = files().with_dir("notes").with_link("notes/out", "../src");
    let memory = MemoryTool::open(&workspace(&files, |_| {}).0, "notes").await.unwrap();
    let create = |path: &str| json!({"command": "create", "path": path, "file_text": "one\n"});
    ok(&memory, create("/memories/deep/a.md")).await;
    assert!(
        fails(&memory, create("/memories/deep/a.md")).await.contains("`/memories/deep/a.md` exists already")
    );
    assert_eq!(
        ok(&memory, json!({"command": "view", "path": "/memories"})).await,
        "/memories holds, 2 levels deep:\n/memories/deep/\n/memories/deep/a.md\t4 bytes\n/memories/out@"
    );
    let insert =
        json!({"command": "insert", "path": "/memories/deep/a.md", "insert_line": 1, "insert_text": "two\n"});
    ok(&memory, insert).await;
    let replace =
        json!({"command": "str_replace", "path": "/memories/deep/a.md", "old_str": "one", "new_str": "1"});
    ok(&memory, replace).await;
    let view = json!({"command": "view", "path": "/memories/deep/a.md"});
    assert_eq!(ok(&memory, view).await, "     1\t1\n     2\ttwo");
    let rename = |from: &str, to: &str| json!({"command": "rename", "old_path": from, "new_path": to});
    ok(&memory, rename("/memories/deep/a.md", "/memories/other/b.md")).await;
    assert_eq!(files.read_now("notes/other/b.md").unwrap(), b"1\ntwo\n");
    for path in
        ["/memories/../src/a.txt", "/src/a.txt", "src/a.txt", "/memories/out/a.txt", "/memories//etc/passwd"]
    {
        let told = fails(&memory, json!({"command": "view", "path": path})).await;
        assert!(told.starts_with("path-escape"), "{path}: {told}");
        let told = fails(&memory, create(path)).await;
        assert!(told.starts_with("path-escape"), "{path}: {told}");
    }
    assert!(fails(&memory, rename("/memories/other", "/memories/../x")).await.starts_with("path-escape"));
    let delete = |path: &str| json!({"command": "delete", "path": path});
    assert!(fails(&memory, delete("/memories")).await.starts_with("invalid-input"));
    ok(&memory, delete("/memories/other")).await;
    assert!(files.read_now("notes/other/b.md").is_err());
    assert_eq!(files.read_now("src/a.txt").unwrap(), b"one\ntwo\nthree\n");
}

#[tokio::test]
async fn a_bash_runs_each_line_by_itself_and_says_so_once() {
    let (workspace, shell) = workspace(&files(), with_sh);
    let bash = BashTool::new(workspace).unwrap();
    let first = ok(&bash, json!({"command": "ls | cat"})).await;
    assert!(first.contains("out\n") && first.contains("exit code 3"), "{first}");
    assert!(first.contains("a `cd`, variables"), "{first}");
    assert!(!ok(&bash, json!({"command": "ls"})).await.contains("variables"));
    assert!(ok(&bash, json!({"restart": true})).await.contains("variables"));
    assert!(fails(&bash, json!({"command": "ls | rm x"})).await.starts_with("denied-command"));
    assert!(fails(&bash, json!({})).await.starts_with("invalid-input"));
    assert!(fails(&bash, json!({"command": "ls", "restart": true})).await.starts_with("invalid-input"));
    let ran: Vec<_> = shell.commands().into_iter().map(|command| command.program).collect();
    assert_eq!(ran, [Program::Sh("ls | cat".into()), Program::Sh("ls".into())]);
    let (argv, _) = self::workspace(&files(), |_| {});
    assert_eq!(BashTool::new(argv).unwrap_err().kind().as_str(), "unsupported");
}

#[tokio::test]
async fn openai_patches_are_operations_on_one_file_or_whole() {
    let files = files();
    let patches = VendorTools::new().with(PatchTool::new(workspace(&files, |_| {}).0));
    let cancel = CancellationToken::new();
    let item = |operation: Value| json!({"type": "apply_patch_call", "id": "i", "call_id": "c", "operation": operation});
    for (operation, status) in [
        (json!({"type": "create_file", "path": "n.txt", "diff": "+new\n"}), "completed"),
        (json!({"type": "update_file", "path": "src/a.txt", "diff": "@@\n one\n-two\n+2\n"}), "completed"),
        (json!({"type": "update_file", "path": "src/a.txt", "diff": "@@\n-two\n"}), "failed"),
        (json!({"type": "create_file", "path": "x", "diff": "no plus"}), "failed"),
        (json!({"type": "delete_file", "path": "n.txt"}), "completed"),
        (json!({"type": "delete_file", "path": "secret/key"}), "failed"),
        (json!({"type": "format_disk"}), "failed"),
    ] {
        let answer = patches.answer_item(&item(operation.clone()), &cancel).await.unwrap();
        assert_eq!(
            (&answer["type"], &answer["call_id"], &answer["status"]),
            (&json!("apply_patch_call_output"), &json!("c"), &json!(status)),
            "{operation} {answer}"
        );
    }
    assert_eq!(files.read_now("src/a.txt").unwrap(), b"one\n2\nthree\n");
    assert!(files.read_now("n.txt").is_err());
    assert_eq!(patches.answer_item(&json!({"type": "message"}), &cancel).await, None);
    let whole = "*** Begin Patch\n*** Update File: src/a.txt\n-2\n+two\n*** End Patch";
    assert!(!patches.call("apply_patch", json!({"input": whole})).await.is_error);
    assert_eq!(files.read_now("src/a.txt").unwrap(), b"one\ntwo\nthree\n");
}

#[tokio::test]
async fn openai_shells_run_words_and_lines_under_the_policy() {
    let (workspace, shell) = workspace(&files(), |_| {});
    let cancel = CancellationToken::new();
    let tool = ShellTool::new(workspace.clone(), ShellShape::Responses);
    let item = json!({
        "type": "shell_call", "call_id": "c",
        "action": {"commands": ["ls src", "rm x", "ls"], "timeout_ms": 9, "max_output_length": 2},
    });
    let answer = tool.answer_item(&item, &cancel).await.unwrap();
    assert_eq!((&answer["type"], &answer["call_id"]), (&json!("shell_call_output"), &json!("c")));
    assert_eq!(answer["max_output_length"], 2);
    // The second one is refused, and the third does not run behind it.
    assert_eq!(answer["output"].as_array().unwrap().len(), 2);
    assert_eq!(
        answer["output"][0],
        json!({"stdout": "ou", "stderr": "", "outcome": {"type": "exit", "exit_code": 3}})
    );
    assert_eq!(answer["output"][1]["outcome"], json!({"type": "exit", "exit_code": 126}));
    let local = ShellTool::new(workspace.clone(), ShellShape::LocalShell);
    let item = json!({
        "type": "local_shell_call", "call_id": "d",
        "action": {"type": "exec", "command": ["cat", "it's; here"], "env": {}, "working_directory": "src"},
    });
    let answer = local.answer_item(&item, &cancel).await.unwrap();
    assert_eq!((&answer["type"], &answer["call_id"]), (&json!("local_shell_call_output"), &json!("d")));
    assert!(answer["output"].as_str().unwrap().contains("exit code 3"));
    assert_eq!(tool.answer_item(&item, &cancel).await, None);
    let function = ShellTool::new(workspace, ShellShape::Function);
    assert!(fails(&function, json!({"command": ["rm", "x"]})).await.starts_with("denied-command"));
    assert!(
        fails(&function, json!({"command": ["ls"], "env": {"A": "b"}})).await.starts_with("invalid-input")
    );
    ok(&function, json!({"command": ["ls"], "workdir": "src"})).await;
    let ran: Vec<_> = shell.commands().into_iter().map(|command| command.program).collect();
    let argv = |words: &[&str]| Program::Argv(words.iter().map(|word| (*word).to_owned()).collect());
    assert_eq!(ran, [argv(&["ls", "src"]), argv(&["cat", "it's; here"]), argv(&["ls"])]);
}

/// Says no, and notes what it was asked.
struct Owner(Arc<Mutex<Vec<ApprovalRequest>>>);

#[async_trait]
impl Approver for Owner {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.0.lock().unwrap().push(request.clone());
        Decision::Deny("no".into())
    }
}

#[tokio::test]
async fn r_appr_1_vendors_tools_ask_as_ours_do() {
    let files = files();
    let shell = files.shell(Script::new());
    let mut policy = Policy { shell: Some(ShellPolicy::allowing(["ls"])), ..Policy::default() };
    with_sh(&mut policy);
    policy.approval = ["edit_file", "write_file", "apply_patch"]
        .into_iter()
        .fold(ApprovalPolicy::default(), |approval, tool| approval.with(tool, ApprovalMode::Always));
    let asked = Arc::default();
    let builder = Workspace::builder(files.clone()).shell(shell.clone()).policy(policy);
    let workspace = builder.approver(Owner(Arc::clone(&asked))).build().unwrap();
    let editor = TextEditorTool::new(workspace.clone());
    fails(&editor, json!({"command": "create", "path": "n", "file_text": ""})).await;
    fails(&editor, json!({"command": "str_replace", "path": "src/a.txt", "old_str": "two", "new_str": "2"}))
        .await;
    fails(&BashTool::new(workspace.clone()).unwrap(), json!({"command": "ls"})).await;
    fails(&ShellTool::new(workspace.clone(), ShellShape::Function), json!({"command": ["ls"]})).await;
    fails(&PatchTool::new(workspace), json!({"type": "delete_file", "path": "src/a.txt"})).await;
    let tools: Vec<_> = asked.lock().unwrap().iter().map(|request| request.tool.as_str()).collect();
    assert_eq!(tools, ["write_file", "edit_file", "run_shell", "run_shell", "apply_patch"]);
    assert_eq!(files.read_now("src/a.txt").unwrap(), b"one\ntwo\nthree\n");
    assert!(shell.commands().is_empty());
}
