//! Checks and chores of this repository: `cargo xtask tidy`, `cargo xtask ci`, `cargo xtask replay`,
//! `cargo xtask shelldiff`, `cargo xtask bench`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a program for people at a terminal")]

mod bench;
mod cargo;
mod ci;
#[cfg(test)]
mod guides;
mod replay;
mod shelldiff;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Checks and chores of this repository
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Program {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Checks the rules of this repository that no compiler knows
    Tidy,
    /// Runs every check that a change must pass, one after the other
    Ci,
    /// Replays the history of a repository through the tools and compares every file
    Replay(replay::Args),
    /// Hunts for command lines that dash and bash read in another way than the checker
    Shelldiff(shelldiff::Args),
    /// Measures how fast it is, next to the programs that it is measured by
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let done = match Program::parse().chore {
        Chore::Tidy => tidy::run(),
        Chore::Ci => ci::run(),
        Chore::Replay(args) => replay::run(&args).map_err(Into::into),
        Chore::Shelldiff(args) => shelldiff::run(&args),
        Chore::Bench(args) => bench::run(&args).map_err(Into::into),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("error: {why}");
            ExitCode::FAILURE
        }
    }
}
