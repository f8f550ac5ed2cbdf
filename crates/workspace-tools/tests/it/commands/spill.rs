//! Outputs that are kept whole.

use serde_json::json;
use workspace_tools::{
    ExtraRoot, GlobInput, GrepInput, Limit, Policy, ReadFileInput, RunShellInput, RunShellOutput, Workspace,
};

use super::puppet::Shell;
use super::{call, policy, refused, with_shell, workspace};

async fn run(workspace: &Workspace, shell: &Shell, stdout: &str, stderr: &str) -> RunShellOutput {
    let running = tokio::spawn({
        let workspace = workspace.clone();
        async move { workspace.run_shell(RunShellInput::new("build")).await }
    });
    let puppet = shell.next().await;
    puppet.print(stdout);
    puppet.complain(stderr);
    puppet.exit(0);
    running.await.unwrap().unwrap()
}

fn long() -> String {
    (0..100).fold(String::new(), |text, number| text + &format!("line {number}\n"))
}

fn spilling(shell: &Shell) -> Workspace {
    workspace(
        shell,
        with_shell(|shell| {
            shell.spill = true;
            shell.max_output_bytes = Limit::of(200);
        }),
    )
}

#[tokio::test]
async fn r_exec_6_the_whole_output_can_be_read_and_searched() {
    let shell = Shell::new();
    let workspace = spilling(&shell);
    let output = run(&workspace, &shell, &long(), "bad\n").await;
    assert_eq!(output.output_file.as_deref(), Some("@output/1"));
    assert!(
        output.truncated && output.stdout.contains("left out, all is in `@output/1` ...]"),
        "{}",
        output.stdout
    );

    let page = workspace.read_file(ReadFileInput::new("@output/1").raw()).await.unwrap();
    assert_eq!(page.content, long() + "bad\n");
    let found = workspace.grep(GrepInput::new("line 57|bad").within("@output/1")).await.unwrap();
    let found: Vec<_> =
        found.matches.unwrap().into_iter().map(|hit| (hit.path, hit.line, hit.text)).collect();
    assert_eq!(
        found,
        [("@output/1".to_owned(), 58, "line 57".to_owned()), ("@output/1".to_owned(), 101, "bad".to_owned())]
    );

    // What was cut only on standard error is kept likewise; what was not cut is not.
    assert_eq!(run(&workspace, &shell, "", &long()).await.output_file.as_deref(), Some("@output/2"));
    assert_eq!(run(&workspace, &shell, "short\n", "").await.output_file, None);
    let listed = call(&workspace, "list_dir", json!({"path": "@output"})).await.unwrap();
    let listed: Vec<_> = listed["entries"].as_array().unwrap().iter().map(|entry| &entry["path"]).collect();
    assert_eq!(listed, ["@output/1", "@output/2"]);
    let globbed = workspace.glob(GlobInput { path: "@output".into(), ..GlobInput::new("*") }).await.unwrap();
    assert_eq!(globbed.paths, ["@output/1", "@output/2"]);
}

#[tokio::test]
async fn r_exec_6_every_projection_reads_it_and_nobody_changes_it() {
    let shell = Shell::new();
    let workspace = spilling(&shell);
    run(&workspace, &shell, &long(), "").await;
    for projection in [
        workspace.readonly(),
        workspace.scope("src").await.unwrap(),
        workspace.scope("src").await.unwrap().readonly(),
    ] {
        let page = projection.read_file(ReadFileInput::new("@output/1").raw()).await.unwrap();
        assert_eq!(page.content, long());
    }
    let page =
        workspace.scope("src").await.unwrap().read_file(ReadFileInput::new("a.txt").raw()).await.unwrap();
    assert_eq!(page.content, "text\n");
    for (tool, input) in [
        ("write_file", json!({"path": "@output/1", "content": "x"})),
        ("write_file", json!({"path": "@output/new", "content": "x"})),
        ("edit_file", json!({"path": "@output/1", "old_string": "line 57\n", "new_string": "x"})),
    ] {
        refused(call(&workspace, tool, input).await, "read-only");
    }
    let picked = workspace.pick(["remove", "move", "mkdir", "stat"]);
    refused(call(&picked, "remove", json!({"path": "@output/1"})).await, "read-only");
    refused(call(&picked, "move", json!({"from": "@output/1", "to": "x"})).await, "read-only");
    refused(call(&picked, "mkdir", json!({"path": "@output/x"})).await, "read-only");
    assert_eq!(call(&picked, "stat", json!({"path": "@output/1"})).await.unwrap()["size"], long().len());
}

#[tokio::test]
async fn r_exec_6_it_is_out_of_the_way_of_the_tree() {
    let shell = Shell::new();
    let workspace = spilling(&shell);
    run(&workspace, &shell, &long(), "").await;
    let listed = call(&workspace, "list_dir", json!({"depth": 5})).await.unwrap();
    assert!(!listed.to_string().contains("@output"), "{listed}");
    let found = workspace.grep(GrepInput::new("line 57")).await.unwrap();
    assert_eq!(found.matches.unwrap(), []);
    let missing = workspace.read_file(ReadFileInput::new("@output/7")).await;
    let error = missing.unwrap_err();
    assert_eq!(error.kind().as_str(), "not-found");
    assert_eq!(error.next_step(), Some("call `list_dir` on `@output` to see what is there"));
    refused(workspace.read_file(ReadFileInput::new("@output")).await, "is-a-directory");
    refused(workspace.read_file(ReadFileInput::new("@output/1/x")).await, "not-found");
    refused(workspace.scope("@output").await, "not-found");
}

#[tokio::test]
async fn r_exec_6_without_the_policy_nothing_is_kept() {
    let shell = Shell::new();
    let workspace = workspace(&shell, with_shell(|shell| shell.max_output_bytes = Limit::of(200)));
    let output = run(&workspace, &shell, &long(), "").await;
    assert_eq!((output.truncated, output.output_file), (true, None));
    refused(workspace.read_file(ReadFileInput::new("@output/1")).await, "not-found");
}

#[tokio::test]
async fn r_exec_6_what_no_tool_could_read_is_readable_text() {
    let shell = Shell::new();
    let workspace = spilling(&shell);
    let running = tokio::spawn({
        let workspace = workspace.clone();
        async move { workspace.run_shell(RunShellInput::new("build")).await }
    });
    let puppet = shell.next().await;
    puppet.print(b"\0\xff\n".repeat(200));
    puppet.exit(0);
    let output = running.await.unwrap().unwrap();
    let page = workspace.read_file(ReadFileInput::new(output.output_file.unwrap()).lines(1)).await.unwrap();
    assert_eq!((page.content.as_str(), page.total_lines), ("     1\t\u{fffd}\u{fffd}", 200));
}

#[test]
fn r_exec_6_a_further_root_cannot_have_the_name_of_the_outputs() {
    let (root, extra) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let build = |mut policy: Policy| {
        let path = extra.path().to_str().unwrap().to_owned();
        policy.paths.extra_roots = vec![ExtraRoot { name: "output".into(), path, writable: false }];
        Workspace::local(root.path(), policy)?.build()
    };
    assert!(build(policy()).is_ok());
    let fields = refused(build(with_shell(|shell| shell.spill = true)), "invalid-input");
    assert_eq!(fields, json!({"field": "paths.extra_roots"}));
}
