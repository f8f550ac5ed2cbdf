//! The last lines of a file.
//!
//! Under a ceiling the end is what is kept: whole lines from the last one upwards while
//! they fit, then the end of the one that does not. As from the front, one character
//! (or an empty line) is shown whatever the ceiling is.

use std::collections::VecDeque;
use std::str;

use super::excerpt::{Excerpt, Layout, Start};
use super::request::Format;
use super::utf8;

/// Bytes kept beyond the ceiling: more than a line ending not shown, a character cut in
/// front and one shown over the ceiling together, so that what is kept never fits whole
/// once something was dropped.
const SLACK: usize = 16;

/// Keeps the end of a text: the lines asked for, and of those what the ceiling can hold.
#[derive(Debug)]
pub(super) struct Tail {
    layout: Layout,
    ceiling: Option<usize>,
    lines: u64,
    kept: VecDeque<u8>,
    /// Newlines in `kept`; only counted when there is no ceiling.
    newlines: u64,
}

impl Tail {
    pub(super) fn new(layout: Layout, ceiling: Option<usize>, lines: u64) -> Self {
        Self { layout, ceiling, lines, kept: VecDeque::new(), newlines: 0 }
    }

    /// Takes the next text.
    pub(super) fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        if self.lines == 0 {
            return;
        }
        if let Some(ceiling) = self.ceiling {
            let capacity = ceiling.saturating_add(SLACK);
            let bytes = &bytes[bytes.len().saturating_sub(capacity)..];
            let excess = (self.kept.len() + bytes.len()).saturating_sub(capacity);
            self.kept.drain(..excess);
            self.kept.extend(bytes);
        } else {
            self.kept.extend(bytes);
            self.newlines += memchr::memchr_iter(b'\n', bytes).count() as u64;
            self.drop_earlier_lines();
        }
    }

    fn drop_earlier_lines(&mut self) {
        let open = self.kept.back().is_some_and(|&byte| byte != b'\n');
        while self.newlines + u64::from(open) > self.lines {
            let (front, back) = self.kept.as_slices();
            let newline = memchr::memchr(b'\n', front)
                .or_else(|| memchr::memchr(b'\n', back).map(|at| front.len() + at));
            let Some(newline) = newline else { break };
            self.kept.drain(..=newline);
            self.newlines -= 1;
        }
    }

    /// Ends the file, which has so many lines and does or does not end with a newline.
    pub(super) fn finish(self, total_lines: u64, terminated: bool) -> Excerpt {
        let kept = Vec::from(self.kept);
        let cut = kept.iter().take_while(|&&byte| utf8::is_continuation(byte)).count();
        let text = str::from_utf8(&kept[cut..]).unwrap_or_default();

        let mut end = End {
            layout: self.layout,
            text,
            at: text.len(),
            line: total_lines + 1,
            inside: false,
            room: self.ceiling.unwrap_or(usize::MAX),
        };
        if self.layout.format == Format::Numbered && terminated {
            // Not shown, but it counts, as it does from the front.
            end.room = end.room.saturating_sub(1);
        }
        let wanted = self.lines.min(total_lines);
        let mut capped = false;
        while !capped && total_lines + 1 - end.line < wanted {
            capped = !end.take_line();
        }

        let mut content = String::new();
        for (line, text) in (end.line..).zip(text[end.at..].split_inclusive('\n')) {
            content.push_str(&self.layout.prefix(line, line > end.line));
            content.push_str(self.layout.visible(text));
        }
        Excerpt {
            content,
            start_line: end.line,
            start: if end.inside { Start::Inside } else { Start::Line },
            end_line: total_lines,
            next: None,
            capped,
        }
    }
}

/// The end of a text as far as it was taken, line by line upwards.
struct End<'a> {
    layout: Layout,
    text: &'a str,
    /// Where in the text it begins.
    at: usize,
    /// The line that it begins in.
    line: u64,
    /// Whether it begins inside that line.
    inside: bool,
    /// Bytes of content that are left.
    room: usize,
}

impl End<'_> {
    /// Takes the line before, or as much of its end as there is room for, and tells
    /// whether all of it was taken.
    fn take_line(&mut self) -> bool {
        let before = &self.text[..self.at];
        let body = before.strip_suffix('\n').unwrap_or(before);
        let start = memchr::memrchr(b'\n', body.as_bytes()).map_or(0, |newline| newline + 1);
        let visible = self.layout.visible(&before[start..]);

        let joined = self.at < self.text.len();
        let prefix = self.layout.prefix(self.line - 1, joined).len();
        let room = self.room.saturating_sub(prefix);
        let mut from = visible.ceil_char_boundary(visible.len().saturating_sub(room));
        let nothing_fits = prefix > self.room || from > 0 && from == visible.len();
        if nothing_fits && joined {
            return false;
        }
        if nothing_fits {
            from = visible.char_indices().next_back().map_or(0, |(at, _)| at);
        }
        self.at = start + from;
        self.line -= 1;
        self.inside = from > 0;
        self.room = room.saturating_sub(visible.len() - from);
        !self.inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout { format: Format::Numbered, first_number: 1 };

    #[test]
    fn r_read_4_memory_follows_the_ceiling_not_the_line() {
        let mut tail = Tail::new(LAYOUT, Some(1000), 5);
        let text = "中".repeat(1 << 16);
        for _ in 0..200 {
            tail.push(&text);
        }
        assert!(tail.kept.capacity() <= 2 * (1000 + SLACK), "{}", tail.kept.capacity());
        let excerpt = tail.finish(1, false);
        assert_eq!(excerpt.content, format!("     1\t{}", "中".repeat(331)));
        assert_eq!(excerpt.start, Start::Inside);
    }

    #[test]
    fn r_read_4_memory_follows_the_lines_asked_for_without_a_ceiling() {
        let mut tail = Tail::new(LAYOUT, None, 3);
        for _ in 0..10_000 {
            tail.push("one\ntwo\nthree\nfo");
            tail.push("ur\n");
        }
        assert!(tail.kept.capacity() < 100, "{}", tail.kept.capacity());
        let excerpt = tail.finish(40_000, true);
        assert_eq!(excerpt.content, " 39998\ttwo\n 39999\tthree\n 40000\tfour");
    }
}
