//! Places in a text that is being changed: byte offsets while the text still
//! moves, line numbers once it stands.

use memchr::memchr;

use super::matching::newline_count;

/// The most places kept for one edit.
pub(super) const MAX_PLACES: usize = 20;

/// Gathers where replacements begin: one offset a line, at most [`MAX_PLACES`].
#[derive(Default)]
pub(super) struct Places {
    offsets: Vec<usize>,
    seen: usize,
}

impl Places {
    /// Notes that a replacement begins at the end of `out`. Each byte of `out`
    /// is looked at once, however many places a line has.
    pub(super) fn note_end_of(&mut self, out: &str) {
        if self.offsets.len() == MAX_PLACES {
            return;
        }
        let since = out.as_bytes().get(self.seen..).unwrap_or_default();
        if self.offsets.is_empty() || memchr(b'\n', since).is_some() {
            self.offsets.push(out.len());
        }
        self.seen = out.len();
    }

    /// The offsets, ascending.
    pub(super) fn into_offsets(self) -> Vec<usize> {
        self.offsets
    }
}

/// An offset that an earlier edit left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) offset: usize,
    /// The edit whose place it is.
    pub(super) edit: usize,
}

/// Moves marks along while the text they stand in is copied into a new one.
/// The marks must ascend, and still do afterwards.
pub(super) struct Marks<'m> {
    pending: std::slice::IterMut<'m, Mark>,
    next: Option<&'m mut Mark>,
}

impl<'m> Marks<'m> {
    pub(super) fn new(marks: &'m mut [Mark]) -> Self {
        let mut pending = marks.iter_mut();
        let next = pending.next();
        Self { pending, next }
    }

    /// Sets each mark before `end` to what `moved` makes of its offset.
    pub(super) fn shift_before(&mut self, end: usize, moved: impl Fn(usize) -> usize) {
        while let Some(mark) = self.next.take_if(|mark| mark.offset < end) {
            mark.offset = moved(mark.offset);
            self.next = self.pending.next();
        }
    }
}

/// The 1-based lines of ascending `offsets` in `text`.
///
/// The end of a text that ends with a newline is on no line; it counts as on
/// the last one, so that each number returned can be read.
pub(super) fn line_numbers(text: &str, offsets: impl IntoIterator<Item = usize>) -> Vec<u64> {
    let bytes = text.as_bytes();
    let (mut line, mut seen) = (1, 0);
    offsets
        .into_iter()
        .map(|offset| {
            let offset = offset.clamp(seen, bytes.len());
            line += newline_count(&bytes[seen..offset]);
            seen = offset;
            if offset == bytes.len() && bytes.last() == Some(&b'\n') { line - 1 } else { line }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_edit_10_a_line_is_named_once() {
        let mut places = Places::default();
        let mut out = String::new();
        for piece in ["a ", "b ", "c\nd ", "e\n\n", "f "] {
            out.push_str(piece);
            places.note_end_of(&out);
        }
        assert_eq!(places.into_offsets(), [2, 8, 11]);
    }

    #[test]
    fn r_edit_10_at_most_twenty_places_are_kept() {
        let mut places = Places::default();
        let mut out = String::new();
        for _ in 0..30 {
            out.push_str("x\n");
            places.note_end_of(&out);
        }
        assert_eq!(places.into_offsets().len(), MAX_PLACES);
    }

    #[test]
    fn the_end_of_the_text_is_on_its_last_line() {
        assert_eq!(line_numbers("a\nb\n", [0, 1, 2, 4]), [1, 1, 2, 2]);
        assert_eq!(line_numbers("a\nb", [3]), [2]);
        assert_eq!(line_numbers("\n", [0, 1]), [1, 1]);
        assert_eq!(line_numbers("", [0]), [1]);
    }
}
