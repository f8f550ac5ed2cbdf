//! Messages of a stream: a byte of flags, four of length, and the message.

use bytes::{Buf, BufMut, Bytes, BytesMut};

/// The flag of the envelope that ends a stream.
pub(crate) const END: u8 = 0b10;

const HEAD: usize = 5;

/// One message in its envelope.
pub(crate) fn envelope(flags: u8, payload: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(HEAD + payload.len());
    frame.put_u8(flags);
    frame.put_u32(u32::try_from(payload.len()).unwrap_or(u32::MAX));
    frame.put_slice(payload);
    frame.freeze()
}

/// Envelopes out of a body that is cut anywhere.
#[derive(Debug, Default)]
pub(crate) struct Envelopes {
    buffered: BytesMut,
}

impl Envelopes {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.buffered.extend_from_slice(chunk);
    }

    /// The next whole envelope: its flags and its payload.
    pub(crate) fn next(&mut self) -> Option<(u8, Bytes)> {
        let (&flags, rest) = self.buffered.split_first()?;
        let length = usize::try_from(u32::from_be_bytes(*rest.first_chunk()?)).ok()?;
        if self.buffered.len() - HEAD < length {
            return None;
        }
        self.buffered.advance(HEAD);
        Some((flags, self.buffered.split_to(length).freeze()))
    }

    /// Whether part of an envelope has come and no more.
    pub(crate) fn is_inside(&self) -> bool {
        !self.buffered.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_come_out_however_the_bytes_are_cut() {
        let bytes: BytesMut =
            [envelope(0, b"{}"), envelope(END, b""), envelope(0, b"abc")].into_iter().flatten().collect();
        for size in 1..=bytes.len() {
            let (mut envelopes, mut found) = (Envelopes::default(), Vec::new());
            for chunk in bytes.chunks(size) {
                envelopes.push(chunk);
                while let Some((flags, payload)) = envelopes.next() {
                    found.push((flags, payload.to_vec()));
                }
            }
            assert_eq!(found, [(0, b"{}".to_vec()), (END, Vec::new()), (0, b"abc".to_vec())], "{size}");
            assert!(!envelopes.is_inside());
        }
    }
}
