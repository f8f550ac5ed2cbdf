//! Starts, states and ends of jobs.

use serde_json::json;
use workspace_core::{Cause, Error, ErrorKind, Exit, ExitStatus, Stdin};
use workspace_tools::{BackgroundPolicy, JobStatus, Limit, RunShellInput, ShellKillInput, ShellOutputInput};

use super::puppet::Shell;
use super::{call, end_of, policy, refused, start, timeless, with_shell, workspace};

#[tokio::test]
async fn r_job_1_a_start_answers_at_once_with_the_id() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let input = json!({"command": "serve --port 80", "background": true, "cwd": "src"});
    let answer = call(&workspace, "run_shell", input).await.unwrap();
    assert!(answer["started_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!(
        timeless(answer),
        json!({"id": "job-1", "command": "serve --port 80", "status": "running", "started_at": "…"})
    );
    let puppet = shell.next().await;
    assert_eq!(puppet.argv(), ["serve", "--port", "80"]);
    assert_eq!(puppet.command.cwd.as_str(), "src");
    assert_eq!(puppet.command.stdin, Stdin::Empty);
    assert_eq!(puppet.command.timeout, None);
    let (second, _puppet) = start(&workspace, &shell, "other").await;
    assert_eq!(second, "job-2");
}

#[tokio::test]
async fn r_job_1_a_start_passes_the_policy_of_every_command() {
    let shell = Shell::new();
    let workspace = workspace(&shell, with_shell(|shell| shell.deny = vec!["rm".into()]));
    let denied = call(&workspace, "run_shell", json!({"command": "rm -r src", "background": true})).await;
    refused(denied, "denied-command");
    let nowhere = RunShellInput::new("serve").within("nowhere");
    refused(workspace.start_shell(nowhere).await, "not-found");
    refused(workspace.start_shell(RunShellInput::new("serve").within("../x")).await, "path-escape");
    refused(workspace.start_shell(RunShellInput::new("serve").timeout_ms(0)).await, "invalid-input");
    assert!(!shell.has_started());
    assert_eq!(workspace.list_shells(), []);
}

#[tokio::test]
async fn r_job_1_without_the_policy_it_is_disabled() {
    let shell = Shell::new();
    let workspace = workspace(&shell, with_shell(|shell| shell.background = None));
    let input = json!({"command": "serve", "background": true});
    refused(call(&workspace, "run_shell", input).await, "background-disabled");
    refused(call(&workspace, "shell_output", json!({"id": "job-1"})).await, "background-disabled");
    refused(workspace.shell_kill(ShellKillInput::new("job-1")).await, "background-disabled");
    assert!(!shell.has_started());

    let answer = tokio::spawn({
        let workspace = workspace.clone();
        async move { call(&workspace, "run_shell", json!({"command": "true", "background": false})).await }
    });
    shell.next().await.exit(0);
    assert_eq!(answer.await.unwrap().unwrap()["exit_code"], 0);
}

#[tokio::test]
async fn r_job_1_a_backend_without_background_says_so() {
    let shell = Shell::with(|capabilities| capabilities.with_background(false));
    let workspace = workspace(&shell, policy());
    let fields = refused(workspace.start_shell(RunShellInput::new("serve")).await, "unsupported");
    assert_eq!(fields, json!({"capability": "background"}));
}

#[tokio::test]
async fn r_job_1_no_more_jobs_run_than_may() {
    let shell = Shell::new();
    let background = BackgroundPolicy { max_jobs: Limit::of(2), ..BackgroundPolicy::default() };
    let workspace = workspace(&shell, with_shell(|shell| shell.background = Some(background)));
    let (first, puppet) = start(&workspace, &shell, "a").await;
    let (second, _puppet) = start(&workspace, &shell, "b").await;
    let fields = refused(workspace.start_shell(RunShellInput::new("c")).await, "too-many-jobs");
    assert_eq!(fields, json!({"max_jobs": 2, "known_ids": [first, second]}));
    assert!(!shell.has_started());
    // One that ended makes room, and so does a start that failed.
    puppet.exit(0);
    end_of(&workspace, &first).await;
    shell.refuse(Error::new(ErrorKind::SpawnFailed, "no such program"));
    refused(workspace.start_shell(RunShellInput::new("c")).await, "spawn-failed");
    start(&workspace, &shell, "c").await;
}

