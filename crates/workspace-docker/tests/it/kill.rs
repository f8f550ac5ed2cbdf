//! A kill reaches every process, however it hides.

use std::time::Duration;

use workspace_core::{Cause, Command, Event, Exit, Process, ShellProvider, Stream};
use workspace_docker::{Docker, DockerShell};

use crate::engine::{fresh, has, runtime};

/// Five ways to live on: a plain child, one that ignores the signal, a new
/// session, a double fork, and one without the variables of its parent.
const FIVE: &str = "
sleep 4711 &
( trap '' TERM; while :; do sleep 4711; done ) &
setsid sleep 4711 &
( setsid sleep 4711 & ) &
( env -i setsid sh -c 'trap \"\" TERM HUP; sleep 4711; sleep 4711' </dev/null >/dev/null 2>&1 & ) &
sleep 1; echo begun; wait";

/// How many processes of the five are left, by a sweep over `/proc`.
async fn left(shell: &DockerShell) -> String {
    let sweep = "n=0; for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -q '^sleep 4711 ' && n=$((n+1)); done; echo $n";
    output(shell.spawn(Command::sh(sweep)).await.unwrap()).await.0
}

async fn output(mut process: Process) -> (String, Exit) {
    let mut stdout = Vec::new();
    loop {
        match process.events.next().await.expect("the events end with an exit").unwrap() {
            Event::Output(Stream::Stdout, bytes) => stdout.extend(bytes),
            Event::Exit(exit) => return (String::from_utf8_lossy(&stdout).trim().to_owned(), exit),
            _ => {}
        }
    }
}

async fn begun(process: &mut Process) {
    let mut stdout = Vec::new();
    while !stdout.starts_with(b"begun") {
        match process.events.next().await.unwrap().unwrap() {
            Event::Output(Stream::Stdout, bytes) => stdout.extend(bytes),
            other => panic!("{other:?}"),
        }
    }
}

async fn open(test: &str) -> (Docker, DockerShell) {
    let docker = fresh("busybox", test).open().await.unwrap();
    let shell = docker.shell().unwrap();
    (docker, shell)
}

#[test]
fn r_exec_7_a_timeout_leaves_none_of_five() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let (docker, shell) = open("kill-timeout").await;
        let command = Command::sh(FIVE).with_timeout(Some(Duration::from_secs(4)));
        let (told, exit) = output(shell.spawn(command).await.unwrap()).await;
        assert_eq!((told.as_str(), exit.cause), ("begun", Cause::TimedOut));
        assert_eq!(left(&shell).await, "0");
        docker.dispose().await.unwrap();
    });
}

#[test]
fn r_exec_7_a_cancel_leaves_none_of_five() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let (docker, shell) = open("kill-cancel").await;
        let mut process = shell.spawn(Command::sh(FIVE)).await.unwrap();
        begun(&mut process).await;
        assert_ne!(left(&shell).await, "0");
        process.control.kill().await.unwrap();
        let (_, exit) = output(process).await;
        assert_eq!(exit.cause, Cause::Killed);
        assert_eq!(left(&shell).await, "0");
        docker.dispose().await.unwrap();
    });
}

/// A process that takes another limit is without its brand, and is found for that.
#[test]
fn who_throws_the_brand_away_is_ended_too() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let (docker, shell) = open("kill-unbranded").await;
        let line = "( ulimit -m 4096; setsid sleep 4711 & ) & sleep 1; echo begun; wait; sleep 100";
        let mut process = shell.spawn(Command::sh(line)).await.unwrap();
        begun(&mut process).await;
        process.control.kill().await.unwrap();
        output(process).await;
        assert_eq!(left(&shell).await, "0");
        docker.dispose().await.unwrap();
    });
}

#[test]
fn what_a_program_leaves_is_ended_and_counted() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let (docker, shell) = open("kill-leftovers").await;
        let line = "setsid sleep 4711 & sleep 4711 & echo hi";
        let (told, exit) = output(shell.spawn(Command::sh(line)).await.unwrap()).await;
        assert_eq!((told.as_str(), exit.cause, exit.leftovers_killed), ("hi", Cause::Exited, 2));
        assert_eq!(left(&shell).await, "0");
        docker.dispose().await.unwrap();
    });
}
