//! The region of a file that is most like an old text that was not found.
//!
//! Rare words and whole lines of the old text are searched in the file; where
//! many of them stand as far apart as in the old text, the lines are compared.
//! The work is bounded: at most [`SCANNED`] bytes are searched, a few hundred
//! hits a word are kept, and [`COMPARED`] places are compared in [`HEAD`] bytes
//! each.

mod needles;
mod region;

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use self::needles::{Needle, pieces, words_and_lines};
pub(crate) use self::region::Region;

/// Bytes of file searched, all needles together.
const SCANNED: usize = 256 << 20;

/// Bytes at the start of the old text that are looked at.
const HEAD: usize = 4096;

/// The most needles, and the fewest for a file that uses up the budget.
const NEEDLES: (usize, usize) = (16, 4);

/// Hits kept for each needle.
const HITS: usize = 512;

/// Places compared line by line.
const COMPARED: usize = 12;

/// Lines, and bytes of each line, that are compared.
const LINES: usize = 64;
const LINE_BYTES: usize = 512;

/// How like the old text a region must be, from 0 to 1, to be worth showing.
const WORTH_SHOWING: f64 = 0.4;

/// The lines of `text` around `place`; where they are many, those around
/// `focus`.
pub(super) fn region_at(text: &str, place: &Range<usize>, focus: usize) -> Region {
    Region::cut(text, place, focus)
}

/// The region of `text` most like `old`, if any is.
pub(super) fn find(text: &str, old: &str) -> Option<Region> {
    let old = old.trim_start_matches(['\r', '\n', '\u{feff}']);
    let head = &old[..old.floor_char_boundary(HEAD)];
    let count = (SCANNED / text.len().max(1)).clamp(NEEDLES.1, NEEDLES.0);
    let likeness =
        best(text, head, &words_and_lines(head, count)).or_else(|| best(text, head, &pieces(head, count)))?;
    Some(Region::cut(text, &likeness.place, likeness.focus))
}

fn best(text: &str, head: &str, needles: &[Needle<'_>]) -> Option<Likeness> {
    let hits = hits(text, needles);
    starts(&hits, 64 + head.len() / 4)
        .into_iter()
        .map(|start| Likeness::at(text, start, head))
        .filter(|likeness| likeness.score >= WORTH_SHOWING)
        // Of equal ones the first: it has the most hits.
        .rev()
        .max_by(|a, b| a.score.total_cmp(&b.score))
}

/// A needle found in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hit {
    /// Where the old text would begin.
    start: usize,
    /// Longer and rarer needles weigh more.
    weight: usize,
}

/// All hits, by their start.
fn hits(text: &str, needles: &[Needle<'_>]) -> Vec<Hit> {
    let mut hits = Vec::new();
    for needle in needles {
        let first = hits.len();
        let found = memmem::find_iter(text.as_bytes(), needle.text.as_bytes());
        hits.extend(found.take(HITS).map(|at| Hit { start: at.saturating_sub(needle.at), weight: 0 }));
        let count = hits.len() - first;
        for hit in hits.iter_mut().skip(first) {
            hit.weight = needle.text.len() * HITS / count;
        }
    }
    hits.sort_by_key(|hit| hit.start);
    hits
}

/// Where to compare: the heaviest groups of hits within `width` bytes, heaviest
/// first, each by its heaviest hit.
fn starts(hits: &[Hit], width: usize) -> Vec<usize> {
    let mut groups = Vec::with_capacity(hits.len());
    let (mut end, mut weight) = (0, 0);
    for (first, hit) in hits.iter().enumerate() {
        while let Some(next) = hits.get(end).filter(|next| next.start - hit.start <= width) {
            weight += next.weight;
            end += 1;
        }
        groups.push((weight, first..end));
        weight -= hit.weight;
    }
    groups.sort_by_key(|&(weight, _)| std::cmp::Reverse(weight));
    let mut starts: Vec<usize> = Vec::with_capacity(COMPARED);
    for (_, group) in groups {
        let Some(heaviest) = hits[group].iter().rev().max_by_key(|hit| hit.weight) else { continue };
        if starts.iter().all(|start| start.abs_diff(heaviest.start) > width) {
            starts.push(heaviest.start);
            if starts.len() == COMPARED {
                break;
            }
        }
    }
    starts
}

/// How like the old text the lines at a place are.
struct Likeness {
    place: Range<usize>,
    /// The first line that differs.
    focus: usize,
    score: f64,
}

impl Likeness {
    fn at(text: &str, start: usize, head: &str) -> Self {
        let start = text.floor_char_boundary(start);
        let first = start_of_line(text, start);
        let mut at = first;
        let mut focus = None;
        let (mut likeness, mut weights) = (0.0, 0.0);
        for old in head.split('\n').take(LINES) {
            let old = cut(old).trim();
            let end = memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |distance| at + distance);
            let line = cut(&text[at..end]).trim();
            let weight = f64::from(u32::try_from(old.len()).unwrap_or(u32::MAX));
            likeness += weight * strsim::sorensen_dice(old, line);
            weights += weight;
            if old != line {
                focus.get_or_insert(at);
            }
            at = (end + 1).min(text.len());
        }
        let mut score = if weights > 0.0 { likeness / weights } else { 0.0 };
        if !head.contains('\n') {
            // A part of a line is compared with a part of the line.
            let end = text.floor_char_boundary(start + head.len().min(LINE_BYTES));
            score = score.max(strsim::sorensen_dice(cut(head), &text[start..end]));
            focus = Some(start);
        }
        Self { place: first..at.max(first), focus: focus.unwrap_or(first), score }
    }
}

