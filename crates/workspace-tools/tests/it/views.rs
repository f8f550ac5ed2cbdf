//! Projections: narrower views that share everything.

use serde_json::json;
use workspace_memory::{Memory, Script};
use workspace_tools::{
    ApprovalPolicy, BackgroundPolicy, EditFileInput, GlobInput, Policy, ReadFileInput, RunShellInput,
    ShellPolicy, TestsPolicy, TodoInput, TodoReadInput, TodoWriteInput, ToolName, ToolSet, Workspace,
    WriteFileInput,
};

fn files() -> Memory {
    Memory::new()
        .with_file("app/src/a.txt", "one\n")
        .with_file("app/secret/key", "k\n")
        .with_file("other/secret/key", "k\n")
        .with_link("app/out", "../other")
        .with_link("app/in", "src")
        .with_link("door", "app/src")
}

fn guarded() -> Workspace {
    let mut policy = Policy::default();
    policy.paths.deny = vec!["app/secret".into()];
    Workspace::memory(files(), policy).build().unwrap()
}

#[track_caller]
fn kind<T: std::fmt::Debug>(result: Result<T, workspace_tools::ToolError>) -> &'static str {
    result.unwrap_err().kind().as_str()
}

#[tokio::test]
async fn r_proj_2_no_path_leads_out_of_a_scope() {
    let scope = guarded().scope("app").await.unwrap();
    for path in ["../other/secret/key", "/workspace/other/secret/key", "out/secret/key", "src/../../other"] {
        assert_eq!(kind(scope.read_file(ReadFileInput::new(path)).await), "path-escape", "{path}");
        assert_eq!(kind(scope.write_file(WriteFileInput::new(path, "")).await), "path-escape", "{path}");
    }
    for path in ["src/a.txt", "in/a.txt", "/workspace/app/src/a.txt", "./x/../src/a.txt"] {
        assert_eq!(scope.read_file(ReadFileInput::new(path)).await.unwrap().total_lines, 1, "{path}");
    }
}

#[tokio::test]
async fn r_proj_2_the_directory_itself_passes_the_path_rules() {
    let workspace = guarded();
    for (directory, expected) in [
        ("..", "path-escape"),
        ("/elsewhere", "path-escape"),
        ("gone", "not-found"),
        ("app/src/a.txt", "not-a-directory"),
    ] {
        assert_eq!(kind(workspace.scope(directory).await), expected, "{directory}");
    }
    // Against the root that there is now, not the first one.
    let app = workspace.scope("app").await.unwrap();
    for directory in ["../other", "out", "/workspace/other"] {
        assert_eq!(kind(app.scope(directory).await), "path-escape", "{directory}");
    }
    let inner = app.scope("in").await.unwrap();
    assert_eq!(inner.read_file(ReadFileInput::new("a.txt")).await.unwrap().total_lines, 1);
    assert_eq!(kind(inner.read_file(ReadFileInput::new("../secret/key")).await), "path-escape");
}

#[tokio::test]
async fn r_proj_2_closed_paths_are_those_of_the_whole_workspace() {
    let workspace = guarded();
    let app = workspace.scope("app").await.unwrap();
    assert_eq!(kind(app.read_file(ReadFileInput::new("secret/key")).await), "denied-path");
    assert_eq!(app.glob(GlobInput::new("**/key")).await.unwrap().paths, [""; 0]);
    // The same name elsewhere is not closed: the glob begins at the first root.
    let other = workspace.scope("other").await.unwrap();
    assert_eq!(other.read_file(ReadFileInput::new("secret/key")).await.unwrap().total_lines, 1);
}

