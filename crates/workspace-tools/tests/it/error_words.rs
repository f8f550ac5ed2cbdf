//! Each error as a model reads it: what happened, what did not, what to call next.
//!
//! The snapshot is to be read, not only compared: run
//! `INSTA_UPDATE=always cargo test -p workspace-tools error_words` after a change
//! of words, and read what has changed.

use std::fmt::Write;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use workspace_memory::{Memory, Reply, Script};
use workspace_tools::{
    ApprovalMode, ApprovalPolicy, BackgroundPolicy, Guard, Limit, Policy, ShellPolicy, ToolError, ToolName,
    ToolSet, Workspace,
};

fn files() -> Memory {
    Memory::new()
        .with_file("src/main.rs", "fn main() {\n    run();\n}\n")
        .with_file("src/lib.rs", "pub fn run() {}\npub fn walk() {}\n")
        .with_file("crlf.txt", "one\r\ntwo\r\n")
        .with_file("binary", b"\0\x01\x02".to_vec())
        .with_file("latin.txt", b"caf\xe9\n".to_vec())
        .with_file("utf16.txt", b"\xff\xfeh\0i\0".to_vec())
        .with_file("secret.pem", "key")
        .with_file("big.txt", "x".repeat(200))
        .with_link("out", "/etc/passwd")
        .with_link("dangling", "nothing")
}

fn policy() -> Policy {
    let mut policy = Policy {
        shell: Some(ShellPolicy {
            background: Some(BackgroundPolicy { max_jobs: Limit::of(1), ..BackgroundPolicy::default() }),
            deny: vec!["rm".into()],
            ..ShellPolicy::allowing(["cargo", "git", "ls", "serve"])
        }),
        approval: ApprovalPolicy::never().with("remove", ApprovalMode::Always),
        ..Policy::default()
    };
    policy.paths.deny = vec!["*.pem".into()];
    policy.paths.protect = vec!["*.lock".into()];
    policy.edit.max_file_bytes = Limit::of(150);
    policy.write.max_bytes = Limit::of(150);
    policy
}

fn tools(change: impl FnOnce(&mut Policy)) -> ToolSet {
    let files = files();
    let shell = files.shell(Script::new().with_argv(["serve"], Reply::new().without_end()));
    let mut policy = policy();
    change(&mut policy);
    let workspace = Workspace::builder(files).shell(shell).policy(policy).build().unwrap();
    let all: Vec<_> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
    ToolSet::new(workspace.pick(all))
}

/// What was called, and what the model is told.
fn tell(page: &mut String, tool: &str, input: &Value, error: &ToolError) {
    let mut told = error.to_value(tool);
    let fields = told.as_object_mut().unwrap();
    let mut take = |name: &str| match fields.remove(name) {
        Some(Value::String(text)) => text,
        other => other.map(|value| value.to_string()).unwrap_or_default(),
    };
    let (kind, message, hint) = (take("kind"), take("message"), take("hint"));
    take("tool");
    writeln!(page, "{tool} {input}\n  {kind}: {}", message.replace('\n', "\n    ")).unwrap();
    if !hint.is_empty() {
        writeln!(page, "  next: {hint}").unwrap();
    }
    if !fields.is_empty() {
        writeln!(page, "  {}", Value::Object(fields.clone())).unwrap();
    }
    page.push('\n');
}

async fn page(tools: &ToolSet, calls: &[(&str, Value)]) -> String {
    let mut page = String::new();
    for (tool, input) in calls {
        match tools.call(tool, input.clone()).await {
            Ok(output) => panic!("{tool} {input} went well: {}", output.text),
            Err(error) => tell(&mut page, tool, input, &error),
        }
    }
    page
}

#[tokio::test]
async fn r_err_2_paths() {
    let calls = [
        ("read_file", json!({"path": "../x"})),
        ("read_file", json!({"path": "/etc/passwd"})),
        ("read_file", json!({"path": "~/x"})),
        ("read_file", json!({"path": "C:\\x"})),
        ("read_file", json!({"path": "a\u{0}b"})),
        ("read_file", json!({"path": ""})),
        ("read_file", json!({"path": "out"})),
        ("read_file", json!({"path": "dangling"})),
        ("write_file", json!({"path": "dangling", "content": ""})),
        ("read_file", json!({"path": "secret.pem"})),
        ("write_file", json!({"path": "Cargo.lock", "content": ""})),
        ("read_file", json!({"path": "src/mian.rs"})),
        ("read_file", json!({"path": "nothing/here.rs"})),
        ("read_file", json!({"path": "src"})),
        ("read_file", json!({"path": "src/main.rs/x"})),
        ("list_dir", json!({"path": "src/main.rs"})),
        ("list_dir", json!({"path": "scr"})),
        ("read_file", json!({"path": "src/main.rs", "offset": 9})),
        ("read_file", json!({"path": "binary"})),
        ("read_file", json!({"path": "latin.txt"})),
        ("read_file", json!({"path": "utf16.txt"})),
        ("mkdir", json!({"path": "src/main.rs"})),
        ("move", json!({"from": "src/main.rs", "to": "src/lib.rs"})),
        ("move", json!({"from": "src", "to": "src/deeper"})),
        ("copy", json!({"from": "src/main.rs", "to": "src/lib.rs"})),
        ("remove", json!({"path": "src"})),
    ];
    insta::assert_snapshot!(page(&tools(|_| {}), &calls).await);
}

