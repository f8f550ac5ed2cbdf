//! The rules of grep by number.

use workspace_core::{
    ErrorKind, FileCount, FsProvider, GrepAnswer, GrepLine, GrepMode, GrepQuery, PathFilter, Skipped,
    WorkspacePath,
};
use workspace_search::grep;

use crate::tree::{Tree, path, run};

pub(crate) fn query(pattern: &str) -> GrepQuery {
    let mut query = GrepQuery::default();
    query.pattern = pattern.into();
    query
}

pub(crate) fn query_in(base: &str, pattern: &str) -> GrepQuery {
    let mut query = query(pattern);
    query.scope.base = path(base);
    query
}

pub(crate) fn answer<P: FsProvider>(fs: &P, query: &GrepQuery) -> GrepAnswer {
    run(grep(fs, query)).unwrap()
}

/// The answer or what kind of failure there is instead.
pub(crate) fn try_answer<P: FsProvider>(fs: &P, query: &GrepQuery) -> Result<GrepAnswer, ErrorKind> {
    run(grep(fs, query)).map_err(|error| error.kind())
}

fn places(answer: &GrepAnswer) -> Vec<(&str, u64, u64, &str)> {
    let lines = answer.lines.iter();
    lines.map(|line| (line.path.as_str(), line.line, line.column, line.text.as_str())).collect()
}

#[track_caller]
pub(crate) fn check(content: impl AsRef<[u8]>, query: &GrepQuery, expected: &[(u64, u64, &str)]) {
    let found = answer(&Tree::new().file("f", content), query);
    let found: Vec<_> = found.lines.iter().map(|line| (line.line, line.column, line.text.as_str())).collect();
    assert_eq!(found, expected, "{}", query.pattern);
}

#[track_caller]
pub(crate) fn check_refused(query: &GrepQuery, kind: ErrorKind, message: &str) {
    let error = run(grep(&Tree::new(), query)).unwrap_err();
    assert_eq!((error.kind(), error.message()), (kind, message));
    assert!(error.next_step().is_some(), "{error:?}");
}

#[test]
fn lines_columns_and_text() {
    check("one\ntwo\nthree", &query("t"), &[(2, 1, "two"), (3, 1, "three")]);
    check("a\nb\n", &query("b"), &[(2, 1, "b")]);
    check("a\n\nb\n", &query("^$"), &[(2, 1, "")]);
    check("a\n", &query("$"), &[(1, 2, "a")]);
    check("", &query(""), &[]);
    check("\n", &query(""), &[(1, 1, "")]);
    check("a b a\n", &query("a"), &[(1, 1, "a b a")]);
    check("ab\ncd", &query(r"\Acd\z"), &[(2, 1, "cd")]);
    check("ab\ncd", &query("(?-m)^cd$"), &[(2, 1, "cd")]);
}

#[test]
fn r_grep_5_a_column_is_counted_in_characters() {
    check("äöü日本x\n", &query("x"), &[(1, 6, "äöü日本x")]);
    check(b"\xff\xfex\n", &query("x"), &[(1, 3, "\u{fffd}\u{fffd}x")]);
}

#[test]
fn r_grep_2_a_long_line_is_searched_and_shown_around_the_match() {
    let mut query = query("needle");
    let line = format!("{}needle{}", "é".repeat(5000), "z".repeat(5000));
    let found = answer(&Tree::new().file("f", &line), &query);
    let [shown] = found.lines.as_slice() else { panic!("{found:?}") };
    assert!(shown.cut && shown.text.contains("éneedlez"), "{}", shown.text);
    assert_eq!((shown.text.chars().count(), shown.column), (500, 5001));
    (query.max_line_chars, query.cut_line_chars) = (20_000, 10);
    let found = answer(&Tree::new().file("f", &line), &query);
    assert_eq!((found.lines[0].text.as_str(), found.lines[0].cut), (line.as_str(), false));
}

#[test]
fn r_grep_2_long_lines_of_context_are_cut_as_well() {
    let mut query = query("b");
    query.context = 1;
    let long = "é".repeat(3000);
    let found = answer(&Tree::new().file("f", format!("{long}\nb\n{long}\n")), &query);
    let cut = vec!["é".repeat(500)];
    assert_eq!((&found.lines[0].before, &found.lines[0].after, found.lines[0].cut), (&cut, &cut, false));
}

