//! Applies one change.

use super::{
    causes,
    change::{BOM, Change, EolMode, Outcome, Replacement, Rules, bom_len},
    eol::{Endings, newlines},
    failure::EditFailure,
    insert::insert,
    matching::{Found, Search},
    places::{Mark, Marks, Places, line_numbers},
};

/// Applies `change` to `text`.
///
/// The time is linear in the text; the new text is the only large allocation,
/// but for files that mix endings (see `matching`) and for the search for
/// causes after a failure.
///
/// # Errors
/// Any [`EditFailure`].
pub(crate) fn edit(text: &str, change: &Change<'_>, rules: &Rules) -> Result<Outcome, EditFailure> {
    change.check()?;
    let mut out = String::new();
    let applied = match change {
        Change::Replace(replacement) => replace(text, replacement, rules, &mut out, &mut [])?,
        Change::Insert(insertion) => insert(text, insertion, rules, &mut out)?,
    };
    let mut lines = line_numbers(&out, applied.places);
    lines.dedup();
    Ok(Outcome { text: out, replacements: applied.replacements, lines, eol_adapted: applied.eol_adapted })
}

/// What was written to the new text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Applied {
    pub(super) replacements: usize,
    /// Where replacements begin in the new text: ascending, one a line.
    pub(super) places: Vec<usize>,
    pub(super) eol_adapted: bool,
}

/// Writes `text` with the replacement made to the empty `out`, and moves
/// `marks` from the one to the other.
pub(super) fn replace(
    text: &str,
    edit: &Replacement<'_>,
    rules: &Rules,
    out: &mut String,
    marks: &mut [Mark],
) -> Result<Applied, EditFailure> {
    let search = Search::new(text, edit.old, rules.eol);
    let wanted = if edit.replace_all {
        usize::MAX
    } else {
        match search.find() {
            Found::Nowhere => 0,
            Found::Once => 1,
            Found::Often { count, lines } => return Err(EditFailure::NotUnique { count, lines }),
        }
    };
    reserve(out, text, edit, rules, &search)?;

    let bom = bom_len(text);
    let mut endings = Endings::new(text);
    let mut marks = Marks::new(marks);
    let mut places = Places::default();
    let mut replacements = 0;
    let mut eol_adapted = false;
    let mut copied = 0;
    for region in search.regions().take(wanted) {
        let before = out.len();
        out.push_str(&text[copied..region.start]);
        marks.shift_before(region.start, |offset| before + (offset - copied));
        let place = out.len();
        marks.shift_before(region.end, |_| place);
        places.note_end_of(out);

        let new = if bom > 0 && region.start == bom { edit.new.trim_start_matches(BOM) } else { edit.new };
        if rules.eol == EolMode::Exact {
            out.push_str(new);
        } else {
            let found = &text[region.clone()];
            eol_adapted |= found != edit.old && Some(found) != edit.old.strip_prefix(BOM);
            eol_adapted |= endings.write_over(out, region.clone(), new);
        }
        copied = region.end;
        replacements += 1;
        within(out.len(), rules)?;
    }
    if replacements == 0 {
        let (causes, closest) = causes::explain(text, edit.old, rules.eol);
        return Err(EditFailure::NoMatch { causes, closest });
    }
    let before = out.len();
    out.push_str(&text[copied..]);
    marks.shift_before(usize::MAX, |offset| before + (offset - copied));
    within(out.len(), rules)?;
    if out == text {
        return Err(EditFailure::NoChange);
    }
    Ok(Applied { replacements, places: places.into_offsets(), eol_adapted })
}

/// Makes room in `out` for all that will be written, at once. What no memory
/// can hold is too large, even without a ceiling.
fn reserve(
    out: &mut String,
    text: &str,
    edit: &Replacement<'_>,
    rules: &Rules,
    search: &Search<'_>,
) -> Result<(), EditFailure> {
    let widest = edit.new.len() + newlines(edit.new).count();
    let growth = widest.saturating_sub(edit.old.len());
    let count = if growth > 0 && edit.replace_all { search.regions().count() } else { 1 };
    let wanted = text.len().saturating_add(growth.saturating_mul(count));
    // More than the ceiling is never kept, and one replacement may overshoot it.
    let most = rules.max_bytes.max(text.len()).saturating_add(widest);
    let limit = rules.max_bytes;
    out.try_reserve(wanted.min(most)).map_err(|_| EditFailure::TooLarge { limit })
}

