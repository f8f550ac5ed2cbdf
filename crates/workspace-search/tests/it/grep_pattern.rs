//! What a pattern of a grep may be, and how it is refused.

use workspace_core::ErrorKind;
use workspace_search::grep;

use crate::grep::{check, check_refused, query};
use crate::tree::{Tree, run};

#[test]
fn case_and_literal_text() {
    let mut ignoring = query("ÄB");
    ignoring.ignore_case = true;
    check("xäb\n", &ignoring, &[(1, 2, "xäb")]);
    check("xäb\n", &query("ÄB"), &[]);
    let mut literal = query("a.b(");
    literal.literal = true;
    check("aXb(\na.b(\nA.B(\n", &literal, &[(2, 1, "a.b(")]);
    literal.ignore_case = true;
    check("aXb(\na.b(\nA.B(\n", &literal, &[(2, 1, "a.b("), (3, 1, "A.B(")]);
    check("p->x\n--\n", &query("--"), &[(2, 1, "--")]);
}

#[test]
fn r_grep_1_what_the_engine_does_not_read_is_told_with_position_and_next_step() {
    let invalid = ErrorKind::InvalidPattern;
    check_refused(&query("é("), invalid, "the pattern cannot be read at character 2: unclosed group");
    check_refused(
        &query("ab(?=c)"),
        invalid,
        "the pattern cannot be read at character 3: look-around is not supported",
    );
    check_refused(
        &query("(?<!a)b"),
        invalid,
        "the pattern cannot be read at character 1: look-around is not supported",
    );
    check_refused(
        &query(r"(a)\1"),
        invalid,
        "the pattern cannot be read at character 4: back-references are not supported",
    );
    check_refused(
        &query(r"\pX{2}\p{Nope}"),
        invalid,
        "the pattern cannot be read at character 1: Unicode property not found",
    );
    let error = run(grep(&Tree::new(), &query(r"(?!x)"))).unwrap_err();
    assert!(error.next_step().unwrap().contains("`literal`"));
    assert!(error.to_string().starts_with("grep: "));
}

#[test]
fn r_grep_1_a_match_stays_in_its_line() {
    let spans = |at| format!("the pattern cannot be read at character {at}: a match cannot span lines");
    check_refused(&query(r"a\nb"), ErrorKind::InvalidPattern, &spans(2));
    check_refused(&query("é[\n]"), ErrorKind::InvalidPattern, &spans(3));
    let mut literal = query("a\nb");
    literal.literal = true;
    check_refused(&literal, ErrorKind::InvalidPattern, &spans(2));
    check("a\nb\n", &query(r"a\sb"), &[]);
    check("a\n\nb\n", &query("[^x]+b"), &[]);
}

#[test]
fn r_grep_1_costly_patterns_are_refused() {
    let unsafe_pattern = ErrorKind::UnsafePattern;
    check_refused(
        &query(&"a".repeat(1001)),
        unsafe_pattern,
        "the pattern has 1001 characters; the limit is 1000",
    );
    let mut literal = query(&"é".repeat(1001));
    literal.literal = true;
    check_refused(&literal, unsafe_pattern, "the pattern has 1001 characters; the limit is 1000");
    check_refused(
        &query(&format!("{}x{}", "(".repeat(51), ")".repeat(51))),
        unsafe_pattern,
        "the pattern nests deeper than 50 levels",
    );
    check_refused(
        &query(r"\w{500}"),
        unsafe_pattern,
        "the pattern takes more than 1048576 bytes when compiled",
    );
    check("x\n", &query(&format!("{}x{}", "(".repeat(50), ")".repeat(50))), &[(1, 1, "x")]);
    check("é", &query(&format!("{}|é", "a".repeat(998))), &[(1, 1, "é")]);
}

#[test]
fn r_grep_1_nested_quantifiers_take_linear_time() {
    // An engine that backtracks would not end in a lifetime.
    let text = format!("{}\n", "a".repeat(100_000));
    check(&text, &query(r"^(a+)+\d$"), &[]);
    check(&text, &query("(x+x+)+y"), &[]);
}
