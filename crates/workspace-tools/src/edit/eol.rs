//! Line endings: reading both spellings of a newline as one, and writing the
//! one that belongs to a place.
//!
//! A newline is LF or CRLF. A CR that no LF follows is data.

use std::{borrow::Cow, ops::Range};

use memchr::{memchr, memchr_iter, memmem};

/// Bytes looked at between two looks at whether to stop.
const BLOCK: usize = 4096;

/// A spelling of the newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Eol {
    Lf,
    Crlf,
}

impl Eol {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::Crlf => "\r\n",
        }
    }

    /// The spelling of the newline whose LF stands at `lf`.
    fn at(bytes: &[u8], lf: usize) -> Self {
        match lf.checked_sub(1).and_then(|before| bytes.get(before)) {
            Some(b'\r') => Self::Crlf,
            _ => Self::Lf,
        }
    }
}

/// The newlines of `text` in order: the offset of the LF, and the spelling.
pub(super) fn newlines(text: &str) -> impl Iterator<Item = (usize, Eol)> {
    let bytes = text.as_bytes();
    memchr_iter(b'\n', bytes).map(move |lf| (lf, Eol::at(bytes, lf)))
}

/// The offsets of the CR of each CRLF pair, in order.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = usize> {
    newlines(text).filter_map(|(lf, eol)| match eol {
        Eol::Crlf => lf.checked_sub(1),
        Eol::Lf => None,
    })
}

/// Whether `text` has a CRLF pair.
pub(super) fn has_pair(text: &str) -> bool {
    memmem::find(text.as_bytes(), b"\r\n").is_some()
}

/// Whether `text` has an LF that is not part of a pair.
pub(super) fn has_bare_lf(text: &str) -> bool {
    let bytes = text.as_bytes();
    let behind = bytes.get(1..).unwrap_or_default();
    // Counting in blocks, rather than stopping at once, compares many bytes at a time.
    let mut blocks = bytes.chunks(BLOCK).zip(behind.chunks(BLOCK));
    bytes.first() == Some(&b'\n')
        || blocks.any(|(before, block)| {
            let bare = |&(&before, &b): &(&u8, &u8)| b == b'\n' && before != b'\r';
            before.iter().zip(block).filter(bare).count() > 0
        })
}

