//! Inserts whole lines.

use memchr::memchr_iter;

use super::{
    apply::{Applied, within},
    change::{BOM, EolMode, Insertion, Rules, bom_len},
    eol::Endings,
    failure::EditFailure,
    matching::newline_count,
};

/// How many lines `text` has. A final newline begins no further line, and a
/// byte order mark alone is none.
fn line_count(text: &str) -> u64 {
    let body = &text.as_bytes()[bom_len(text)..];
    let unfinished = body.last().is_some_and(|&last| last != b'\n');
    newline_count(body) + u64::from(unfinished)
}

/// Where the line after line `line` begins, or would begin.
fn end_of_line(text: &str, line: u64) -> usize {
    let Some(before) = line.checked_sub(1) else {
        return bom_len(text);
    };
    usize::try_from(before)
        .ok()
        .and_then(|before| memchr_iter(b'\n', text.as_bytes()).nth(before))
        .map_or(text.len(), |lf| lf + 1)
}

/// Writes `text` with the lines inserted to the empty `out`.
///
/// What is inserted are lines of their own. A last line without a newline gets
/// one before them. They get one themselves when a line follows, and when the
/// text ended with a newline, so that it still does.
pub(super) fn insert(
    text: &str,
    insertion: &Insertion<'_>,
    rules: &Rules,
    out: &mut String,
) -> Result<Applied, EditFailure> {
    let total_lines = line_count(text);
    if insertion.line > total_lines {
        return Err(EditFailure::OutOfRange { total_lines });
    }
    let bom = bom_len(text);
    let at = end_of_line(text, insertion.line);
    let new = if bom > 0 && at == bom { insertion.new.trim_start_matches(BOM) } else { insertion.new };
    if new.is_empty() {
        return Err(EditFailure::NoChange);
    }

    let (before, behind) = text.split_at(at);
    let begins_line = at == bom || before.ends_with('\n');
    let ends_line = !new.ends_with('\n') && (!behind.is_empty() || at > bom && begins_line);
    let newlines = usize::try_from(newline_count(new.as_bytes())).unwrap_or(usize::MAX);
    out.reserve(text.len() + new.len() + newlines + 4);

    let eol = Endings::new(text).of_lines_at(at);
    out.push_str(before);
    if !begins_line {
        out.push_str(eol.as_str());
    }
    let place = out.len();
    let mut eol_adapted = false;
    if rules.eol == EolMode::Exact {
        out.push_str(new);
    } else {
        eol_adapted = Endings::write_with(out, eol, new);
    }
    if ends_line {
        out.push_str(eol.as_str());
    }
    out.push_str(behind);
    within(out.len(), rules)?;
    Ok(Applied { replacements: 1, places: vec![place], eol_adapted })
}

#[cfg(test)]
mod tests {
    use super::super::{Change, change::Outcome, edit};
    use super::*;

    fn try_insert(text: &str, line: u64, new: &str) -> Result<Outcome, EditFailure> {
        edit(text, &Change::Insert(Insertion { line, new }), &Rules::default())
    }

    #[track_caller]
    fn check(text: &str, line: u64, new: &str, expected: &str) {
        let outcome = try_insert(text, line, new).unwrap();
        assert_eq!(outcome.text, expected);
        assert_eq!((outcome.replacements, outcome.lines), (1, vec![line + 1]));
    }

    #[test]
    fn r_edit_8_zero_is_before_the_first_line() {
        check("a\nb\n", 0, "x\n", "x\na\nb\n");
        check("a\nb\n", 0, "x", "x\na\nb\n");
        check("a", 0, "x", "x\na");
    }

    #[test]
    fn r_edit_8_n_is_after_line_n() {
        check("a\nb\nc\n", 1, "x\n", "a\nx\nb\nc\n");
        check("a\nb\nc\n", 2, "x\ny", "a\nb\nx\ny\nc\n");
        check("a\nb\nc\n", 3, "x\n", "a\nb\nc\nx\n");
        check("a\nb\n", 1, "\n", "a\n\nb\n");
    }

    #[test]
    fn r_edit_8_a_missing_final_newline_is_added_before_the_text_only() {
        check("a\nb", 2, "x", "a\nb\nx");
        check("a\nb", 2, "x\n", "a\nb\nx\n");
        check("a\nb", 1, "x", "a\nx\nb");
    }

    #[test]
    fn r_edit_8_a_final_newline_is_kept() {
        check("a\n", 1, "x", "a\nx\n");
        check("a\r\n", 1, "x", "a\r\nx\r\n");
    }

    #[test]
    fn r_edit_8_an_empty_text_takes_the_lines_as_given() {
        check("", 0, "x", "x");
        check("", 0, "x\r\ny\n", "x\ny\n");
    }

    #[test]
    fn r_edit_8_past_the_end_names_the_number_of_lines() {
        for (text, total_lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\u{feff}", 0)] {
            let failure = try_insert(text, total_lines + 1, "x").unwrap_err();
            assert_eq!(failure, EditFailure::OutOfRange { total_lines });
        }
        let failure = try_insert("a\n", u64::MAX, "x").unwrap_err();
        assert_eq!(failure, EditFailure::OutOfRange { total_lines: 1 });
    }

    #[test]
    fn r_edit_8_newlines_are_those_of_the_neighbouring_line() {
        check("a\r\nb\r\n", 1, "x\ny\n", "a\r\nx\r\ny\r\nb\r\n");
        check("a\r\nb\r\n", 2, "x\n", "a\r\nb\r\nx\r\n");
        check("a\r\nb", 2, "x\ny", "a\r\nb\r\nx\r\ny");
        check("a\nb\r\nc\n", 1, "x", "a\nx\r\nb\r\nc\n");
        check("a\nb\nc\r\n", 3, "x", "a\nb\nc\r\nx\r\n");
        check("a\n", 1, "x\r\ny\r\n", "a\nx\ny\n");
        assert!(try_insert("a\r\n", 1, "x\n").unwrap().eol_adapted);
        assert!(!try_insert("a\r\n", 1, "x").unwrap().eol_adapted);
    }

    #[test]
    fn r_edit_8_exact_converts_no_newline_of_the_text() {
        let change = Change::Insert(Insertion { line: 1, new: "x\ny" });
        let rules = Rules { eol: EolMode::Exact, ..Rules::default() };
        let outcome = edit("a\r\nb\r\n", &change, &rules).unwrap();
        assert_eq!(outcome.text, "a\r\nx\ny\r\nb\r\n");
        assert!(!outcome.eol_adapted);
    }

    #[test]
    fn r_edit_8_the_mark_stays_first_and_single() {
        check("\u{feff}a\n", 0, "x\n", "\u{feff}x\na\n");
        check("\u{feff}a\n", 0, "\u{feff}x", "\u{feff}x\na\n");
        check("\u{feff}", 0, "x", "\u{feff}x");
        assert_eq!(try_insert("\u{feff}a", 0, "\u{feff}"), Err(EditFailure::NoChange));
        assert_eq!(try_insert("a", 0, ""), Err(EditFailure::NoChange));
    }

    #[test]
    fn an_insertion_beyond_the_ceiling_is_refused() {
        let change = Change::Insert(Insertion { line: 0, new: "xyz" });
        let rules = Rules { max_bytes: 6, ..Rules::default() };
        let failure = edit("ab\n", &change, &rules).unwrap_err();
        assert_eq!(failure, EditFailure::TooLarge { limit: 6 });
    }
}
