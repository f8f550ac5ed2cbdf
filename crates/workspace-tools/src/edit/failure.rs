//! Why a change was not made.

use super::{causes::Cause, closest::Region};

/// Why a change was not made. The text is as before in each case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EditFailure {
    /// The old text is empty.
    EmptyOld,
    /// The change would leave the text as it is.
    NoChange,
    /// The old text does not stand in the file.
    NoMatch {
        /// Differences that alone kept it from matching, at most two.
        causes: Vec<Cause>,
        /// The lines of the file most like the old text, if any are.
        closest: Option<Region>,
    },
    /// The old text stands in the file more than once.
    NotUnique {
        /// Occurrences, overlapping ones included.
        count: usize,
        /// The lines at which they begin: 1-based, ascending, each once, at
        /// most 10.
        lines: Vec<u64>,
    },
    /// The line to insert after does not exist.
    OutOfRange {
        /// How many lines there are.
        total_lines: u64,
    },
    /// The new text would be longer than the ceiling.
    TooLarge {
        /// The ceiling in bytes.
        limit: usize,
    },
}

/// Why none of several edits was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeveralFailure {
    /// The edit at fault, counted from 0. `None` where each edit is sound but
    /// together they change nothing.
    pub(crate) edit_index: Option<usize>,
    /// What is wrong with it. Lines and regions are those of the text as the
    /// edits before it left it.
    pub(crate) failure: EditFailure,
    /// Only with [`EditFailure::NoMatch`]: the text stood in the file, and this
    /// earlier edit removed it.
    pub(crate) removed_by: Option<usize>,
}
