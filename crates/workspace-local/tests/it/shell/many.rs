//! Many commands, one after the other and at once.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use workspace_core::{Cause, Command, Event};

use super::{Mark, Stage, ran};
use crate::child::{is_child, this_binary};

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

/// The most memory that this process ever had, in KiB.
fn high_water() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn a_gigabyte_of_output_takes_a_few_megabytes() {
    if !is_child() {
        // Other tests of this process have memory of their own.
        let mut host = this_binary();
        host.args(["--exact", "shell::many::a_gigabyte_of_output_takes_a_few_megabytes"]);
        let output = host.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let stage = Stage::new();
    stage.sh("true").await.assert("", "", 0);
    let before = high_water();
    // A line without an end.
    let mut process = stage.spawn(Command::sh("head -c 1G /dev/zero")).await;
    let mut bytes = 0;
    while let Event::Output(_, piece) = process.events.next().await.unwrap().unwrap() {
        bytes += piece.len();
    }
    assert_eq!(bytes, 1 << 30);
    let more = high_water() - before;
    assert!(more < 4 * 1024, "{more} KiB more");
}
