//! What a caller asks for, and what it gets back.

use super::{eol, failure::EditFailure};

/// The byte order mark. At the start of a text it belongs to the file, not to
/// the first line.
pub(super) const BOM: char = '\u{feff}';

/// Bytes of the mark at the start of `text`: 3 or 0.
pub(super) fn bom_len(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len_utf8() } else { 0 }
}

/// How the two spellings of a newline, LF and CRLF, are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EolMode {
    /// The old text matches whatever the endings are; the new text is written
    /// with the endings of the place it goes to.
    #[default]
    Adapt,
    /// The old text must have the endings of the file, and a pair is never
    /// split; the new text is written as under [`EolMode::Adapt`]. A difference
    /// in endings alone is reported as a cause.
    Hint,
    /// Bytes as given: nothing is converted, and a match may begin or end
    /// between the bytes of a pair.
    Exact,
}

/// The settings of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// How newlines are treated.
    pub(crate) eol: EolMode,
    /// Ceiling of the new text in bytes. A short old text with many
    /// occurrences and a long new one could otherwise fill the memory.
    pub(crate) max_bytes: usize,
}

impl Default for Rules {
    /// [`EolMode::Adapt`] and 32 MiB.
    fn default() -> Self {
        Self { eol: EolMode::Adapt, max_bytes: 32 << 20 }
    }
}

/// Replaces `old` by `new`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replacement<'a> {
    /// The text to find; it must stand in the file once, or `replace_all` be set.
    pub(crate) old: &'a str,
    /// The text to write, taken literally.
    pub(crate) new: &'a str,
    /// Replace each occurrence, left to right and without overlap.
    pub(crate) replace_all: bool,
}

impl Replacement<'_> {
    /// Finds the faults that show without the file's text.
    ///
    /// # Errors
    /// [`EditFailure::EmptyOld`], and [`EditFailure::NoChange`] where the texts
    /// are equal but for their line endings.
    pub(crate) fn check(&self) -> Result<(), EditFailure> {
        if self.old.is_empty() {
            return Err(EditFailure::EmptyOld);
        }
        if self.old == self.new || eol::to_lf(self.old) == eol::to_lf(self.new) {
            return Err(EditFailure::NoChange);
        }
        Ok(())
    }
}

/// Inserts whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Insertion<'a> {
    /// The line after which to insert; 0 stands for before the first.
    pub(crate) line: u64,
    /// The lines to insert; a newline at the end may be left out.
    pub(crate) new: &'a str,
}

/// One change to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change<'a> {
    /// Replace text found by its content.
    Replace(Replacement<'a>),
    /// Insert lines at a line number.
    Insert(Insertion<'a>),
}

impl Change<'_> {
    /// Finds the faults that show without the file's text.
    ///
    /// # Errors
    /// Those of [`Replacement::check`]; for an insertion
    /// [`EditFailure::NoChange`] where there is nothing to insert.
    pub(crate) fn check(&self) -> Result<(), EditFailure> {
        match self {
            Self::Replace(replacement) => replacement.check(),
            Self::Insert(insertion) if insertion.new.is_empty() => Err(EditFailure::NoChange),
            Self::Insert(_) => Ok(()),
        }
    }
}

/// What one change made of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The whole new text.
    pub(crate) text: String,
    /// How many places were replaced; 1 for an insertion.
    pub(crate) replacements: usize,
    /// The first line of each place in the new text: 1-based, ascending, each
    /// once, at most 20.
    pub(crate) lines: Vec<u64>,
    /// Whether line endings of the old or the new text were read or written
    /// otherwise than given.
    pub(crate) eol_adapted: bool,
}