#[tokio::test]
async fn r_proj_2_a_scope_shares_what_the_workspace_has() {
    let memory = files();
    let shell = memory.shell(Script::new());
    let mut policy = Policy { approval: ApprovalPolicy::never(), ..Policy::default() };
    let background = Some(BackgroundPolicy::default());
    policy.shell = Some(ShellPolicy { background, ..ShellPolicy::default() });
    policy.edit.guard = workspace_tools::Guard::ReadFirst;
    let workspace = Workspace::builder(memory.clone()).shell(shell.clone()).policy(policy).build().unwrap();
    let scope = workspace.scope("door").await.unwrap();
    // The todo list, the tree, what was read and by which name, the commands.
    scope.todo_write(TodoWriteInput::replacing([TodoInput::new("x")])).await.unwrap();
    assert_eq!(workspace.todo_read(TodoReadInput {}).await.unwrap().todos.len(), 1);
    workspace.read_file(ReadFileInput::new("app/src/a.txt")).await.unwrap();
    scope.edit_file(EditFileInput::replace("a.txt", "one", "1")).await.unwrap();
    assert_eq!(memory.read_now("app/src/a.txt").unwrap(), b"1\n");
    scope.run_shell(RunShellInput::new("make")).await.unwrap();
    assert_eq!(shell.commands()[0].cwd.to_string(), "app/src");
    let started = scope.start_shell(RunShellInput::new("serve")).await.unwrap();
    workspace.shell_output(workspace_tools::ShellOutputInput::new(started.id)).await.unwrap();
}

fn full() -> Workspace {
    let memory = files();
    let shell = memory.shell(Script::new());
    let background = Some(BackgroundPolicy::default());
    let policy = Policy {
        shell: Some(ShellPolicy { background, ..ShellPolicy::default() }),
        tests: Some(TestsPolicy::running("make test")),
        ..Policy::default()
    };
    Workspace::builder(memory).shell(shell).policy(policy).build().unwrap()
}

fn names(workspace: &Workspace) -> Vec<&'static str> {
    workspace.tools().into_iter().map(ToolName::as_str).collect()
}

#[test]
fn r_proj_3_tools_have_one_order_whatever_the_order_they_are_picked_in() {
    let all = [
        "read_file",
        "edit_file",
        "multi_edit",
        "write_file",
        "list_dir",
        "run_shell",
        "shell_output",
        "shell_kill",
        "run_tests",
        "grep",
        "glob",
        "todo_write",
        "todo_read",
    ];
    let full = full();
    assert_eq!(names(&full), all);
    let picked = full.pick(["todo_read", "stat", "grep", "read_file", "grep"]);
    assert_eq!(names(&picked), ["read_file", "grep", "todo_read", "stat"]);
}

#[test]
fn r_proj_3_a_pick_drops_what_is_not_there_and_a_strict_one_tells() {
    let full = full();
    assert_eq!(names(&full.pick(["read_file", "grpe", "edit_file"])), ["read_file", "edit_file"]);
    assert_eq!(names(&full.readonly().pick(["read_file", "edit_file"])), ["read_file"]);
    // A second pick has what the first one left.
    assert_eq!(names(&full.pick(["read_file", "grep"]).pick(["grep", "glob"])), ["grep"]);
    assert_eq!(names(&full.pick_strict(["grep", "glob"]).unwrap()), ["grep", "glob"]);
    for (workspace, name, hint) in [
        (full.clone(), "grpe", "did you mean `grep`?"),
        (full.readonly(), "edit_file", "see the list of tools of this workspace"),
        (full.pick(["read_file"]), "glob", "see the list of tools of this workspace"),
    ] {
        let refused = workspace.pick_strict(["read_file", name]).unwrap_err();
        assert_eq!(refused.message(), format!("this workspace has no tool `{name}`"));
        assert_eq!((refused.kind().as_str(), refused.next_step()), ("invalid-input", Some(hint)));
    }
}

#[tokio::test]
async fn r_proj_3_tools_are_renamed_one_by_one() {
    let tools = ToolSet::new(full().pick(["read_file", "grep"])).renamed(ToolName::ReadFile, "view");
    let names: Vec<_> = tools.definitions().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["view", "grep"]);
    tools.call("view", json!({"path": "app/src/a.txt"})).await.unwrap();
    assert_eq!(kind(tools.call("read_file", json!({"path": "app/src/a.txt"})).await), "invalid-input");
}
