//! Matches over the ends of lines, and files of a type.

use workspace_core::{ErrorKind, GrepMode, GrepQuery, Skipped};

use crate::grep::{answer, check, check_refused, query};
use crate::tree::Tree;

fn multiline(pattern: &str) -> GrepQuery {
    let mut query = query(pattern);
    query.multiline = true;
    query
}

#[test]
fn a_match_over_lines_gives_all_of_them() {
    check("x\na\nb\ny\n", &multiline(r"a\nb"), &[(2, 1, "a\nb")]);
    check("xa\nc\n", &multiline(r"a\n"), &[(1, 2, "xa")]);
    check("xa\nby", &multiline(r"a\nb"), &[(1, 2, "xa\nby")]);
    check("a\r\nb\r\n", &multiline(r"a\nb$"), &[(1, 1, "a\nb")]);
    check("a\n\n\nb\n", &multiline(r"a\s+b"), &[(1, 1, "a\n\n\nb")]);
    check("a\nb\n", &multiline("a.b"), &[]);
    check("a\nb\n", &multiline("(?s)a.b"), &[(1, 1, "a\nb")]);
    check("a\nb\n", &multiline("^b$"), &[(2, 1, "b")]);
    let mut literal = multiline("(\n)");
    literal.literal = true;
    check("f(\n)\n", &literal, &[(1, 2, "f(\n)")]);
}

#[test]
fn matches_that_share_a_line_are_one() {
    check("a\nba\nb\n", &multiline(r"a\nb"), &[(1, 1, "a\nba\nb")]);
    check("a\nb\na\nb\n", &multiline(r"a\nb"), &[(1, 1, "a\nb"), (3, 1, "a\nb")]);
    let mut counted = multiline(r"a\nb");
    counted.mode = GrepMode::Count;
    let found = answer(&Tree::new().file("f", "a\nba\nb\na\nb\n"), &counted);
    assert_eq!(found.counts.iter().map(|file| file.count).collect::<Vec<_>>(), [2]);
}

#[test]
fn the_lines_around_it_begin_after_its_last_line() {
    let mut query = multiline(r"b\nc");
    query.context = 2;
    let found = answer(&Tree::new().file("f", "1\na\nb\nc\nd\nb\nc\nz\n"), &query);
    let shown: Vec<_> = found
        .lines
        .iter()
        .map(|at| (at.line, at.last_line, at.before.join(" "), at.after.join(" ")))
        .collect();
    assert_eq!(shown, [(3, 4, "1 a".into(), "d".into()), (6, 7, String::new(), "z".into())]);
}

#[test]
fn a_file_over_a_mebibyte_is_counted_and_not_searched() {
    let tree = Tree::new().file("fits", "a\nb".repeat((1 << 20) / 3)).file("over", "a\n".repeat(1 << 20));
    let found = answer(&tree, &{
        let mut query = multiline(r"a\nb");
        query.mode = GrepMode::Files;
        query
    });
    let mut skipped = Skipped::default();
    skipped.too_large = 1;
    assert_eq!((found.files.len(), found.tally.skipped), (1, skipped));
}

#[test]
fn r_grep_2_a_match_over_a_long_line_is_passed_by_where_such_lines_are() {
    let mut query = multiline(r"a\s+b");
    (query.max_line_chars, query.skip_long_lines) = (3, true);
    let found = answer(&Tree::new().file("f", "aaaa\nb\na\nb\n"), &query);
    assert_eq!(found.lines.iter().map(|at| at.line).collect::<Vec<_>>(), [3]);
    assert_eq!(found.tally.skipped.long_lines, 1);
}

#[test]
fn files_of_a_type_are_searched_alone_and_a_file_that_is_named_always() {
    let tree = Tree::new().file("a.rs", "x").file("d/b.py", "x").file("d/c.rs", "x").file("README", "x");
    let files = |types: &[&str], base: &str, glob: Option<&str>| {
        let mut query = query("x");
        query.mode = GrepMode::Files;
        query.scope.base = crate::tree::path(base);
        query.glob = glob.map(Into::into);
        query.types = types.iter().map(|&name| name.into()).collect();
        answer(&tree, &query).files.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(files(&["rust"], "", None), ["a.rs", "d/c.rs"]);
    assert_eq!(files(&["!rust"], "", None), ["README", "d/b.py"]);
    assert_eq!(files(&["rust"], "", Some("d/**")), ["d/c.rs"]);
    assert_eq!(files(&["rust"], "README", None), ["README"]);
    let mut unknown = query("x");
    unknown.types = vec!["rusty".into()];
    check_refused(&unknown, ErrorKind::InvalidInput, "there is no file type `rusty`");
}
