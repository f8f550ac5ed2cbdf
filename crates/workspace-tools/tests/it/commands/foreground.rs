//! Commands that run to their end.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use workspace_core::{Cause, Error, ErrorKind, Exit, ExitStatus, Leftovers};
use workspace_tools::{
    BackgroundPolicy, LeftoverRule, Limit, OutputKeep, Result, RunShellInput, RunShellOutput, Workspace,
};

use super::puppet::{Puppet, Shell};
use super::{policy, refused, with_shell, workspace};

type Running = JoinHandle<Result<RunShellOutput>>;

async fn run(workspace: &Workspace, shell: &Shell, input: RunShellInput) -> (Running, Puppet) {
    let workspace = workspace.clone();
    let running = tokio::spawn(async move { workspace.run_shell(input).await });
    (running, shell.next().await)
}

async fn finished(running: Running) -> RunShellOutput {
    running.await.unwrap().unwrap()
}

#[tokio::test]
async fn r_exec_1_the_exit_code_is_the_programs() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    for (exit, code, timed_out) in [
        (Exit::new(ExitStatus::Code(0)), 0, false),
        (Exit::new(ExitStatus::Code(3)), 3, false),
        (Exit::new(ExitStatus::Signal(9)), 137, false),
        (Exit::new(ExitStatus::Signal(15)).with_cause(Cause::TimedOut), 124, true),
        (Exit::new(ExitStatus::Signal(9)).with_cause(Cause::OutOfMemory), 137, false),
    ] {
        let (running, puppet) = run(&workspace, &shell, RunShellInput::new("build")).await;
        puppet.print("out\n");
        puppet.complain("bad\n");
        puppet.end(exit);
        let output = finished(running).await;
        assert_eq!(
            (output.exit_code, output.timed_out, output.cancelled),
            (code, timed_out, false),
            "{exit:?}"
        );
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("out\n", "bad\n"));
        assert_eq!(output.note.is_some(), exit.cause == Cause::OutOfMemory);
    }
}

#[tokio::test]
async fn r_err_4_a_bad_end_is_an_answer_and_a_timeout_is_an_error_where_the_owner_says_so() {
    let shell = Shell::new();
    let out_of_time = Exit::new(ExitStatus::Signal(15)).with_cause(Cause::TimedOut);
    for (as_error, exit, is_error) in [
        (false, Exit::new(ExitStatus::Code(3)), false),
        (false, out_of_time, false),
        (true, Exit::new(ExitStatus::Code(3)), false),
        (true, Exit::new(ExitStatus::Signal(9)), false),
        (true, out_of_time, true),
    ] {
        let workspace = workspace(&shell, with_shell(|shell| shell.timeout_as_error = as_error));
        let (running, puppet) = run(&workspace, &shell, RunShellInput::new("build")).await;
        puppet.print("half\n");
        puppet.end(exit);
        let ended = running.await.unwrap();
        assert_eq!(ended.is_err(), is_error, "{as_error} {ended:?}");
        if let Err(error) = ended {
            let fields = error.fields();
            assert_eq!(
                (&fields["timed_out"], &fields["exit_code"], &fields["stdout"]),
                (&true.into(), &124.into(), &"half\n".into())
            );
        }
    }
    // A cancellation stays an answer.
    let workspace = workspace(&shell, with_shell(|shell| shell.timeout_as_error = true));
    let token = CancellationToken::new();
    let (running, _puppet) =
        run(&workspace.with_cancel(token.clone()), &shell, RunShellInput::new("build")).await;
    token.cancel();
    assert!(finished(running).await.cancelled);
}

