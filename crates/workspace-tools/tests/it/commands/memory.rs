//! The same over scripted commands, on a clock that the test moves.

use std::time::{Duration, UNIX_EPOCH};

use workspace_core::{Cause, Exit, ExitStatus};
use workspace_memory::{ManualClock, Memory, MemoryConfig, MemoryShell, Outcome, Reply, Script};
use workspace_tools::{
    JobStatus, RunShellInput, RunTestsInput, ShellKillInput, ShellOutputInput, TestsPolicy, Workspace,
};

use super::{end_of, refused, with_shell};

fn scripted(script: Script) -> (ManualClock, MemoryShell, Workspace) {
    let clock = ManualClock::new(UNIX_EPOCH);
    let memory: Memory = MemoryConfig::new().with_clock(clock.clone()).build().unwrap();
    let shell = memory.shell(script);
    let mut policy = with_shell(|shell| shell.deny = vec!["rm".into()]);
    policy.tests = Some(TestsPolicy::running("cargo test"));
    let workspace = Workspace::builder(memory).shell(shell.clone()).policy(policy).build().unwrap();
    (clock, shell, workspace)
}

fn build() -> Reply {
    Reply::new()
        .with_stdout("compiling\n")
        .with_delay(Duration::from_secs(30))
        .with_stdout("done\n")
        .with_exit_code(3)
}

#[tokio::test]
async fn r_job_2_a_job_goes_on_as_time_passes() {
    let (clock, _, workspace) = scripted(Script::new().with_argv(["make"], build()));
    let id = workspace.start_shell(RunShellInput::new("make")).await.unwrap().id;
    let first = workspace.shell_output(ShellOutputInput::new(&id).wait_ms(30_000)).await.unwrap();
    assert_eq!((first.stdout.as_str(), first.status), ("compiling\n", JobStatus::Running));
    clock.advance(Duration::from_secs(30));
    let end = end_of(&workspace, &id).await;
    assert_eq!(
        (end.stdout.as_str(), end.status, end.exit_code),
        ("compiling\ndone\n", JobStatus::Exited, Some(3))
    );
}

#[tokio::test]
async fn r_job_3_a_job_ends_at_its_own_timeout() {
    let (clock, shell, workspace) = scripted(Script::new().with_argv(["make"], build()));
    let input = RunShellInput::new("make").timeout_ms(20_000);
    let id = workspace.start_shell(input).await.unwrap().id;
    workspace.shell_output(ShellOutputInput::new(&id).wait_ms(30_000)).await.unwrap();
    clock.advance(Duration::from_secs(20));
    let end = end_of(&workspace, &id).await;
    assert_eq!(
        (end.stdout.as_str(), end.status, end.exit_code),
        ("compiling\n", JobStatus::TimedOut, Some(124))
    );
    assert_eq!(shell.commands()[0].timeout, Some(Duration::from_secs(20)));
}

#[tokio::test]
async fn r_job_4_what_became_of_jobs_is_on_record() {
    let serve = Reply::new().with_stdout("up\n").without_end();
    let (_, shell, workspace) = scripted(Script::new().with_argv(["serve"], serve));
    for _ in 0..2 {
        workspace.start_shell(RunShellInput::new("serve")).await.unwrap();
    }
    refused(workspace.start_shell(RunShellInput::new("rm x")).await, "denied-command");
    workspace.shell_kill(ShellKillInput::new("job-1")).await.unwrap();
    workspace.shell_output(ShellOutputInput::new("job-2").wait_ms(30_000)).await.unwrap();
    drop(workspace);
    // The task that follows the job is gone once it had its turn.
    while shell.commands()[1].outcome == Outcome::Running {
        tokio::task::yield_now().await;
    }
    let outcomes: Vec<_> = shell.commands().into_iter().map(|command| command.outcome).collect();
    let killed = Exit::new(ExitStatus::Signal(15)).with_cause(Cause::Killed);
    assert_eq!(outcomes, [Outcome::Exited(killed), Outcome::Dropped]);
}

#[tokio::test]
async fn r_test_1_scripted_tests_are_told_like_real_ones() {
    let told = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";
    let (_, shell, workspace) =
        scripted(Script::new().with_argv(["cargo", "test", "cart"], Reply::new().with_stdout(told)));
    let output = workspace.run_tests(RunTestsInput::matching("cart")).await.unwrap();
    assert_eq!((output.ok, output.passed, output.failed, output.skipped), (true, Some(12), Some(0), Some(1)));
    // What nobody scripted fails, and says so.
    let output = workspace.run_tests(RunTestsInput::all()).await.unwrap();
    assert_eq!((output.ok, output.run.exit_code, output.passed), (false, 127, None));
    assert_eq!(shell.commands().len(), 2);
}
