//! Escape sequences of terminals, told from text byte by byte.

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

/// What a byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Text, or a control character outside any sequence.
    Text,
    /// Part of a sequence that shows nothing.
    Nothing,
    /// The end of a sequence that changes the line.
    Change(Change),
}

/// What a sequence does to the line that the cursor is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Erases from the cursor to the end.
    EraseEnd,
    /// Erases from the start to the cursor.
    EraseStart,
    /// Erases all of it.
    EraseAll,
    /// Moves the cursor to a column, counted from 0.
    Column(usize),
    /// Moves the cursor so many columns to the left.
    Left(usize),
    /// Moves the cursor so many columns to the right.
    Right(usize),
}

/// Where in a sequence the next byte belongs.
#[derive(Debug, Default)]
pub(super) struct Escapes(State);

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate byte: one more byte ends it.
    Short,
    /// After ESC `[`: a control sequence.
    Control(Parameters),
    /// After ESC `]` and the like: a string for the terminal, up to BEL or ESC `\`.
    String,
}

/// The parameters of a control sequence, as far as they matter here.
#[derive(Debug, Default, Clone, Copy)]
struct Parameters {
    first: u16,
    /// Whether the first parameter is over.
    further: bool,
    /// Whether it is one that only some terminals know.
    private: bool,
}

impl Escapes {
    /// Whether the next byte is text, unless it is ESC.
    pub(super) fn is_outside(&self) -> bool {
        matches!(self.0, State::Text)
    }

    /// Takes the next byte. A byte that no sequence can hold ends the one it is in, so
    /// text is not lost to a sequence that was cut off. A string ends with its line.
    pub(super) fn take(&mut self, byte: u8) -> Part {
        let (state, part) = match (self.0, byte) {
            (_, ESC) => (State::Escape, Part::Nothing),
            (State::Text, _) | (State::String, b'\n') => (State::Text, Part::Text),
            (_, CANCEL | SUBSTITUTE) | (State::String, BEL) => (State::Text, Part::Nothing),
            (State::String, _) | (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => {
                (State::String, Part::Nothing)
            }
            (State::Escape, b'[') => (State::Control(Parameters::default()), Part::Nothing),
            (State::Escape | State::Short, b' '..=b'/') => (State::Short, Part::Nothing),
            (State::Escape | State::Short, b'0'..=b'~') => (State::Text, Part::Nothing),
            (State::Control(parameters), b' '..=b'?') => {
                (State::Control(parameters.with(byte)), Part::Nothing)
            }
            (State::Control(parameters), b'@'..=b'~') => (State::Text, parameters.end(byte)),
            (State::Escape | State::Short | State::Control(_), _) => (State::Text, Part::Text),
        };
        self.0 = state;
        part
    }
}

impl Parameters {
    fn with(mut self, byte: u8) -> Self {
        match byte {
            b'0'..=b'9' if !self.further => {
                self.first = self.first.saturating_mul(10).saturating_add(u16::from(byte - b'0'));
            }
            b'0'..=b'9' => {}
            b';' | b':' => self.further = true,
            _ => self.private = true,
        }
        self
    }

    fn end(self, last: u8) -> Part {
        let count = usize::from(self.first.max(1));
        match (last, self.first) {
            _ if self.private => Part::Nothing,
            (b'K', 0) => Part::Change(Change::EraseEnd),
            (b'K', 1) => Part::Change(Change::EraseStart),
            (b'K', 2) => Part::Change(Change::EraseAll),
            (b'G', _) => Part::Change(Change::Column(count - 1)),
            (b'D', _) => Part::Change(Change::Left(count)),
            (b'C', _) => Part::Change(Change::Right(count)),
            _ => Part::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of some bytes, and the changes among them.
    fn split(bytes: &[u8]) -> (Vec<u8>, Vec<Change>) {
        let mut escapes = Escapes::default();
        let (mut text, mut changes) = (Vec::new(), Vec::new());
        for &byte in bytes {
            match escapes.take(byte) {
                Part::Text => text.push(byte),
                Part::Nothing => {}
                Part::Change(change) => changes.push(change),
            }
        }
        (text, changes)
    }

    #[track_caller]
    fn check(bytes: &str, text: &str) {
        assert_eq!(split(bytes.as_bytes()), (text.into(), vec![]));
    }

    #[track_caller]
    fn check_change(bytes: &str, change: Change) {
        assert_eq!(split(bytes.as_bytes()), (vec![], vec![change]));
    }

    #[test]
    fn sequences_that_show_nothing_are_dropped() {
        check("a\u{1b}[31;1mred\u{1b}[0m", "ared");
        check("\u{1b}[38;5;196mx\u{1b}[38:2::1:2:3my\u{1b}[m", "xy");
        check("\u{1b}[?25l\u{1b}[2J\u{1b}[1;1Hx\u{1b}[?25h", "x");
        check("\u{1b}[?2Kx\u{1b}[>0 q", "x");
        check("\u{1b}(Bx\u{1b}7y\u{1b}=", "xy");
        check("\u{1b}]0;title\u{7}x", "x");
        check("\u{1b}]8;;http://a.b\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link");
        check("\u{1b}Pdata\u{1b}\\x\u{1b}_data\u{1b}\\y", "xy");
        check("plain é中🦊 \t\u{8}", "plain é中🦊 \t\u{8}");
    }

    #[test]
    fn text_is_not_lost_to_a_broken_sequence() {
        check("\u{1b}[31\nnext", "\nnext");
        check("\u{1b}]0;title\nnext", "\nnext");
        check("\u{1b}\nnext", "\nnext");
        check("\u{1b}[31é", "é");
        check("\u{1b}[3\u{1b}[1mx", "x");
        check("\u{1b}]0;t\u{1b}[1mx", "x");
        check("\u{1b}[3\u{18}x\u{1b}]a\u{1a}y", "xy");
        check("x\u{1b}", "x");
    }

    #[test]
    fn changes_of_the_line_are_told() {
        check_change("\u{1b}[K", Change::EraseEnd);
        check_change("\u{1b}[0K", Change::EraseEnd);
        check_change("\u{1b}[1K", Change::EraseStart);
        check_change("\u{1b}[2K", Change::EraseAll);
        check_change("\u{1b}[G", Change::Column(0));
        check_change("\u{1b}[60;9G", Change::Column(59));
        check_change("\u{1b}[3D", Change::Left(3));
        check_change("\u{1b}[C", Change::Right(1));
        check_change("\u{1b}[99999999999C", Change::Right(65535));
    }
}
