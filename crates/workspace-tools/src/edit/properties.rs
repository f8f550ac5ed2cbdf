//! The engine against a slow, plain model of its rules, on generated texts.
//!
//! The model splits a text into tokens, a character or a CRLF pair each, and
//! tries every position. It shares no code with the engine.

use std::time::{Duration, Instant};

use proptest::{collection::vec, prelude::*, sample::select};

use super::{
    Change, EditFailure, EolMode, Insertion, Replacement, Rules, change::Outcome, edit, edit_all, unified,
};

const MODES: [EolMode; 3] = [EolMode::Adapt, EolMode::Hint, EolMode::Exact];

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 2000,
        max_global_rejects: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A text of the given pieces.
fn text_of(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    vec(select(pieces), 0..=most).prop_map(|pieces| pieces.concat())
}

/// A text of at least one piece.
fn some_text_of(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    vec(select(pieces), 1..=most).prop_map(|pieces| pieces.concat())
}

/// Few different characters, so that texts are often found; all kinds of
/// newlines, and CRs that are none.
const ANY: &[&str] = &["a", "b", "\u{e9}", "\n", "\n", "\r\n", "\r\n", "\r"];
const WITHOUT_CR: &[&str] = &["a", "b", "\n", "\r\n"];

/// A text, and parts to replace: `old` is short enough to be found often.
fn case(pieces: &'static [&'static str]) -> impl Strategy<Value = (String, String, String, bool)> {
    (text_of(pieces, 24), some_text_of(pieces, 3), text_of(pieces, 5), any::<bool>())
}

fn run(text: &str, old: &str, new: &str, replace_all: bool, eol: EolMode) -> Result<Outcome, EditFailure> {
    let change = Change::Replace(Replacement { old, new, replace_all });
    edit(text, &change, &Rules { eol, ..Rules::default() })
}

/// Characters, and pairs where `pairs` says so.
fn tokens(text: &str, pairs: bool) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = if pairs && rest.starts_with("\r\n") { 2 } else { c.len_utf8() };
        let (token, behind) = rest.split_at(len);
        tokens.push(token);
        rest = behind;
    }
    tokens
}

fn is_newline(token: &str) -> bool {
    token == "\n" || token == "\r\n"
}