#[test]
fn r_grep_2_long_lines_can_be_passed_by_and_counted() {
    let mut query = query("x");
    query.skip_long_lines = true;
    query.max_line_chars = 3;
    let tree = Tree::new().file("a", "éxé\nxxxx\nyyyy\nx\n").file("b", "yyyyy");
    let found = answer(&tree, &query);
    assert_eq!(places(&found), [("a", 1, 2, "éxé"), ("a", 4, 1, "x")]);
    assert_eq!(found.tally.skipped.long_lines, 3);
    query.limits.max_results = Some(1);
    let found = answer(&tree, &query);
    assert_eq!((found.lines.len(), found.tally.truncated, found.tally.skipped.long_lines), (1, true, 2));
}

#[test]
fn r_grep_3_binary_large_and_unreadable_files_are_counted() {
    let tree = Tree::new()
        .file("binary", b"x\0x\n")
        .file("closed", "x\n")
        .fault("closed", ErrorKind::Permission)
        .file("gone", "x\n")
        .fault("gone", ErrorKind::NotFound)
        .file("large", "x\n".repeat(60))
        .file("text", "x\n")
        .pipe("pipe");
    let mut query = query("x");
    query.max_file_bytes = Some(100);
    for tells_attributes in [true, false] {
        let found = answer(&tree.clone().telling_attributes(tells_attributes), &query);
        let mut skipped = Skipped::default();
        (skipped.binary, skipped.too_large, skipped.unreadable) = (1, 1, 1);
        assert_eq!((places(&found), found.tally.skipped), (vec![("text", 1, 1, "x")], skipped));
        assert_eq!(found.tally.files, 1);
    }
}

#[test]
fn r_grep_3_the_limit_of_size_is_8_mib() {
    let fits = "x".repeat(8 << 20);
    let tree = Tree::new().file("fits", &fits).file("large", fits.clone() + "x");
    let found = answer(&tree, &query("x"));
    assert_eq!((found.lines.len(), found.tally.skipped.too_large), (1, 1));
    assert_eq!(tree.calls(), ["list .", "read fits"]);
    let mut all = query("x");
    all.max_file_bytes = None;
    assert_eq!(answer(&tree, &all).lines.len(), 2);
}

#[test]
fn r_grep_3_a_nul_after_the_first_8_kib_is_text() {
    let content = format!("{}\n\0x\n", "y".repeat(9000));
    check(content, &query("x"), &[(2, 2, "\0x")]);
}

#[test]
fn r_grep_3_results_are_limited_over_all_files_and_exactly() {
    let tree = Tree::new().file("a", "x\nx\n").file("b", "x\ny\n").file("c", "y\n").file("d", "x\n");
    let limited = |mode, limit| {
        let mut query = query("x");
        query.mode = mode;
        query.limits.max_results = Some(limit);
        answer(&tree, &query)
    };
    let places = |limit| {
        let found = limited(GrepMode::Content, limit);
        let lines: Vec<_> = found.lines.iter().map(|line| (line.path.to_string(), line.line)).collect();
        (lines, found.tally.truncated, found.tally.files)
    };
    let at = |path: &str, line| (path.to_owned(), line);
    assert_eq!(places(0), (vec![], true, 1));
    assert_eq!(places(1), (vec![at("a", 1)], true, 1));
    assert_eq!(places(2), (vec![at("a", 1), at("a", 2)], true, 2));
    assert_eq!(places(3), (vec![at("a", 1), at("a", 2), at("b", 1)], true, 4));
    assert_eq!(places(4), (vec![at("a", 1), at("a", 2), at("b", 1), at("d", 1)], false, 4));
    let found = limited(GrepMode::Files, 2);
    assert_eq!((found.files, found.tally.truncated), (vec![path("a"), path("b")], true));
    let found = limited(GrepMode::Files, 3);
    assert_eq!((found.files.len(), found.tally.truncated), (3, false));
    let found = limited(GrepMode::Count, 2);
    let counts = vec![FileCount::new(path("a"), 2), FileCount::new(path("b"), 1)];
    assert_eq!((found.counts, found.tally.truncated), (counts, true));
}

#[test]
fn r_grep_5_each_mode_fills_its_own_list() {
    let tree = Tree::new().file("a", "x x\nx\ny").file("b", "y").file("c", "x");
    let with = |mode| {
        let mut query = query("x");
        query.mode = mode;
        let found = answer(&tree, &query);
        assert_eq!(found.tally.files, 3);
        (found.lines.len(), found.files, found.counts)
    };
    assert_eq!(with(GrepMode::Content), (3, vec![], vec![]));
    assert_eq!(with(GrepMode::Files), (0, vec![path("a"), path("c")], vec![]));
    let counts = vec![FileCount::new(path("a"), 2), FileCount::new(path("c"), 1)];
    assert_eq!(with(GrepMode::Count), (0, vec![], counts));
}

