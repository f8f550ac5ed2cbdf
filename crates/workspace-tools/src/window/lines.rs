//! Counting lines and telling how they end.

use super::page::Eol;

/// Counts the lines of a text given in pieces.
#[derive(Debug, Default)]
pub(super) struct Lines {
    newlines: u64,
    crlf: u64,
    last: Option<u8>,
}

impl Lines {
    /// Takes the next text and gives each part of it that belongs to one line. A part
    /// with a newline ends its line; one without goes on in the next text.
    pub(super) fn push(&mut self, text: &str, mut each: impl FnMut(&str)) {
        let bytes = text.as_bytes();
        let mut start = 0;
        for newline in memchr::memchr_iter(b'\n', bytes) {
            let before = newline.checked_sub(1).map_or(self.last, |at| bytes.get(at).copied());
            self.crlf += u64::from(before == Some(b'\r'));
            self.newlines += 1;
            each(&text[start..=newline]);
            start = newline + 1;
        }
        if start < text.len() {
            each(&text[start..]);
        }
        self.last = bytes.last().copied().or(self.last);
    }

    /// Lines so far; a final newline begins no further one.
    pub(super) fn total(&self) -> u64 {
        self.newlines + u64::from(self.last.is_some_and(|byte| byte != b'\n'))
    }

    /// Whether the text ends with a newline.
    pub(super) fn is_terminated(&self) -> bool {
        self.last == Some(b'\n')
    }

    pub(super) fn eol(&self) -> Eol {
        match (self.newlines - self.crlf, self.crlf) {
            (0, 0) => Eol::None,
            (_, 0) => Eol::Lf,
            (0, _) => Eol::Crlf,
            _ => Eol::Mixed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, total: u64, terminated: bool, eol: Eol) {
        for cut in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
            let (left, right) = text.split_at(cut);
            let mut lines = Lines::default();
            let mut joined = String::new();
            lines.push(left, |part| joined.push_str(part));
            lines.push(right, |part| joined.push_str(part));
            assert_eq!(
                (lines.total(), lines.is_terminated(), lines.eol(), joined.as_str()),
                (total, terminated, eol, text),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn r_read_1_a_final_newline_adds_no_line() {
        check("", 0, false, Eol::None);
        check("only", 1, false, Eol::None);
        check("\n", 1, true, Eol::Lf);
        check("1\n2\n3\n4\n5\n6", 6, false, Eol::Lf);
        check("a\n\n", 2, true, Eol::Lf);
    }

    #[test]
    fn r_read_1_eol_tells_how_lines_end() {
        check("a\r\nb\r\n", 2, true, Eol::Crlf);
        check("a\r\nb\n", 2, true, Eol::Mixed);
        check("a\rb\r", 1, false, Eol::None);
        check("é\r\r\n中", 2, false, Eol::Crlf);
    }
}
