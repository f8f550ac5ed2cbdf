//! What programs show to people while tools work: files as a whole, and how far a call has come.

use serde_json::json;
use workspace_memory::{Memory, Reply, Script};
use workspace_tools::{
    ApprovalMode, ApprovalPolicy, Limit, Policy, Progress, ShellPolicy, ToolErrorKind, ToolSet, Workspace,
};

fn files() -> Memory {
    Memory::new()
        .with_file("a.txt", "one\n")
        .with_file("b/c.txt", "two\n")
        .with_file("b/d.bin", [0xff, 0x00])
        .with_file("b/large", "x".repeat(101))
        .with_file("closed/key", "k\n")
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.paths.deny = vec!["closed/**".into()];
    policy.read.max_bytes = Limit(Some(100));
    policy
}

fn workspace(policy: Policy) -> Workspace {
    Workspace::builder(files()).policy(policy).build().unwrap()
}

#[tokio::test]
async fn the_names_of_files_come_in_order_as_many_as_are_wanted() {
    let workspace = workspace(policy());
    let names = workspace.file_names(10).await.unwrap();
    assert_eq!(
        (names.paths, names.truncated),
        (["a.txt", "b/c.txt", "b/d.bin", "b/large"].map(Into::into).into(), false)
    );
    let names = workspace.file_names(2).await.unwrap();
    assert_eq!((names.paths, names.truncated), (["a.txt", "b/c.txt"].map(Into::into).into(), true));
    let below = workspace.scope("b").await.unwrap().file_names(1).await.unwrap();
    assert_eq!(below.paths, ["c.txt"]);
}

#[tokio::test]
async fn the_bytes_of_a_file_are_given_under_the_rules_of_reading() {
    let workspace = workspace(policy());
    assert_eq!(workspace.file_bytes("b/d.bin").await.unwrap(), [0xff, 0x00]);
    for (path, kind) in [
        ("b/large", ToolErrorKind::TooLarge),
        ("closed/key", ToolErrorKind::DeniedPath),
        ("nope", ToolErrorKind::NotFound),
        ("b", ToolErrorKind::IsADirectory),
        ("../a", ToolErrorKind::PathEscape),
        ("", ToolErrorKind::InvalidInput),
    ] {
        assert_eq!(workspace.file_bytes(path).await.unwrap_err().kind(), kind, "{path:?}");
    }
}

#[tokio::test]
async fn who_must_be_asked_about_a_tool_is_asked_about_what_it_shows() {
    let mut policy = policy();
    policy.approval = ApprovalPolicy::default().with("read_file", ApprovalMode::Always);
    let workspace = workspace(policy);
    assert_eq!(workspace.file_bytes("a.txt").await.unwrap_err().kind(), ToolErrorKind::ApprovalRequired);
    let tools = ToolSet::new(workspace);
    let asked = ["read_file", "grep", "no_such_tool"].map(|tool| tools.may_need_approval(tool));
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn a_call_counts_what_it_has_done_for_who_looks() {
    let memory = files();
    let shell = memory.shell(Script::new().with_argv(["print"], Reply::new().with_stdout("12345")));
    let mut policy = policy();
    policy.shell = Some(ShellPolicy::allowing(["print"]));
    policy.approval = ApprovalPolicy::never();
    let tools = ToolSet::new(Workspace::memory(memory, policy).shell(shell).build().unwrap());
    for (tool, input, count) in [
        ("grep", json!({"pattern": "o"}), 4),
        ("glob", json!({"pattern": "**/*.txt"}), 4),
        ("run_shell", json!({"command": "print"}), 5),
        ("read_file", json!({"path": "a.txt"}), 0),
    ] {
        let progress = Progress::counted();
        tools.watched(progress.clone()).call(tool, input).await.unwrap();
        assert_eq!(progress.count(), count, "{tool}");
    }
}
