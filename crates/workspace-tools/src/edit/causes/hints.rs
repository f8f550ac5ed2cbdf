//! What a caller is told about a cause: what differs, where, and what to do.

use memchr::{memchr, memrchr};
use unicode_normalization::char::canonical_combining_class;

use super::{
    super::matching::newline_count,
    CauseKind,
    candidate::Witness,
    chars::{named, unseen},
};

/// Characters of a line shown before and behind the difference.
const SHOWN: usize = 60;

/// The hint for one difference between `text` and `old`.
pub(super) fn hint(text: &str, old: &str, witness: &Witness) -> String {
    let line = 1 + newline_count(&text.as_bytes()[..witness.text_at]);
    let ours = text[witness.text_at..].chars().next();
    let theirs = old[witness.old_at..].chars().next();
    match witness.kind {
        CauseKind::LineEndings => {
            let (file, given) = if ours == Some('\n') && is_pair(text, witness.text_at) {
                ("CRLF", "LF")
            } else {
                ("LF", "CRLF")
            };
            format!(
                "line {line} of the file ends with {file} where `old_string` has {given}: send it with the \
                 line endings of the file"
            )
        }
        CauseKind::LineNumbers => format!(
            "`old_string` carries line numbers, which are no part of the file; the text behind them \
             stands at line {line}: send it without the numbers and what separates them from the text"
        ),
        CauseKind::Whitespace if theirs == Some('\n') && ours.is_none() => format!(
            "line {line} is the last one and has no newline at its end: leave the final newline out of \
             `old_string`"
        ),
        CauseKind::Whitespace => format!(
            "blanks differ at line {line}: the file has {}, `old_string` has {}; send the line with its \
             blanks as they stand in the file",
            shown(text, witness.text_at),
            shown(old, witness.old_at)
        ),
        CauseKind::Tabs => {
            let (file, given) = if theirs == Some('\t') { ("spaces", "a tab") } else { ("a tab", "spaces") };
            format!(
                "line {line} has {file} where `old_string` has {given}: the file has {}, `old_string` has \
                 {}; send the line with the tabs and spaces of the file",
                shown(text, witness.text_at),
                shown(old, witness.old_at)
            )
        }
        CauseKind::Quotes => format!(
            "line {line} has {} where `old_string` has {}: send the character that stands in the file",
            or_end(ours),
            or_end(theirs)
        ),
        CauseKind::InvisibleCharacters => invisible(line, ours, theirs),
        CauseKind::UnicodeForm => format!(
            "line {line} spells a character {} and `old_string` spells it {}, which looks alike: send \
             the code points of the file, or choose text around it",
            spelled(&text[witness.text_at..]),
            spelled(&old[witness.old_at..])
        ),
        CauseKind::Case => format!(
            "line {line} has the text in other letter case: the file has {}, `old_string` has {}; send it \
             as it stands in the file",
            shown(text, witness.text_at),
            shown(old, witness.old_at)
        ),
    }
}

/// The hint for an old text without any visible character but `c`.
pub(super) fn unseen_only(c: char) -> String {
    format!(
        "`old_string` has no visible text, only blanks and {}; at the start of a file that character is \
         kept and can't be matched: choose visible text",
        named(c)
    )
}

/// The hint for line numbers in an old text that does not stand in the file
/// without them either.
pub(super) fn numbers_only() -> String {
    "`old_string` carries line numbers, which are no part of the file: send it without the \
     numbers and what separates them from the text, which may differ too"
        .to_owned()
}

fn is_pair(text: &str, lf: usize) -> bool {
    text[..lf].ends_with('\r')
}

fn or_end(c: Option<char>) -> String {
    c.map_or_else(|| "its end".to_owned(), named)
}

fn invisible(line: u64, ours: Option<char>, theirs: Option<char>) -> String {
    let is_unseen = |c: &char| unseen(*c).is_some();
    match (ours.filter(is_unseen), theirs.filter(is_unseen)) {
        (None, Some(extra)) => format!(
            "`old_string` has {} where line {line} of the file has {}: send it without that character",
            named(extra),
            or_end(ours)
        ),
        _ => format!(
            "line {line} has {} where `old_string` has {}: send the character that stands in the file, \
             or choose text on one side of it",
            or_end(ours),
            or_end(theirs)
        ),
    }
}

/// The code points of the first character of `text`, accents included.
fn spelled(text: &str) -> String {
    let points = text
        .chars()
        .enumerate()
        .take_while(|&(i, c)| i == 0 || i < 4 && canonical_combining_class(c) != 0)
        .map(|(_, c)| format!("U+{:04X}", u32::from(c)));
    points.collect::<Vec<_>>().join(" ")
}

/// The line of `text` that holds `at`, in backticks: tabs and the like escaped,
/// a long line cut around `at`.
fn shown(text: &str, at: usize) -> String {
    let bytes = text.as_bytes();
    let start = memrchr(b'\n', &bytes[..at]).map_or(0, |lf| lf + 1);
    let end = memchr(b'\n', &bytes[at..]).map_or(text.len(), |distance| at + distance);
    let before = match text[at..].chars().next() {
        Some('\n') => text[start..at].trim_end_matches('\r'),
        _ => &text[start..at],
    };
    let behind = text[at..end].trim_end_matches('\r');
    let from = before.char_indices().rev().nth(SHOWN - 1).map_or(0, |(from, _)| from);
    let to = behind.char_indices().nth(SHOWN).map_or(behind.len(), |(to, _)| to);
    if start == end {
        return "an empty line".to_owned();
    }
    let mut out = String::from("`");
    if from > 0 {
        out.push('\u{2026}');
    }
    for c in before[from..].chars().chain(behind[..to].chars()) {
        if c.is_control() || unseen(c).is_some() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    if to < behind.len() {
        out.push('\u{2026}');
    }
    out.push('`');
    out
}
