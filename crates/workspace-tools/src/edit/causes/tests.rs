//! What callers are told when an old text was not found.

use super::{
    super::{Change, EditFailure, EolMode, Region, Replacement, Rules, edit},
    Cause, CauseKind,
};

fn fail(text: &str, old: &str, eol: EolMode) -> (Vec<Cause>, Option<Region>) {
    let change = Change::Replace(Replacement { old, new: "(replaced)", replace_all: true });
    match edit(text, &change, &Rules { eol, ..Rules::default() }).unwrap_err() {
        EditFailure::NoMatch { causes, closest } => (causes, closest),
        other => panic!("{other:?}"),
    }
}

/// The names of the causes, and the first hint.
#[track_caller]
fn check(text: &str, old: &str, kinds: &[&str], hint: &str) {
    check_under(EolMode::Adapt, text, old, kinds, hint);
}

#[track_caller]
fn check_under(eol: EolMode, text: &str, old: &str, kinds: &[&str], hint: &str) {
    let (causes, closest) = fail(text, old, eol);
    let got: Vec<_> = causes.iter().map(|cause| cause.kind.as_str()).collect();
    assert_eq!(got, kinds, "{causes:?}");
    assert_eq!(causes.first().map(|cause| &*cause.hint).unwrap_or_default(), hint);
    assert!(causes.is_empty() || closest.is_some());
}

#[test]
fn r_edit_3_line_endings_under_hint_and_exact() {
    for eol in [EolMode::Hint, EolMode::Exact] {
        check_under(
            eol,
            "a\r\nb\r\nc\r\n",
            "b\nc",
            &["line-endings"],
            "line 2 of the file ends with CRLF where `old_string` has LF: send it with the line endings of the \
             file",
        );
        check_under(
            eol,
            "a\nb\n",
            "a\r\nb",
            &["line-endings"],
            "line 1 of the file ends with LF where `old_string` has CRLF: send it with the line endings of the \
             file",
        );
    }
    let hint = fail("a\r\nB\r\n", "a\nb", EolMode::Exact).0;
    assert_eq!(
        hint.iter().map(|cause| cause.kind).collect::<Vec<_>>(),
        [CauseKind::LineEndings, CauseKind::Case]
    );
}

#[test]
fn r_edit_3_line_numbers() {
    let hint = "`old_string` carries line numbers, which are no part of the file; the text behind them \
                stands at line 2: send it without the numbers and what separates them from the text";
    for old in [
        "     2\tfn a() {\n     3\t    b();",
        "2: fn a() {\n3:     b();",
        "2|fn a() {\n3|    b();",
        "  2\u{2192}fn a() {\n  3\u{2192}    b();\n",
    ] {
        for text in ["//\nfn a() {\n    b();\n}\n", "//\r\nfn a() {\r\n    b();\r\n}\r\n"] {
            check(text, old, &["line-numbers"], hint);
        }
    }
}

#[test]
fn r_edit_3_line_numbers_of_a_text_that_differs_too() {
    let (causes, closest) = fail(
        "//\nfn area() -> i64 {\n    side()\n}\n",
        "2\tfn area() -> i32 {\n3\t    side()",
        EolMode::Adapt,
    );
    let hint = "`old_string` carries line numbers, which are no part of the file: send it without \
                the numbers and what separates them from the text, which may differ too";
    assert_eq!(causes, [Cause { kind: CauseKind::LineNumbers, hint: hint.to_owned() }]);
    let lines = vec!["fn area() -> i64 {".to_owned(), "    side()".to_owned()];
    assert_eq!(closest, Some(Region { start_line: 2, lines }));
    // Numbers that do not count up may well be text.
    check("alpha\n", "1: x\n1: y", &[], "");
}

#[test]
fn r_edit_3_whitespace_names_the_line() {
    check(
        "a\nfoo();  \nbar();\n",
        "foo();\nbar();",
        &["whitespace"],
        "blanks differ at line 2: the file has `foo();  `, `old_string` has `foo();`; send the line with \
         its blanks as they stand in the file",
    );
    check(
        "a\r\n  foo();\r\n",
        "    foo();\n",
        &["whitespace"],
        "blanks differ at line 2: the file has `  foo();`, `old_string` has `    foo();`; send the line \
         with its blanks as they stand in the file",
    );
    check(
        "a\r\nb  c\r\n",
        "a\nb c\n",
        &["whitespace"],
        "blanks differ at line 2: the file has `b  c`, `old_string` has `b c`; send the line with its blanks \
         as they stand in the file",
    );
    check(
        "a\nb\n",
        "a\n\nb",
        &["whitespace"],
        "blanks differ at line 2: the file has `b`, `old_string` has an empty line; send the line with its \
         blanks as they stand in the file",
    );
    check(
        "a\nb",
        "b\n",
        &["whitespace"],
        "line 2 is the last one and has no newline at its end: leave the final newline out of `old_string`",
    );
}

#[test]
fn r_edit_3_tabs_name_the_nearest_line() {
    check(
        "func f() {\n\tif x {\n\t\treturn\n\t}\n}\n",
        "    if x {\n        return",
        &["tabs"],
        "line 2 has a tab where `old_string` has spaces: the file has `\\tif x {`, `old_string` has `    \
         if x {`; send the line with the tabs and spaces of the file",
    );
    check(
        "  a\n    b\n",
        "a\n\tb",
        &["tabs"],
        "line 2 has spaces where `old_string` has a tab: the file has `    b`, `old_string` has `\\tb`; \
         send the line with the tabs and spaces of the file",
    );
}