#[tokio::test]
async fn r_job_1_starts_at_one_time_are_counted() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    shell.close_gate();
    let mut starts = tokio::task::JoinSet::new();
    for number in 0..9 {
        let workspace = workspace.clone();
        starts.spawn(async move { workspace.start_shell(RunShellInput::new(format!("job {number}"))).await });
    }
    shell.somebody_at_gate().await;
    for _ in 0..5 {
        // Those without a place are refused while the others still start.
        refused(starts.join_next().await.unwrap().unwrap(), "too-many-jobs");
    }
    shell.open_gate();
    let ids: Vec<_> = starts.join_all().await.into_iter().map(|started| started.unwrap().id).collect();
    assert_eq!(ids.len(), 4);
    assert_eq!(workspace.list_shells().len(), 4);
}

#[tokio::test]
async fn r_job_3_a_job_ends_in_one_of_three_ways() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (exited, puppet) = start(&workspace, &shell, "a").await;
    puppet.end(Exit::new(ExitStatus::Code(7)).with_leftovers_killed(2));
    let (signalled, puppet) = start(&workspace, &shell, "b").await;
    puppet.end(Exit::new(ExitStatus::Signal(9)));
    let (timed_out, puppet) = start(&workspace, &shell, "c").await;
    puppet.end(Exit::new(ExitStatus::Signal(15)).with_cause(Cause::TimedOut));
    let (killed, _puppet) = start(&workspace, &shell, "d").await;
    workspace.shell_kill(ShellKillInput::new(&killed)).await.unwrap();

    let mut ends = Vec::new();
    for id in [&exited, &signalled, &timed_out, &killed] {
        let end = end_of(&workspace, id).await;
        ends.push((end.status, end.exit_code, end.leftovers_killed));
    }
    assert_eq!(
        ends,
        [
            (JobStatus::Exited, Some(7), Some(2)),
            (JobStatus::Exited, Some(137), None),
            (JobStatus::TimedOut, Some(124), None),
            (JobStatus::Killed, Some(143), None),
        ]
    );
    let listed: Vec<_> = workspace
        .list_shells()
        .into_iter()
        .map(|job| (job.id, job.command, job.status, job.exit_code))
        .collect();
    let told = [(exited, "a"), (signalled, "b"), (timed_out, "c"), (killed, "d")];
    let told =
        told.into_iter().zip(ends).map(|((id, line), (status, code, _))| (id, line.into(), status, code));
    assert_eq!(listed, told.collect::<Vec<_>>());
}

#[tokio::test]
async fn r_job_3_a_kill_is_made_once_and_tells_the_same_again() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "serve").await;
    let first = call(&workspace, "shell_kill", json!({"id": id})).await.unwrap();
    assert_eq!(first, json!({"id": "job-1", "status": "killed", "exit_code": 143}));
    assert_eq!(call(&workspace, "shell_kill", json!({"id": id})).await.unwrap(), first);
    assert_eq!(puppet.state().kills, 1);

    let (id, puppet) = start(&workspace, &shell, "quick").await;
    puppet.exit(0);
    end_of(&workspace, &id).await;
    let ended = call(&workspace, "shell_kill", json!({"id": id})).await.unwrap();
    assert_eq!(ended, json!({"id": "job-2", "status": "exited", "exit_code": 0}));
    assert_eq!(puppet.state().kills, 0);
}