#[tokio::test]
async fn r_exec_3_the_timeout_is_the_policys_or_a_lower_one() {
    let shell = Shell::new();
    let limits = with_shell(|shell| {
        shell.timeout_ms = Limit::of(1_000);
        shell.max_timeout_ms = Limit::of(5_000);
    });
    let workspace = workspace(&shell, limits);
    let line = || RunShellInput::new("build");
    for (input, held, clamped) in [
        (line(), Some(1_000), None),
        (line().timeout_ms(10), Some(10), None),
        (line().timeout_ms(5_000), Some(5_000), None),
        (line().timeout_ms(60_000), Some(5_000), Some(5_000)),
        (line().without_timeout(), None, None),
    ] {
        let (running, puppet) = run(&workspace, &shell, input.clone()).await;
        assert_eq!(puppet.command.timeout, held.map(Duration::from_millis), "{input:?}");
        puppet.exit(0);
        assert_eq!(finished(running).await.timeout_clamped, clamped, "{input:?}");
    }
    let zero = workspace.run_shell(RunShellInput::new("build").timeout_ms(0)).await;
    assert_eq!(refused(zero, "invalid-input")["field"], "timeout_ms");
    assert!(!shell.has_started());
}

#[tokio::test]
async fn r_exec_3_the_timeout_of_a_job_is_its_own() {
    let shell = Shell::new();
    let line = || RunShellInput::new("serve");
    let no_limit = workspace(&shell, with_shell(|shell| shell.timeout_ms = Limit::of(1_000)));
    let own = BackgroundPolicy { timeout_ms: Limit::of(9_000_000), ..BackgroundPolicy::default() };
    let limited = workspace(&shell, with_shell(|shell| shell.background = Some(own)));
    for (workspace, input, held, clamped) in [
        (&no_limit, line(), None, None),
        (&no_limit, line().timeout_ms(7_000_000), Some(7_000_000), None),
        (&limited, line(), Some(9_000_000), None),
        (&limited, line().timeout_ms(9_000_001), Some(9_000_000), Some(9_000_000)),
    ] {
        let started = workspace.start_shell(input).await.unwrap();
        assert_eq!(started.timeout_clamped, clamped);
        assert_eq!(shell.next().await.command.timeout, held.map(Duration::from_millis));
    }
}

#[tokio::test]
async fn r_exec_4_the_policy_chooses_what_is_kept() {
    let shell = Shell::new();
    let printed = "0123456789".repeat(9);
    let output = async |workspace: &Workspace| {
        let (running, puppet) = run(workspace, &shell, RunShellInput::new("build")).await;
        puppet.print(&printed);
        puppet.complain(&printed);
        puppet.exit(0);
        finished(running).await
    };
    let small = |change: fn(&mut workspace_tools::ShellPolicy)| {
        with_shell(|shell| {
            shell.max_output_bytes = Limit::of(90);
            change(shell);
        })
    };
    let ends = output(&workspace(&shell, small(|_| {}))).await;
    assert!(ends.stdout.starts_with("01234") && ends.stdout.ends_with("56789"), "{}", ends.stdout);
    assert!(ends.truncated && ends.omitted.stdout == ends.omitted.stderr && ends.omitted.stdout > 0);
    let head = output(&workspace(&shell, small(|shell| shell.keep = OutputKeep::Head))).await;
    assert!(head.stdout.starts_with("01234") && head.stdout.ends_with("left out ...]\n"), "{}", head.stdout);
    let each = output(&workspace(&shell, small(|shell| shell.per_stream = true))).await;
    assert_eq!((each.stdout.as_str(), each.stderr.as_str(), each.truncated), (&*printed, &*printed, false));
}

#[tokio::test]
async fn r_exec_8_leftovers_are_counted_or_left() {
    let shell = Shell::new();
    let kills = workspace(&shell, policy());
    let (running, puppet) = run(&kills, &shell, RunShellInput::new("build")).await;
    assert_eq!(puppet.command.leftovers, Leftovers::Kill);
    puppet.end(Exit::new(ExitStatus::Code(0)).with_leftovers_killed(3));
    assert_eq!(finished(running).await.leftovers_killed, Some(3));

    let leaves = workspace(&shell, with_shell(|shell| shell.leftovers = LeftoverRule::Leave));
    let (running, puppet) = run(&leaves, &shell, RunShellInput::new("build")).await;
    assert_eq!(puppet.command.leftovers, Leftovers::Leave);
    puppet.exit(0);
    assert_eq!(finished(running).await.leftovers_killed, None);
}