fn lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// What the rules say: the new text, or `None` where it has no single or no
/// occurrence, with their number.
fn model(
    text: &str,
    old: &str,
    new: &str,
    replace_all: bool,
    mode: EolMode,
) -> Result<(String, usize), usize> {
    let pairs = mode != EolMode::Exact;
    let (text, old, new) = (tokens(text, pairs), tokens(old, pairs), tokens(new, pairs));
    let same = |a: &str, b: &str| a == b || mode == EolMode::Adapt && is_newline(a) && is_newline(b);
    let hits: Vec<usize> = (0..text.len())
        .filter(|&at| text[at..].len() >= old.len() && text[at..].iter().zip(&old).all(|(a, b)| same(a, b)))
        .collect();
    if hits.is_empty() || hits.len() > 1 && !replace_all {
        return Err(hits.len());
    }
    let crlf = text.iter().filter(|&&token| token == "\r\n").count();
    let bare = text.iter().filter(|&&token| token == "\n").count();
    let dominant = if crlf > bare { "\r\n" } else { "\n" };
    let mut out = String::new();
    let (mut at, mut count) = (0, 0);
    while at < text.len() {
        if !hits.contains(&at) {
            out.push_str(text[at]);
            at += 1;
            continue;
        }
        let end = at + old.len();
        let mut endings: Vec<&str> =
            text[at..end].iter().copied().filter(|token| is_newline(token)).collect();
        if endings.is_empty() {
            let behind = text[end..].iter().copied().find(|token| is_newline(token));
            endings.push(behind.unwrap_or(dominant));
        }
        let mut written = 0;
        for token in &new {
            if pairs && is_newline(token) {
                out.push_str(endings[written.min(endings.len() - 1)]);
                written += 1;
            } else {
                out.push_str(token);
            }
        }
        at = end;
        count += 1;
    }
    Ok((out, count))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn r_edit_4_each_mode_does_what_the_model_does((text, old, new, all) in case(ANY)) {
        prop_assume!(lf(&old) != lf(&new));
        for mode in MODES {
            let expected = model(&text, &old, &new, all, mode);
            let got = match run(&text, &old, &new, all, mode) {
                Ok(outcome) => Ok((outcome.text, outcome.replacements)),
                Err(EditFailure::NoMatch { .. }) => Err(0),
                Err(EditFailure::NotUnique { count, .. }) => Err(count),
                // Possible only where the model leaves the text as it is too.
                Err(EditFailure::NoChange) => {
                    prop_assert_eq!(&expected.as_ref().unwrap().0, &text);
                    continue;
                }
                Err(other) => panic!("{other:?}"),
            };
            prop_assert_eq!(got, expected, "{:?}", mode);
        }
    }

    #[test]
    fn r_edit_1_exact_is_a_plain_replacement_of_bytes((text, old, new, _) in case(ANY)) {
        prop_assume!(lf(&old) != lf(&new) && text.contains(&old));
        let outcome = run(&text, &old, &new, true, EolMode::Exact).unwrap();
        prop_assert_eq!(outcome.text, text.replace(&old, &new));
        prop_assert!(!outcome.eol_adapted);
    }

    #[test]
    fn r_edit_4_adapt_is_a_plain_replacement_but_for_endings((text, old, new, _) in case(WITHOUT_CR)) {
        let (plain, plain_old, plain_new) = (lf(&text), lf(&old), lf(&new));
        prop_assume!(plain_old != plain_new && plain.contains(&plain_old));
        let outcome = run(&text, &old, &new, true, EolMode::Adapt).unwrap();
        prop_assert_eq!(lf(&outcome.text), plain.replace(&plain_old, &plain_new));
    }

    #[test]
    fn r_edit_4_a_uniform_file_stays_uniform((text, old, new, all) in case(WITHOUT_CR)) {
        prop_assume!(lf(&old) != lf(&new) && text.contains('\n'));
        let unix = lf(&text);
        if let Ok(outcome) = run(&unix, &old, &new, all, EolMode::Adapt) {
            prop_assert!(!outcome.text.contains('\r'));
        }
        let dos = unix.replace('\n', "\r\n");
        if let Ok(outcome) = run(&dos, &old, &new, all, EolMode::Adapt) {
            prop_assert_eq!(lf(&outcome.text).replace('\n', "\r\n"), outcome.text);
        }
    }

    #[test]
    fn r_edit_4_the_mark_changes_nothing_else((text, old, new, all) in case(ANY)) {
        for mode in MODES {
            let marked = format!("\u{feff}{text}");
            let with_mark = run(&marked, &old, &new, all, mode).map(|outcome| {
                let body = outcome.text.strip_prefix('\u{feff}').unwrap().to_owned();
                Outcome { text: body, ..outcome }
            });
            let without = run(&text, &old, &new, all, mode);
            match (with_mark, without) {
                // The hints may show the mark as a difference; the kind must not.
                (Err(EditFailure::NoMatch { .. }), Err(EditFailure::NoMatch { .. })) => {}
                (with_mark, without) => prop_assert_eq!(with_mark, without),
            }
        }
    }

    #[test]
    fn r_edit_10_lines_are_where_the_model_writes((text, old, new, _) in case(ANY)) {
        prop_assume!(lf(&old) != lf(&new));
        // A star at the start of the new text shows where replacements begin.
        let starred = format!("*{new}");
        let Ok(outcome) = run(&text, &old, &starred, true, EolMode::Adapt) else { return Ok(()) };
        let expected: Vec<u64> = (1..)
            .zip(outcome.text.split('\n'))
            .filter_map(|(number, line)| line.contains('*').then_some(number))
            .take(20)
            .collect();
        prop_assert_eq!(outcome.lines, expected);
    }

    #[test]
    fn r_edit_8_an_insertion_leaves_each_line_as_it_was(
        text in text_of(WITHOUT_CR, 12),
        new in text_of(WITHOUT_CR, 4),
        line in 0_u64..8,
    ) {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let total_lines = lines.len() as u64;
        let change = Change::Insert(Insertion { line, new: &new });
        let outcome = edit(&text, &change, &Rules::default());
        if new.is_empty() {
            prop_assert_eq!(outcome, Err(EditFailure::NoChange));
            return Ok(());
        }
        if line > total_lines {
            prop_assert_eq!(outcome, Err(EditFailure::OutOfRange { total_lines }));
            return Ok(());
        }
        let outcome = outcome.unwrap();
        let at = usize::try_from(line).unwrap();
        let bare = |line: &str| lf(line).trim_end_matches('\n').to_owned();
        let mut expected: Vec<String> = lines.iter().map(|line| bare(line)).collect();
        expected.splice(at..at, new.split_inclusive('\n').map(bare));
        let got: Vec<String> = outcome.text.split_inclusive('\n').map(bare).collect();
        prop_assert_eq!(got, expected);
        prop_assert_eq!(outcome.lines, vec![line + 1]);
        // The bytes around it are untouched, and a final newline is kept.
        let (before, behind) = (lines[..at].concat(), lines[at..].concat());
        prop_assert!(outcome.text.starts_with(&before) && outcome.text.ends_with(&behind));
        prop_assert!(!text.ends_with('\n') || outcome.text.ends_with('\n'));
    }

    #[test]
    fn r_multi_1_several_edits_are_single_edits_in_a_row(
        text in text_of(ANY, 16),
        edits in vec((text_of(ANY, 2), text_of(ANY, 3), any::<bool>()), 1..4),
    ) {
        let rules = Rules::default();
        let replacements: Vec<_> =
            edits.iter().map(|(old, new, all)| Replacement { old, new, replace_all: *all }).collect();
        let fault = replacements
            .iter()
            .enumerate()
            .find_map(|(index, replacement)| Some((index, replacement.check().err()?)));
        let mut expected = text.clone();
        let mut counts = Vec::new();
        let mut failure = fault.map(|(index, failure)| (Some(index), failure));
        for (index, replacement) in replacements.iter().enumerate() {
            if failure.is_some() {
                break;
            }
            match edit(&expected, &Change::Replace(*replacement), &rules) {
                Ok(outcome) => {
                    expected = outcome.text;
                    counts.push(outcome.replacements);
                }
                Err(at_fault) => failure = Some((Some(index), at_fault)),
            }
        }
        if failure.is_none() && expected == text {
            failure = Some((None, EditFailure::NoChange));
        }
        match (edit_all(&text, &replacements, &rules), failure) {
            (Ok(outcome), None) => {
                let got: Vec<_> = outcome.per_edit.iter().map(|report| report.replacements).collect();
                prop_assert_eq!(got, counts);
                let last_line = expected.split_inclusive('\n').count().max(1) as u64;
                for report in &outcome.per_edit {
                    prop_assert!(report.lines.is_sorted_by(|a, b| a < b));
                    prop_assert!(!report.lines.is_empty() && report.lines.iter().all(|&line| line <= last_line));
                }
                if let [replacement] = replacements[..] {
                    let single = edit(&text, &Change::Replace(replacement), &rules).unwrap();
                    prop_assert_eq!(&single.lines, &outcome.per_edit[0].lines);
                }
                prop_assert_eq!(outcome.text, expected);
            }
            (Err(got), Some(expected)) => prop_assert_eq!((got.edit_index, got.failure), expected),
            (got, expected) => panic!("{got:?} {expected:?}"),
        }
    }

    #[test]
    fn r_edit_3_any_failure_is_explained_within_bounds(
        text in text_of(ODD, 30),
        old in text_of(ODD, 6),
        any_text in ".{0,40}",
        any_old in ".{0,8}",
        line in 0_u64..4,
    ) {
        for (text, old) in [(&text, &old), (&any_text, &any_old), (&text, &any_old)] {
            for mode in MODES {
                let outcome = run(text, old, "new \u{2028} text\n", true, mode);
                let change = Change::Insert(Insertion { line, new: old });
                let _ = edit(text, &change, &Rules { eol: mode, ..Rules::default() });
                let Err(EditFailure::NoMatch { causes, closest }) = outcome else { continue };
                prop_assert!(causes.len() <= 2 && causes.is_sorted_by(|a, b| a.kind < b.kind));
                if mode == EolMode::Adapt {
                    prop_assert!(causes.iter().all(|cause| cause.kind.as_str() != "line-endings"));
                }
                if let Some(region) = closest {
                    prop_assert!((1..=10).contains(&region.lines.len()));
                    prop_assert!(region.start_line <= text.split('\n').count() as u64);
                }
            }
        }
    }

    #[test]
    fn a_diff_leads_from_the_old_text_to_the_new(
        old in text_of(LINES, 30),
        new in text_of(LINES, 30),
        max_bytes in 0_usize..400,
    ) {
        let diff = unified("f", &old, &new, usize::MAX);
        prop_assert_eq!(patched(&old, &diff), new.as_str());
        prop_assert!(unified("f", &old, &new, max_bytes).len() <= max_bytes);
    }
}

