//! How long jobs and commands live.

use serde_json::json;
use tokio_util::sync::CancellationToken;
use workspace_tools::{
    JobStatus, ReadFileInput, RunShellInput, ShellKillInput, ShellOutputInput, WriteFileInput,
};

use super::puppet::Shell;
use super::{end_of, policy, refused, start, workspace};

#[tokio::test]
async fn r_job_4_a_job_outlives_its_call_and_the_cancellation_of_the_call() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let cancel = CancellationToken::new();
    let id = {
        let one_run = workspace.with_cancel(cancel.clone());
        one_run.start_shell(RunShellInput::new("serve")).await.unwrap().id
    };
    let puppet = shell.next().await;
    cancel.cancel();
    puppet.print("still here\n");
    let output = workspace.shell_output(ShellOutputInput::new(&id).wait_ms(30_000)).await.unwrap();
    assert_eq!((output.stdout.as_str(), output.status), ("still here\n", JobStatus::Running));
    assert_eq!(puppet.state().kills, 0);
}

#[tokio::test]
async fn r_job_4_a_start_that_is_cancelled_starts_nothing() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let cancel = CancellationToken::new();
    let cancelled = workspace.with_cancel(cancel.clone());
    shell.close_gate();
    let starting = tokio::spawn(async move { cancelled.start_shell(RunShellInput::new("serve")).await });
    shell.somebody_at_gate().await;
    cancel.cancel();
    refused(starting.await.unwrap(), "cancelled");
    shell.open_gate();
    let cancelled = workspace.with_cancel(cancel);
    refused(cancelled.start_shell(RunShellInput::new("serve")).await, "cancelled");
    assert!(!shell.has_started());
    assert_eq!(workspace.list_shells(), []);
}

#[tokio::test]
async fn r_job_4_a_job_ends_with_the_last_handle_of_the_workspace() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (_, puppet) = start(&workspace, &shell, "serve").await;
    let (readonly, scope) = (workspace.readonly(), workspace.scope("src").await.unwrap());
    drop(workspace);
    drop(scope);
    assert_eq!(readonly.list_shells()[0].status, JobStatus::Running);
    assert!(!puppet.state().dropped);
    drop(readonly);
    puppet.until(|state| state.dropped).await;
}

#[tokio::test]
async fn r_job_4_projections_share_jobs() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let scope = workspace.scope("src").await.unwrap();
    let started = scope.start_shell(RunShellInput::new("serve")).await.unwrap();
    let puppet = shell.next().await;
    assert_eq!(puppet.command.cwd.as_str(), "src");
    assert_eq!(workspace.list_shells()[0].cwd, "src");
    let answer = workspace.shell_kill(ShellKillInput::new(&started.id)).await.unwrap();
    assert_eq!(answer.status, JobStatus::Killed);
    assert_eq!(end_of(&scope, &started.id).await.status, JobStatus::Killed);
}

#[tokio::test]
async fn r_job_5_dispose_kills_jobs_and_cancels_what_runs() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, job) = start(&workspace, &shell, "serve").await;
    let running = tokio::spawn({
        let workspace = workspace.clone();
        async move { workspace.run_shell(RunShellInput::new("build")).await }
    });
    let command = shell.next().await;
    command.print("half\n");

    workspace.readonly().dispose().await;
    assert_eq!((job.state().kills, command.state().kills), (1, 1));
    let output = running.await.unwrap().unwrap();
    assert_eq!((output.exit_code, output.cancelled, output.stdout.as_str()), (130, true, "half\n"));

    // Then no command starts, and what was printed and the files are still there.
    refused(workspace.run_shell(RunShellInput::new("build")).await, "disposed");
    refused(workspace.start_shell(RunShellInput::new("serve")).await, "disposed");
    refused(super::call(&workspace, "run_shell", json!({"command": "build"})).await, "disposed");
    assert!(!shell.has_started());
    let output = workspace.shell_output(ShellOutputInput::new(&id)).await.unwrap();
    assert_eq!((output.status, output.exit_code), (JobStatus::Killed, Some(143)));
    let write = WriteFileInput { path: "b.txt".into(), content: "new".into(), ..WriteFileInput::default() };
    workspace.write_file(write).await.unwrap();
    assert_eq!(workspace.read_file(ReadFileInput::new("b.txt").raw()).await.unwrap().content, "new");

    workspace.dispose().await;
    assert_eq!((job.state().kills, command.state().kills), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn r_job_5_dispose_waits_five_seconds_and_no_longer() {
    let shell = Shell::stubborn();
    let workspace = workspace(&shell, policy());
    let (id, job) = start(&workspace, &shell, "serve").await;
    let running = tokio::spawn({
        let workspace = workspace.clone();
        async move { workspace.run_shell(RunShellInput::new("build")).await }
    });
    let command = shell.next().await;
    let before = tokio::time::Instant::now();
    workspace.dispose().await;
    assert_eq!(before.elapsed().as_secs(), 5);
    job.until(|state| state.dropped).await;
    let output = workspace.shell_output(ShellOutputInput::new(&id)).await.unwrap();
    assert_eq!((output.status, output.exit_code), (JobStatus::Killed, None));
    assert_eq!(output.note.unwrap(), "it was killed and had not ended in time");
    let output = running.await.unwrap().unwrap();
    assert_eq!((output.exit_code, output.cancelled), (130, true));
    command.until(|state| state.dropped).await;
}

#[tokio::test]
async fn r_job_5_what_is_starting_when_the_workspace_ends_does_not_run() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    shell.close_gate();
    let job = tokio::spawn({
        let workspace = workspace.clone();
        async move { workspace.start_shell(RunShellInput::new("serve")).await }
    });
    shell.somebody_at_gate().await;
    let command = tokio::spawn({
        let workspace = workspace.clone();
        async move { workspace.run_shell(RunShellInput::new("build")).await }
    });
    shell.somebody_at_gate().await;
    workspace.dispose().await;
    refused(job.await.unwrap(), "disposed");
    let output = command.await.unwrap().unwrap();
    assert_eq!((output.exit_code, output.cancelled), (130, true));
    assert!(!shell.has_started());
    assert_eq!(workspace.list_shells(), []);
}

#[tokio::test]
async fn r_exec_9_a_cancelled_kill_goes_on() {
    let shell = Shell::stubborn();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "serve").await;
    let cancel = CancellationToken::new();
    let killing = tokio::spawn({
        let (workspace, id) = (workspace.with_cancel(cancel.clone()), id.clone());
        async move { workspace.shell_kill(ShellKillInput::new(id)).await }
    });
    puppet.until(|state| state.kills == 1).await;
    cancel.cancel();
    let answer = killing.await.unwrap().unwrap();
    assert_eq!(answer.status, JobStatus::Running);
    assert!(answer.note.unwrap().contains("the kill goes on"));
    refused(workspace.with_cancel(cancel).shell_kill(ShellKillInput::new(id)).await, "cancelled");
}
