//! What `run_shell` costs, next to tokio's own spawn-and-wait of the same program.
//!
//! `cargo run --release -p workspace-tools --example run_shell_bench` prints the
//! median of each, taken in turns, and the ratio, at every level of killing that
//! this machine has: with a small host, and with one that holds 1 GB. An
//! argument sets the number of turns; 500 by default.
#![allow(clippy::print_stdout, clippy::disallowed_methods)] // A program for a person, beside what it measures against.

use std::error::Error;
use std::process::Stdio;
use std::time::{Duration, Instant};

use workspace_tools::{ApprovalPolicy, KillRule, Policy, RunShellInput, ShellPolicy, Workspace};

const GIGABYTE: usize = 1 << 30;
const PAGE: usize = 4096;

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let turns = std::env::args().nth(1).and_then(|turns| turns.parse().ok()).unwrap_or(500);
    let root = tempfile::tempdir()?;
    let mut levels = Vec::new();
    for level in [KillRule::Group, KillRule::Cgroup, KillRule::Namespace] {
        let shell = ShellPolicy { kill_level: level, ..ShellPolicy::allowing(["/bin/true"]) };
        let policy = Policy { shell: Some(shell), approval: ApprovalPolicy::never(), ..Policy::default() };
        match Workspace::local(root.path(), policy) {
            Ok(builder) => levels.push((level, builder.build()?)),
            Err(error) => println!("{level:?} is left out: {error}"),
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

async fn compare(host: &str, levels: &[(KillRule, Workspace)], turns: usize) -> Outcome<()> {
    let mut theirs = Vec::new();
    let mut ours = vec![Vec::new(); levels.len()];
    for _ in 0..turns {
        theirs.push(timed(spawn_and_wait()).await?);
        for ((_, workspace), times) in levels.iter().zip(&mut ours) {
            times.push(timed(run(workspace)).await?);
        }
    }
    let theirs = median(theirs);
    println!("{host}: tokio {theirs:?}");
    for ((level, _), times) in levels.iter().zip(ours) {
        let ours = median(times);
        println!(
            "{host}: {level:?} {ours:?}, {:.2} times as long",
            ours.as_secs_f64() / theirs.as_secs_f64()
        );
    }
    Ok(())
}

async fn spawn_and_wait() -> Outcome<()> {
    let mut command = tokio::process::Command::new("/bin/true");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().await?.success());
    Ok(())
}

async fn run(workspace: &Workspace) -> Outcome<()> {
    assert_eq!(workspace.run_shell(RunShellInput::new("/bin/true")).await?.exit_code, 0);
    Ok(())
}

async fn timed(work: impl Future<Output = Outcome<()>>) -> Outcome<Duration> {
    let start = Instant::now();
    work.await?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
