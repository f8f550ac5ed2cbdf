//! One stream on its way from bytes to text.
//!
//! Characters are never divided: bytes that begin one wait for the rest of it. What is no
//! UTF-8 becomes U+FFFD, as [`String::from_utf8_lossy`] does it.

use std::mem;

use super::lossy::{REPLACEMENT, is_unfinished};
use super::terminal::Terminal;

/// Takes the bytes of one stream and gives its text, piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    terminal: Option<Terminal>,
    /// The first bytes of a character whose rest has not come yet.
    unfinished: Vec<u8>,
}

impl Decoder {
    /// A decoder that gives all of the text, or what a terminal would show of it.
    pub(crate) fn new(terminal: bool) -> Self {
        Self { terminal: terminal.then(Terminal::default), unfinished: Vec::new() }
    }

    /// Takes the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8], mut give: impl FnMut(&str)) {
        match &mut self.terminal {
            Some(terminal) => terminal.push(bytes, |shown| decode(&mut self.unfinished, shown, &mut give)),
            None => decode(&mut self.unfinished, bytes, &mut give),
        }
    }

    /// Gives the line that the terminal still holds, as it stands.
    pub(crate) fn let_go(&mut self, mut give: impl FnMut(&str)) {
        if let Some(terminal) = &mut self.terminal {
            terminal.let_go(|shown| decode(&mut self.unfinished, shown, &mut give));
        }
    }

    /// Ends the stream. A character that lacks its last bytes is dropped.
    pub(crate) fn finish(&mut self, mut give: impl FnMut(&str)) {
        if let Some(terminal) = self.terminal.take() {
            terminal.finish(|shown| decode(&mut self.unfinished, shown, &mut give));
        }
        self.unfinished.clear();
    }
}

fn decode(unfinished: &mut Vec<u8>, bytes: &[u8], give: &mut impl FnMut(&str)) {
    let joined;
    let bytes = if unfinished.is_empty() {
        bytes
    } else {
        unfinished.extend_from_slice(bytes);
        joined = mem::take(unfinished);
        joined.as_slice()
    };
    let mut left = bytes.len();
    for chunk in bytes.utf8_chunks() {
        let (valid, invalid) = (chunk.valid(), chunk.invalid());
        left -= valid.len() + invalid.len();
        if !valid.is_empty() {
            give(valid);
        }
        if left == 0 && is_unfinished(invalid) {
            unfinished.extend_from_slice(invalid);
        } else if !invalid.is_empty() {
            give(REPLACEMENT);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(pieces: &[&[u8]]) -> Vec<String> {
        let mut decoder = Decoder::new(false);
        let mut texts = Vec::new();
        for piece in pieces {
            let mut text = String::new();
            decoder.push(piece, |part| text.push_str(part));
            texts.push(text);
        }
        let mut text = String::new();
        decoder.finish(|part| text.push_str(part));
        texts.push(text);
        texts
    }

    #[test]
    fn a_character_comes_with_its_last_byte() {
        assert_eq!(decoded(&[b"x\xe4", b"\xb8", b"\xady"]), ["x", "", "\u{4e2d}y", ""]);
        assert_eq!(decoded(&[b"\xf0\x9f\xa6", b"!"]), ["", "\u{fffd}!", ""]);
        assert_eq!(decoded(&[b"caf\xc3"]), ["caf", ""]);
        assert_eq!(decoded(&[b"a\xffb"]), ["a\u{fffd}b", ""]);
    }

    proptest! {
        #[test]
        fn any_chunks_give_the_text_of_the_whole(
            bytes in prop::collection::vec(
                prop::sample::select(vec![b'a', b'\n', 0xe4, 0xb8, 0xad, 0xf0, 0x9f, 0xa6, 0x8a, 0xff, 0xc3]),
                0..40,
            ),
            size in 1_usize..7,
        ) {
            let chunks: Vec<_> = bytes.chunks(size).collect();
            let whole = String::from_utf8_lossy(&bytes).into_owned();
            let text = decoded(&chunks).concat();
            let dropped = whole.strip_suffix(REPLACEMENT).unwrap_or(&whole);
            prop_assert!(text == whole || text == dropped, "{text:?} of {whole:?}");
        }
    }
}