/// The start of the line that holds `at`; `at` itself in the midst of a line
/// much longer than what is compared.
fn start_of_line(text: &str, at: usize) -> usize {
    let low = at.saturating_sub(4 * LINE_BYTES);
    match memrchr(b'\n', &text.as_bytes()[low..at]) {
        Some(lf) => low + lf + 1,
        None if low == 0 => 0,
        None => at,
    }
}

fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(LINE_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, expected: Option<(u64, &[&str])>) {
        let found = find(text, old);
        let got = found
            .as_ref()
            .map(|region| (region.start_line, region.lines.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!(got, expected.map(|(line, lines)| (line, lines.to_vec())));
    }

    #[test]
    fn r_edit_3_a_line_remembered_wrongly_is_found() {
        check(
            "// areas\nfn area(side: &Len) -> i64 {\n    0\n}\n",
            "fn area(side: &Len) -> i32 {",
            Some((2, &["fn area(side: &Len) -> i64 {"])),
        );
    }

    #[test]
    fn r_edit_3_the_most_similar_of_many_places_is_found() {
        let text: Vec<_> =
            (0..5000).map(|i| format!("fn step_{i}(a: u8) {{\n    run(a, {i});\n}}\n\n")).collect();
        let text = text.concat();
        check(
            &text,
            "fn step_3210(a: u8) {\n    run(b, 3210);\n}",
            Some((3210 * 4 + 1, &["fn step_3210(a: u8) {", "    run(a, 3210);", "}"])),
        );
    }

    #[test]
    fn r_edit_3_a_misspelt_word_is_found_by_its_pieces() {
        check(
            "x\nlet total = calculateTotal(items, rates, discounts, currency);\n",
            "calcualteTotal",
            Some((2, &["let total = calculateTotal(items, rates, discounts, currency);"])),
        );
    }

    #[test]
    fn r_edit_3_a_long_region_is_shown_around_the_first_difference() {
        let lines = |nine: &str| -> String {
            (1..=30)
                .map(|i| if i == 15 { format!("{nine}\n") } else { format!("line number {i}\n") })
                .collect()
        };
        let region = find(&lines("was"), &lines("is")).unwrap();
        assert_eq!((region.start_line, region.lines.len()), (13, 10));
        assert_eq!(region.lines[2], "was");
    }

    #[test]
    fn places_with_many_hits_close_together_come_first() {
        let hit = |(start, weight)| Hit { start, weight };
        let hits = [(100, 5), (103, 6), (110, 4), (500, 8), (900, 1), (910, 2)].map(hit);
        assert_eq!(starts(&hits, 20), [103, 500, 910]);
        assert_eq!(starts(&hits, 0), [500, 103, 100, 110, 910, 900]);
    }

    #[test]
    fn nothing_similar_is_nothing() {
        check("alpha\nbeta\n", "gamma delta", None);
        check("", "gamma", None);
        check("alpha", "\n", None);
        check("import os\nimport sys\n", "import { render } from 'react-dom/server/edge/browser'", None);
    }

    #[test]
    fn a_file_of_one_long_line_is_cut_around_the_place() {
        let filler = "var a=1;".repeat(20_000);
        let text = format!("{filler}function setUserName(n){{this.name=n}}{filler}");
        let region = find(&text, "function setUserName(n){this.name=m}").unwrap();
        assert_eq!((region.start_line, region.lines.len()), (1, 1));
        assert!(region.lines[0].contains("function setUserName(n){this.name=n}"), "{region}");
        assert!(region.lines[0].len() < 400);
    }
}
