//! UTF-8 from chunks that are cut anywhere.

use std::str;

use super::request::Encoding;

/// Turns chunks of bytes into chunks of text.
///
/// Each piece of text holds whole characters; at most three bytes wait for the next
/// chunk. However the input is cut, the text is the same, and under
/// [`Encoding::Lossy`] it is that of [`String::from_utf8_lossy`].
#[derive(Debug)]
pub(super) struct Decoder {
    encoding: Encoding,
    /// The beginning of a character whose end is still to come.
    carry: [u8; 4],
    carried: usize,
    /// Bytes before those carried.
    offset: u64,
    invalid: Option<u64>,
}

impl Decoder {
    pub(super) fn new(encoding: Encoding) -> Self {
        Self { encoding, carry: [0; 4], carried: 0, offset: 0, invalid: None }
    }

    /// Where the first invalid sequence begins, as far as is known.
    pub(super) fn invalid(&self) -> Option<u64> {
        self.invalid
    }

    /// Decodes the next bytes. After an invalid sequence in strict mode nothing more
    /// is given.
    pub(super) fn push(&mut self, bytes: &[u8], mut text: impl FnMut(&str)) {
        if self.has_failed() {
            return;
        }
        let rest = self.complete_carried(bytes, &mut text);
        let (mut whole, unfinished) = rest.split_at(rest.len() - unfinished_suffix(rest));
        while !whole.is_empty() && !self.has_failed() {
            match str::from_utf8(whole) {
                Ok(valid) => {
                    self.give(valid, &mut text);
                    break;
                }
                Err(error) => {
                    let (valid, bad) = whole.split_at(error.valid_up_to());
                    self.give(str::from_utf8(valid).unwrap_or_default(), &mut text);
                    let (bad, rest) = bad.split_at(error.error_len().unwrap_or(bad.len()));
                    self.reject(bad.len(), &mut text);
                    whole = rest;
                }
            }
        }
        // Where bytes are left over, nothing is carried any more: the place is free.
        if !unfinished.is_empty() {
            self.carry[..unfinished.len()].copy_from_slice(unfinished);
            self.carried = unfinished.len();
        }
    }

    /// Ends the input: a character that was begun is invalid now.
    pub(super) fn finish(&mut self, mut text: impl FnMut(&str)) {
        if self.carried > 0 {
            self.reject(self.carried, &mut text);
            self.carried = 0;
        }
    }

    /// Feeds the carried beginning byte by byte and returns the bytes not needed.
    fn complete_carried<'a>(&mut self, mut bytes: &'a [u8], text: &mut impl FnMut(&str)) -> &'a [u8] {
        while self.carried > 0 {
            let Some((&next, rest)) = bytes.split_first() else { break };
            self.carry[self.carried] = next;
            let carry = self.carry;
            match str::from_utf8(&carry[..=self.carried]) {
                Ok(character) => {
                    self.carried = 0;
                    self.give(character, text);
                    bytes = rest;
                }
                Err(error) if error.error_len().is_none() => {
                    self.carried += 1;
                    bytes = rest;
                }
                // What was carried could have gone on, so it is `next` that does not
                // fit: it begins something new and stays in the input.
                Err(_) => {
                    self.reject(self.carried, text);
                    self.carried = 0;
                }
            }
        }
        bytes
    }

    fn give(&mut self, valid: &str, text: &mut impl FnMut(&str)) {
        if !valid.is_empty() {
            self.offset += valid.len() as u64;
            text(valid);
        }
    }

    fn reject(&mut self, length: usize, text: &mut impl FnMut(&str)) {
        self.invalid.get_or_insert(self.offset);
        self.offset += length as u64;
        if self.encoding == Encoding::Lossy {
            text("\u{fffd}");
        }
    }

    fn has_failed(&self) -> bool {
        self.encoding == Encoding::Utf8 && self.invalid.is_some()
    }
}

/// Length of the unfinished character at the end, 0 when there is none.
fn unfinished_suffix(bytes: &[u8]) -> usize {
    for length in 1..=bytes.len().min(3) {
        let suffix = &bytes[bytes.len() - length..];
        if !is_continuation(suffix[0]) {
            let unfinished = str::from_utf8(suffix).is_err_and(|error| error.error_len().is_none());
            return if unfinished { length } else { 0 };
        }
    }
    0
}

/// Whether a byte of UTF-8 goes on with a character that an earlier byte began.
pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(encoding: Encoding, chunks: &[&[u8]]) -> (String, Option<u64>) {
        let mut decoder = Decoder::new(encoding);
        let mut out = String::new();
        for chunk in chunks {
            decoder.push(chunk, |text| out.push_str(text));
        }
        decoder.finish(|text| out.push_str(text));
        (out, decoder.invalid())
    }

    #[track_caller]
    fn check(bytes: &[u8], invalid: Option<u64>) {
        for cut in 0..=bytes.len() {
            let (left, right) = bytes.split_at(cut);
            let (text, found) = decode(Encoding::Utf8, &[left, right]);
            assert_eq!(found, invalid, "cut at {cut}");
            if invalid.is_none() {
                assert_eq!(text.as_bytes(), bytes, "cut at {cut}");
            }
        }
    }

    #[test]
    fn r_read_5_the_first_invalid_byte_is_found_across_any_cut() {
        check(b"", None);
        check("aé中🦊z".as_bytes(), None);
        check(b"caf\xe9\nplain", Some(3));
        check(b"ab\xff", Some(2));
        check(b"ab\xe4\xb8", Some(2));
        check(b"\xf0\x9f\xa6", Some(0));
        check(b"a\xe4\xb8\xe4\xb8\xad", Some(1));
        check(b"surrogate \xed\xa0\x80", Some(10));
        check(b"overlong \xc0\xaf", Some(9));
        check(b"too far \xf4\x90\x80\x80", Some(8));
        check(b"\x80", Some(0));
    }

    fn awkward_bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"a".to_vec()),
            Just("é".as_bytes().to_vec()),
            Just("中".as_bytes().to_vec()),
            Just("🦊".as_bytes().to_vec()),
            any::<u8>().prop_map(|byte| vec![byte]),
            Just(b"\xe4\xb8".to_vec()),
            Just(b"\xf0\x9f\xa6".to_vec()),
        ];
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn r_read_5_text_is_that_of_std_however_the_bytes_are_cut(
            bytes in awkward_bytes(),
            size in 1_usize..9,
        ) {
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            let invalid = str::from_utf8(&bytes).err().map(|error| error.valid_up_to() as u64);
            let (lossy, found) = decode(Encoding::Lossy, &chunks);
            prop_assert_eq!(lossy, String::from_utf8_lossy(&bytes).into_owned());
            prop_assert_eq!(found, invalid);
            let (strict, found) = decode(Encoding::Utf8, &chunks);
            prop_assert_eq!(found, invalid);
            let valid = invalid.map_or(bytes.len(), |at| usize::try_from(at).unwrap());
            prop_assert_eq!(strict.as_bytes(), &bytes[..valid]);
        }
    }
}
