//! The lines of a file from one on, as far as the limit and the ceiling go.
//!
//! The ceiling is filled up to the last whole character. So that following a page's
//! `next_offset` and `next_byte` comes to an end whatever the ceiling is, a page
//! always shows one character of its first line, or all of that line if it is empty.
//! In that place alone can content pass the ceiling, by a number and one character.

use std::mem;

use super::excerpt::{Excerpt, Layout, Next, Start};
use super::page::Refusal;
use super::request::Format;

/// Writes the lines asked for out of the parts of all lines.
#[derive(Debug)]
pub(super) struct Shown {
    layout: Layout,
    ceiling: usize,
    first: u64,
    first_byte: u64,
    limit: Option<u64>,
    content: String,
    /// The line that the next part belongs to.
    line: u64,
    /// Bytes of that line passed over or shown.
    column: u64,
    /// Whether something of that line is in `content`.
    begun: bool,
    /// A CR that is data or half of a line ending, as the next part will tell.
    held_cr: bool,
    /// Whether the first line has something at the byte asked for.
    reached: bool,
    /// Bytes of the last line that ended, if this page shows a character of it.
    ended: Option<u64>,
    stop: Option<Stop>,
}

/// Why no more lines are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Limit,
    Ceiling,
    /// The first line ended before the byte asked for.
    ShortLine,
}

impl Shown {
    pub(super) fn new(
        layout: Layout,
        ceiling: Option<usize>,
        first: u64,
        first_byte: u64,
        limit: Option<u64>,
    ) -> Self {
        let first = first.max(1);
        let nothing = limit == Some(0);
        Self {
            layout,
            ceiling: ceiling.unwrap_or(usize::MAX),
            first,
            first_byte,
            limit,
            content: String::new(),
            line: if nothing { first } else { 1 },
            column: if nothing { first_byte } else { 0 },
            begun: false,
            held_cr: false,
            reached: nothing || first_byte == 0,
            ended: None,
            stop: nothing.then_some(Stop::Limit),
        }
    }

    /// Takes the next part of a line; the line ends where the part ends with a newline.
    pub(super) fn push(&mut self, part: &str) {
        if self.stop.is_some() {
            return;
        }
        let ends = part.ends_with('\n');
        if self.line < self.first {
            self.line += u64::from(ends);
            return;
        }
        let part = self.pass_over(part);
        if part.is_empty() {
            self.stop = ends.then_some(Stop::ShortLine);
            return;
        }
        match self.layout.format {
            Format::Raw => self.put(part),
            Format::Numbered => self.put_without_line_ending(part),
        }
        if ends {
            self.end_line();
        }
    }

    /// Ends the file, which has so many lines and does or does not end with a newline.
    pub(super) fn finish(mut self, total_lines: u64, terminated: bool) -> Result<Excerpt, Refusal> {
        if mem::take(&mut self.held_cr) {
            self.put("\r");
        }
        if self.first > total_lines.max(1) {
            return Err(Refusal::LineOutOfRange { line: self.first, total_lines });
        }
        if !self.reached {
            return Err(Refusal::ByteOutOfRange {
                line: self.first,
                byte: self.first_byte,
                line_bytes: self.column,
            });
        }
        if terminated {
            self.count_final_newline(total_lines);
        }
        let next = Next { line: self.line, byte: (self.column > 0).then_some(self.column) };
        Ok(Excerpt {
            start_line: self.first,
            start: if self.first_byte == 0 { Start::Line } else { Start::Byte(self.first_byte) },
            end_line: self.line - u64::from(!self.begun),
            next: (self.stop.is_some() && self.line <= total_lines).then_some(next),
            capped: self.stop == Some(Stop::Ceiling),
            content: self.content,
        })
    }

    /// Drops what lies before the byte asked for.
    fn pass_over<'a>(&mut self, part: &'a str) -> &'a str {
        if self.reached {
            return part;
        }
        let missing = usize::try_from(self.first_byte - self.column).unwrap_or(usize::MAX);
        let (before, part) = part.split_at(part.floor_char_boundary(missing));
        self.column += before.len() as u64;
        if !part.is_empty() {
            self.first_byte = self.column;
            self.reached = true;
        }
        part
    }

    fn put_without_line_ending(&mut self, part: &str) {
        let (mut text, ends) = match part.strip_suffix('\n') {
            Some(text) => (text, true),
            None => (part, false),
        };
        if mem::take(&mut self.held_cr) && !(ends && text.is_empty()) {
            self.put("\r");
        }
        if let Some(before) = text.strip_suffix('\r') {
            self.held_cr = !ends;
            text = before;
        }
        self.put(text);
    }

    fn put(&mut self, text: &str) {
        let Some(width) = text.chars().next().map(char::len_utf8) else { return };
        let least = if self.content.is_empty() { width } else { 0 };
        if self.stop.is_some() || !self.begin_line(width) {
            return;
        }
        let room = self.ceiling.saturating_sub(self.content.len());
        let (fits, over) = text.split_at(text.floor_char_boundary(room).max(least));
        self.content.push_str(fits);
        self.column += fits.len() as u64;
        if !over.is_empty() {
            self.stop = Some(Stop::Ceiling);
        }
    }

    /// Writes what comes before the line's text, if it and so many bytes more fit.
    fn begin_line(&mut self, width: usize) -> bool {
        if self.begun {
            return true;
        }
        let joined = !self.content.is_empty();
        let prefix = self.layout.prefix(self.line, joined);
        let room = self.ceiling.saturating_sub(self.content.len());
        if joined && prefix.len() + width > room {
            self.stop = Some(Stop::Ceiling);
            return false;
        }
        self.content.push_str(&prefix);
        self.begun = true;
        true
    }

    fn end_line(&mut self) {
        if self.stop.is_some() || !self.begin_line(0) {
            return;
        }
        let start = if self.line == self.first { self.first_byte } else { 0 };
        self.ended = (self.column > start).then_some(self.column);
        self.line += 1;
        self.column = 0;
        self.begun = false;
        if self.limit.is_some_and(|limit| self.line - self.first == limit) {
            self.stop = Some(Stop::Limit);
        }
    }

    /// Counts the file's final newline, which numbered content does not show, towards
    /// the ceiling: where it does not fit, the last line is a cut one.
    fn count_final_newline(&mut self, total_lines: u64) {
        let hidden = self.layout.format == Format::Numbered && self.line > total_lines;
        if let Some(bytes) = self.ended
            && hidden
            && self.content.len() >= self.ceiling
        {
            self.stop = Some(Stop::Ceiling);
            self.line = total_lines;
            self.column = bytes;
            self.begun = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_read_4_memory_follows_the_ceiling_not_the_line() {
        for format in [Format::Raw, Format::Numbered] {
            let layout = Layout { format, first_number: 1 };
            let mut shown = Shown::new(layout, Some(1000), 1, 0, None);
            let part = "中".repeat(1 << 16);
            for _ in 0..200 {
                shown.push(&part);
            }
            assert!(shown.content.capacity() <= 2000, "{}", shown.content.capacity());
            assert!(shown.finish(1, false).unwrap().content.len() <= 1000);
        }
    }
}
