//! What to search a file for to find text like a given one.

use std::{cmp::Reverse, collections::HashSet};

/// A part of the old text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Needle<'a> {
    pub(super) text: &'a str,
    /// Its offset in the old text.
    pub(super) at: usize,
}

/// The shortest word or piece searched, in bytes.
const SHORTEST: usize = 3;

/// The shortest line searched as a whole, in bytes.
const SHORTEST_LINE: usize = 8;

/// The longest words and lines of `head`, at most `count`, the first of equal
/// ones each. A line is only of use where others may differ from it.
pub(super) fn words_and_lines(head: &str, count: usize) -> Vec<Needle<'_>> {
    let mut needles = Vec::new();
    if head.trim().contains('\n') {
        needles = longest(lines(head).filter(|line| line.text.len() >= SHORTEST_LINE), count / 2);
    }
    needles.extend(longest(words(head), count - needles.len()));
    needles
}

/// Thirds of the longest words of `head`, at most `count`: one of them is likely
/// to be free of a slip.
pub(super) fn pieces(head: &str, count: usize) -> Vec<Needle<'_>> {
    longest(words(head), count.div_ceil(3)).into_iter().flat_map(thirds).take(count).collect()
}

fn longest<'a>(needles: impl Iterator<Item = Needle<'a>>, count: usize) -> Vec<Needle<'a>> {
    let mut seen = HashSet::new();
    let mut needles: Vec<_> = needles.filter(|needle| seen.insert(needle.text)).collect();
    needles.sort_by_key(|needle| Reverse(needle.text.len()));
    needles.truncate(count);
    needles
}

fn lines(head: &str) -> impl Iterator<Item = Needle<'_>> {
    let mut behind = 0;
    head.split_inclusive('\n').map(move |line| {
        let start = behind + line.len() - line.trim_start().len();
        behind += line.len();
        Needle { text: line.trim(), at: start }
    })
}

fn words(head: &str) -> impl Iterator<Item = Needle<'_>> {
    let outside = |c: char| !c.is_alphanumeric() && c != '_';
    let mut behind = 0;
    head.split_inclusive(outside)
        .map(move |piece| {
            let needle = Needle { text: piece.trim_end_matches(outside), at: behind };
            behind += piece.len();
            needle
        })
        .filter(|word| word.text.len() >= SHORTEST)
}

fn thirds(word: Needle<'_>) -> impl Iterator<Item = Needle<'_>> {
    let len = (word.text.len() / 3).max(SHORTEST);
    let mut from = 0;
    std::iter::from_fn(move || {
        let to = word.text.ceil_char_boundary(from + len);
        let text = word.text.get(from..to).filter(|text| text.len() >= SHORTEST)?;
        let piece = Needle { text, at: word.at + from };
        from = to;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'a>(needles: &[Needle<'a>], head: &str) -> Vec<&'a str> {
        for needle in needles {
            assert!(head[needle.at..].starts_with(needle.text), "{needle:?}");
        }
        needles.iter().map(|needle| needle.text).collect()
    }

    #[test]
    fn the_longest_words_and_lines_come_first() {
        let head = "  let x = first_one(y);\n\n  let second = x;\n}\n";
        let needles = words_and_lines(head, 6);
        let expected = ["let x = first_one(y);", "let second = x;", "first_one", "second", "let"];
        assert_eq!(texts(&needles, head), expected);
        assert_eq!(texts(&words_and_lines("one_line here", 6), "one_line here"), ["one_line", "here"]);
    }

    #[test]
    fn pieces_are_thirds_of_words() {
        let head = "x calculate_total";
        assert_eq!(texts(&pieces(head, 4), head), ["calcu", "late_", "total"]);
        let head = "\u{6f22}\u{5b57}\u{304b}\u{306a}";
        assert_eq!(texts(&pieces(head, 9), head), ["\u{6f22}\u{5b57}", "\u{304b}\u{306a}"]);
    }
}
