//! What is read of a job, by cursors.

use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use workspace_core::{Exit, ExitStatus};
use workspace_tools::{JobStatus, Limit, ShellOutputInput, ShellOutputOutput, Workspace};

use super::puppet::{Puppet, Shell};
use super::{call, end_of, policy, refused, start, with_shell, workspace};

async fn read(workspace: &Workspace, id: &str, since: u64) -> ShellOutputOutput {
    workspace.shell_output(ShellOutputInput::new(id).since(since)).await.unwrap()
}

/// Prints, and reads once that has arrived.
async fn printed(
    workspace: &Workspace,
    puppet: &Puppet,
    id: &str,
    since: u64,
    text: &[u8],
) -> ShellOutputOutput {
    puppet.print(text);
    workspace.shell_output(ShellOutputInput::new(id).since(since).wait_ms(30_000)).await.unwrap()
}

#[tokio::test]
async fn r_job_2_a_cursor_gives_only_what_is_new() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "build").await;
    let nothing = call(&workspace, "shell_output", json!({"id": id})).await.unwrap();
    assert_eq!(
        nothing,
        json!({
            "stdout": "", "stderr": "", "cursor": 0, "dropped_bytes": 0, "truncated": false,
            "status": "running", "exit_code": null,
        })
    );
    let first = printed(&workspace, &puppet, &id, 0, b"first\n").await;
    assert_eq!((first.stdout.as_str(), first.cursor), ("first\n", 6));
    let second = printed(&workspace, &puppet, &id, first.cursor, b"second\n").await;
    assert_eq!((second.stdout.as_str(), second.cursor), ("second\n", 13));
    puppet.complain("bad\n");
    puppet.exit(3);
    let end = end_of(&workspace, &id).await;
    assert_eq!(end, read(&workspace, &id, 0).await);
    assert_eq!(
        call(&workspace, "shell_output", json!({"id": id, "since": 6})).await.unwrap(),
        json!({
            "stdout": "second\n", "stderr": "bad\n", "cursor": 17, "dropped_bytes": 0, "truncated": false,
            "status": "exited", "exit_code": 3,
        })
    );
    // Equal cursors give equal answers.
    assert_eq!(read(&workspace, &id, 6).await, read(&workspace, &id, 6).await);
    assert_eq!(read(&workspace, &id, 17).await.stdout, "");
}

#[tokio::test]
async fn r_job_2_the_newest_bytes_are_kept_and_the_gap_is_told() {
    let shell = Shell::new();
    let workspace = workspace(&shell, with_shell(|shell| shell.max_output_bytes = Limit::of(8)));
    let (id, puppet) = start(&workspace, &shell, "build").await;
    let output = printed(&workspace, &puppet, &id, 0, b"0123456789").await;
    assert_eq!((output.stdout.as_str(), output.dropped_bytes, output.truncated), ("23456789", 2, true));
    let output = read(&workspace, &id, 5).await;
    assert_eq!((output.stdout.as_str(), output.dropped_bytes, output.truncated), ("56789", 0, false));
}

#[tokio::test]
async fn r_job_2_no_character_is_split_between_two_reads() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "build").await;
    let first = printed(&workspace, &puppet, &id, 0, b"x\xe4\xb8").await;
    assert_eq!(first.stdout, "x");
    let second = printed(&workspace, &puppet, &id, first.cursor, b"\xad").await;
    assert_eq!(second.stdout, "\u{4e2d}");
}

#[tokio::test]
async fn r_job_2_a_cursor_from_the_future_is_out_of_range() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "build").await;
    printed(&workspace, &puppet, &id, 0, b"first\n").await;
    let future = ShellOutputInput::new(&id).since(7).wait_ms(30_000);
    let fields = refused(workspace.shell_output(future).await, "out-of-range");
    assert_eq!(fields, json!({"field": "since", "position": 7, "cursor": 6}));
}