#[tokio::test]
async fn r_err_2_inputs() {
    let calls = [
        ("read_file", json!({"pth": "a"})),
        ("read_file", json!({})),
        ("read_file", json!({"path": 7})),
        ("read_file", json!({"path": "a", "file_path": "a"})),
        ("read_file", json!({"path": "a", "limit": -1})),
        ("read_file", json!({"path": "a", "format": "pretty"})),
        ("read_file", json!([])),
        ("edit_file", json!({"path": "a", "new_string": "x"})),
        ("edit_file", json!({"path": "a", "old_string": "x", "insert_line": 1, "new_string": "x"})),
        ("multi_edit", json!({"path": "a", "edits": []})),
        ("multi_edit", json!({"path": "a", "edits": "x"})),
        ("todo_write", json!({"todos": [{"content": "", "status": "pending"}]})),
        ("todo_write", json!({"todos": [{"content": "x", "status": "done"}]})),
        ("run_shell", json!({"command": ""})),
        ("run_shell", json!({"command": "ls", "timeout_ms": 0})),
        ("run_shell", json!({"command": "ls", "timeout_ms": -5})),
        ("grep", json!({"pattern": "("})),
        ("grep", json!({"pattern": "a", "path": "../x"})),
        ("glob", json!({"pattern": "src/[a"})),
        ("glob", json!({"pattern": "../*"})),
        ("red_file", json!({"path": "a"})),
        ("no_such_tool", json!({})),
    ];
    insta::assert_snapshot!(page(&tools(|_| {}), &calls).await);
}

#[tokio::test]
async fn r_err_2_edits() {
    let edit = |path: &str, old: &str, new: &str| {
        ("edit_file", json!({"path": path, "old_string": old, "new_string": new}))
    };
    let calls = [
        edit("src/main.rs", "", "x"),
        edit("src/main.rs", "run();", "run();"),
        edit("src/main.rs", "walk();", "x"),
        edit("src/main.rs", "fn main() {\n  run();", "x"),
        edit("src/main.rs", "     1\tfn main() {", "x"),
        edit("src/main.rs", "fn Main()", "x"),
        edit("src/main.rs", "something else entirely", "x"),
        edit("src/lib.rs", "pub fn", "fn"),
        edit("src/mian.rs", "a", "b"),
        edit("big.txt", "x", "y"),
        edit("binary", "a", "b"),
        ("edit_file", json!({"path": "src/lib.rs", "insert_line": 9, "new_string": "x"})),
        (
            "edit_file",
            json!({"path": "src/lib.rs", "old_string": "walk", "new_string": "w", "expect_hash": "00ff"}),
        ),
        ("write_file", json!({"path": "src/lib.rs", "content": "x", "expect_hash": "absent"})),
        ("write_file", json!({"path": "src/lib.rs", "content": "x", "if_exists": "fail"})),
        ("write_file", json!({"path": "new.txt", "content": "x".repeat(151)})),
        (
            "multi_edit",
            json!({"path": "src/lib.rs", "edits": [
                {"old_string": "walk", "new_string": "go"}, {"old_string": "walk", "new_string": "x"},
            ]}),
        ),
    ];
    insta::assert_snapshot!(page(&tools(|_| {}), &calls).await);
}

