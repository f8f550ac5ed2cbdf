//! Text for the standard input of a job.

use serde_json::json;
use workspace_core::Stdin;
use workspace_tools::{RunShellInput, ShellInputInput, Workspace};

use super::puppet::{Puppet, Shell};
use super::{call, end_of, names, policy, refused, start, workspace};

async fn start_open(workspace: &Workspace, shell: &Shell) -> (String, Puppet) {
    let input = RunShellInput::new("login").with_open_stdin();
    (workspace.start_shell(input).await.unwrap().id, shell.next().await)
}

#[tokio::test]
async fn shell_input_is_off_until_it_is_picked_and_opens_the_input_then() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    assert!(!names(&workspace).contains(&"shell_input"));
    let (_, puppet) = start(&workspace, &shell, "login").await;
    assert_eq!(puppet.command.stdin, Stdin::Empty);

    let picked = workspace.pick(["run_shell", "shell_input"]);
    assert_eq!(names(&picked), ["run_shell", "shell_input"]);
    let (id, puppet) = start(&picked, &shell, "login").await;
    assert_eq!(puppet.command.stdin, Stdin::Open);
    let answer = call(&picked, "shell_input", json!({"id": id, "text": "Ann\n"})).await.unwrap();
    assert_eq!(answer, json!({"id": id, "sent_bytes": 4, "taken": true, "status": "running"}));
    assert_eq!(puppet.state().stdin, b"Ann\n");

    // A command that runs to its end has nobody to talk to.
    let running = tokio::spawn(async move { picked.run_shell(RunShellInput::new("cat")).await });
    let puppet = shell.next().await;
    assert_eq!(puppet.command.stdin, Stdin::Empty);
    puppet.exit(0);
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn texts_arrive_in_order_and_the_input_ends_when_it_is_closed() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start_open(&workspace, &shell).await;
    for text in ["one\n", "", "é"] {
        workspace.shell_input(ShellInputInput::new(&id, text)).await.unwrap();
    }
    assert_eq!((puppet.state().stdin, puppet.state().stdin_closed), ("one\né".as_bytes().to_vec(), false));
    workspace.shell_input(ShellInputInput::new(&id, "last").close()).await.unwrap();
    assert_eq!((puppet.state().stdin, puppet.state().stdin_closed), ("one\nélast".as_bytes().to_vec(), true));
}

#[tokio::test]
async fn text_for_nobody_is_refused() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let send = async |id: &str, text: &str| workspace.shell_input(ShellInputInput::new(id, text)).await;
    refused(send("job-1", "x").await, "job-not-found");
    let (closed, _puppet) = start(&workspace, &shell, "login").await;
    refused(send(&closed, "x").await, "unsupported");
    let (id, puppet) = start_open(&workspace, &shell).await;
    let long = "x".repeat(65_537);
    assert_eq!(refused(send(&id, &long).await, "invalid-input")["field"], "text");
    send(&id, &long[1..]).await.unwrap();
    refused(workspace.readonly().shell_input(ShellInputInput::new(&id, "x")).await, "read-only");
    puppet.exit(0);
    end_of(&workspace, &id).await;
    assert_eq!(refused(send(&id, "x").await, "invalid-input")["field"], "id");
}

#[tokio::test]
async fn a_backend_without_input_does_not_vend_it() {
    let shell = Shell::with(|capabilities| capabilities.with_stdin(false));
    let workspace = workspace(&shell, policy());
    assert_eq!(names(&workspace.pick(["shell_input", "shell_kill"])), ["shell_kill"]);
    let fields =
        refused(workspace.start_shell(RunShellInput::new("a").with_open_stdin()).await, "unsupported");
    assert_eq!(fields, json!({"capability": "stdin"}));
    let (id, puppet) = start(&workspace.pick(["run_shell", "shell_input"]), &shell, "login").await;
    assert_eq!(puppet.command.stdin, Stdin::Empty);
    refused(workspace.shell_input(ShellInputInput::new(id, "x")).await, "unsupported");
}
