//! What a command costs, next to tokio's own spawn-and-wait of the same program.
//!
//! `cargo run --release -p workspace-local --example spawn_bench` prints the
//! median of each, taken in turns, and the ratio: with a small host, and with
//! one that holds 1 GB. An argument sets the number of turns; 500 by default.
#![allow(clippy::print_stdout, clippy::disallowed_methods)] // A program for a person, beside what it measures against.

use std::process::Stdio;
use std::time::{Duration, Instant};

use workspace_core::{Command, Error, ErrorKind, Event, Result, ShellProvider};
use workspace_local::{KillLevel, Local, LocalShell};

const GIGABYTE: usize = 1 << 30;
const PAGE: usize = 4096;

#[tokio::main]
async fn main() -> Result<()> {
    let turns = std::env::args().nth(1).and_then(|turns| turns.parse().ok()).unwrap_or(500);
    let shell = Local::open(std::env::temp_dir())?.shell();
    let mut levels = vec![("group", shell.clone().with_kill_level(KillLevel::Group)?)];
    for (name, level) in [("cgroup", KillLevel::Cgroup(None)), ("namespace", KillLevel::Namespace)] {
        match shell.clone().with_kill_level(level) {
            Ok(shell) => levels.push((name, shell)),
            Err(error) => println!("{name} is left out: {error}"),
        }
    }
    compare("small host", &levels, turns).await?;
    let mut held = vec![0_u8; GIGABYTE];
    // A page that was never written to is not there.
    held.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);
    compare("host with 1 GB", &levels, turns).await?;
    drop(held);
    Ok(())
}

async fn compare(host: &str, levels: &[(&str, LocalShell)], turns: usize) -> Result<()> {
    let mut theirs = Vec::new();
    let mut ours = vec![Vec::new(); levels.len()];
    for _ in 0..turns {
        theirs.push(timed(spawn_and_wait()).await?);
        for ((_, shell), times) in levels.iter().zip(&mut ours) {
            times.push(timed(run(shell)).await?);
        }
    }
    let theirs = median(theirs);
    println!("{host}: tokio {theirs:?}");
    for ((level, _), times) in levels.iter().zip(ours) {
        let ours = median(times);
        println!("{host}: {level} {ours:?}, {:.2} times as long", ours.as_secs_f64() / theirs.as_secs_f64());
    }
    Ok(())
}

async fn spawn_and_wait() -> Result<()> {
    let mut command = tokio::process::Command::new("/bin/true");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status =
        command.status().await.map_err(|error| Error::new(ErrorKind::Io, "no status").because(error))?;
    assert!(status.success());
    Ok(())
}

async fn run(shell: &LocalShell) -> Result<()> {
    let mut process = shell.spawn(Command::argv(["/bin/true"])).await?;
    while let Some(event) = process.events.next().await {
        if let Event::Exit(exit) = event? {
            assert_eq!(exit.status.code(), 0);
        }
    }
    Ok(())
}

async fn timed(work: impl Future<Output = Result<()>>) -> Result<Duration> {
    let start = Instant::now();
    work.await?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
