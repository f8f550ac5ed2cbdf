//! Native search beside ripgrep and fd: the same trees, the same files, the same number of threads, in turns.

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use indicatif::{ProgressBar, ProgressStyle};

use super::rows::{KERNEL, Row, SMALL, rows};
use super::table::{HEAD, Measured};
use super::trees;
use super::turn::{is_there, peak, turn};
use crate::cargo;

/// The most threads that a search of ours takes.
const MOST_THREADS: usize = 8;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The sources of the Linux kernel; left out where none are given
    #[arg(long, value_name = "PATH")]
    kernel: Option<PathBuf>,
    /// How often each search is run, ours and theirs in turns
    #[arg(long, value_name = "N", default_value_t = 15)]
    turns: usize,
    /// Only rows whose name holds this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

pub(crate) fn run(args: &Args) -> Result<(), String> {
    for program in ["rg", "bash"] {
        if !is_there(program) {
            return Err(format!("`{program}` is not there; on Debian: apt-get install ripgrep fd-find bash"));
        }
    }
    // Debian's name for it, then its own.
    let fd = ["fdfind", "fd"].into_iter().find(|program| is_there(program));
    let threads = available_parallelism().map_or(1, Into::into).min(MOST_THREADS);
    let ours = build("workspace-local", "search_once")?;
    let target = cargo::target();
    let mut measured = Vec::new();
    if let Some(kernel) = &args.kernel {
        measured.push((kernel.clone(), rows("kernel", &KERNEL, threads, fd)));
    } else {
        println!("{}", trees::NO_KERNEL);
    }
    let small = trees::small(&target.join("bench/small"))?;
    measured.push((small, rows("200,000 files", &SMALL, threads, fd)));

    println!("{} turns each, {threads} threads, medians\n\n{HEAD}", args.turns);
    let output = target.join("bench/output");
    for (tree, rows) in measured {
        for row in rows.into_iter().filter(|row| row.name.contains(&args.only)) {
            println!("{}", measure(row, &ours, &tree, &output, args.turns)?.line());
        }
    }
    Ok(())
}

fn measure(row: Row, ours: &str, tree: &Path, output: &Path, turns: usize) -> Result<Measured, String> {
    let program = [ours.to_owned()].into_iter();
    let words: Vec<String> = program.clone().chain(row.ours).chain([".".to_owned()]).collect();
    let idle: Vec<String> = program.chain(["idle".to_owned(), ".".to_owned()]).collect();
    let bar = ProgressBar::new(turns as u64)
        .with_style(
            ProgressStyle::with_template("{msg} {pos}/{len}")
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        )
        .with_message(row.name.clone());
    // Once before it counts, so that both find the files in memory.
    turn(&words, tree, output)?;
    turn(&row.theirs, tree, output)?;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for round in 0..turns {
        // Neither is always the one that comes after the other.
        if round % 2 == 0 {
            first.push(turn(&words, tree, output)?);
            second.push(turn(&row.theirs, tree, output)?);
        } else {
            second.push(turn(&row.theirs, tree, output)?);
            first.push(turn(&words, tree, output)?);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let over_idle = peak(&words, tree)?.saturating_sub(peak(&idle, tree)?);
    Ok(Measured { name: row.name, ours: first, theirs: second, over_idle })
}

/// Builds an example of a package; gives the path of its program.
pub(super) fn build(package: &str, example: &str) -> Result<String, String> {
    let built = cargo::command()
        .args(["build", "--release", "--locked", "--quiet", "--package", package])
        .args(["--example", example])
        .status()
        .map_err(|error| error.to_string())?;
    if !built.success() {
        return Err(format!("`{example}` does not build"));
    }
    let program = cargo::target().join("release/examples").join(example);
    program.to_str().map(str::to_owned).ok_or_else(|| "the path of the target directory is not UTF-8".into())
}
