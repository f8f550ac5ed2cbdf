//! R-EXEC-7: the tree of a command is one unit.

use std::time::{Duration, Instant};

use workspace_core::{Cause, Command, Event, Exit, ExitStatus, KillReach, Process};

use super::{Mark, Stage, printed, ran};

/// Five ways to be a child, the last with a deaf ear.
const FIVE: &str = "
    SLEEP &
    setsid SLEEP &
    (setsid SLEEP &)
    setsid sh -c 'SLEEP & exit'
    trap '' TERM
    SLEEP
    :";

impl Stage {
    async fn five(&self, mark: &Mark, timeout: Option<Duration>) -> Process {
        let line = FIVE.replace("SLEEP", &format!("sleep {}", mark.0));
        let grace = Duration::from_millis(100);
        let process = self.spawn(Command::sh(line).with_timeout(timeout).with_kill_grace(grace)).await;
        if timeout.is_none() {
            mark.wait_for(5).await;
        }
        process
    }

    /// Those that have left the session and lost their parent.
    fn survivors(&self) -> usize {
        if self.reach() == KillReach::Tree { 0 } else { 2 }
    }

    fn killed(&self, cause: Cause) -> Exit {
        Exit::new(ExitStatus::Signal(9)).with_cause(cause).with_kill_reach(self.reach())
    }
}

#[tokio::test]
async fn r_exec_7_a_kill_ends_the_tree() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let process = stage.five(&mark, None).await;
        process.control.kill().await.unwrap();
        assert_eq!(ran(process).await.exit, stage.killed(Cause::Killed));
        // When the exit is told, they are gone.
        assert_eq!(mark.sleepers().len(), stage.survivors());
    }
}

#[tokio::test]
async fn r_exec_7_a_timeout_ends_the_tree() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let process = stage.five(&mark, Some(Duration::from_secs(2))).await;
        mark.wait_for(5).await;
        assert_eq!(ran(process).await.exit, stage.killed(Cause::TimedOut));
        assert_eq!(mark.sleepers().len(), stage.survivors());
    }
}

#[tokio::test]
async fn r_exec_9_dropping_the_events_ends_the_tree() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let Process { events, control, .. } = stage.five(&mark, None).await;
        drop(events);
        mark.wait_for(stage.survivors()).await;
        // Its end is no error for a hand that is left.
        control.kill().await.unwrap();
    }
}

#[test]
fn the_end_of_the_runtime_ends_the_tree() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let process = runtime.block_on(stage.five(&mark, None));
        drop(runtime);
        let look = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        look.block_on(mark.wait_for(stage.survivors()));
        drop(process);
    }
}

#[tokio::test]
async fn r_exec_7_a_polite_program_has_its_grace_and_its_last_words() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let line = format!(
            "trap 'echo asked; sleep 0.1; echo left; exit 5' TERM; echo ready; sleep {} & wait",
            mark.0
        );
        let mut process = stage.spawn(Command::sh(line).with_kill_grace(Duration::from_secs(20))).await;
        printed(&mut process, "ready\n").await;
        process.control.kill().await.unwrap();
        let ran = ran(process).await;
        assert_eq!((ran.stdout.as_str(), ran.exit.status), ("asked\nleft\n", ExitStatus::Code(5)), "{ran:?}");
        assert_eq!(ran.exit.cause, Cause::Killed);
        assert!(mark.sleepers().is_empty());
    }
}

#[tokio::test]
async fn r_exec_7_without_grace_the_kill_is_at_once() {
    for stage in Stage::levels() {
        let line = "trap 'echo asked' TERM; echo ready; while :; do sleep 0.01; done";
        let mut process = stage.spawn(Command::sh(line).with_kill_grace(Duration::ZERO)).await;
        printed(&mut process, "ready\n").await;
        process.control.kill().await.unwrap();
        let ran = ran(process).await;
        assert_eq!((ran.stdout.as_str(), ran.exit), ("", stage.killed(Cause::Killed)));
    }
}

/// Many programs take a second polite signal for a reason to drop everything.
#[tokio::test]
async fn each_process_is_asked_once() {
    for stage in Stage::levels() {
        // A child in the group: it is reached in more than one way.
        let line = "sh -c \"trap 'echo asked' TERM; echo ready; while :; do :; done\"; :";
        let mut process = stage.spawn(Command::sh(line).with_kill_grace(Duration::from_millis(300))).await;
        printed(&mut process, "ready\n").await;
        process.control.kill().await.unwrap();
        assert_eq!(ran(process).await.stdout, "asked\n");
    }
}

#[tokio::test]
async fn a_stopped_process_hears_the_polite_signal() {
    for stage in Stage::levels() {
        let start = Instant::now();
        let mut process = stage
            .spawn(Command::sh("echo ready; kill -STOP $$").with_kill_grace(Duration::from_secs(20)))
            .await;
        printed(&mut process, "ready\n").await;
        process.control.kill().await.unwrap();
        assert_eq!(ran(process).await.exit.status, ExitStatus::Signal(15));
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[tokio::test]
async fn one_that_forks_without_end_is_outrun() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let line = format!("trap '' TERM; while :; do sleep {} & done", mark.0);
        let command = Command::sh(line)
            .with_timeout(Some(Duration::from_millis(200)))
            .with_kill_grace(Duration::from_millis(20));
        assert_eq!(stage.run(command).await.exit.cause, Cause::TimedOut);
        assert!(mark.sleepers().is_empty(), "{} alive", mark.sleepers().len());
    }
}

#[tokio::test]
async fn a_kill_after_the_end_changes_nothing() {
    let stage = Stage::new();
    let mut process = stage.spawn(Command::sh("exit 4")).await;
    loop {
        if let Event::Exit(exit) = process.events.next().await.unwrap().unwrap() {
            assert_eq!((exit.status, exit.cause), (ExitStatus::Code(4), Cause::Exited));
            break;
        }
    }
    process.control.kill().await.unwrap();
    process.control.kill().await.unwrap();
    assert!(process.events.next().await.is_none());
}

/// Nothing but what the command started is signalled.
#[tokio::test]
async fn a_neighbour_is_left_alone() {
    for stage in Stage::levels() {
        let (mine, other) = (Mark::new(), Mark::new());
        let neighbour = stage.spawn(Command::argv(["sleep", &other.0])).await;
        let process = stage.five(&mine, None).await;
        process.control.kill().await.unwrap();
        ran(process).await;
        assert_eq!(other.sleepers().len(), 1);
        drop(neighbour);
        other.wait_for(0).await;
    }
}
