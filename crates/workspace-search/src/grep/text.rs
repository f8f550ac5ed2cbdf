//! The text of a file as a search sees it.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

/// In how many of its first bytes a NUL makes a file binary.
pub const BINARY_PROBE: usize = 8 << 10;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a file without what is no part of its lines: a byte order mark
/// at the start, and the `\r` of each `\r\n`. A `\r` elsewhere is data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText(Vec<u8>);

impl FileText {
    /// The text of a file, or `None` for a binary one: it has a NUL in its first 8 KiB.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        if is_binary(&bytes) { None } else { Some(Self::from_part(bytes, true)) }
    }

    /// The text of some whole lines of a file; of its first ones where `first` says so.
    ///
    /// What is looked for in the first bytes of a file is not looked for here.
    pub fn from_part(mut bytes: Vec<u8>, first: bool) -> Self {
        let marked = first && bytes.starts_with(BOM);
        // Most files have no `\r` at all, and one byte is sought faster than two.
        if !marked && memchr(b'\r', &bytes).is_none() {
            return Self(bytes);
        }
        let mut end = 0;
        let mut read = if marked { BOM.len() } else { 0 };
        // What stays is moved up within the same memory, from one line end to the next.
        while let Some(pair) = bytes.get(read..).and_then(|rest| memmem::find(rest, b"\r\n")) {
            bytes.copy_within(read..read + pair, end);
            end += pair;
            read += pair + 1;
        }
        if read > end {
            bytes.copy_within(read.., end);
            bytes.truncate(bytes.len() - (read - end));
        }
        Self(bytes)
    }

    /// The memory of the text, to be used again.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// The bytes, lines ending in `\n`.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The line that begins at an offset, without its ending.
    pub(super) fn line_at(&self, start: usize) -> Range<usize> {
        start
            ..self.0.get(start..).and_then(|rest| memchr(b'\n', rest)).map_or(self.0.len(), |end| start + end)
    }

    /// Lines after one that ends at `end`: at most `count`, none that begins at `until` or later.
    pub(super) fn lines_after(&self, end: usize, count: usize, until: usize) -> Vec<Range<usize>> {
        let until = until.min(self.0.len());
        let mut lines = Vec::new();
        let mut next = end + 1;
        while lines.len() < count && next < until {
            let line = self.line_at(next);
            next = line.end + 1;
            lines.push(line);
        }
        lines
    }

    /// Lines before one that begins at `start`: at most `count`, none that begins before `floor`.
    pub(super) fn lines_before(&self, start: usize, count: usize, floor: usize) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let mut start = start;
        while lines.len() < count && start > floor {
            let end = start - 1;
            start =
                self.0.get(..end).and_then(|before| memrchr(b'\n', before)).map_or(0, |newline| newline + 1);
            lines.push(start..end);
        }
        lines.reverse();
        lines
    }
}

/// Whether the first bytes of a file, or all of them, make it binary.
pub fn is_binary(bytes: &[u8]) -> bool {
    memchr(0, &bytes[..bytes.len().min(BINARY_PROBE)]).is_some()
}

/// How much of a line is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// Lines of more characters than this are cut.
    pub(super) longest: usize,
    /// To this many.
    pub(super) to: usize,
}

impl Cut {
    /// The line as text, a long one cut to the characters around `focus`; and whether it is cut.
    pub(super) fn show(self, line: &[u8], focus: Range<usize>) -> (String, bool) {
        let text = String::from_utf8_lossy(line);
        if !self.is_long(&text) {
            return (text.into_owned(), false);
        }
        let total = text.chars().count();
        let to = self.to.min(total);
        let before = chars(line.get(..focus.start));
        let inside = chars(line.get(focus));
        let start = before.saturating_sub(to.saturating_sub(inside) / 2).min(total - to);
        (text.chars().skip(start).take(to).collect(), to < total)
    }

    fn is_long(self, text: &str) -> bool {
        // A character is at least one byte, so most lines need not be counted.
        text.len() > self.longest && text.chars().count() > self.longest
    }
}

/// How many characters bytes are shown as.
pub(super) fn chars(bytes: Option<&[u8]>) -> usize {
    bytes.map_or(0, |bytes| String::from_utf8_lossy(bytes).chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_text(bytes: &[u8], expected: &[u8]) {
        assert_eq!(FileText::from_bytes(bytes.to_vec()).unwrap().as_bytes(), expected);
    }

    #[test]
    fn r_grep_5_a_mark_and_the_return_of_a_line_end_are_no_text() {
        check_text(b"a\r\nb\r\n", b"a\nb\n");
        check_text(b"\xef\xbb\xbfa\n", b"a\n");
        check_text(b"\xef\xbb\xbf\r\n", b"\n");
        check_text(b"a\r\r\n\rb\r", b"a\r\n\rb\r");
        check_text(b"a\xef\xbb\xbf", b"a\xef\xbb\xbf");
        check_text(b"", b"");
    }

    #[test]
    fn r_grep_3_a_nul_in_the_first_8_kib_makes_a_file_binary() {
        let mut bytes = vec![b'a'; BINARY_PROBE];
        bytes.push(0);
        assert!(FileText::from_bytes(bytes.clone()).is_some());
        bytes.remove(0);
        assert_eq!(FileText::from_bytes(bytes), None);
    }

    #[track_caller]
    fn check_cut(line: &str, focus: &str, expected: (&str, bool)) {
        let start = line.find(focus).unwrap();
        let shown = Cut { longest: 10, to: 5 }.show(line.as_bytes(), start..start + focus.len());
        assert_eq!((shown.0.as_str(), shown.1), expected);
    }

    #[test]
    fn r_grep_2_a_long_line_is_cut_around_the_match() {
        check_cut("0123456789", "5", ("0123456789", false));
        check_cut("0123456789a", "5", ("34567", true));
        check_cut("0123456789a", "0", ("01234", true));
        check_cut("0123456789a", "a", ("6789a", true));
        check_cut("0123456789a", "3456789", ("34567", true));
        check_cut("éééééééééé", "é", ("éééééééééé", false));
        check_cut("ééééééx日本語z", "日", ("éx日本語", true));
    }

    #[test]
    fn a_cut_over_the_length_of_the_line_is_none() {
        let shown = Cut { longest: 2, to: 9 }.show(b"abc", 0..1);
        assert_eq!(shown, ("abc".to_owned(), false));
        assert_eq!(Cut { longest: 2, to: 0 }.show(b"abc", 0..1), (String::new(), true));
    }
}