/// Characters that causes are about.
const ODD: &[&str] = &[
    "a",
    "A",
    "b",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\u{a0}",
    "\u{200b}",
    "\u{feff}",
    "\"",
    "\u{201c}",
    "'",
    "\u{2019}",
    "\u{2026}",
    "...",
    "\u{e9}",
    "e\u{301}",
    "e",
    "\u{323}",
    "\u{c9}",
    "\u{fb01}",
    "fi",
    "12: ",
    "     7\t",
    "\u{130}",
    "\u{df}",
    "\u{ac00}",
    "\u{1100}\u{1161}",
    "\u{1f98a}",
    "\u{4e2d}",
];

/// Whole lines, few of them different, and a last one without a newline.
const LINES: &[&str] = &["a\n", "b\n", "c\n", "d\n", "a\r\n", "\n", "a"];

/// Applies a unified diff, checking every line it says is there.
fn patched(old: &str, diff: &str) -> String {
    let mut old = old.split_inclusive('\n');
    let mut out = String::new();
    let mut copied = 0;
    let mut lines = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        let (sign, text) = line.split_at(1);
        let cut = lines.peek().is_some_and(|next| next.starts_with('\\'));
        let text = if cut { text.strip_suffix('\n').unwrap() } else { text };
        match sign {
            "@" => {
                let range = line.split(' ').nth(1).unwrap().trim_start_matches('-');
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                let before = start.parse::<usize>().unwrap() - usize::from(count != "0");
                while copied < before {
                    out.push_str(old.next().unwrap());
                    copied += 1;
                }
            }
            "+" => out.push_str(text),
            "-" | " " => {
                assert_eq!(old.next(), Some(text));
                copied += 1;
                if sign == " " {
                    out.push_str(text);
                }
            }
            _ => assert_eq!(line, "\\ No newline at end of file\n"),
        }
    }
    out.extend(old);
    out
}