#[tokio::test]
async fn r_err_2_patches() {
    let patch =
        |body: &str| ("apply_patch", json!({"patch": format!("*** Begin Patch\n{body}*** End Patch\n")}));
    let update = |path: &str, hunks: &str| patch(&format!("*** Update File: {path}\n{hunks}"));
    let calls = [
        ("apply_patch", json!({"patch": "--- a/x\n+++ b/x\n"})),
        ("apply_patch", json!({"patch": "*** Begin Patch\n*** Delete File: src/lib.rs\n"})),
        ("apply_patch", json!({"patch": "x".repeat(151)})),
        patch(""),
        patch("*** Add File: new.txt\nhello\n"),
        update("src/lib.rs", "@@ -1,2 +1,2 @@\n-pub fn run() {}\n"),
        update("src/lib.rs", "@@\n pub fn run() {}\n"),
        update("src/lib.rs", "pub fn run() {}\n"),
        update("src/lib.rs", "-pub fn run() {}\n+pub fn run() {}\n"),
        update("src/lib.rs", "@@ impl Lib\n-pub fn run() {}\n"),
        update("src/lib.rs", "-pub fn Run() {}\n"),
        update("src/lib.rs", "-something else entirely\n"),
        update("src/lib.rs", "-fn run() {}\n"),
        update("src/lib.rs", "@@\n-pub fn walk() {}\n@@\n-pub fn run() {}\n"),
        update("src/lib.rs", "-pub fn run() {}\n*** End of File\n"),
        update("src/main.rs", "+x\n*** End of File\n@@\n-}\n"),
        update("src/mian.rs", "-x\n"),
        update("binary", "-x\n"),
        update("big.txt", "-x\n"),
        update("../x", "-x\n"),
        update("secret.pem", "-x\n"),
        update("src/lib.rs", "*** Move to: src/main.rs\n"),
        patch("*** Add File: src/lib.rs\n+x\n"),
        patch("*** Add File: Cargo.lock\n+x\n"),
        patch("*** Delete File: dangling\n"),
        patch("*** Delete File: src\n"),
        patch("*** Delete File: src/lib.rs\n*** Add File: ./src/lib.rs\n+x\n"),
        patch("*** Add File: a\n+x\n*** Add File: a/b\n+x\n"),
    ];
    insta::assert_snapshot!(page(&tools(|_| {}), &calls).await);
}

#[tokio::test]
async fn r_err_2_commands() {
    let line = |command: &str| ("run_shell", json!({"command": command}));
    let tools = tools(|_| {});
    let mut told = page(
        &tools,
        &[
            line("rm -rf x"),
            line("curl x"),
            line("ls | wc -l"),
            line("ls; rm x"),
            line("ls $(rm x)"),
            line("ls 'open"),
            line("ls > /etc/x"),
            line("sudo ls"),
            line("git -c core.pager=x log"),
            ("run_shell", json!({"command": "ls", "cwd": "../x"})),
            ("run_shell", json!({"command": "ls", "cwd": "src/main.rs"})),
            ("shell_output", json!({"id": "job-9"})),
            ("shell_kill", json!({"id": "job-9"})),
            ("remove", json!({"path": "src/main.rs"})),
        ],
    )
    .await;
    tools.call("run_shell", json!({"command": "serve", "background": true})).await.unwrap();
    told += &page(
        &tools,
        &[
            ("run_shell", json!({"command": "serve", "background": true})),
            ("shell_output", json!({"id": "job-2"})),
            ("shell_output", json!({"id": "job-1", "cursor": 99})),
        ],
    )
    .await;
    tools.workspace().dispose().await;
    told += &page(&tools, &[line("ls")]).await;
    insta::assert_snapshot!(told);
}

#[tokio::test]
async fn r_err_2_other_rights() {
    let mut told = String::new();
    let read_only = ToolSet::new(tools(|_| {}).workspace().readonly());
    told += &page(
        &read_only,
        &[
            ("write_file", json!({"path": "a", "content": "x"})),
            ("edit_file", json!({"path": "a", "old_string": "x", "new_string": "y"})),
            ("run_shell", json!({"command": "ls"})),
        ],
    )
    .await;
    let without_commands = tools(|policy| policy.shell = None);
    told +=
        &page(&without_commands, &[("run_shell", json!({"command": "ls"})), ("run_tests", json!({}))]).await;
    let without_jobs = tools(|policy| policy.shell = Some(ShellPolicy::allowing(["ls"])));
    told += &page(
        &without_jobs,
        &[
            ("run_shell", json!({"command": "ls", "background": true})),
            ("shell_output", json!({"id": "job-1"})),
        ],
    )
    .await;
    let read_first = tools(|policy| policy.edit.guard = Guard::ReadFirst);
    told += &page(
        &read_first,
        &[("edit_file", json!({"path": "src/lib.rs", "old_string": "walk", "new_string": "x"}))],
    )
    .await;
    let careful = tools(|policy| policy.search.redos_compat = true);
    told += &page(
        &careful,
        &[("grep", json!({"pattern": "(a+)+b"})), ("grep", json!({"pattern": "a".repeat(201)}))],
    )
    .await;
    careful.call("grep", json!({"pattern": "(a+)+b", "literal": true})).await.unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let input = json!({"path": "a", "content": "x"});
    let error = tools(|_| {}).call_with("write_file", input.clone(), &cancel).await.unwrap_err();
    tell(&mut told, "write_file", &input, &error);
    insta::assert_snapshot!(told);
}
