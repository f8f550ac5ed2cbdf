//! The envelopes of a Connect stream: a byte of flags, four of length, the message.

use crate::failure::Failure;

/// No message of a sandbox has more bytes; what says so is no sandbox.
const LONGEST: usize = 16 << 20;
const HEADER: usize = 5;
const COMPRESSED: u8 = 1;
const END: u8 = 2;

/// One envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A message.
    Message(Vec<u8>),
    /// The end of the stream, with how it went.
    End(Vec<u8>),
}

/// Cuts bytes at their envelopes, however they arrive.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    held: Vec<u8>,
    /// How much of `held` has been told.
    at: usize,
}

impl Frames {
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        if self.at > 0 {
            self.held.drain(..self.at);
            self.at = 0;
        }
        self.held.extend_from_slice(bytes);
    }

    /// The next envelope that is whole.
    ///
    /// # Errors
    /// Where the bytes are none of an uncompressed stream.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, Failure> {
        let rest = self.held.get(self.at..).unwrap_or_default();
        let Some((header, body)) = rest.split_at_checked(HEADER) else { return Ok(None) };
        let [flags, a, b, c, d] = *header else { return Ok(None) };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if length > LONGEST || flags & !END != 0 {
            let what = if flags & COMPRESSED != 0 && length <= LONGEST { "compressed" } else { "not known" };
            return Err(Failure::garbled(format!("an envelope of a stream is {what}")));
        }
        let Some(message) = body.get(..length) else { return Ok(None) };
        self.at += HEADER + length;
        let message = message.to_vec();
        Ok(Some(if flags & END != 0 { Frame::End(message) } else { Frame::Message(message) }))
    }
}

/// One message as an envelope.
pub(crate) fn envelope(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(HEADER + message.len());
    bytes.push(0);
    bytes.extend(length.to_be_bytes());
    bytes.extend_from_slice(message);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn end(message: &[u8]) -> Vec<u8> {
        let mut bytes = envelope(message);
        bytes[0] = END;
        bytes
    }

    fn all(frames: &mut Frames) -> Vec<Frame> {
        std::iter::from_fn(|| frames.next().unwrap()).collect()
    }

    #[test]
    fn the_recorded_bytes_are_read() {
        let start = br#"{"event":{"start":{"pid":1001}}}"#;
        let mut bytes = vec![0, 0, 0, 0, 0x20];
        bytes.extend_from_slice(start);
        bytes.extend([2, 0, 0, 0, 2, b'{', b'}']);
        let mut frames = Frames::default();
        frames.take(&bytes);
        assert_eq!(all(&mut frames), [Frame::Message(start.to_vec()), Frame::End(b"{}".to_vec())]);
        assert_eq!(bytes[..37], envelope(start));
    }

    #[track_caller]
    fn refused(bytes: &[u8]) {
        let mut frames = Frames::default();
        frames.take(bytes);
        assert!(frames.next().is_err());
    }

    #[test]
    fn what_is_no_stream_is_refused() {
        refused(b"<html><body>Bad Gateway</body></html>");
        refused(&[1, 0, 0, 0, 0]);
        refused(&[0, 0xff, 0xff, 0xff, 0xff]);
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_messages(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8),
            cuts in prop::collection::vec(1usize..9, 0..60),
        ) {
            let mut bytes: Vec<u8> = messages.iter().flat_map(|message| envelope(message)).collect();
            bytes.extend(end(b"{}"));
            let mut frames = Frames::default();
            let mut read = Vec::new();
            let mut rest = &bytes[..];
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                frames.take(piece);
                read.extend(all(&mut frames));
                rest = after;
            }
            frames.take(rest);
            read.extend(all(&mut frames));
            let mut expected: Vec<_> = messages.into_iter().map(Frame::Message).collect();
            expected.push(Frame::End(b"{}".to_vec()));
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn no_bytes_make_it_panic(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..8)) {
            let mut frames = Frames::default();
            for piece in pieces {
                frames.take(&piece);
                while let Ok(Some(_)) = frames.next() {}
            }
        }
    }
}
