//! Where an old text stands in a file.
//!
//! The search takes time linear in the text whatever the texts are. Under
//! [`EolMode::Adapt`] a file is copied with LF endings only when it mixes
//! endings and the old text spans lines; in all other cases the file itself is
//! searched, for an old text spelled as the file spells it.

use std::{borrow::Cow, iter::Peekable, ops::Range};

use memchr::{memchr_iter, memmem::Finder};

use super::{
    change::{BOM, EolMode, bom_len},
    eol,
};

/// The most lines named when a text is not unique.
const MAX_LINES: usize = 10;

/// How often a text was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nowhere,
    Once,
    /// `count` counts overlapping hits; `lines` are where they begin: 1-based,
    /// ascending, each once, at most 10.
    Often {
        count: usize,
        lines: Vec<u64>,
    },
}

/// A text made ready to be searched for one old text.
pub(super) struct Search<'t> {
    text: &'t str,
    /// The text itself, or a copy with LF endings.
    haystack: Cow<'t, str>,
    finder: Finder<'static>,
    /// Whether a hit that begins or ends inside a pair of the haystack is none.
    whole_pairs: bool,
}

impl<'t> Search<'t> {
    pub(super) fn new(text: &'t str, old: &str, mode: EolMode) -> Self {
        let (haystack, needle, whole_pairs) = match mode {
            EolMode::Exact => (Cow::Borrowed(text), Cow::Borrowed(old), false),
            EolMode::Hint => (Cow::Borrowed(text), Cow::Borrowed(old), true),
            EolMode::Adapt => {
                let needle = eol::to_lf(old);
                if !needle.contains('\n') || !eol::has_pair(text) {
                    (Cow::Borrowed(text), needle, true)
                } else if eol::has_bare_lf(text) {
                    (eol::to_lf(text), needle, false)
                } else {
                    let needle = needle.replace('\n', "\r\n");
                    (Cow::Borrowed(text), Cow::Owned(needle), true)
                }
            }
        };
        Self { text, haystack, finder: Finder::new(needle.as_bytes()).into_owned(), whole_pairs }
    }

    /// Whether the text stands there at all.
    pub(super) fn is_found(&self) -> bool {
        self.hits().next().is_some()
    }

    /// How often it stands there; reads on after the second hit only to count.
    pub(super) fn find(&self) -> Found {
        match self.hits().take(2).count() {
            0 => Found::Nowhere,
            1 => Found::Once,
            _ => self.find_all(),
        }
    }

    fn find_all(&self) -> Found {
        let haystack = self.haystack.as_bytes();
        let mut count = 0;
        let mut lines = Vec::with_capacity(MAX_LINES);
        let (mut line, mut seen) = (1, 0);
        for hit in self.hits() {
            count += 1;
            if lines.len() < MAX_LINES {
                line += newline_count(&haystack[seen..hit]);
                seen = hit;
                if lines.last() != Some(&line) {
                    lines.push(line);
                }
            }
        }
        Found::Often { count, lines }
    }

    /// The regions of the text to replace: left to right, without overlap, and
    /// without the text's byte order mark.
    pub(super) fn regions(&self) -> impl Iterator<Item = Range<usize>> {
        let len = self.finder.needle().len();
        let bom = bom_len(self.text);
        let mut offsets = Offsets::new(self);
        let mut free_from = 0;
        self.hits().filter_map(move |hit| {
            if hit < free_from {
                return None;
            }
            free_from = hit + len;
            let start = offsets.in_text(hit);
            let end = offsets.in_text(hit + len);
            Some(start.max(bom)..end)
        })
    }

    /// All hits in the haystack, overlapping ones too.
    fn hits(&self) -> impl Iterator<Item = usize> {
        let haystack = self.haystack.as_bytes();
        let needle = self.finder.needle();
        let only_mark = needle == BOM.to_string().as_bytes();
        Overlapping::new(haystack, &self.finder).filter(move |&hit| {
            let end = hit + needle.len();
            let split = self.whole_pairs && (in_pair(haystack, hit) || in_pair(haystack, end));
            // The mark at the start is not text, so it can't be all of a hit.
            !(split || hit == 0 && only_mark)
        })
    }
}

/// Whether `at` stands between the CR and the LF of a pair.
fn in_pair(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'\n') && at.checked_sub(1).and_then(|cr| bytes.get(cr)) == Some(&b'\r')
}