#[tokio::test]
async fn r_job_2_bad_numbers_are_invalid_input() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, _puppet) = start(&workspace, &shell, "build").await;
    for (field, value) in
        [("since", json!(-1)), ("wait_ms", json!(30_001)), ("wait_ms", json!("1")), ("id", json!(1))]
    {
        let mut input = json!({"id": id});
        input[field] = value;
        assert_eq!(refused(call(&workspace, "shell_output", input).await, "invalid-input")["field"], field);
    }
    let long = ShellOutputInput::new(&id).wait_ms(30_001);
    assert_eq!(refused(workspace.shell_output(long).await, "invalid-input")["field"], "wait_ms");
    assert!(call(&workspace, "shell_output", json!({"id": id, "waitMs": 0})).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn r_job_2_a_wait_ends_with_output_or_the_end_or_the_time() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "build").await;
    let wait = |since| {
        let (workspace, id) = (workspace.clone(), id.clone());
        let before = tokio::time::Instant::now();
        async move {
            let input = ShellOutputInput::new(id).since(since).wait_ms(20_000);
            (workspace.shell_output(input).await.unwrap(), before.elapsed())
        }
    };
    // The time of this test passes only where all wait for it.
    let (nothing, took) = wait(0).await;
    assert_eq!((nothing.stdout.as_str(), took), ("", Duration::from_secs(20)));

    let later = |act: fn(&Puppet)| {
        let puppet = puppet.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(3)).await;
            act(&puppet);
        })
    };
    later(|puppet| puppet.print("x"));
    let (output, took) = wait(0).await;
    assert_eq!((output.stdout.as_str(), took), ("x", Duration::from_secs(3)));
    // What was there before is no news; what is no text yet is none either.
    later(|puppet| puppet.print(b"\xe4"));
    assert_eq!(wait(1).await.1, Duration::from_secs(20));
    later(|puppet| puppet.exit(0));
    let (output, took) = wait(1).await;
    assert_eq!((output.status, output.exit_code, took), (JobStatus::Exited, Some(0), Duration::from_secs(3)));
    // An end is told at once from then on.
    assert_eq!(wait(1).await.1, Duration::ZERO);
}

#[tokio::test]
async fn r_job_2_a_cancelled_wait_leaves_the_job_alone() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "build").await;
    let cancel = CancellationToken::new();
    let waiting = workspace.with_cancel(cancel.clone());
    let waiting = tokio::spawn({
        let id = id.clone();
        async move { waiting.shell_output(ShellOutputInput::new(id).wait_ms(30_000)).await }
    });
    cancel.cancel();
    refused(waiting.await.unwrap(), "cancelled");
    assert_eq!(puppet.state().kills, 0);
    assert_eq!(read(&workspace, &id, 0).await.status, JobStatus::Running);
}

#[tokio::test]
async fn a_prompt_is_seen_and_progress_is_not_repeated() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "login").await;
    let prompt = printed(&workspace, &puppet, &id, 0, b"\x1b[1mName: \x1b[0m").await;
    assert_eq!(prompt.stdout, "Name: ");
    let progress = b"ok\n1%\r2%\r3%\ndone\n";
    let output = printed(&workspace, &puppet, &id, prompt.cursor, progress).await;
    assert_eq!(output.stdout, "ok\n3%\ndone\n");
}

#[tokio::test]
async fn the_text_for_a_model_says_how_to_go_on() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let tools = workspace_tools::ToolSet::new(workspace.clone());
    let (id, puppet) = start(&workspace, &shell, "build").await;
    let text = tools.call("shell_output", json!({"id": id})).await.unwrap().text;
    assert_eq!(text, "nothing new\nrunning; cursor 0");
    puppet.print("a\n");
    puppet.complain("b");
    puppet.end(Exit::new(ExitStatus::Code(2)));
    end_of(&workspace, &id).await;
    let text = tools.call("shell_output", json!({"id": id})).await.unwrap().text;
    assert_eq!(text, "<stdout>\na\n</stdout>\n<stderr>\nb\n</stderr>\nexited, exit code 2; cursor 3");
    let text = tools.call("shell_kill", json!({"id": id})).await.unwrap().text;
    assert_eq!(text, "job-1: exited, exit code 2");
}