pub(super) fn within(bytes: usize, rules: &Rules) -> Result<(), EditFailure> {
    let limit = rules.max_bytes;
    if bytes > limit {
        return Err(EditFailure::TooLarge { limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
        Replacement { old, new, replace_all: false }
    }

    fn everywhere<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
        Replacement { old, new, replace_all: true }
    }

    fn run(text: &str, replacement: Replacement<'_>, eol: EolMode) -> Result<Outcome, EditFailure> {
        edit(text, &Change::Replace(replacement), &Rules { eol, ..Rules::default() })
    }

    #[track_caller]
    fn check(text: &str, replacement: Replacement<'_>, expected: &str) {
        let outcome = run(text, replacement, EolMode::Adapt).unwrap();
        assert_eq!(outcome.text, expected);
    }

    #[track_caller]
    fn check_failure(text: &str, replacement: Replacement<'_>, expected: &EditFailure) {
        for eol in [EolMode::Adapt, EolMode::Hint, EolMode::Exact] {
            assert_eq!(run(text, replacement, eol).unwrap_err(), *expected);
        }
    }

    #[test]
    fn r_edit_1_new_text_is_literal() {
        check("emit(\"end\");\n", once("emit(\"end\");", "emit(\"[$&] $1\");"), "emit(\"[$&] $1\");\n");
        check("head\nmid\ntail\n", once("mid", "a $` b $' c"), "head\na $` b $' c\ntail\n");
        check(
            "return X;\n",
            once("X", r"s.replace(/[.*]/g, '\\$&') + `${0}\1$<n>`"),
            "return s.replace(/[.*]/g, '\\\\$&') + `${0}\\1$<n>`;\n",
        );
        check("r = \"a\\nb\".join(v)\n", once("\"a\\nb\"", "\"a\\n\\tb\""), "r = \"a\\n\\tb\".join(v)\n");
        check(
            "**x**\n",
            once("**x**", "**\u{9032}\u{884c}\u{4e2d}**\u{1f98a}"),
            "**\u{9032}\u{884c}\u{4e2d}**\u{1f98a}\n",
        );
    }

    #[test]
    fn r_edit_1_look_alikes_are_kept_apart() {
        check("msg '%s' end\n", once("'%s'", "\u{2018}%s\u{2019}"), "msg \u{2018}%s\u{2019} end\n");
        check("l\u{2019}objet sur la table\n", once("table", "chaise"), "l\u{2019}objet sur la chaise\n");
        check(
            "a\u{a0}b c\u{200b}d e\u{202f}f\n",
            once("a\u{a0}b c\u{200b}d", "A\u{a0}B c\u{200b}d"),
            "A\u{a0}B c\u{200b}d e\u{202f}f\n",
        );
    }

    #[test]
    fn r_edit_1_replace_all_goes_left_to_right_without_overlap() {
        check("aa b aa\naa\n", everywhere("aa", "c"), "c b c\nc\n");
        check("aaaaa", everywhere("aa", "b"), "bba");
        check("abababa", everywhere("aba", "x"), "xbx");
        check("aXa", everywhere("a", "aa"), "aaXaa");
        let outcome = run("aa b aa\naa\n", everywhere("aa", "c"), EolMode::Adapt).unwrap();
        assert_eq!((outcome.replacements, outcome.lines), (3, vec![1, 2]));
    }

    #[test]
    fn r_edit_1_overlapping_occurrences_are_not_unique() {
        check_failure("xaaax", once("aa", "b"), &EditFailure::NotUnique { count: 2, lines: vec![1] });
    }

    #[test]
    fn r_edit_2_not_unique_tells_count_and_lines() {
        let failure = EditFailure::NotUnique { count: 3, lines: vec![1, 3, 5] };
        check_failure("x = 1\ny\nx = 1\nz\nx = 1\n", once("x = 1", "x = 2"), &failure);
    }

    #[test]
    fn r_edit_2_empty_and_equal_texts_are_refused() {
        check_failure("abc", once("", "x"), &EditFailure::EmptyOld);
        check_failure("abc", everywhere("", "x"), &EditFailure::EmptyOld);
        check_failure("same\n", once("same", "same"), &EditFailure::NoChange);
        // A fault of the input comes before the search.
        check_failure("other\n", once("same", "same"), &EditFailure::NoChange);
    }

    #[test]
    fn r_edit_9_a_difference_in_endings_alone_is_no_change() {
        check_failure("a\nb\n", once("a\nb", "a\r\nb"), &EditFailure::NoChange);
        check_failure("a\r\nb\r\n", once("a\r\nb", "a\nb"), &EditFailure::NoChange);
    }

    #[test]
    fn r_edit_4_crlf_file_stays_crlf() {
        check(
            "one\r\ntwo\r\nthree\r\n",
            once("one\ntwo", "ONE\nTWO\nextra"),
            "ONE\r\nTWO\r\nextra\r\nthree\r\n",
        );
        check(
            "def f(n):\r\n    print(n)\r\n\r\n",
            once("def f(n):\n    print(n)\n", "def f(n):\n    print(n + 1)\n"),
            "def f(n):\r\n    print(n + 1)\r\n\r\n",
        );
        check("keep\r\ndrop 1\r\ndrop 2\r\nend\r\n", once("drop 1\ndrop 2\n", ""), "keep\r\nend\r\n");
        check("a\r\nb\r\n", once("b", "b\nc"), "a\r\nb\r\nc\r\n");
        check("a\r\nb", once("b", "b\nc"), "a\r\nb\r\nc");
        check("a\r\nb\r\nc\r\n", once("\nb\n", "\nB\n"), "a\r\nB\r\nc\r\n");
        check("a\r\nb\r\n", everywhere("\n", ";"), "a;b;");
    }

    #[test]
    fn r_edit_4_lf_file_stays_lf() {
        check("north\nsouth\neast\n", once("north\r\nsouth", "NORTH\r\nSOUTH"), "NORTH\nSOUTH\neast\n");
        check("a\nb\n", once("b", "b\r\nc"), "a\nb\nc\n");
    }

    #[test]
    fn r_edit_4_uniqueness_counts_both_spellings() {
        let failure = run("a\nb\na\r\nb\n", once("a\nb", "x"), EolMode::Adapt).unwrap_err();
        assert_eq!(failure, EditFailure::NotUnique { count: 2, lines: vec![1, 3] });
        check("a\nb\na\r\nb\n", everywhere("a\nb", "x\ny"), "x\ny\nx\r\ny\n");
    }

    #[test]
    fn r_edit_4_a_lone_cr_is_data() {
        check("10%\r50%\r100%\nstatus: old\n", once("old", "new"), "10%\r50%\r100%\nstatus: new\n");
        check("10%\r50%\r\n", once("10%\r", ""), "50%\r\n");
        check("a\nb\n", once("a", "x\ry"), "x\ry\nb\n");
    }

    #[test]
    fn r_edit_4_eol_adapted_tells_a_conversion() {
        let adapted = |text, old, new, eol| run(text, once(old, new), eol).unwrap().eol_adapted;
        assert!(adapted("a\r\nb\r\n", "a\nb", "c", EolMode::Adapt));
        assert!(adapted("a\r\nb\r\n", "b", "b\nc", EolMode::Adapt));
        assert!(!adapted("a\r\nb\r\n", "a\r\nb", "c\r\nd", EolMode::Adapt));
        assert!(!adapted("a\nb\n", "a\nb", "c\nd", EolMode::Adapt));
        assert!(!adapted("\u{feff}a\nb\n", "\u{feff}a\n", "c\n", EolMode::Adapt));
        assert!(adapted("a\r\nb\r\n", "b", "b\nc", EolMode::Hint));
        assert!(!adapted("a\r\nb\r\n", "b", "b\nc", EolMode::Exact));
    }

    #[test]
    fn r_edit_4_hint_wants_the_endings_of_the_file() {
        let outcome = run("a\r\nb\r\n", once("a\r\nb", "a\nc\n"), EolMode::Hint).unwrap();
        assert_eq!(outcome.text, "a\r\nc\r\n\r\n");
        for (text, old) in [("a\r\nb\r\n", "a\nb"), ("a\nb\n", "a\r\nb"), ("a\r\nb\r\n", "\nb")] {
            let failure = run(text, once(old, "x"), EolMode::Hint).unwrap_err();
            assert!(matches!(failure, EditFailure::NoMatch { .. }), "{failure:?}");
        }
    }

    #[test]
    fn r_edit_4_exact_takes_bytes_as_given() {
        let outcome = run("a\r\nb\r\n", once("\nb\r", "\nc"), EolMode::Exact).unwrap();
        assert_eq!(outcome.text, "a\r\nc\n");
        let failure = run("a\r\nb\r\n", once("a\nb", "x"), EolMode::Exact).unwrap_err();
        assert!(matches!(failure, EditFailure::NoMatch { .. }), "{failure:?}");
    }

    #[test]
    fn r_edit_4_the_mark_is_kept_and_never_doubled() {
        let text = "\u{feff}write-host 1\n\u{4e2d}\u{6587}\n";
        let expected = "\u{feff}write-host 2\n\u{4e2d}\u{6587}\n";
        for old in ["write-host 1", "\u{feff}write-host 1"] {
            for new in ["write-host 2", "\u{feff}write-host 2", "\u{feff}\u{feff}write-host 2"] {
                for eol in [EolMode::Adapt, EolMode::Hint, EolMode::Exact] {
                    assert_eq!(run(text, once(old, new), eol).unwrap().text, expected);
                }
            }
        }
        check("\u{feff}a\r\nb\r\n", once("\u{feff}a\nb\n", ""), "\u{feff}");
        check(
            "\u{feff}' \u{e1}rv\u{ed}z\r\nDim a = 1\r\n",
            once("Dim a = 1", "Dim a = 2"),
            "\u{feff}' \u{e1}rv\u{ed}z\r\nDim a = 2\r\n",
        );
        // Elsewhere the character is text like any other.
        check("\u{feff}a b", once("b", "\u{feff}b"), "\u{feff}a \u{feff}b");
        check("a", once("a", "\u{feff}a"), "\u{feff}a");
        check_failure(text, once("write-host 1", "\u{feff}write-host 1"), &EditFailure::NoChange);
    }

    #[test]
    fn a_final_newline_is_neither_added_nor_kept() {
        check("one\ntwo", once("one", "1"), "1\ntwo");
        check("one\ntwo\nthree\n", once("three\n", "THREE"), "one\ntwo\nTHREE");
    }

    #[test]
    fn r_edit_10_lines_are_those_of_the_new_text() {
        let lines =
            |text: &str, replacement: Replacement<'_>| run(text, replacement, EolMode::Adapt).unwrap().lines;
        assert_eq!(lines("a\nx\nb\nx\n", everywhere("x", "1\n2\n3")), [2, 6]);
        assert_eq!(lines("a\nx\nb\n", once("\nx", "")), [1]);
        assert_eq!(lines("a\nx\n", once("x\n", "")), [1]);
        assert_eq!(lines("x", once("x", "")), [1]);
        assert_eq!(lines(&"x\n".repeat(30), everywhere("x", "y")), (1..=20).collect::<Vec<_>>());
        assert_eq!(lines(&"x\n".repeat(30), everywhere("x\n", "")), [1]);
    }

    #[test]
    fn a_result_beyond_the_ceiling_is_refused() {
        let rules = Rules { max_bytes: 8, ..Rules::default() };
        let grow = |new| edit("aaaa", &Change::Replace(everywhere("a", new)), &rules);
        assert_eq!(grow("bb").unwrap().text, "bbbbbbbb");
        assert_eq!(grow("bbb"), Err(EditFailure::TooLarge { limit: 8 }));
        let long = "b".repeat(1 << 20);
        let text = "a".repeat(1 << 20);
        let failure = run(&text, everywhere("a", &long), EolMode::Adapt).unwrap_err();
        assert_eq!(failure, EditFailure::TooLarge { limit: 32 << 20 });
    }

    #[test]
    fn a_result_beyond_all_memory_is_refused_without_a_ceiling() {
        let long = "b".repeat(128 << 20);
        let text = "a".repeat(2 << 20);
        let limit = usize::MAX;
        let rules = Rules { max_bytes: limit, ..Rules::default() };
        let failure = edit(&text, &Change::Replace(everywhere("a", &long)), &rules).unwrap_err();
        assert_eq!(failure, EditFailure::TooLarge { limit });
    }

    #[test]
    fn the_new_text_is_allocated_once() {
        for (text, replacement) in [
            ("ab\n".repeat(1000), everywhere("a", "long text\nof two lines")),
            ("ab\r\n".repeat(1000), everywhere("a", "x\ny\nz")),
            ("ab\r\n".repeat(1000), everywhere("ab\n", "")),
        ] {
            let mut out = String::new();
            let rules = Rules::default();
            let search = Search::new(&text, replacement.old, rules.eol);
            reserve(&mut out, &text, &replacement, &rules, &search).unwrap();
            let capacity = out.capacity();
            replace(&text, &replacement, &rules, &mut out, &mut []).unwrap();
            assert_eq!(out.capacity(), capacity);
        }
    }
}
