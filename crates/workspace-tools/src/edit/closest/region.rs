//! A few lines of a file, small enough to be shown.

use std::{fmt, ops::Range};

use memchr::memrchr;

use super::super::matching::newline_count;

/// The most lines shown.
const MAX_LINES: usize = 10;

/// Lines shown before the focus where not all fit.
const BEFORE_FOCUS: usize = 2;

/// The longest line shown whole, in bytes.
const MAX_LINE: usize = 240;

/// Bytes shown before the focus of a longer line.
const LEAD: usize = 60;

/// Lines of a file, at most 10.
///
/// Displayed with their numbers, as a numbered read shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// The 1-based number of the first line.
    pub(crate) start_line: u64,
    /// The lines without their endings; of a long line a part, with `…` where
    /// it was cut.
    pub(crate) lines: Vec<String>,
}

impl Region {
    /// The lines of `text` that `place` touches; where they are many, those
    /// around `focus`.
    pub(super) fn cut(text: &str, place: &Range<usize>, focus: usize) -> Self {
        let bytes = text.as_bytes();
        let first = start_of_line(bytes, place.start);
        let focused = start_of_line(bytes, focus.max(first));
        let ahead = memchr::memchr_iter(b'\n', &bytes[first..focused]).count();
        let start = if ahead + BEFORE_FOCUS < MAX_LINES {
            first
        } else {
            (0..BEFORE_FOCUS).fold(focused, |start, _| start_of_line(bytes, start.saturating_sub(1)))
        };
        let mut lines = Vec::new();
        let mut at = start;
        for line in text[start..].split_inclusive('\n').take(MAX_LINES) {
            if at >= place.end && !lines.is_empty() {
                break;
            }
            let focus = focus.checked_sub(at).filter(|&focus| focus < line.len());
            lines.push(shorten(without_ending(line), focus.unwrap_or(0)));
            at += line.len();
        }
        if let Some(line) = lines.first_mut()
            && start == 0
        {
            *line = line.trim_start_matches('\u{feff}').to_owned();
        }
        Self { start_line: 1 + newline_count(&bytes[..start]), lines }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in (self.start_line..).zip(&self.lines) {
            let newline = if number == self.start_line { "" } else { "\n" };
            write!(f, "{newline}{number:>6}\t{line}")?;
        }
        Ok(())
    }
}

fn start_of_line(bytes: &[u8], at: usize) -> usize {
    memrchr(b'\n', &bytes[..at]).map_or(0, |lf| lf + 1)
}

fn without_ending(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}

/// The part of a long line around `focus`.
fn shorten(line: &str, focus: usize) -> String {
    if line.len() <= MAX_LINE {
        return line.to_owned();
    }
    let from = line.floor_char_boundary(focus.saturating_sub(LEAD).min(line.len() - MAX_LINE));
    let to = line.floor_char_boundary(from + MAX_LINE);
    let cut = |is_cut| if is_cut { "\u{2026}" } else { "" };
    format!("{}{}{}", cut(from > 0), &line[from..to], cut(to < line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, place: Range<usize>, focus: usize, expected: &str) {
        assert_eq!(Region::cut(text, &place, focus).to_string(), expected);
    }

    #[test]
    fn r_edit_3_whole_lines_are_shown_with_their_numbers() {
        check("a\nbb\ncc\nd\n", 3..6, 3, "     2\tbb\n     3\tcc");
        check("a\r\nbb\r\n", 0..3, 0, "     1\ta");
        check("\u{feff}a\n", 3..4, 3, "     1\ta");
        check("a", 0..1, 0, "     1\ta");
        check("a\n", 2..2, 2, "");
    }

    #[test]
    fn r_edit_3_at_most_ten_lines_are_shown() {
        let text = "x\n".repeat(40);
        let shown = |focus| {
            let region = Region::cut(&text, &(4..80), focus);
            (region.start_line, region.lines.len())
        };
        assert_eq!(shown(4), (3, 10));
        assert_eq!(shown(18), (3, 10));
        assert_eq!(shown(20), (9, 10));
        assert_eq!(shown(78), (38, 3));
    }

    #[test]
    fn a_long_line_is_cut_around_the_focus() {
        let text = format!("{}\u{e9}{}", "a".repeat(500), "b".repeat(500));
        let region = Region::cut(&text, &(0..text.len()), 502);
        let expected = format!("\u{2026}{}\u{e9}{}\u{2026}", "a".repeat(58), "b".repeat(180));
        assert_eq!(region.lines, [expected]);
    }
}
