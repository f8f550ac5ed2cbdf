//! Output as a terminal would show it in the end.
//!
//! Programs that draw progress write a line, go back to its start and write it again. Here
//! only the last state of each line comes through, and colours and other sequences for
//! the terminal do not. Text without control characters is passed on as it is, whatever
//! its encoding, and so are line ends, CR LF among them.
//!
//! It is a terminal of one line, as wide as needed: sequences that move between lines
//! are dropped and what they would redraw is shown again.

use std::mem;

use super::escape::{Change, Escapes, Part};
use super::line::Line;

const BELL: u8 = 0x07;
const BACKSPACE: u8 = 0x08;
const ESC: u8 = 0x1b;

/// Takes the bytes of one stream and gives those that would be seen. However the bytes
/// are cut into chunks, the result is the same.
#[derive(Debug, Default)]
pub(super) struct Terminal {
    escapes: Escapes,
    line: Line,
    /// Whether a CR waits for the next byte to tell if it is part of a line end.
    returning: bool,
}

impl Terminal {
    /// Takes the next bytes.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut give: impl FnMut(&[u8])) {
        while let Some((&byte, rest)) = bytes.split_first() {
            if self.escapes.is_outside() {
                let (lines, rest) = bytes.split_at(self.plain_lines(bytes));
                if !lines.is_empty() {
                    give(lines);
                    bytes = rest;
                    continue;
                }
                let special = bytes.iter().position(|&byte| byte == b'\n' || is_control(byte));
                let (text, rest) = bytes.split_at(special.unwrap_or(bytes.len()));
                if !text.is_empty() {
                    self.return_now(&mut give);
                    self.line.write(text, &mut give);
                    bytes = rest;
                    continue;
                }
            }
            match self.escapes.take(byte) {
                Part::Text => self.control_or_text(byte, &mut give),
                Part::Nothing => {}
                Part::Change(change) => {
                    self.return_now(&mut give);
                    self.line.change(change, &mut give);
                }
            }
            bytes = rest;
        }
    }

    /// Gives the line that is held, as it stands. Its start is out of reach from then on:
    /// what would return to it begins a new line.
    pub(super) fn let_go(&mut self, mut give: impl FnMut(&[u8])) {
        self.line.let_go(&mut give);
    }

    /// Ends the stream; its last line may lack a newline.
    pub(super) fn finish(mut self, mut give: impl FnMut(&[u8])) {
        self.line.end(b"", &mut give);
    }

    fn control_or_text(&mut self, byte: u8, give: &mut impl FnMut(&[u8])) {
        match byte {
            b'\n' if self.returning => {
                self.returning = false;
                self.line.end(b"\r\n", give);
            }
            b'\n' => self.line.end(b"\n", give),
            b'\r' => self.returning = true,
            BELL => {}
            BACKSPACE => {
                self.return_now(give);
                self.line.change(Change::Left(1), give);
            }
            _ => {
                self.return_now(give);
                self.line.write(&[byte], give);
            }
        }
    }

    /// Length of the whole lines at the start that can be given as they are: nothing but
    /// text, the first of them not begun before. Most output is like that.
    fn plain_lines(&self, bytes: &[u8]) -> usize {
        if self.returning || !self.line.is_empty() {
            return 0;
        }
        let plain = bytes.iter().position(|&byte| is_control(byte)).unwrap_or(bytes.len());
        memchr::memrchr(b'\n', &bytes[..plain]).map_or(0, |newline| newline + 1)
    }

    fn return_now(&mut self, give: &mut impl FnMut(&[u8])) {
        if mem::take(&mut self.returning) {
            self.line.go_to_start(give);
        }
    }
}