/// How many newlines `bytes` holds.
pub(super) fn newline_count(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// All occurrences of a needle, overlapping ones included.
///
/// Looking again one byte behind each hit would compare a needle like
/// `aaaa…` in full at every byte. But where two neighbouring hits overlap or
/// touch, and the text goes on repeating itself at that step, the next hit is
/// one step on and none lies between. Where it does not, the next one is at
/// least half a needle away, so comparing it in full stays linear.
struct Overlapping<'s> {
    haystack: &'s [u8],
    finder: &'s Finder<'static>,
    last: Option<usize>,
    step: Option<usize>,
}

impl<'s> Overlapping<'s> {
    fn new(haystack: &'s [u8], finder: &'s Finder<'static>) -> Self {
        Self { haystack, finder, last: None, step: None }
    }

    /// The next hit of a run of even steps.
    fn next_in_run(&self) -> Option<usize> {
        let (last, step) = (self.last?, self.step?);
        let end = last + self.finder.needle().len();
        let behind = self.haystack.get(end..end + step)?;
        (behind == &self.haystack[end - step..end]).then_some(last + step)
    }

    fn next_by_search(&self) -> Option<usize> {
        let from = self.last.map_or(0, |last| last + 1);
        let rest = self.haystack.get(from..)?;
        self.finder.find(rest).map(|distance| from + distance)
    }
}

impl Iterator for Overlapping<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let len = self.finder.needle().len();
        if len == 0 {
            return None;
        }
        let hit = match self.next_in_run() {
            Some(hit) => hit,
            None => self.next_by_search()?,
        };
        self.step = self.last.map(|last| hit - last).filter(|&step| step <= len);
        self.last = Some(hit);
        Some(hit)
    }
}

/// Turns offsets in a haystack into offsets in the text, asked in ascending
/// order.
struct Offsets<P: Iterator<Item = usize>> {
    /// The CR that the copy lacks; none where the haystack is the text itself.
    dropped: Peekable<P>,
    count: usize,
}

impl<'s> Offsets<Box<dyn Iterator<Item = usize> + 's>> {
    fn new(search: &Search<'s>) -> Self {
        let dropped: Box<dyn Iterator<Item = usize> + 's> = match search.haystack {
            Cow::Borrowed(_) => Box::new(std::iter::empty()),
            Cow::Owned(_) => Box::new(eol::pairs(search.text)),
        };
        Self { dropped: dropped.peekable(), count: 0 }
    }
}

