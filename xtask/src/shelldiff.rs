//! `cargo xtask shelldiff`: hunts for command lines that real shells read in
//! another way than the checker.

use std::error::Error;
use std::io::{BufRead, BufReader, IsTerminal};
use std::process::Stdio;

use indicatif::{ProgressBar, ProgressStyle};

use crate::cargo;

/// What the hunt needs, for a person who asks.
const NEEDS: &str = "\
It needs Linux, dash, bash and root: accepted lines run as an unprivileged user in a
throwaway root. It is best started in a container. Where something is missing, it says
what, and how to get it.";

#[derive(Debug, clap::Args)]
#[command(after_help = NEEDS)]
pub(crate) struct Args {
    /// How many lines are judged
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    lines: u64,
    /// How many of the accepted ones are run, each in dash and in bash
    #[arg(long, value_name = "M", default_value_t = 50_000)]
    run: u64,
    /// Where the random numbers begin: the same seed gives the same lines
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Only show that the hunt finds planted faults
    #[arg(long)]
    prove: bool,
}

/// Builds the hunt and runs it. What it finds goes to standard output; how far
/// it is, to a terminal alone.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let shown = std::io::stderr().is_terminal();
    let mut command = cargo::command();
    command.args(["run", "--release", "--locked", "--package", "workspace-shell-policy"]);
    command.args(["--example", "shelldiff"]);
    if !shown {
        command.arg("--quiet");
    }
    command.args(["--", "--progress"]);
    for (option, value) in [("--lines", args.lines), ("--run", args.run), ("--seed", args.seed)] {
        command.args([option, &value.to_string()]);
    }
    if args.prove {
        command.arg("--prove");
    }
    let mut hunt = command.stdout(Stdio::piped()).spawn()?;
    let bar = if shown { bar(args.lines) } else { ProgressBar::hidden() };
    if let Some(output) = hunt.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line?;
            match progress(&line) {
                Some((lines, runs)) => {
                    bar.set_position(lines);
                    bar.set_message(format!("{runs} run"));
                }
                None => bar.suspend(|| println!("{line}")),
            }
        }
    }
    bar.finish_and_clear();
    let status = hunt.wait()?;
    match status.code() {
        Some(0) => Ok(()),
        Some(1) => Err("the checker and the shells do not agree on the lines above".into()),
        _ => Err(format!("the hunt did not come to its end: {status}").into()),
    }
}

fn bar(lines: u64) -> ProgressBar {
    ProgressBar::new(lines).with_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} lines, {msg}, {eta} to go")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    )
}

/// How many lines were judged and run, where a line of the hunt's output says that.
fn progress(line: &str) -> Option<(u64, u64)> {
    let (lines, runs) = line.strip_prefix("progress ")?.split_once(' ')?;
    Some((lines.parse().ok()?, runs.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::progress;

    #[test]
    fn only_words_about_progress_move_the_bar() {
        assert_eq!(progress("progress 12 3"), Some((12, 3)));
        assert_eq!(progress("progress of 3"), None);
        assert_eq!(progress("HOLE \"progress 12 3\""), None);
    }
}
