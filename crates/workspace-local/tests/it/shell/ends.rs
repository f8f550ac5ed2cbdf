//! How a command ends, and what is told of it.

use std::time::{Duration, Instant};

use workspace_core::{Cause, Command, Event, Exit, ExitStatus, Stream};

use super::{Mark, Stage, is_silent, ran};

#[tokio::test]
async fn r_exec_1_the_exit_code_is_the_programs_own() {
    for stage in Stage::levels() {
        stage.sh("echo out; echo bad >&2; exit 3").await.assert("out\n", "bad\n", 3);
        let ended = Exit::new(ExitStatus::Code(0)).with_kill_reach(stage.reach());
        assert_eq!(stage.sh("true").await.exit, ended);
    }
}

#[tokio::test]
async fn r_exec_1_a_signal_is_told_as_such() {
    for stage in Stage::levels() {
        for (name, number) in [("KILL", 9), ("TERM", 15), ("SEGV", 11)] {
            let ran = stage.sh(&format!("echo before; kill -{name} $$")).await;
            assert_eq!((ran.stdout.as_str(), ran.exit.status), ("before\n", ExitStatus::Signal(number)));
            assert_eq!((ran.exit.status.code(), ran.exit.cause), (128 + number, Cause::Exited));
        }
    }
}

#[tokio::test]
async fn output_arrives_while_the_command_runs() {
    let stage = Stage::new();
    let mut process = stage
        .spawn(Command::sh("echo first; read go; echo second").with_stdin(workspace_core::Stdin::Open))
        .await;
    super::printed(&mut process, "first\n").await;
    assert!(is_silent(&mut process).await);
    process.control.write_stdin(b"\n".to_vec()).await.unwrap();
    ran(process).await.assert("second\n", "", 0);
}

#[tokio::test]
async fn what_lies_in_the_pipe_at_the_exit_is_not_lost() {
    for stage in Stage::levels() {
        // Just what a pipe holds: the program exits before anything is read.
        let mut process =
            stage.spawn(Command::sh("head -c 65536 /dev/zero; head -c 65536 /dev/zero >&2")).await;
        let mut counts = [0, 0];
        while let Event::Output(stream, bytes) = process.events.next().await.unwrap().unwrap() {
            counts[usize::from(stream == Stream::Stderr)] += bytes.len();
        }
        assert_eq!(counts, [65536, 65536]);
    }
}

#[tokio::test]
async fn a_slow_listener_holds_the_command_up_and_loses_nothing() {
    let stage = Stage::new();
    let total = 4_000_000;
    let mut process = stage.spawn(Command::sh(format!("head -c {total} /dev/zero; echo end >&2"))).await;
    let pid = only_child_named("head").await;
    // It sleeps in the middle of its output: nobody reads, and what may wait is full.
    super::eventually(|| wait_channel(pid).contains("pipe_write"), || "a command that waits to print".into())
        .await;
    let mut most = 0;
    let mut count = 0;
    while let Some(event) = process.events.next().await {
        if let Event::Output(Stream::Stdout, bytes) = event.unwrap() {
            most = most.max(bytes.len());
            count += bytes.len();
        }
    }
    assert_eq!((count, most), (total, 65536));
}

/// The process of this name among the descendants of this test's own commands.
async fn only_child_named(name: &str) -> u32 {
    let mut found = None;
    let comm = |pid: &u32| {
        std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim_end() == name)
    };
    super::eventually(
        || {
            found = super::pids().filter(comm).find(|pid| wait_channel(*pid).contains("pipe_write"));
            found.is_some()
        },
        || format!("a process `{name}` that waits"),
    )
    .await;
    found.unwrap()
}

fn wait_channel(pid: u32) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/wchan")).unwrap_or_default()
}

#[tokio::test]
async fn what_a_slow_listener_has_not_taken_in_time_is_not_lost() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        // More pieces than may wait for the listener, while another process holds the pipe.
        let line =
            format!("sleep {} & for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i; sleep 0.01; done", mark.0);
        let process = stage.spawn(Command::sh(line)).await;
        mark.wait_for(1).await;
        let shell = mark.shell();
        // When the shell has been waited for, the time to drain the pipe is over.
        let gone = || !std::fs::exists(format!("/proc/{shell}")).unwrap();
        super::eventually(gone, || "a command whose end is known".into()).await;
        let ran = ran(process).await;
        ran.assert("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "", 0);
        assert_eq!(ran.exit.leftovers_killed, 1);
    }
}

#[tokio::test]
async fn output_before_a_timeout_is_given_before_the_exit() {
    for stage in Stage::levels() {
        let line = "echo step 3 of 9; echo why >&2; exec sleep 100";
        let ran = stage.run(Command::sh(line).with_timeout(Some(Duration::from_millis(300)))).await;
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("step 3 of 9\n", "why\n"));
        let exit =
            Exit::new(ExitStatus::Signal(15)).with_cause(Cause::TimedOut).with_kill_reach(stage.reach());
        assert_eq!(ran.exit, exit);
    }
}

#[tokio::test]
async fn endless_output_is_stopped_at_the_timeout() {
    for stage in Stage::levels() {
        let start = Instant::now();
        let mut process = stage
            .spawn(Command::argv(["yes", "abcdefgh"]).with_timeout(Some(Duration::from_millis(1500))))
            .await;
        let (mut bytes, mut exit) = (0_u64, None);
        while let Some(event) = process.events.next().await {
            match event.unwrap() {
                Event::Output(_, piece) => bytes += piece.len() as u64,
                Event::Exit(end) => exit = Some(end),
                event => panic!("{event:?}"),
            }
        }
        assert_eq!(exit.unwrap().cause, Cause::TimedOut);
        assert!(bytes > 1 << 20, "{bytes} bytes");
        assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    }
}