impl<P: Iterator<Item = usize>> Offsets<P> {
    fn in_text(&mut self, at: usize) -> usize {
        // A newline of the copy stands where the CR of its pair was.
        while self.dropped.next_if(|cr| cr - self.count < at).is_some() {
            self.count += 1;
        }
        at + self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(text: &str, old: &str, mode: EolMode) -> Vec<(usize, usize)> {
        Search::new(text, old, mode).regions().map(|region| (region.start, region.end)).collect()
    }

    fn naive(haystack: &[u8], needle: &[u8]) -> Vec<usize> {
        (0..haystack.len()).filter(|&at| haystack[at..].starts_with(needle)).collect()
    }

    #[test]
    fn overlapping_hits_are_those_of_a_plain_search() {
        // Every needle up to 6 and every text up to 12 bytes over two letters.
        let words = |len: usize| {
            (0..1_u32 << len).map(move |bits| {
                (0..len).map(|i| if bits >> i & 1 == 1 { b'b' } else { b'a' }).collect::<Vec<u8>>()
            })
        };
        for needle in (1..=6).flat_map(words) {
            let finder = Finder::new(&needle).into_owned();
            for text in words(12) {
                let hits: Vec<_> = Overlapping::new(&text, &finder).collect();
                assert_eq!(hits, naive(&text, &needle), "{needle:?} in {text:?}");
            }
        }
    }

    /// Texts that make a careless search quadratic: it would take minutes here.
    #[test]
    fn hostile_texts_are_searched_in_linear_time() {
        let size = 4 << 20;
        let long = |piece: &str| piece.repeat(size / piece.len());
        let half = |piece: &str| piece.repeat(size / piece.len() / 2);
        let cases = [
            (long("a"), half("a"), size / 2 + 1),
            (long("a"), half("a") + "b", 0),
            (long("ab"), half("ba"), size / 4),
            (long("\n"), half("\n") + "x", 0),
            (long("\n") + "\r\n", half("\n"), size / 2 + 2),
            (long("\r\n"), "\n".to_owned() + &half("\r\n"), size / 4),
            (long("\r\n"), half("\r\n") + "\r", 0),
            (half("a") + "b" + &half("a"), half("a"), 2),
        ];
        for (i, (text, old, expected)) in cases.iter().enumerate() {
            let start = std::time::Instant::now();
            let search = Search::new(text, old, EolMode::Adapt);
            let count = match search.find() {
                Found::Nowhere => 0,
                Found::Once => 1,
                Found::Often { count, .. } => count,
            };
            assert_eq!(count, *expected, "case {i}");
            assert!(search.regions().count() <= 2, "case {i}");
            assert!(start.elapsed().as_secs() < 30, "case {i}: {:?}", start.elapsed());
        }
    }

    #[test]
    fn r_edit_1_overlapping_hits_count_but_are_not_replaced_twice() {
        let search = Search::new("aaaa\naa", "aa", EolMode::Adapt);
        let lines = vec![1, 2];
        assert_eq!(search.find(), Found::Often { count: 4, lines });
        assert_eq!(search.regions().collect::<Vec<_>>(), [0..2, 2..4, 5..7]);
    }

    #[test]
    fn r_edit_2_the_first_ten_lines_are_named_once_each() {
        let text = "x x\n".repeat(12);
        let found = Search::new(&text, "x", EolMode::Exact).find();
        let lines = (1..=10).collect();
        assert_eq!(found, Found::Often { count: 24, lines });
    }

    #[test]
    fn r_edit_4_a_pair_is_one_newline_in_any_mix() {
        for (text, expected) in [
            ("a\nb a\r\nb", vec![(0, 3), (4, 8)]),
            ("a\r\nb a\r\nb", vec![(0, 4), (5, 9)]),
            ("a\nb a\nb", vec![(0, 3), (4, 7)]),
        ] {
            for old in ["a\nb", "a\r\nb"] {
                assert_eq!(regions(text, old, EolMode::Adapt), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn r_edit_4_no_hit_begins_or_ends_inside_a_pair() {
        let crlf = "a\r\nb\r\n";
        assert_eq!(regions(crlf, "\nb", EolMode::Adapt), [(1, 4)]);
        assert_eq!(regions(crlf, "a\n", EolMode::Adapt), [(0, 3)]);
        assert_eq!(regions(crlf, "\n", EolMode::Adapt), [(1, 3), (4, 6)]);
        assert_eq!(regions(crlf, "a\r", EolMode::Adapt), []);
        assert_eq!(regions(crlf, "\nb", EolMode::Hint), []);
        assert_eq!(regions(crlf, "a\r", EolMode::Hint), []);
        assert_eq!(regions(crlf, "\r\nb", EolMode::Hint), [(1, 4)]);
        assert_eq!(regions(crlf, "\nb", EolMode::Exact), [(2, 4)]);
        let mixed = "a\r\nb\nc\r\n";
        assert_eq!(regions(mixed, "\nb\nc\n", EolMode::Adapt), [(1, 8)]);
    }

    #[test]
    fn r_edit_4_a_lone_cr_is_data_next_to_newlines() {
        for text in ["x\r\r\ny", "x\r\r\ny\n"] {
            assert_eq!(regions(text, "x\r", EolMode::Adapt), [(0, 2)], "{text:?}");
            assert_eq!(regions(text, "\n", EolMode::Adapt)[0], (2, 4), "{text:?}");
            assert_eq!(regions(text, "\r\r\ny", EolMode::Adapt), [(1, 5)], "{text:?}");
        }
        assert_eq!(regions("10%\r50%", "\r", EolMode::Adapt), [(3, 4)]);
    }

    #[test]
    fn r_edit_4_the_mark_at_the_start_is_never_part_of_a_region() {
        let text = "\u{feff}ab\u{feff}ab";
        assert_eq!(regions(text, "ab", EolMode::Adapt), [(3, 5), (8, 10)]);
        assert_eq!(regions(text, "\u{feff}ab", EolMode::Adapt), [(3, 5), (5, 10)]);
        assert_eq!(regions(text, "\u{feff}", EolMode::Adapt), [(5, 8)]);
        assert_eq!(regions("ab", "\u{feff}ab", EolMode::Adapt), []);
    }
}
