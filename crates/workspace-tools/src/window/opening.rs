//! What the first bytes of a file tell about its kind.

/// How far a NUL is looked for.
const BINARY_PREFIX: usize = 8 * 1024;

/// Byte order marks of other encodings, the longer ones first: the mark of UTF-32LE
/// begins with that of UTF-16LE.
const MARKS: [(&str, &[u8]); 4] = [
    ("UTF-32LE", b"\xff\xfe\0\0"),
    ("UTF-32BE", b"\0\0\xfe\xff"),
    ("UTF-16LE", b"\xff\xfe"),
    ("UTF-16BE", b"\xfe\xff"),
];

/// Looks at the first 8 KiB of a file.
#[derive(Debug, Default)]
pub(super) struct Opening {
    start: Vec<u8>,
    seen: usize,
    nul: bool,
}

impl Opening {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let wanted = bytes.len().min(4 - self.start.len());
        self.start.extend_from_slice(&bytes[..wanted]);
        let looked_at = &bytes[..bytes.len().min(BINARY_PREFIX - self.seen)];
        self.seen += looked_at.len();
        self.nul = self.nul || memchr::memchr(0, looked_at).is_some();
    }

    /// The encoding that a byte order mark names, when it is not UTF-8.
    pub(super) fn foreign_encoding(&self) -> Option<&'static str> {
        MARKS.into_iter().find(|(_, mark)| self.start.starts_with(mark)).map(|(name, _)| name)
    }

    /// Whether there is a NUL.
    pub(super) fn has_nul(&self) -> bool {
        self.nul
    }

    /// Whether later bytes can no longer change the answers.
    pub(super) fn is_settled(&self) -> bool {
        self.seen == BINARY_PREFIX || self.start.len() == 4 && (self.nul || self.foreign_encoding().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], encoding: Option<&str>, nul: bool) {
        for size in [1, 3, 4, 100, bytes.len().max(1)] {
            let mut opening = Opening::default();
            for chunk in bytes.chunks(size) {
                opening.push(chunk);
            }
            assert_eq!((opening.foreign_encoding(), opening.has_nul()), (encoding, nul));
        }
    }

    #[test]
    fn r_read_6_a_foreign_byte_order_mark_names_its_encoding() {
        check(b"", None, false);
        check(b"text", None, false);
        check(b"\xef\xbb\xbfutf-8", None, false);
        check(b"\xff\xfeh\0i\0", Some("UTF-16LE"), true);
        check(b"\xfe\xff\0h\0i", Some("UTF-16BE"), true);
        check(b"\xff\xfe\0\0h\0\0\0", Some("UTF-32LE"), true);
        check(b"\0\0\xfe\xff\0\0\0h", Some("UTF-32BE"), true);
        check(b"\xff\xfe", Some("UTF-16LE"), false);
        check(b"\xff", None, false);
    }

    #[test]
    fn r_read_5_a_nul_counts_in_the_first_8_kib_only() {
        let with_nul_at = |at: usize| {
            let mut bytes = vec![b'a'; 10_000];
            bytes[at] = 0;
            bytes
        };
        check(&with_nul_at(0), None, true);
        check(&with_nul_at(8191), None, true);
        check(&with_nul_at(8192), None, false);
    }
}
