//! Many commands, one after the other and at once.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use workspace_core::{Cause, Command};

use super::{Mark, Stage, ran};

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_calls_that_each_leave_a_sleeper_leave_none() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let start = Instant::now();
        let mut calls = JoinSet::new();
        for worker in 0..20 {
            let (shell, line) = (stage.shell.clone(), format!("sleep {} & echo {worker}", mark.0));
            calls.spawn(async move {
                use workspace_core::ShellProvider;
                for _ in 0..50 {
                    let ran = ran(shell.spawn(Command::sh(line.as_str())).await.unwrap()).await;
                    ran.assert(&format!("{worker}\n"), "", 0);
                    assert_eq!(ran.exit.leftovers_killed, 1);
                }
            });
        }
        while let Some(call) = calls.join_next().await {
            call.unwrap();
        }
        assert_eq!(mark.sleepers(), [0; 0]);
        assert!(start.elapsed() < Duration::from_mins(2), "{:?}", start.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_run_at_once() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let mut running = Vec::new();
        for _ in 0..200 {
            running.push(stage.spawn(Command::argv(["sleep", &mark.0])).await);
        }
        mark.wait_for(200).await;
        for process in &running {
            process.control.kill().await.unwrap();
        }
        for process in running {
            assert_eq!(ran(process).await.exit.cause, Cause::Killed);
        }
        assert_eq!(mark.sleepers(), [0; 0]);
    }
}