/// Texts that make a careless search for causes or for a region quadratic. The
/// bound leaves room for a slow and busy machine.
#[test]
fn r_edit_3_hostile_texts_are_explained_in_linear_time() {
    let size = 1 << 18;
    let long = |piece: &str| piece.repeat(size / piece.len());
    let cases = [
        (long("a"), format!("{}b", "a".repeat(size / 2))),
        (long("\n"), format!("{}x", "\n".repeat(size / 2))),
        (long("\r"), format!("{}\n", "\r".repeat(size / 2))),
        (long(" "), format!("x{}", " ".repeat(1000))),
        (format!("x{}", long(" ")), format!("x{}y", " ".repeat(1000))),
        (long("x \t"), "x  x  x  X".to_owned()),
        (long("e\u{301}"), "\u{e9}\u{e9}\u{e9}E".to_owned()),
        (format!("e{}", long("\u{301}")), "\u{e9}".to_owned()),
        (long("foo bar "), "foo baz bar foo".to_owned()),
        (long("1: a\n"), "1: b\n2: a\n".repeat(200)),
        (long("\u{ac00}"), "\u{1100}\u{1161}".repeat(1000)),
        (long("ab c"), "abc ".repeat(5000)),
    ];
    for (i, (text, old)) in cases.iter().enumerate() {
        let start = Instant::now();
        let outcome = run(text, old, "x", true, EolMode::Adapt);
        assert!(matches!(outcome, Err(EditFailure::NoMatch { .. })), "case {i}");
        assert!(start.elapsed() < Duration::from_secs(20), "case {i}: {:?}", start.elapsed());
    }
}