#[tokio::test(start_paused = true)]
async fn r_job_3_a_kill_that_does_not_end_a_job_is_told_after_a_while() {
    let shell = Shell::stubborn();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "serve").await;
    let answer = workspace.shell_kill(ShellKillInput::new(&id)).await.unwrap();
    assert_eq!((answer.status, answer.exit_code), (JobStatus::Running, None));
    assert_eq!(answer.note.unwrap(), "it was killed; that it has ended was not told within 5s");
    puppet.end(Exit::new(ExitStatus::Signal(9)).with_cause(Cause::Killed));
    assert_eq!(end_of(&workspace, &id).await.status, JobStatus::Killed);
}

#[tokio::test]
async fn r_job_3_an_unknown_id_names_the_known_ones() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    refused(workspace.shell_output(ShellOutputInput::new("job-1")).await, "job-not-found");
    let (id, _puppet) = start(&workspace, &shell, "serve").await;
    for id in ["job-2", "1", "", "JOB-1"] {
        let expected = json!({"id": id, "known_ids": ["job-1"]});
        assert_eq!(
            refused(workspace.shell_output(ShellOutputInput::new(id)).await, "job-not-found"),
            expected
        );
        assert_eq!(refused(workspace.shell_kill(ShellKillInput::new(id)).await, "job-not-found"), expected);
    }
    workspace.shell_kill(ShellKillInput::new(id)).await.unwrap();
}

#[tokio::test]
async fn r_job_3_a_job_is_readable_until_sixteen_newer_ones_have_ended() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (running, _puppet) = start(&workspace, &shell, "serve").await;
    let mut ids = Vec::new();
    for number in 0..17 {
        let (id, puppet) = start(&workspace, &shell, "quick").await;
        puppet.print(format!("{number}\n"));
        puppet.exit(0);
        assert_eq!(end_of(&workspace, &id).await.stdout, format!("{number}\n"));
        ids.push(id);
        let first = workspace.shell_output(ShellOutputInput::new(&ids[0])).await;
        assert_eq!(first.is_ok(), number < 16, "{number}");
    }
    let readable: Vec<_> = workspace.list_shells().into_iter().map(|job| job.id).collect();
    assert_eq!(readable, [std::slice::from_ref(&running), &ids[1..]].concat());
}

#[tokio::test]
async fn a_backend_that_is_lost_is_no_success() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (id, puppet) = start(&workspace, &shell, "build").await;
    puppet.print("so far\n");
    // Its events close without an exit.
    drop(puppet);
    let end = end_of(&workspace, &id).await;
    assert_eq!((end.stdout.as_str(), end.status, end.exit_code), ("so far\n", JobStatus::Exited, None));
    assert!(end.note.unwrap().contains("the backend was lost"));

    let (id, puppet) = start(&workspace, &shell, "build").await;
    puppet.fail(Error::new(ErrorKind::Unavailable, "the sandbox is gone"));
    let end = end_of(&workspace, &id).await;
    assert_eq!((end.exit_code, end.note.as_deref()), (None, Some("the sandbox is gone")));
}

#[tokio::test]
async fn r_job_2_two_hundred_jobs_run_at_a_time() {
    let shell = Shell::new();
    let background = BackgroundPolicy { max_jobs: Limit::of(200), ..BackgroundPolicy::default() };
    let workspace = workspace(&shell, with_shell(|shell| shell.background = Some(background)));
    let mut jobs = Vec::new();
    for number in 0..200 {
        jobs.push(start(&workspace, &shell, &format!("job {number}")).await);
    }
    refused(workspace.start_shell(RunShellInput::new("one more")).await, "too-many-jobs");
    let mut reads = tokio::task::JoinSet::new();
    for (id, puppet) in &jobs {
        let (workspace, id, word) = (workspace.clone(), id.clone(), puppet.argv()[1].clone());
        reads.spawn(async move {
            let output = workspace.shell_output(ShellOutputInput::new(id).wait_ms(30_000)).await.unwrap();
            assert_eq!(output.stdout, word);
        });
    }
    for (_, puppet) in &jobs {
        puppet.print(&puppet.argv()[1]);
    }
    reads.join_all().await;
    workspace.dispose().await;
    assert!(jobs.iter().all(|(_, puppet)| puppet.state().kills == 1));
}
