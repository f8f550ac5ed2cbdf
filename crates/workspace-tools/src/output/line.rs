//! The line that a terminal's cursor is in.

use std::iter;
use std::str;

use super::escape::Change;

/// Bytes of a line that are held back because later ones may overwrite them.
///
/// A line that grows longer is let go: what was held is given, and the rest of the line
/// as it comes. Progress lines are as wide as a screen, so this is for other output.
pub(super) const HELD: usize = 2048;

/// A line as it is written, moved in, overwritten and erased.
///
/// Each character counts as one column, also a wide or a combining one.
#[derive(Debug, Default)]
pub(super) struct Line {
    bytes: Vec<u8>,
    /// Where the next byte goes; `bytes.len()` at the end.
    cursor: usize,
    /// Whether blanks at the end may be what an erasure left.
    erased: bool,
    /// Whether the start of the line was let go.
    long: bool,
}

impl Line {
    /// Whether nothing is in the line yet.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && !self.long
    }

    /// Writes text at the cursor.
    pub(super) fn write(&mut self, mut text: &[u8], give: &mut impl FnMut(&[u8])) {
        while !self.long && !text.is_empty() {
            let written = self.write_some(text);
            text = &text[written..];
            if written == 0 {
                self.give(give);
                self.long = true;
            }
        }
        if !text.is_empty() {
            give(text);
        }
    }

    /// Writes the first bytes of a text and tells how many; none when the line is full.
    fn write_some(&mut self, text: &[u8]) -> usize {
        if self.cursor == self.bytes.len() {
            let room = HELD.saturating_sub(self.cursor);
            let fits = &text[..text.len().min(room)];
            self.bytes.extend_from_slice(fits);
            self.cursor = self.bytes.len();
            return fits.len();
        }
        // Overwriting adds no columns, so a held line of text cannot grow beyond four bytes
        // for each of them. Only stray continuation bytes could.
        let Some(&byte) = text.first().filter(|_| self.bytes.len() < 4 * HELD) else {
            return 0;
        };
        let replaced = if is_continuation(byte) { 0 } else { self.width_under_cursor() };
        self.bytes.splice(self.cursor..self.cursor + replaced, [byte]);
        self.cursor += 1;
        1
    }

    /// Gives what is held, unless it is nothing or all erased.
    pub(super) fn let_go(&mut self, give: &mut impl FnMut(&[u8])) {
        if self.bytes.is_empty() || (self.erased && self.bytes.iter().all(|&byte| byte == b' ')) {
            return;
        }
        self.give_settled(give);
        self.erased = false;
        self.long = true;
    }

    /// Ends the line.
    pub(super) fn end(&mut self, newline: &[u8], give: &mut impl FnMut(&[u8])) {
        self.give_settled(give);
        if !newline.is_empty() {
            give(newline);
        }
        self.erased = false;
        self.long = false;
    }

    /// Moves the cursor to the start. Of a line that was let go the start is out of reach:
    /// a new line is begun.
    pub(super) fn go_to_start(&mut self, give: &mut impl FnMut(&[u8])) {
        if self.long {
            self.end(b"\n", give);
        }
        self.cursor = 0;
    }

    /// Erases or moves as a terminal would, except in a line that was let go.
    pub(super) fn change(&mut self, change: Change, give: &mut impl FnMut(&[u8])) {
        match change {
            Change::Column(column) => {
                self.go_to_start(give);
                self.go_right(column);
            }
            _ if self.long => {}
            Change::Left(columns) => self.go_left(columns),
            Change::Right(columns) => self.go_right(columns),
            Change::EraseEnd => self.erase_end(),
            Change::EraseStart => self.erase_start(),
            Change::EraseAll => {
                self.erase_end();
                self.erase_start();
            }
        }
    }

    fn go_left(&mut self, columns: usize) {
        let starts = self.bytes[..self.cursor].iter().enumerate().rev();
        let mut starts = starts.filter(|&(_, &byte)| !is_continuation(byte)).map(|(at, _)| at);
        self.cursor = columns.checked_sub(1).and_then(|columns| starts.nth(columns)).unwrap_or(0);
    }

    fn go_right(&mut self, columns: usize) {
        let mut missing = columns;
        while missing > 0 && self.cursor < self.bytes.len() {
            self.cursor += self.width_under_cursor();
            missing -= 1;
        }
        let room = HELD.saturating_sub(self.bytes.len());
        self.bytes.extend(iter::repeat_n(b' ', missing.min(room)));
        self.cursor += missing.min(room);
    }

    fn erase_end(&mut self) {
        self.bytes.truncate(self.cursor);
        // No blank is left that an earlier erasure made.
        self.erased &= !self.bytes.is_empty();
    }

    /// Blanks what is before the cursor and the character under it.
    fn erase_start(&mut self) {
        let columns = self.bytes[..self.cursor].iter().filter(|&&byte| !is_continuation(byte)).count();
        let under_cursor = self.width_under_cursor();
        let blanks = columns + usize::from(under_cursor > 0);
        self.bytes.splice(..self.cursor + under_cursor, iter::repeat_n(b' ', blanks));
        self.cursor = columns;
        self.erased |= blanks > 0;
    }

    /// Length of the character under the cursor, with any continuation bytes too many; 0 at
    /// the end.
    fn width_under_cursor(&self) -> usize {
        let rest = &self.bytes[self.cursor..];
        let continued = rest.iter().skip(1).take_while(|&&byte| is_continuation(byte)).count();
        rest.len().min(1 + continued)
    }

    /// Drops a character that was begun over another one and not finished, so that it does
    /// not spoil what follows.
    fn drop_unfinished_character(&mut self) {
        if self.cursor < self.bytes.len()
            && let Err(error) = str::from_utf8(&self.bytes[..self.cursor])
            && error.error_len().is_none()
        {
            self.bytes.drain(error.valid_up_to()..self.cursor);
        }
    }

    /// Gives what the line shows, without what an erasure left at its end.
    fn give_settled(&mut self, give: &mut impl FnMut(&[u8])) {
        self.drop_unfinished_character();
        if self.erased {
            let blanks = self.bytes.iter().rev().take_while(|&&byte| byte == b' ').count();
            self.bytes.truncate(self.bytes.len() - blanks);
        }
        self.give(give);
    }

    fn give(&mut self, give: &mut impl FnMut(&[u8])) {
        if !self.bytes.is_empty() {
            give(&self.bytes);
        }
        self.bytes.clear();
        self.cursor = 0;
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}
