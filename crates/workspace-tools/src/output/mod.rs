//! The output of a command within a budget.
//!
//! A [`Collector`] takes what a command prints, however much that is, and gives two
//! texts that keep to the budget together. What a terminal would not show is dropped
//! first ([`terminal`]), then each stream's start and end are kept as bytes ([`kept`]),
//! and only in the end are bytes decoded ([`lossy`]): a character that came in two
//! chunks is whole.
//!
//! Both streams share the budget. A stream that needs less than half of it leaves the
//! rest to the other. What is cut is decoded text, in which a replacement character
//! counts its three bytes, and the marker line counts too: the two texts together are
//! never longer than the budget.
//!
//! Of a command that goes on in the background a [`Log`] keeps the newest text, to be read
//! from any cursor on.

mod decoder;
mod escape;
mod kept;
mod line;
mod log;
mod lossy;
mod terminal;
#[cfg(test)]
mod tests;

use workspace_core::Stream;

use self::kept::Kept;
use self::terminal::Terminal;

pub(crate) use self::decoder::Decoder;
pub(crate) use self::log::{Log, Since};

/// How much of a command's output is given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Most bytes of both texts together, marker lines included. Default 32,768.
    pub(crate) max_bytes: usize,
    /// Which part of a stream that is too long. Default its start and its end.
    pub(crate) keep: Keep,
    /// Whether each stream has the whole of `max_bytes` for itself. Default no.
    pub(crate) per_stream: bool,
    /// Whether output is reduced to what a terminal would show in the end: without
    /// colours, progress lines collapsed. Default yes.
    pub(crate) terminal: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { max_bytes: 32 * 1024, keep: Keep::Ends, per_stream: false, terminal: true }
    }
}

/// What is kept of a stream that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Its start and its end around a marker line.
    Ends,
    /// Its start, with a marker line after it.
    Head,
}

/// What a command printed, within the budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// Standard output, bytes that are not UTF-8 shown as U+FFFD.
    pub(crate) stdout: String,
    /// Standard error, likewise.
    pub(crate) stderr: String,
    /// Bytes left out for the budget's sake.
    pub(crate) omitted: Omitted,
}

impl Output {
    /// Whether the budget left anything out.
    pub(crate) fn is_truncated(&self) -> bool {
        self.omitted != Omitted::default()
    }
}

/// Bytes left out of each stream, counted after the terminal's part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Omitted {
    pub(crate) stdout: u64,
    pub(crate) stderr: u64,
}

/// Takes a command's output and keeps what the budget allows.
///
/// Memory stays within a few times the budget, whatever is pushed.
#[derive(Debug)]
pub(crate) struct Collector {
    budget: Budget,
    stdout: Intake,
    stderr: Intake,
}

/// One stream on its way in.
#[derive(Debug)]
struct Intake {
    terminal: Option<Terminal>,
    kept: Kept,
}

impl Collector {
    /// Makes a collector; nothing was printed yet.
    pub(crate) fn new(budget: Budget) -> Self {
        let intake = || Intake {
            terminal: budget.terminal.then(Terminal::default),
            kept: Kept::new(budget.max_bytes, budget.keep),
        };
        Self { stdout: intake(), stderr: intake(), budget }
    }

    /// Takes the next bytes of a stream.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let Intake { terminal, kept } = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        match terminal {
            Some(terminal) => terminal.push(bytes, |shown| kept.push(shown)),
            None => kept.push(bytes),
        }
    }

    /// Ends both streams. Where something is left out, `elsewhere` may tell where all of
    /// it is, in a few words for the marker.
    pub(crate) fn finish(self, elsewhere: impl FnOnce() -> Option<String>) -> Output {
        let (stdout, stderr) = (self.stdout.finish(), self.stderr.finish());
        let (of_stdout, of_stderr) = (stdout.decoded_length(), stderr.decoded_length());
        let (for_stdout, for_stderr) = shares(&self.budget, of_stdout, of_stderr);
        let is_cut = of_stdout > for_stdout || of_stderr > for_stderr;
        let elsewhere = if is_cut { elsewhere() } else { None };
        let (stdout, left_out_of_stdout) = stdout.into_text(for_stdout, elsewhere.as_deref());
        let (stderr, left_out_of_stderr) = stderr.into_text(for_stderr, elsewhere.as_deref());
        let omitted = Omitted { stdout: left_out_of_stdout, stderr: left_out_of_stderr };
        Output { stdout, stderr, omitted }
    }
}

impl Intake {
    fn finish(mut self) -> Kept {
        if let Some(terminal) = self.terminal {
            terminal.finish(|shown| self.kept.push(shown));
        }
        self.kept
    }
}

/// Divides the budget between standard output and standard error of these lengths.
fn shares(budget: &Budget, stdout: usize, stderr: usize) -> (usize, usize) {
    let whole = budget.max_bytes;
    if budget.per_stream {
        return (whole, whole);
    }
    let half = whole / 2;
    let other_half = whole - half;
    if stdout <= other_half {
        (stdout, whole - stdout)
    } else if stderr <= half {
        (whole - stderr, stderr)
    } else {
        (other_half, half)
    }
}