#[test]
fn r_grep_4_a_base_that_is_a_file_is_searched_alone_ignored_or_not() {
    let tree =
        Tree::new().file("a.log", "x").file("b.log", "x").file(".gitignore", "*.log\n").link("l", "a.log");
    assert_eq!(places(&answer(&tree, &query_in("a.log", "x"))), [("a.log", 1, 1, "x")]);
    assert_eq!(places(&answer(&tree, &query_in("l", "x"))), [("l", 1, 1, "x")]);
    let mut other = query_in("a.log", "x");
    other.glob = Some("*.rs".into());
    assert_eq!(answer(&tree, &other).lines.len(), 1);
    let found = answer(&tree, &query_in("a.log", "zzz"));
    assert_eq!((found.lines.len(), found.tally.files), (0, 1));
}

#[test]
fn r_grep_4_text_that_is_not_utf8_is_searched_by_bytes() {
    check(b"caf\xe9 x\n", &query("caf. x"), &[]);
    check(b"caf\xe9 x\n", &query(r"(?-u:caf. x)"), &[(1, 1, "caf\u{fffd} x")]);
    check(b"\xff\nplain\n", &query("plain"), &[(2, 1, "plain")]);
}

#[track_caller]
fn check_glob(tree: &Tree, base: &str, glob: &str, expected: &[&str]) {
    let mut query = query_in(base, "x");
    query.glob = Some(glob.into());
    query.mode = GrepMode::Files;
    let found = answer(tree, &query);
    assert_eq!(found.files.iter().map(WorkspacePath::as_str).collect::<Vec<_>>(), expected, "{glob}");
}

#[test]
fn r_grep_5_a_glob_without_a_slash_is_about_names_at_any_depth() {
    let tree =
        Tree::new().file("a.rs", "x").file("src/b.rs", "x").file("src/c.js", "x").file("src/d/e.rs", "x");
    check_glob(&tree, "", "*.rs", &["a.rs", "src/b.rs", "src/d/e.rs"]);
    check_glob(&tree, "", "src/*.rs", &["src/b.rs"]);
    check_glob(&tree, "", "/*.rs", &["a.rs"]);
    check_glob(&tree, "src", "d/*", &["src/d/e.rs"]);
    check_glob(&tree, "src", "*.{rs,js}", &["src/b.rs", "src/c.js", "src/d/e.rs"]);
    check_glob(&tree, "", "*.py", &[]);
    let tree = Tree::new().file("app/[z-a]/p", "x").file("node_modules/n", "x").file(".git/g", "x");
    check_glob(&tree, "", "app/[z-a]/p", &["app/[z-a]/p"]);
    check_glob(&tree, "", "**", &["app/[z-a]/p"]);
    check_glob(&tree, "", "node_modules/*", &["node_modules/n"]);
    let mut refused = query("x");
    refused.glob = Some("[".into());
    assert_eq!(run(grep(&tree, &refused)).unwrap_err().kind(), ErrorKind::InvalidPattern);
    refused.scope.base = path("node_modules/n");
    assert_eq!(run(grep(&tree, &refused)).unwrap_err().kind(), ErrorKind::InvalidPattern);
    refused.glob = Some("../x".into());
    assert_eq!(run(grep(&tree, &refused)).unwrap_err().kind(), ErrorKind::PathEscape);
}

#[test]
fn a_file_that_the_glob_rules_out_is_not_read() {
    let tree = Tree::new().file("a.js", "x").file("b.rs", "x");
    let mut rust = query("x");
    rust.glob = Some("*.rs".into());
    let found = answer(&tree, &rust);
    assert_eq!((places(&found), found.tally.files), (vec![("b.rs", 1, 1, "x")], 1));
    assert_eq!(tree.calls(), ["list .", "read b.rs"]);
}

#[test]
fn r_grep_5_returns_and_a_mark_are_no_part_of_a_line() {
    check("foo\r\nbar\r\n", &query("foo$"), &[(1, 1, "foo")]);
    check("foo\r\nbar\r\n", &query("^bar$"), &[(2, 1, "bar")]);
    check("\u{feff}foo\r\n", &query("^foo$"), &[(1, 1, "foo")]);
    check("a\rb\n", &query("a.b"), &[(1, 1, "a\rb")]);
    check("a\r\n", &query(r"\r"), &[]);
    check("foo\r", &query("foo$"), &[]);
}

