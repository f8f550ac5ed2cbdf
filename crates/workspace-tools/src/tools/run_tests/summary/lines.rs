//! The lines of one stream, as a terminal shows them in the end.

use crate::output::Decoder;

/// Most bytes of a line that are looked at.
const LONGEST: usize = 4096;

/// Cuts a stream into lines. Of a longer line the start is given.
#[derive(Debug)]
pub(super) struct Lines {
    decoder: Decoder,
    line: String,
}

impl Default for Lines {
    fn default() -> Self {
        Self { decoder: Decoder::new(true), line: String::new() }
    }
}

impl Lines {
    /// Takes the next bytes, and gives the lines that are whole now.
    pub(super) fn push(&mut self, bytes: &[u8], mut give: impl FnMut(&str)) {
        let Self { decoder, line } = self;
        decoder.push(bytes, |text| cut(line, text, &mut give));
    }

    /// Gives the last line, where it has no end.
    pub(super) fn finish(&mut self, mut give: impl FnMut(&str)) {
        let Self { decoder, line } = self;
        decoder.finish(|text| cut(line, text, &mut give));
        if !line.is_empty() {
            give(line);
        }
    }
}

fn cut(line: &mut String, mut text: &str, give: &mut impl FnMut(&str)) {
    while let Some((end, rest)) = text.split_once('\n') {
        append(line, end);
        give(line.strip_suffix('\r').unwrap_or(line));
        line.clear();
        text = rest;
    }
    append(line, text);
}

fn append(line: &mut String, text: &str) {
    let room = LONGEST.saturating_sub(line.len());
    line.push_str(&text[..text.floor_char_boundary(room)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(chunks: &[&[u8]], expected: &[&str]) {
        let (mut lines, mut given) = (Lines::default(), Vec::new());
        for chunk in chunks {
            lines.push(chunk, |line| given.push(line.to_owned()));
        }
        lines.finish(|line| given.push(line.to_owned()));
        assert_eq!(given, expected);
    }

    #[test]
    fn lines_come_whole_and_plain() {
        check(&[b"a\nb", b"c\r\n\n", b"d"], &["a", "bc", "", "d"]);
        check(&[b"\x1b[31mFAIL\x1b[0m x\n1%\r2%\n"], &["FAIL x", "2%"]);
        check(&[], &[]);
        let long = "é".repeat(LONGEST);
        check(&[long.as_bytes(), b"\nb\n"], &[&long[..LONGEST], "b"]);
    }
}
