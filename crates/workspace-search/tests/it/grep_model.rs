//! Grep against the regular expressions of `regex`, line by line.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use workspace_core::{GrepMode, GrepQuery};

use crate::grep::{answer, query};
use crate::tree::Tree;

/// The lines of a file as the contract has them.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    for line in &mut lines {
        *line = line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n")).unwrap_or(line);
    }
    lines
}

/// Index, column and context of each line that matches.
fn expected(bytes: &[u8], pattern: &str, context: usize) -> Vec<(usize, u64, Range<usize>, Range<usize>)> {
    let regex = regex::bytes::RegexBuilder::new(pattern).multi_line(true).build().unwrap();
    let lines = lines(bytes);
    let matching: Vec<usize> = (0..lines.len()).filter(|&at| regex.is_match(lines[at])).collect();
    let mut unseen = 0;
    let mut found = Vec::new();
    for (index, &at) in matching.iter().enumerate() {
        let start = regex.find(lines[at]).unwrap().start();
        let column = String::from_utf8_lossy(&lines[at][..start]).chars().count() as u64 + 1;
        let next = matching.get(index + 1).copied().unwrap_or(lines.len());
        let before = at.saturating_sub(context).max(unseen)..at;
        let after = at + 1..(at + 1 + context).min(next);
        unseen = after.end;
        found.push((at, column, before, after));
    }
    found
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    let piece = select(vec![
        "a", "b", "ab", " ", "é", "日", "1", "\n", "\n", "\n", "\r\n", "\r\n", "\r", "\u{feff}", "\n\n", "_",
    ]);
    let bytes = prop_oneof![19 => piece.prop_map(|piece| piece.as_bytes().to_vec()), 1 => Just(vec![0xff])];
    vec(bytes, 0..60).prop_map(|pieces| pieces.concat())
}

fn pattern() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        4 => select(vec!["a", "b", "é", "ab", "1"]),
        2 => select(vec![".", r"\w", r"\d", "[^a]", r"\s", "[b-é]", r"\r"]),
        1 => select(vec!["^", "$", r"\b", r"\B", r"\A", r"\z", ""]),
    ];
    let piece = (atom, select(vec!["", "", "", "*", "+", "?", "{2}"])).prop_map(|(atom, times)| {
        // A look has no repetition of its own.
        let grouped = format!("(?:{atom})");
        if times.is_empty() { atom.to_owned() } else { format!("{grouped}{times}") }
    });
    let branch = vec(piece, 1..4).prop_map(|pieces| pieces.concat());
    vec(branch, 1..3).prop_map(|branches| branches.join("|"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn grep_finds_the_lines_that_regex_does(
        bytes in file(), pattern in pattern(), context in 0..4_usize, limit in 0..5_usize,
    ) {
        let all = lines(&bytes);
        let text = |at: usize| String::from_utf8_lossy(all[at]).into_owned();
        let expected: Vec<_> = expected(&bytes, &pattern, context)
            .into_iter()
            .map(|(at, column, before, after)| {
                (at as u64 + 1, column, text(at), before.map(text).collect::<Vec<_>>(), after.map(text).collect::<Vec<_>>())
            })
            .collect();
        let tree = Tree::new().file("f", &bytes);
        let mut query = query(&pattern);
        query.context = context;
        let found = |query: &GrepQuery| {
            let answer = answer(&tree, query);
            let lines = answer.lines.into_iter();
            let lines: Vec<_> = lines.map(|line| (line.line, line.column, line.text, line.before, line.after)).collect();
            (lines, answer.tally.truncated)
        };
        prop_assert_eq!(found(&query), (expected.clone(), false));
        query.limits.max_results = Some(limit);
        let kept = expected[..limit.min(expected.len())].to_vec();
        prop_assert_eq!(found(&query), (kept, expected.len() > limit));
        query.mode = GrepMode::Count;
        query.limits.max_results = None;
        let counts = answer(&tree, &query).counts;
        prop_assert_eq!(counts.first().map_or(0, |count| count.count), expected.len() as u64);
    }
}

#[test]
fn lines_are_numbered_on_over_the_pieces_of_a_large_file() {
    // Longer lines than a piece, and pieces that end in any part of a line.
    for width in [1_usize, 7, 1000, 65_535, 65_536, 70_000, 200_000] {
        let lines: Vec<String> = (0..400_000 / width + 3)
            .map(|n| n.to_string())
            .map(|n| "-".repeat(width.saturating_sub(n.len())) + &n)
            .collect();
        let bytes = lines.join("\r\n");
        let mut query = query("7$");
        query.limits.max_results = None;
        (query.context, query.max_line_chars) = (1, usize::MAX);
        let found = answer(&Tree::new().file("f", &bytes), &query).lines;
        let expected: Vec<_> = lines.iter().enumerate().filter(|(_, line)| line.ends_with('7')).collect();
        assert_eq!(found.len(), expected.len(), "{width}");
        for (found, (at, line)) in found.iter().zip(expected) {
            assert_eq!((found.line, &found.text), (at as u64 + 1, line));
            assert_eq!(found.before, lines[at - 1..at]);
            assert_eq!(found.after, lines[at + 1..lines.len().min(at + 2)]);
        }
    }
}
