//! One output as a whole, while its command runs.

use workspace_core::Stream;

use super::text::Text;
use crate::output::Decoder;

/// Most bytes of one output.
pub(crate) const MOST: usize = 64 << 20;

/// Collects the text of both streams in the order in which it came, up to 64 MiB.
///
/// It is text that every tool can read: what is no UTF-8, and NUL, are U+FFFD.
#[derive(Debug)]
pub(crate) struct Whole {
    stdout: Decoder,
    stderr: Decoder,
    kept: Kept,
}

#[derive(Debug)]
struct Kept {
    text: Text,
    most: usize,
    is_cut: bool,
}

impl Whole {
    /// Collects all of the text, or what a terminal would show of it.
    pub(crate) fn new(terminal: bool) -> Self {
        Self::up_to(MOST, terminal)
    }

    pub(super) fn up_to(most: usize, terminal: bool) -> Self {
        let kept = Kept { text: Text::default(), most, is_cut: false };
        Self { stdout: Decoder::new(terminal), stderr: Decoder::new(terminal), kept }
    }

    /// Takes the next bytes of a stream.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let Self { stdout, stderr, kept } = self;
        if kept.is_cut {
            return;
        }
        match stream {
            Stream::Stdout => stdout.push(bytes, |text| kept.append(text)),
            Stream::Stderr => stderr.push(bytes, |text| kept.append(text)),
        }
    }

    /// The text, and whether that is all of it.
    pub(super) fn finish(mut self) -> (Text, bool) {
        let kept = &mut self.kept;
        self.stdout.finish(|text| kept.append(text));
        self.stderr.finish(|text| kept.append(text));
        (self.kept.text, !self.kept.is_cut)
    }
}

impl Kept {
    fn append(&mut self, text: &str) {
        if self.is_cut {
            return;
        }
        for (index, part) in text.split('\0').enumerate() {
            if index > 0 {
                self.append_some("\u{fffd}");
            }
            self.append_some(part);
        }
    }

    fn append_some(&mut self, text: &str) {
        let room = text.floor_char_boundary(self.most - self.text.length());
        self.is_cut |= room < text.len();
        self.text.append(&text.as_bytes()[..room]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(most: usize, pieces: &[(Stream, &[u8])], expected: (&str, bool)) {
        let mut whole = Whole::up_to(most, true);
        for (stream, bytes) in pieces {
            whole.push(*stream, bytes);
        }
        let (text, all) = whole.finish();
        let bytes = text.window(0, None).collect(1 << 20).await.unwrap();
        assert_eq!((str::from_utf8(&bytes).unwrap(), all), expected);
    }

    #[tokio::test]
    async fn r_exec_6_both_streams_are_one_text_that_can_be_read() {
        use Stream::{Stderr, Stdout};
        check(99, &[(Stdout, b"a\n"), (Stderr, b"b\n"), (Stdout, b"c")], ("a\nb\nc", true)).await;
        check(99, &[(Stdout, b"1%\r2%\x1b[0m\n\0\xff")], ("2%\n\u{fffd}\u{fffd}", true)).await;
        check(5, &[(Stdout, b"abcde\n")], ("abcde", false)).await;
        check(6, &[(Stdout, b"abcde\n")], ("abcde\n", true)).await;
        check(5, &[(Stdout, "abcd\u{e9}\n".as_bytes()), (Stdout, b"x\n")], ("abcd", false)).await;
    }
}