#[test]
fn r_edit_3_quotes() {
    check(
        "x\nl\u{2019}outil\n",
        "l'outil",
        &["quotes"],
        "line 2 has U+2019 (`\u{2019}`) where `old_string` has U+0027 (`'`): send the character that \
         stands in the file",
    );
    check(
        "say \"hi\"...\n",
        "say \u{201c}hi\u{201d}\u{2026}",
        &["quotes"],
        "line 1 has U+0022 (`\"`) where `old_string` has U+201C (`\u{201c}`): send the character that \
         stands in the file",
    );
}

#[test]
fn r_edit_3_invisible_characters() {
    check(
        "a\nprix\u{a0}: 3\n",
        "prix : 3",
        &["invisible-characters"],
        "line 2 has U+00A0 (no-break space) where `old_string` has U+0020 (space): send the character \
         that stands in the file, or choose text on one side of it",
    );
    check(
        "ab\u{200b}cd\n",
        "abcd",
        &["invisible-characters"],
        "line 1 has U+200B (zero width space) where `old_string` has U+0063 (`c`): send the character \
         that stands in the file, or choose text on one side of it",
    );
    check(
        "abcd\n",
        "\u{feff}abcd",
        &["invisible-characters"],
        "`old_string` has U+FEFF (byte order mark) where line 1 of the file has U+0061 (`a`): send it \
         without that character",
    );
    let (causes, _) = fail("\u{feff}a\n", "\u{feff}", EolMode::Adapt);
    assert_eq!(causes[0].kind, CauseKind::InvisibleCharacters);
}

#[test]
fn r_edit_3_unicode_form() {
    check(
        "x\n\ncafe\u{301}\n",
        "caf\u{e9}",
        &["unicode-form"],
        "line 3 spells a character U+0065 U+0301 and `old_string` spells it U+00E9, which looks alike: \
         send the code points of the file, or choose text around it",
    );
    check(
        "f\u{ff08}x\u{ff09}\n",
        "f(x)",
        &["unicode-form"],
        "line 1 spells a character U+FF08 and `old_string` spells it U+0028, which looks alike: send the \
         code points of the file, or choose text around it",
    );
}

#[test]
fn r_edit_3_case() {
    check(
        "let userName = 1;\n",
        "let username = 1;",
        &["case"],
        "line 1 has the text in other letter case: the file has `let userName = 1;`, `old_string` has \
         `let username = 1;`; send it as it stands in the file",
    );
}

#[test]
fn r_edit_3_at_most_two_causes_in_order() {
    let kinds = |text, old| {
        let (causes, _) = fail(text, old, EolMode::Adapt);
        causes.into_iter().map(|cause| cause.kind).collect::<Vec<_>>()
    };
    // One place that differs in several ways.
    assert_eq!(
        kinds("\tSay(\u{201c}Hi\u{201d});\u{a0}//\n", "    say(\"hi\"); //"),
        [CauseKind::Tabs, CauseKind::Quotes]
    );
    assert_eq!(kinds("  Foo\n", "7:\tfoo"), [CauseKind::LineNumbers, CauseKind::Tabs]);
    // Two places that differ in one way each.
    assert_eq!(kinds("FOO bar\nfoo  bar\n", "foo bar"), [CauseKind::Whitespace, CauseKind::Case]);
    // The place with fewer differences counts.
    assert_eq!(kinds("FOO  BAR\nfoo Bar\n", "foo bar"), [CauseKind::Case]);
}

#[test]
fn r_edit_3_a_real_difference_has_no_cause_but_a_region() {
    let (causes, closest) =
        fail("fn area(side: &Len) -> i64 {\n    0\n}\n", "fn area(side: &Len) -> i32 {", EolMode::Adapt);
    assert_eq!(causes, []);
    let lines = vec!["fn area(side: &Len) -> i64 {".to_owned()];
    assert_eq!(closest, Some(Region { start_line: 1, lines }));
}

#[test]
fn r_edit_3_the_closest_region_is_where_the_cause_shows() {
    let (_, closest) = fail("a\n\tb\n\tc\nd\n", "    b\n    c\n", EolMode::Adapt);
    let lines = vec!["\tb".to_owned(), "\tc".to_owned()];
    assert_eq!(closest, Some(Region { start_line: 2, lines }));
}

#[test]
fn hints_stay_short_for_long_lines() {
    let line = format!("{}needle  here{}", "a".repeat(5000), "b".repeat(5000));
    let (causes, closest) = fail(&line, "needle here", EolMode::Adapt);
    assert_eq!(causes[0].kind, CauseKind::Whitespace);
    assert!(causes[0].hint.len() < 500, "{}", causes[0].hint);
    assert!(closest.unwrap().lines[0].contains("needle  here"));
}

#[test]
fn near_matches_without_end_cost_no_more_than_others() {
    let text = "foo  \t bar\n".repeat(200_000);
    let (causes, _) = fail(&text, "FOO bar", EolMode::Adapt);
    assert_eq!(causes.len(), 2);
    let gaps = format!("a{}b\n", " ".repeat(10_000)).repeat(200);
    assert_eq!(fail(&gaps, "ab", EolMode::Adapt).0, []);
}
