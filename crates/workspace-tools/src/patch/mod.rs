//! Patches over several files in the format of OpenAI's `apply_patch`: a text goes in, and for
//! each file what is to become of it comes out.
//!
//! Nothing here reads a file or waits:
//!
//! - [`parse`] reads a patch, [`parse_hunks`] and [`parse_content`] the parts of one file;
//! - [`apply`] makes the change of one file from its text and its hunks.
//!
//! How the lines of a hunk find their place is said at [`apply`], and nowhere else decided.

mod apply;
mod parse;
#[cfg(test)]
mod properties;
mod seek;

pub(crate) use apply::{HunkFailure, HunkFault, apply};
pub(crate) use parse::{ParseFailure, parse, parse_content, parse_hunks};

/// A patch that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    /// What is to become of each file, in the order of the patch; at least one.
    pub(crate) sections: Vec<Section>,
}

/// What is to become of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// The line of the patch at which it begins, from 1.
    pub(crate) line: usize,
    /// The file, as the patch names it.
    pub(crate) path: String,
    pub(crate) action: SectionAction,
}

/// What a section does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SectionAction {
    /// Makes the file with this content.
    Add(String),
    /// Removes the file.
    Delete,
    /// Changes the file, and moves it where a new path is given.
    Update {
        /// The new path, as the patch names it.
        move_to: Option<String>,
        /// The changes from top to bottom. Empty only where the file is moved.
        hunks: Vec<Hunk>,
    },
}

/// One change of some neighbouring lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// The line of the patch at which it begins, from 1.
    pub(crate) line: usize,
    /// Lines of the file that stand above it, from the outermost to the nearest.
    pub(crate) headers: Vec<String>,
    pub(crate) lines: Vec<HunkLine>,
    /// Its last line is the last of the file.
    pub(crate) at_end: bool,
}

/// A line of a hunk, without its sign and its ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HunkLine {
    /// It is in the file and stays.
    Keep(String),
    /// It is in the file and goes.
    Remove(String),
    /// It comes.
    Add(String),
}

impl Hunk {
    /// The lines that must be in the file.
    pub(crate) fn old(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            HunkLine::Keep(text) | HunkLine::Remove(text) => Some(text.as_str()),
            HunkLine::Add(_) => None,
        })
    }
}
