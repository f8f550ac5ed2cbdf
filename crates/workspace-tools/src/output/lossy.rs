//! The start or the end of some bytes as text of a limited length.
//!
//! Invalid sequences become U+FFFD, as [`String::from_utf8_lossy`] does it, except for a
//! character at the very end that lacks its last bytes: it is dropped.

use std::str;

pub(super) const REPLACEMENT: &str = "\u{fffd}";

/// A stretch of valid text, or an invalid sequence and what is shown for it.
struct Piece<'a> {
    text: &'a str,
    /// Bytes that it was decoded from.
    bytes: usize,
}

fn pieces(bytes: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let mut left = bytes.len();
    bytes.utf8_chunks().flat_map(move |chunk| {
        let (valid, invalid) = (chunk.valid(), chunk.invalid());
        left -= valid.len() + invalid.len();
        let dropped = invalid.is_empty() || (left == 0 && is_unfinished(invalid));
        let replaced = if dropped { "" } else { REPLACEMENT };
        [Piece { text: valid, bytes: valid.len() }, Piece { text: replaced, bytes: invalid.len() }]
    })
}

/// Whether these bytes begin a character and are all of it that is there.
pub(super) fn is_unfinished(sequence: &[u8]) -> bool {
    str::from_utf8(sequence).is_err_and(|error| error.error_len().is_none())
}

/// Length of the text of all the bytes.
pub(super) fn length(bytes: &[u8]) -> usize {
    pieces(bytes).map(|piece| piece.text.len()).sum()
}

/// The text of the first bytes, at most `limit` bytes of it, and from how many it was
/// decoded.
pub(super) fn start(bytes: &[u8], limit: usize) -> (String, usize) {
    let (mut text, mut taken) = (String::new(), 0);
    for piece in pieces(bytes) {
        let fits = piece.text.floor_char_boundary(limit - text.len());
        text.push_str(&piece.text[..fits]);
        if fits < piece.text.len() {
            taken += fits;
            break;
        }
        // What is dropped was not taken.
        taken += if fits == 0 { 0 } else { piece.bytes };
    }
    (text, taken)
}

/// The text of the last bytes, at most `limit` bytes of it, and from how many it was
/// decoded, an unfinished character at the end among them.
pub(super) fn end(bytes: &[u8], limit: usize) -> (String, usize) {
    let mut over = length(bytes).saturating_sub(limit);
    let (mut text, mut taken) = (String::new(), 0);
    for piece in pieces(bytes) {
        let from = piece.text.ceil_char_boundary(over);
        over = over.saturating_sub(piece.text.len());
        text.push_str(&piece.text[from..]);
        // A replacement is left out or taken as a whole; of valid text each byte is one.
        taken += if from == 0 { piece.bytes } else { piece.text.len() - from };
    }
    (text, taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_start(bytes: &[u8], limit: usize, expected: (&str, usize)) {
        let (text, taken) = start(bytes, limit);
        assert_eq!((text.as_str(), taken), expected);
    }

    #[track_caller]
    fn check_end(bytes: &[u8], limit: usize, expected: (&str, usize)) {
        let (text, taken) = end(bytes, limit);
        assert_eq!((text.as_str(), taken), expected);
    }

    #[test]
    fn r_exec_4_the_start_ends_on_a_character_boundary() {
        let bytes = "aé中🦊".as_bytes();
        check_start(bytes, 0, ("", 0));
        check_start(bytes, 2, ("a", 1));
        check_start(bytes, 3, ("aé", 3));
        check_start(bytes, 9, ("aé中", 6));
        check_start(bytes, 10, ("aé中🦊", 10));
        check_start(bytes, 99, ("aé中🦊", 10));
    }

    #[test]
    fn r_exec_4_the_end_begins_on_a_character_boundary() {
        let bytes = "🦊中éa".as_bytes();
        check_end(bytes, 0, ("", 0));
        check_end(bytes, 2, ("a", 1));
        check_end(bytes, 3, ("éa", 3));
        check_end(bytes, 9, ("中éa", 6));
        check_end(bytes, 10, ("🦊中éa", 10));
        check_end(bytes, 99, ("🦊中éa", 10));
    }

    #[test]
    fn r_exec_5_a_replacement_counts_its_three_bytes() {
        let bytes = b"a\xff\xe4\xb8b\xfe";
        assert_eq!(length(bytes), 11);
        check_start(bytes, 3, ("a", 1));
        check_start(bytes, 4, ("a\u{fffd}", 2));
        check_start(bytes, 8, ("a\u{fffd}\u{fffd}b", 5));
        check_end(bytes, 3, ("\u{fffd}", 1));
        check_end(bytes, 6, ("b\u{fffd}", 2));
        check_end(bytes, 7, ("\u{fffd}b\u{fffd}", 4));
    }

    #[test]
    fn r_exec_5_an_incomplete_tail_is_dropped() {
        check_start(b"x\xe4\xb8", 9, ("x", 1));
        check_end(b"x\xe4\xb8", 9, ("x", 3));
        check_end(b"\xf0\x9f\xa6", 9, ("", 3));
        check_start(b"caf\xe9", 9, ("caf", 3));
        check_start(b"caf\xe9\n", 9, ("caf\u{fffd}\n", 5));
    }
}
