//! The count, and what it must not exceed.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{ArgPaths, DenyPattern, LexicalJail, MAX_LINE_BYTES, Mode, ShellPolicy, check};

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

pub(crate) fn step(count: usize) {
    STEPS.set(STEPS.get() + count);
}

/// Most steps for one byte of a line.
const PER_BYTE: usize = 80;

fn policies() -> Vec<ShellPolicy> {
    let patterns = ShellPolicy::new()
        .deny_patterns(["git push --force", "rm -rf"])
        .unwrap()
        .deny_pattern(DenyPattern::regex("^git (push|reset).*--(force|hard)").unwrap())
        .deny_paths(["secrets/**", "**/*.pem"])
        .unwrap();
    vec![
        ShellPolicy::new(),
        ShellPolicy::developer(),
        ShellPolicy::read_only(),
        ShellPolicy::posix_utilities(),
        patterns.arg_paths(ArgPaths::Jail),
    ]
}

fn steps(policy: &ShellPolicy, mode: Mode, line: &str) -> usize {
    STEPS.set(0);
    check(Some(policy), mode, line, &LexicalJail::new("/work"));
    STEPS.get()
}

/// Judges a line of about so many bytes.
#[track_caller]
fn bounded(policies: &[ShellPolicy], (start, piece, end): (&str, &str, &str), bytes: usize) {
    let room = bytes.saturating_sub(start.len() + end.len());
    let line = format!("{start}{}{end}", piece.repeat(room / piece.len().max(1)));
    for (number, policy) in policies.iter().enumerate() {
        for mode in [Mode::Sh, Mode::Argv] {
            let steps = steps(policy, mode, &line);
            let per_byte = steps / line.len().max(100);
            assert!(
                per_byte <= PER_BYTE,
                "policy {number}, {mode:?}: {per_byte} steps a byte for {} bytes of {start:?} + {piece:?} + {end:?}",
                line.len()
            );
        }
    }
}

#[test]
fn the_work_grows_with_the_line_and_no_faster() {
    let policies = policies();
    for shape in include_str!("../../testdata/long-lines.jsonl").lines() {
        let (start, piece, end): (String, String, String) = serde_json::from_str(shape).unwrap();
        for bytes in [MAX_LINE_BYTES / 16, MAX_LINE_BYTES / 4] {
            bounded(&policies, (&start, &piece, &end), bytes);
        }
    }
}

#[test]
fn steps_are_counted() {
    let steps = |line| steps(&ShellPolicy::developer(), Mode::Sh, line);
    let (short, long) = (steps("git log"), steps("git log; git log; git log; git log"));
    assert!(short >= "git log".len() && long > 3 * short, "{short} and {long}");
}

/// Pieces of which some make the checker look around.
const PIECES: &[&str] = &[
    "a",
    "git ",
    "rm ",
    "-x ",
    "--y=z ",
    "$X ",
    "$(",
    "`",
    ")",
    "(",
    "'",
    "\"",
    "\\",
    ";",
    "|",
    "&&",
    "\n",
    " ",
    "cd a",
    "../",
    "/",
    "> a ",
    "<<E\n",
    "\nE\n",
    "env ",
    "A=1 ",
    "find . -exec ",
    "\\; ",
    "sed ",
    "s/a/b/;",
    "awk ",
    "system(",
    "*",
    "{}",
    "#",
    "é",
    "sh -c ",
    "xargs ",
    "-f",
    "+",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any piece, repeated behind any start, is judged within the bound.
    #[test]
    fn no_repeated_piece_takes_more(start in vec(select(PIECES), 0..4), piece in vec(select(PIECES), 1..5), end in vec(select(PIECES), 0..3)) {
        bounded(&policies(), (&start.concat(), &piece.concat(), &end.concat()), MAX_LINE_BYTES / 16);
    }
}
