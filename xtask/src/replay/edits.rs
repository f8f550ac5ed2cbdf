//! From two texts to the edits that lead from one to the other.

use similar::{DiffTag, TextDiff};
use workspace_tools::TextEdit;

/// The most edits that one call takes.
const MOST: usize = 100;

/// Edits that make `new` of `old`, each of whose old texts stands once in the
/// text as the edits before it leave it; `None` where there are too many, or
/// where text can only be added to nothing.
pub(super) fn between(old: &str, new: &str) -> Option<Vec<TextEdit>> {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let diff = TextDiff::from_slices(&old_lines, &new_lines);
    let mut edits = Vec::new();
    // The text as it is so far: new lines before the hunk, old lines after it.
    let mut text = old.to_owned();
    for op in diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal) {
        let (was, is) = (op.old_range(), op.new_range());
        let edit = (0..=old_lines.len()).find_map(|context| {
            let before = &new_lines[is.start.saturating_sub(context)..is.start];
            let after = &old_lines[was.end..(was.end + context).min(old_lines.len())];
            let from = [before, &old_lines[was.clone()], after].concat().concat();
            let to = [before, &new_lines[is.clone()], after].concat().concat();
            (!from.is_empty() && occurrences(&text, &from) == 1).then(|| TextEdit::new(from, to))
        })?;
        text = text.replacen(&edit.old_string, &edit.new_string, 1);
        edits.push(edit);
        if edits.len() > MOST {
            return None;
        }
    }
    (!edits.is_empty() && text == new).then_some(edits)
}

/// How often a text stands in another, overlapping places counted, up to 2.
fn occurrences(text: &str, part: &str) -> usize {
    let Some(first) = text.find(part) else { return 0 };
    let next = first + text[first..].chars().next().map_or(1, char::len_utf8);
    if text[next..].contains(part) { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, edits: &[(&str, &str)]) {
        let expected: Vec<_> = edits.iter().map(|(old, new)| TextEdit::new(*old, *new)).collect();
        assert_eq!(between(old, new), Some(expected));
    }

    #[test]
    fn a_hunk_becomes_an_edit_with_as_much_around_it_as_makes_it_unique() {
        check("a\nb\nc\n", "a\nB\nc\n", &[("b\n", "B\n")]);
        check("x\na\nx\nb\n", "x\na\ny\nb\n", &[("a\nx\nb\n", "a\ny\nb\n")]);
        check("a\n", "a\nb\n", &[("a\n", "a\nb\n")]);
        check("a\nb\n", "b\n", &[("a\n", "")]);
        assert_eq!(between("", "a\n"), None);
    }
}