#[tokio::test]
async fn r_exec_9_a_call_that_was_cancelled_before_starts_nothing() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let cancel = CancellationToken::new();
    cancel.cancel();
    let output = workspace.with_cancel(cancel).run_shell(RunShellInput::new("build")).await.unwrap();
    assert_eq!((output.exit_code, output.cancelled, output.timed_out), (130, true, false));
    assert!(!shell.has_started());
}

#[tokio::test]
async fn r_exec_9_a_cancellation_kills_and_gives_what_was_printed() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let cancel = CancellationToken::new();
    let (running, puppet) =
        run(&workspace.with_cancel(cancel.clone()), &shell, RunShellInput::new("build")).await;
    puppet.print("half\n");
    cancel.cancel();
    let output = finished(running).await;
    assert_eq!((output.exit_code, output.cancelled, output.stdout.as_str()), (130, true, "half\n"));
    assert_eq!((puppet.state().kills, output.note), (1, None));
}

#[tokio::test]
async fn r_exec_9_what_ran_out_of_time_is_not_cancelled_as_well() {
    let shell = Shell::stubborn();
    let workspace = workspace(&shell, policy());
    let cancel = CancellationToken::new();
    let (running, puppet) =
        run(&workspace.with_cancel(cancel.clone()), &shell, RunShellInput::new("build")).await;
    cancel.cancel();
    puppet.until(|state| state.kills == 1).await;
    puppet.end(Exit::new(ExitStatus::Signal(15)).with_cause(Cause::TimedOut));
    let output = finished(running).await;
    assert_eq!((output.exit_code, output.timed_out, output.cancelled), (124, true, false));
}

#[tokio::test]
async fn r_exec_9_dropping_the_call_kills() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (running, puppet) = run(&workspace, &shell, RunShellInput::new("build")).await;
    running.abort();
    puppet.until(|state| state.dropped).await;
    // The end of the workspace does not wait for it.
    workspace.dispose().await;
}

#[tokio::test]
async fn r_exec_9_a_backend_that_cannot_kill_is_left_at_once() {
    let shell = Shell::detaching();
    let workspace = workspace(&shell, policy());
    let cancel = CancellationToken::new();
    let (running, puppet) =
        run(&workspace.with_cancel(cancel.clone()), &shell, RunShellInput::new("build")).await;
    puppet.print("half\n");
    cancel.cancel();
    let output = finished(running).await;
    assert_eq!((output.exit_code, output.cancelled), (130, true));
    assert!(output.note.unwrap().starts_with("this backend cannot end a command"));
    assert_eq!(puppet.state().kills, 0);

    let cancel = CancellationToken::new();
    shell.close_gate();
    let starting = tokio::spawn({
        let workspace = workspace.with_cancel(cancel.clone());
        async move { workspace.run_shell(RunShellInput::new("build")).await }
    });
    shell.somebody_at_gate().await;
    cancel.cancel();
    let output = finished(starting).await;
    assert_eq!((output.exit_code, output.cancelled), (130, true));
    assert!(output.note.unwrap().starts_with("this backend cannot end a command"));
}

#[tokio::test]
async fn a_backend_that_is_lost_is_an_error() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    let (running, puppet) = run(&workspace, &shell, RunShellInput::new("build")).await;
    // Its events close without an exit.
    drop(puppet);
    refused(running.await.unwrap(), "backend-unavailable");
    let (running, puppet) = run(&workspace, &shell, RunShellInput::new("build")).await;
    puppet.fail(Error::new(ErrorKind::Unavailable, "the sandbox is gone"));
    refused(running.await.unwrap(), "backend-unavailable");
}
