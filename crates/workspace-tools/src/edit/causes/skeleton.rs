//! The skeleton of a text: what is left of it when all that a cause may differ
//! in is taken away.
//!
//! Two texts that differ only by causes have the same skeleton, so one plain
//! search in the skeleton of a file finds every place worth a closer look.
//! Making it takes one pass.

use memchr::memmem;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};

use super::chars::{is_blank, typed, unseen};

/// Bytes of text between two entries of the index back into it.
const STRIDE: usize = 4096;

/// The skeleton of `text`: no blanks, no unseen characters, no accents; plain
/// quotes, lower case, compatibility forms resolved.
pub(super) fn skeleton(text: &str) -> String {
    let mut bones = String::with_capacity(text.len());
    for c in text.chars() {
        push_bones(c, &mut bones);
    }
    bones
}

fn push_bones(c: char, bones: &mut String) {
    if c.is_ascii() {
        if !is_blank(c) {
            bones.push(c.to_ascii_lowercase());
        }
    } else if matches!(c, '\u{4e00}'..='\u{9fff}') {
        // Ideographs have neither case nor parts, and there may be millions.
        bones.push(c);
    } else if let Some(typed) = typed(c) {
        bones.push_str(typed);
    } else if unseen(c).is_none() {
        decompose_compatible(c, |part| {
            let lower = part.to_lowercase();
            bones.extend(
                lower.filter(|&c| !is_blank(c) && unseen(c).is_none() && canonical_combining_class(c) == 0),
            );
        });
    }
}

/// The skeleton of a file, with the way back.
pub(super) struct Skeleton<'t> {
    text: &'t str,
    bones: String,
    /// For each stride of the text: offset in the text, offset in the bones.
    index: Vec<(usize, usize)>,
}

impl<'t> Skeleton<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut bones = String::with_capacity(text.len());
        let mut index = vec![(0, 0)];
        let mut due = STRIDE;
        for (at, c) in text.char_indices() {
            if at >= due {
                index.push((at, bones.len()));
                due = at + STRIDE;
            }
            push_bones(c, &mut bones);
        }
        Self { text, bones, index }
    }

    /// The places of the text whose skeleton is `bones`, left to right and
    /// without overlap. A place has no blanks or unseen characters at its ends.
    pub(super) fn places(&self, bones: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
        memmem::find_iter(self.bones.as_bytes(), bones.as_bytes())
            .map(move |hit| self.in_text(hit, hit + bones.len()))
    }

    /// The text that made the bones from `start` to `end`.
    fn in_text(&self, start: usize, end: usize) -> std::ops::Range<usize> {
        let first = self.first_to_pass(start);
        let last = self.first_to_pass(end.saturating_sub(1));
        let rest = &self.text[last..];
        // Accents leave no bones, but belong to the letter before them.
        let tail: usize = rest
            .chars()
            .enumerate()
            .take_while(|&(i, c)| i == 0 || canonical_combining_class(c) != 0)
            .map(|(_, c)| c.len_utf8())
            .sum();
        first..last + tail
    }

    /// The character whose bones hold the byte `bone`.
    fn first_to_pass(&self, bone: usize) -> usize {
        let entry = self.index.partition_point(|&(_, bones)| bones <= bone);
        let (from, mut passed) = entry.checked_sub(1).map_or((0, 0), |entry| self.index[entry]);
        let mut bones = String::new();
        for (at, c) in self.text[from..].char_indices() {
            bones.clear();
            push_bones(c, &mut bones);
            passed += bones.len();
            if passed > bone {
                return from + at;
            }
        }
        self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_causes_differ_in_is_gone() {
        for text in [
            "caf\u{e9} \u{201c}X\u{201d}\u{2026}\r\n",
            "Cafe\u{301}\u{a0}\t\"x\u{200b}\"...",
            "\u{ff23}AFE\u{301}\u{ab}x\u{bb}...",
        ] {
            assert_eq!(skeleton(text), "cafe\"x\"...", "{text:?}");
        }
        assert_eq!(skeleton("\u{d55c}"), skeleton("\u{1112}\u{1161}\u{11ab}"));
        assert_eq!(skeleton("\u{6f22} \u{5b57}"), "\u{6f22}\u{5b57}");
        assert_eq!(skeleton(" \u{a0}\u{feff}\r\n"), "");
    }

    #[track_caller]
    fn check(text: &str, bones: &str, expected: &[&str]) {
        let skeleton = Skeleton::new(text);
        let found: Vec<_> = skeleton.places(bones).map(|place| &text[place]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn places_lead_back_to_the_text() {
        check(" a B \n c ", "bc", &["B \n c"]);
        check("x cafe\u{301}\u{323} y", "cafe", &["cafe\u{301}\u{323}"]);
        check("wait\u{2026} no", "t.", &["t\u{2026}"]);
        check("ab\u{200b}ab", "ab", &["ab", "ab"]);
        check("abc", "x", &[]);
    }

    #[test]
    fn places_far_into_a_text_are_exact() {
        let filler = "\u{e9}\u{2026} \u{200b}x\n".repeat(5000);
        let text = format!("{filler}Needle\u{301} Here{filler}");
        check(&text, "needlehere", &["Needle\u{301} Here"]);
    }
}