fn line(line: u64, before: &[&str], text: &str, after: &[&str]) -> GrepLine {
    let mut shown = GrepLine::default();
    (shown.path, shown.line, shown.last_line) = (path("f"), line, line);
    (shown.column, shown.text) = (1, text.into());
    shown.before = before.iter().map(ToString::to_string).collect();
    shown.after = after.iter().map(ToString::to_string).collect();
    shown
}

#[test]
fn r_grep_5_lines_of_context_are_not_repeated() {
    let tree = Tree::new().file("f", "1\n2\nx3\n4\n5\nx6\nx7\n8\n9\n10\n11\nx12\r\n13");
    let mut query = query("x");
    let with = |query: &GrepQuery| answer(&tree, query).lines;
    assert_eq!(
        with(&query),
        [
            line(3, &[], "x3", &[]),
            line(6, &[], "x6", &[]),
            line(7, &[], "x7", &[]),
            line(12, &[], "x12", &[])
        ]
    );
    query.context = 2;
    assert_eq!(
        with(&query),
        [
            line(3, &["1", "2"], "x3", &["4", "5"]),
            line(6, &[], "x6", &[]),
            line(7, &[], "x7", &["8", "9"]),
            line(12, &["10", "11"], "x12", &["13"]),
        ]
    );
    // What is cut off by the limit still ends the context before it.
    query.limits.max_results = Some(2);
    assert_eq!(with(&query), [line(3, &["1", "2"], "x3", &["4", "5"]), line(6, &[], "x6", &[])]);
    query.context = 10;
    query.limits.max_results = None;
    assert_eq!(with(&query)[3], line(12, &[], "x12", &["13"]));
    query.context = 11;
    check_refused(&query, ErrorKind::InvalidInput, "`context` is 11; the limit is 10");
}

#[test]
fn r_grep_5_links_are_not_followed_below_the_base() {
    let tree = Tree::new().file("d/f", "x").link("l", "d").link("d/up", "../d").link("to-file", "d/f");
    assert_eq!(places(&answer(&tree, &query("x"))), [("d/f", 1, 1, "x")]);
    assert_eq!(places(&answer(&tree, &query_in("l", "x"))), [("l/f", 1, 1, "x")]);
}

#[test]
fn a_base_that_is_missing_outside_or_no_file_is_an_error() {
    let tree = Tree::new()
        .link("out", "../x")
        .pipe("pipe")
        .file("closed", "x")
        .fault("closed", ErrorKind::Permission);
    for (base, kind) in [
        ("nope", ErrorKind::NotFound),
        ("out", ErrorKind::PathEscape),
        ("pipe", ErrorKind::NotAFile),
        ("closed", ErrorKind::Permission),
    ] {
        assert_eq!(run(grep(&tree, &query_in(base, "x"))).unwrap_err().kind(), kind, "{base}");
    }
}

#[test]
fn r_grep_3_ignored_files_and_skipped_directories_are_counted() {
    let tree = Tree::new()
        .file(".gitignore", "*.log\nout/\n")
        .file("a.log", "x")
        .file("node_modules/m", "x")
        .file("out/o", "x")
        .file("src/s", "x");
    let found = answer(&tree, &query("x"));
    assert_eq!(places(&found), [("src/s", 1, 1, "x")]);
    assert_eq!((found.tally.skipped.ignored, found.tally.skipped.skip_dirs), (2, 1));
    let mut all = query("x");
    all.scope.gitignore = false;
    assert_eq!(answer(&tree, &all).lines.len(), 3);
}

#[test]
fn hidden_files_are_not_read_and_not_counted() {
    let tree = Tree::new().file(".env", "x").file("a", "x").file("secret/b", "x");
    let mut query = query("x");
    query.filter =
        PathFilter::deny("secrets", |path, _| path.name() == Some(".env") || path.name() == Some("secret"));
    let found = answer(&tree, &query);
    assert_eq!((places(&found), found.tally.files), (vec![("a", 1, 1, "x")], 1));
    assert_eq!(
        (found.tally.skipped, tree.calls()),
        (Skipped::default(), vec!["list .".into(), "read a".into()])
    );
    query.scope.base = path(".env");
    assert_eq!(run(grep(&tree, &query)).unwrap_err().kind(), ErrorKind::DeniedPath);
}

#[test]
fn a_backend_that_is_lost_ends_the_search() {
    let tree = Tree::new().file("a", "x").file("b", "x").fault("b", ErrorKind::Unavailable);
    assert_eq!(run(grep(&tree, &query("x"))).unwrap_err().kind(), ErrorKind::Unavailable);
}
