//! What a runner told of its tests, read line by line from all that it prints.
//!
//! Each runner has a [`Reader`] of its own: a pure state machine over lines. All of them
//! read; the one whose totals came last is believed, because what a test prints, even if it is the
//! summary of another runner, stands above the summary of its own.

mod cargo;
mod found;
mod go;
mod jest;
mod lines;
mod nextest;
mod node;
mod pytest;
#[cfg(test)]
mod tests;
mod vitest;

use workspace_core::Stream;

use self::found::{Counts, Found};
use self::lines::Lines;

/// What a runner told of its tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) counts: Counts,
    /// The first 20 names of what failed.
    pub(super) failures: Vec<String>,
}

/// How one runner's lines are read.
trait Reader: Send {
    /// Takes the next line of a stream, without its ending.
    fn line(&mut self, line: &str, found: &mut Found);
}

/// A reader of each runner, in one fixed order.
fn readers() -> Vec<(Box<dyn Reader>, Found)> {
    let readers: [Box<dyn Reader>; 7] = [
        Box::<cargo::Cargo>::default(),
        Box::<nextest::Nextest>::default(),
        Box::<pytest::Pytest>::default(),
        Box::<go::Go>::default(),
        Box::<jest::Jest>::default(),
        Box::<vitest::Vitest>::default(),
        Box::<node::Node>::default(),
    ];
    readers.into_iter().map(|reader| (reader, Found::default())).collect()
}

/// Reads both streams of a runner. Memory is bounded, whatever is printed.
pub(super) struct Reading {
    stdout: Reads,
    stderr: Reads,
    /// Lines of both streams so far.
    line: u64,
}

/// Reads one stream.
struct Reads {
    lines: Lines,
    readers: Vec<(Box<dyn Reader>, Found)>,
}

impl Default for Reading {
    fn default() -> Self {
        let reads = || Reads { lines: Lines::default(), readers: readers() };
        Self { stdout: reads(), stderr: reads(), line: 0 }
    }
}

impl Reading {
    /// Takes the next bytes of a stream.
    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let Reads { lines, readers } = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        lines.push(bytes, |line| read(readers, line, &mut self.line));
    }

    /// What was told, if any runner was recognised.
    pub(super) fn finish(mut self) -> Option<Summary> {
        for Reads { lines, readers } in [&mut self.stdout, &mut self.stderr] {
            lines.finish(|line| read(readers, line, &mut self.line));
        }
        let both = self.stdout.readers.into_iter().zip(self.stderr.readers);
        // Vitest prints its totals to one stream and the names to the other.
        let found = both.map(|((_, stdout), (_, stderr))| stdout.and(&stderr));
        found.filter_map(Found::into_last).max_by_key(|(at, _)| *at).map(|(_, summary)| summary)
    }
}

fn read(readers: &mut [(Box<dyn Reader>, Found)], line: &str, number: &mut u64) {
    *number += 1;
    for (reader, found) in readers {
        found.at(*number);
        reader.line(line, found);
    }
}

/// The number and the word of `3 failed`.
fn counted(text: &str) -> Option<(u64, &str)> {
    let (number, word) = text.trim().split_once(' ')?;
    Some((number.parse().ok()?, word.trim()))
}