/// `text` with each pair written as LF; borrowed where there is none.
pub(super) fn to_lf(text: &str) -> Cow<'_, str> {
    if !has_pair(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for cr in pairs(text) {
        out.push_str(&text[from..cr]);
        from = cr + 1;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Copies `new` to the end of `out`, each newline as `next` says.
///
/// Returns whether a newline was written otherwise than given.
fn write(out: &mut String, new: &str, mut next: impl FnMut() -> Eol) -> bool {
    let mut adapted = false;
    let mut from = 0;
    for (lf, given) in newlines(new) {
        let end = match given {
            Eol::Crlf => lf - 1,
            Eol::Lf => lf,
        };
        let eol = next();
        out.push_str(&new[from..end]);
        out.push_str(eol.as_str());
        adapted |= eol != given;
        from = lf + 1;
    }
    out.push_str(&new[from..]);
    adapted
}

/// Knows which ending belongs to a place of a text.
///
/// Places are asked for from left to right, so that a text of one long line is
/// not searched again for each of its places.
pub(super) struct Endings<'t> {
    text: &'t str,
    /// The first newline at or after an offset, as last looked up.
    ahead: Option<(usize, Option<(usize, Eol)>)>,
    dominant: Option<Eol>,
}

impl<'t> Endings<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, ahead: None, dominant: None }
    }

    /// Writes `new` to `out` in place of `region` and returns whether a newline
    /// was written otherwise than given.
    ///
    /// By position: the first newline takes the region's first ending, and so
    /// on; once these are used up, its last one. A region without a newline
    /// takes the ending of the line it ends in.
    pub(super) fn write_over(&mut self, out: &mut String, region: Range<usize>, new: &str) -> bool {
        let mut theirs = newlines(&self.text[region.clone()]).map(|(_, eol)| eol);
        let mut last = None;
        write(out, new, || {
            last = theirs.next().or(last);
            *last.get_or_insert_with(|| self.of_line_with(region.end))
        })
    }

    /// Writes `new` to `out` with `eol` for each newline and returns whether
    /// one was written otherwise than given.
    pub(super) fn write_with(out: &mut String, eol: Eol, new: &str) -> bool {
        write(out, new, || eol)
    }

    /// The ending of the line that holds `at`, or the text's dominant one.
    fn of_line_with(&mut self, at: usize) -> Eol {
        self.next_from(at).unwrap_or_else(|| self.dominant())
    }

    /// The ending of whole lines put at `at`, the start of a line or the end of
    /// the text: that of the line behind, else of the line before, else the
    /// text's dominant one.
    pub(super) fn of_lines_at(&mut self, at: usize) -> Eol {
        self.next_from(at)
            .or_else(|| {
                let lf = at.checked_sub(1)?;
                let bytes = self.text.as_bytes();
                (bytes.get(lf) == Some(&b'\n')).then(|| Eol::at(bytes, lf))
            })
            .unwrap_or_else(|| self.dominant())
    }

    fn next_from(&mut self, at: usize) -> Option<Eol> {
        if let Some((from, found)) = self.ahead
            && from <= at
            && found.is_none_or(|(lf, _)| at <= lf)
        {
            return found.map(|(_, eol)| eol);
        }
        let bytes = self.text.as_bytes();
        let found =
            memchr(b'\n', &bytes[at..]).map(|distance| at + distance).map(|lf| (lf, Eol::at(bytes, lf)));
        self.ahead = Some((at, found));
        found.map(|(_, eol)| eol)
    }

    fn dominant(&mut self) -> Eol {
        *self.dominant.get_or_insert_with(|| {
            let all = memchr_iter(b'\n', self.text.as_bytes()).count();
            let crlf = pairs(self.text).count();
            if crlf > all - crlf { Eol::Crlf } else { Eol::Lf }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cr_without_lf_is_data() {
        let text = "a\rb\r\r\nc\n\r";
        assert_eq!(newlines(text).collect::<Vec<_>>(), [(5, Eol::Crlf), (7, Eol::Lf)]);
        assert_eq!(to_lf(text), "a\rb\r\nc\n\r");
    }

    #[test]
    fn a_bare_lf_is_found_wherever_it_stands() {
        for bare in ["\n", "\n\r\n", "a\n", "\r\n\n", "\r\r\n\n"] {
            assert!(has_bare_lf(bare), "{bare:?}");
        }
        for none in ["", "a", "\r\n", "\r", "a\r\n\r\n", "\r\r\n\r"] {
            assert!(!has_bare_lf(none), "{none:?}");
        }
        for at in BLOCK - 3..BLOCK + 3 {
            let text = format!("{}\r\n\n", "x".repeat(at));
            assert!(has_bare_lf(&text) && !has_bare_lf(&text[..at + 2]), "{at}");
        }
    }

    #[test]
    fn a_text_without_pairs_is_not_copied() {
        assert!(matches!(to_lf("a\nb\r"), Cow::Borrowed("a\nb\r")));
        assert!(matches!(to_lf("\r\n"), Cow::Owned(lf) if lf == "\n"));
    }

    #[track_caller]
    fn check(text: &str, region: Range<usize>, new: &str, expected: &str) {
        let mut out = String::new();
        let adapted = Endings::new(text).write_over(&mut out, region, new);
        assert_eq!(out, expected);
        assert_eq!(adapted, new != expected);
    }

    #[test]
    fn r_edit_4_newlines_are_written_by_position() {
        check("a\r\nb\nc\r\n", 0..8, "1\n2\n3\n", "1\r\n2\n3\r\n");
        check("a\r\nb\nc\r\n", 0..5, "1\n2\n3\n4", "1\r\n2\n3\n4");
        check("a\nb\r\nc\n", 0..5, "1\n2\n3\n4", "1\n2\r\n3\r\n4");
        check("a\nb\r\n", 0..5, "1\r\n", "1\n");
    }

    #[test]
    fn r_edit_4_a_region_on_one_line_takes_that_lines_ending() {
        check("a\nb\r\nc\n", 2..3, "1\n2", "1\r\n2");
        check("a\nb\r\nc\n", 0..1, "1\r\n2", "1\n2");
    }

    #[test]
    fn r_edit_4_the_last_line_takes_the_dominant_ending() {
        check("a\r\nb\r\nc\nd", 8..9, "1\n2", "1\r\n2");
        check("a\r\nb\nc", 5..6, "1\r\n2", "1\n2");
        check("a", 0..1, "1\r\n2", "1\n2");
    }

    #[test]
    fn places_of_one_line_share_a_look_ahead() {
        let text = "aaaa\r\nb\n";
        let mut endings = Endings::new(text);
        let found: Vec<_> = [0, 1, 4, 6, 7, 8, 5].map(|at| endings.next_from(at)).into_iter().collect();
        assert_eq!(
            found,
            [
                Some(Eol::Crlf),
                Some(Eol::Crlf),
                Some(Eol::Crlf),
                Some(Eol::Lf),
                Some(Eol::Lf),
                None,
                Some(Eol::Crlf)
            ]
        );
    }
}
