//! What a window cuts out of a file, before the facts about the file are added.

use super::request::{Format, Request};

/// What is shown, and where it begins and ends in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) content: String,
    pub(super) start_line: u64,
    pub(super) start: Start,
    pub(super) end_line: u64,
    /// What comes after the excerpt; `None` when nothing does.
    pub(super) next: Option<Next>,
    /// Whether the ceiling left out something that was asked for.
    pub(super) capped: bool,
}

/// Where in its first line an excerpt begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// At the line's start.
    Line,
    /// At this byte of the line.
    Byte(u64),
    /// Somewhere inside the line.
    Inside,
}

/// Where reading is to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) line: u64,
    /// Bytes of that line already shown, when there are any.
    pub(super) byte: Option<u64>,
}

/// How lines are written out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) format: Format,
    pub(super) first_number: u64,
}

impl Layout {
    pub(super) fn of(request: &Request) -> Self {
        Self { format: request.format, first_number: request.first_number }
    }

    /// What comes before a line's text. `joined` tells that another line was written.
    pub(super) fn prefix(self, line: u64, joined: bool) -> String {
        match self.format {
            Format::Raw => String::new(),
            Format::Numbered => {
                let newline = if joined { "\n" } else { "" };
                format!("{newline}{:>6}\t", self.number(line))
            }
        }
    }

    /// What is shown of a line: in numbered form all but its line ending.
    pub(super) fn visible(self, line: &str) -> &str {
        match (self.format, line.strip_suffix('\n')) {
            (Format::Numbered, Some(text)) => text.strip_suffix('\r').unwrap_or(text),
            _ => line,
        }
    }

    /// The number that a line, counted from 1, is written with.
    pub(super) fn number(self, line: u64) -> u64 {
        (line - 1).saturating_add(self.first_number)
    }
}