/// Whether a byte does more than to show or to end a line.
fn is_control(byte: u8) -> bool {
    matches!(byte, BELL | BACKSPACE | b'\r' | ESC)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::line::HELD;
    use super::*;

    fn shown_in_chunks(bytes: &[u8], size: usize) -> Vec<u8> {
        let mut terminal = Terminal::default();
        let mut out = Vec::new();
        for chunk in bytes.chunks(size) {
            terminal.push(chunk, |part| out.extend_from_slice(part));
        }
        terminal.finish(|part| out.extend_from_slice(part));
        out
    }

    #[track_caller]
    fn check(printed: &str, shown: &str) {
        for size in [1, 2, 3, 5, printed.len().max(1)] {
            let out = shown_in_chunks(printed.as_bytes(), size);
            assert_eq!(String::from_utf8(out).unwrap(), shown, "in chunks of {size}");
        }
    }

    #[test]
    fn progress_lines_collapse_to_the_last_state() {
        check("get 1%\rget 50%\rget 100%\ndone\n", "get 100%\ndone\n");
        check("1%\r2%\r", "2%");
        check("1%\r\u{1b}[K2%\r\u{1b}[Kok\n", "ok\n");
        check("long message\r\u{1b}[2Kok\n", "ok\n");
        check("long message\u{1b}[2K\rok\n", "ok\n");
        check("50%\u{1b}[2K\r\u{1b}[Kok  \ndone\n", "ok  \ndone\n");
        check("50%\u{1b}[1G\u{1b}[0K100%\n", "100%\n");
        check("\r\r1%\r\r2%\n", "2%\n");
        check("wait |\u{8}/\u{8}-\u{8}done\n", "wait done\n");
    }

    #[test]
    fn a_shorter_line_leaves_the_rest_of_the_longer_one() {
        check("downloading\rok\n", "okwnloading\n");
        check("中文🦊\rab\n", "ab🦊\n");
        check("abc\ré\n", "ébc\n");
    }

    #[test]
    fn line_ends_are_kept_as_they_are() {
        check("a\r\nb\r\n", "a\r\nb\r\n");
        check("a\r\r\nb\n", "a\r\nb\n");
        check("50%\r100%\r\nnext\r\n", "100%\r\nnext\r\n");
        check("\n\n\r\n", "\n\n\r\n");
        check("no newline", "no newline");
        check("a\r\u{1b}[0m\nb", "a\r\nb");
    }

    #[test]
    fn colours_and_titles_are_dropped() {
        check("\u{1b}[1;31merror\u{1b}[0m: bad\n", "error: bad\n");
        check("\u{1b}]0;title\u{7}a\u{7}b\n", "ab\n");
        check("\u{1b}[32m✓\u{1b}[39m é\n", "✓ é\n");
        check("cut \u{1b}[3", "cut ");
    }

    #[test]
    fn columns_are_kept() {
        check("name\u{1b}[10Gvalue\n", "name     value\n");
        check("a\u{1b}[3Cb\n", "a   b\n");
        check("abcdef\u{1b}[3DX\n", "abcXef\n");
        check("abcdef\u{1b}[3D\u{1b}[1KX\n", "   Xef\n");
        check("abcdef\u{1b}[99D\u{1b}[2CX\n", "abXdef\n");
    }

    #[test]
    fn a_line_too_long_to_hold_is_let_go() {
        let long = "x".repeat(HELD + 1);
        check(&format!("{long}\rnext\n"), &format!("{long}\nnext\n"));
        check(&format!("{long}\r\nnext\n"), &format!("{long}\r\nnext\n"));
        check(&format!("{long}\u{8}\u{1b}[Ky\n"), &format!("{long}y\n"));
        let held = "x".repeat(HELD);
        check(&format!("{held}\ry\n"), &format!("y{}\n", &held[1..]));
        // Overwriting by wider characters is not growing.
        let wide = "🦊".repeat(HELD);
        check(&format!("{held}\r{wide}\n"), &format!("{wide}\n"));
    }

    #[test]
    fn memory_is_bounded_whatever_is_printed() {
        let mut terminal = Terminal::default();
        let many = |text: &[u8]| text.repeat((1 << 16) / text.len());
        for chunk in [many(b"x"), many(b"\r"), many(b"ab\rc"), many(b"\x80"), many(b"\x1b["), many(b"\x1b]")]
        {
            for _ in 0..10 {
                terminal.push(&chunk, |_| {});
                assert!(terminal.line.capacity() <= 16 * HELD, "{}", terminal.line.capacity());
            }
        }
    }

    /// What is printed, and what a terminal with one cell a character makes of it.
    fn render(pieces: &[&str]) -> String {
        let mut out = String::new();
        let (mut cells, mut cursor): (Vec<char>, usize) = (Vec::new(), 0);
        for piece in pieces {
            match *piece {
                "\n" => {
                    out.extend(cells.drain(..));
                    out.push('\n');
                    cursor = 0;
                }
                "\r." => {
                    cells.is_empty().then(|| cells.push('.'));
                    cells[0] = '.';
                    cursor = 1;
                }
                "\u{8}" => cursor = cursor.saturating_sub(1),
                "\u{1b}[K" => cells.truncate(cursor),
                "\u{1b}[2G" => {
                    cells.resize(cells.len().max(1), ' ');
                    cursor = 1;
                }
                "\u{1b}[3m" => {}
                text => {
                    for character in text.chars() {
                        cells.resize(cells.len().max(cursor + 1), ' ');
                        cells[cursor] = character;
                        cursor += 1;
                    }
                }
            }
        }
        out.extend(cells);
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn what_is_shown_is_what_a_grid_of_cells_shows(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "bcd", "é中", "🦊", "\n", "\r.", "\u{8}", "\u{1b}[K", "\u{1b}[2G", "\u{1b}[3m",
                ]),
                0..30,
            ),
            size in 1_usize..9,
        ) {
            let out = shown_in_chunks(pieces.concat().as_bytes(), size);
            prop_assert_eq!(String::from_utf8(out).unwrap(), render(&pieces));
        }

        #[test]
        fn any_bytes_in_any_chunks_show_the_same(
            pieces in prop::collection::vec(
                prop_oneof![
                    Just(b"\r".to_vec()), Just(b"\n".to_vec()), Just(b"\x1b".to_vec()), Just(b"\x1b[".to_vec()),
                    Just(b"2K".to_vec()), Just("🦊".as_bytes().to_vec()), Just(vec![b'x'; HELD / 2]),
                    any::<u8>().prop_map(|byte| vec![byte]),
                ],
                0..20,
            ),
            size in 1_usize..3000,
        ) {
            let bytes = pieces.concat();
            prop_assert_eq!(shown_in_chunks(&bytes, size), shown_in_chunks(&bytes, bytes.len().max(1)));
        }

        #[test]
        fn text_without_control_characters_is_passed_on(
            lines in prop::collection::vec("[^\\p{Cc}]{0,20}", 0..10),
            size in 1_usize..9,
        ) {
            let text = lines.join("\n");
            prop_assert_eq!(shown_in_chunks(text.as_bytes(), size), text.as_bytes());
        }
    }
}
