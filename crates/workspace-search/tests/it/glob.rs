//! The rules of glob by number.

use workspace_core::{
    Access, Error, ErrorKind, FsProvider, GlobAnswer, GlobQuery, GlobSort, Guarded, PathFilter, Result,
    Scoped, Skipped,
};
use workspace_search::glob;

use crate::tree::{Tree, path, run};

pub(crate) fn query(pattern: &str) -> GlobQuery {
    let mut query = GlobQuery::default();
    query.pattern = pattern.into();
    query
}

pub(crate) fn query_in(base: &str, pattern: &str) -> GlobQuery {
    let mut query = query(pattern);
    query.scope.base = path(base);
    query
}

pub(crate) fn answer<P: FsProvider>(fs: &P, query: &GlobQuery) -> GlobAnswer {
    run(glob(fs, query)).unwrap()
}

/// The answer or what kind of failure there is instead.
pub(crate) fn try_answer<P: FsProvider>(fs: &P, query: &GlobQuery) -> Result<GlobAnswer, ErrorKind> {
    run(glob(fs, query)).map_err(|error| error.kind())
}

pub(crate) fn files(answer: &GlobAnswer) -> Vec<&str> {
    answer.files.iter().map(|(path, _)| path.as_str()).collect()
}

#[track_caller]
fn check(tree: &Tree, pattern: &str, expected: &[&str]) {
    assert_eq!(files(&answer(tree, &query(pattern))), expected, "{pattern}");
}

#[track_caller]
fn check_in(tree: &Tree, base: &str, pattern: &str, expected: &[&str]) {
    assert_eq!(files(&answer(tree, &query_in(base, pattern))), expected, "{pattern} in {base}");
}

#[track_caller]
fn check_error(result: Result<GlobAnswer>, expected: (ErrorKind, &str)) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), expected);
}

#[test]
fn r_glob_1_the_pattern_is_anchored_at_the_base() {
    let tree = Tree::of(&["a.rs", "src/a.rs", "src/b/src/a.rs"]);
    check_in(&tree, "src", "*.rs", &["src/a.rs"]);
    check_in(&tree, "src", "**/*.rs", &["src/a.rs", "src/b/src/a.rs"]);
    check_in(&tree, "src", "/b/**", &["src/b/src/a.rs"]);
    check(&tree, "src/*.rs", &["src/a.rs"]);
}

#[test]
fn r_glob_1_a_pattern_that_climbs_is_an_escape() {
    check_error(
        run(glob(&Tree::new(), &query("../x"))),
        (ErrorKind::PathEscape, "glob: a pattern cannot climb with `..`"),
    );
}

#[test]
fn r_glob_1_a_pattern_that_cannot_be_read_is_told_with_its_position() {
    let error = run(glob(&Tree::new(), &query("app/[z-a]"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidPattern);
    assert_eq!(
        error.message(),
        "the pattern cannot be read at character 6 (`z`): a range of a class ends before it begins"
    );
    assert!(error.next_step().is_some());
}

#[test]
fn a_pattern_that_equals_a_path_finds_it_whatever_its_characters_mean() {
    let tree = Tree::of(&["app/[[...z-up]]/page.js", "app/[id]/page.js", "app/i/page.js"]);
    check(&tree, "app/[[...z-up]]/page.js", &["app/[[...z-up]]/page.js"]);
    check(&tree, "app/[id]/page.js", &["app/[id]/page.js", "app/i/page.js"]);
    assert_eq!(
        run(glob(&tree, &query("app/[[...z-up]]/x.js"))).unwrap_err().kind(),
        ErrorKind::InvalidPattern
    );
}

#[test]
fn r_glob_2_a_bare_pattern_counts_what_lies_deeper() {
    let tree = Tree::of(&["a.toml", "src/a.rs", "src/b/c.rs"]);
    assert_eq!(answer(&tree, &query("*.rs")).deeper, Some(2));
    assert_eq!(answer(&tree, &query("*.js")).deeper, Some(0));
    assert_eq!(answer(&tree, &query("*.toml")).deeper, None);
    assert_eq!(answer(&tree, &query("./*.rs")).deeper, None);
    assert_eq!(answer(&tree, &query_in("src", "c.rs")).deeper, Some(1));
}

#[test]
fn r_glob_2_a_bare_pattern_may_match_at_any_depth() {
    let tree = Tree::of(&["a.rs", "src/a.rs", "src/b/c.rs"]);
    let mut anywhere = query("*.rs");
    anywhere.bare_any_depth = true;
    let found = answer(&tree, &anywhere);
    assert_eq!((files(&found), found.deeper), (vec!["a.rs", "src/a.rs", "src/b/c.rs"], None));
    anywhere.pattern = "./*.rs".into();
    assert_eq!(files(&answer(&tree, &anywhere)), ["a.rs"]);
}

#[test]
fn r_glob_3_files_only_and_dot_files_match() {
    let tree = Tree::of(&[".env", "a", "d/.hidden/b"]).dir("empty").pipe("pipe");
    check(&tree, "*", &[".env", "a"]);
    check(&tree, "**", &[".env", "a", "d/.hidden/b"]);
}

#[test]
fn r_glob_3_git_and_skipped_directories_are_entered_where_they_are_named() {
    let tree = Tree::of(&[".git/config", "node_modules/x/a.js", "src/node_modules/b.js", "src/c.js"]);
    let found = answer(&tree, &query("**/*.js"));
    assert_eq!(files(&found), ["src/c.js"]);
    // `.git` too: it is not known to hold no match.
    assert_eq!(found.tally.skipped.skip_dirs, 3);
    check(&tree, ".git/*", &[".git/config"]);
    check(&tree, "**/node_modules/*.js", &["src/node_modules/b.js"]);
    check(&tree, "{node_modules,src}/**/*.js", &["node_modules/x/a.js", "src/c.js"]);
    check_in(&tree, "node_modules", "**/*.js", &["node_modules/x/a.js"]);
    // A wildcard names nothing.
    check(&tree, "node_module?/**", &[]);
}

#[test]
fn r_glob_3_git_is_passed_by_even_if_it_is_not_listed() {
    let tree = Tree::of(&[".git/config", "node_modules/a", "vendor/b"]);
    let mut all = query("**");
    all.scope.skip_dirs = vec!["vendor".into()];
    let found = answer(&tree, &all);
    assert_eq!((files(&found), found.tally.skipped.skip_dirs), (vec!["node_modules/a"], 2));
}

#[test]
fn r_glob_3_an_entry_counts_as_skipped_only_where_the_pattern_could_match() {
    let tree = Tree::of(&["node_modules/a.js", ".git/x", "b.js"]).file(".gitignore", "*.log\nout/\n");
    let tree = tree.file("c.log", "").file("out/d.js", "");
    assert_eq!(answer(&tree, &query("*.js")).tally.skipped, Skipped::default());
    let mut expected = Skipped::default();
    expected.ignored = 1;
    assert_eq!(answer(&tree, &query("*")).tally.skipped, expected);
    (expected.ignored, expected.skip_dirs) = (2, 2);
    assert_eq!(answer(&tree, &query("**")).tally.skipped, expected);
}

#[test]
fn r_glob_4_the_limit_keeps_the_first_in_order() {
    let tree = Tree::of(&["a/z", "a-b", "a.b", "b"]);
    let limited = |limit| {
        let mut query = query("**");
        query.limits.max_results = Some(limit);
        answer(&tree, &query)
    };
    let found = limited(2);
    assert_eq!((files(&found), found.tally.truncated), (vec!["a/z", "a-b"], true));
    let found = limited(4);
    assert_eq!((files(&found), found.tally.truncated), (vec!["a/z", "a-b", "a.b", "b"], false));
    assert!(limited(0).tally.truncated);
}

#[test]
fn r_glob_4_the_search_ends_where_no_more_results_fit() {
    let tree = Tree::of(&["a/1", "b/2", "c/3", "d/4"]);
    let mut two = query("**/?");
    two.limits.max_results = Some(2);
    let found = answer(&tree, &two);
    assert_eq!((files(&found), found.tally.files), (vec!["a/1", "b/2"], 3));
    assert_eq!(tree.calls(), ["list .", "list a", "list b", "list c"]);
}

#[test]
fn a_directory_that_cannot_hold_a_match_is_not_listed() {
    let tree = Tree::of(&["a/x/1", "b/x/2", "c/3"]);
    check(&tree, "{a,b}/x/*", &["a/x/1", "b/x/2"]);
    assert_eq!(tree.calls(), ["list .", "list a", "list a/x", "list b", "list b/x"]);
}

#[test]
fn r_glob_5_order_is_component_by_component_bytewise() {
    let tree = Tree::of(&["a/b", "a/B", "a-b", "a.b", "A", "é", "z", "a/b-c/d"]);
    check(&tree, "**", &["A", "a/B", "a/b", "a/b-c/d", "a-b", "a.b", "z", "é"]);
}

#[test]
fn r_glob_5_the_newest_first_then_by_path() {
    let tree = Tree::new().file_of("b", 5).file_of("a/c", 9).file_of("a/b", 5).file("unknown", "");
    let tree = tree.file_of("target", 7).link("link", "target");
    for tells_attributes in [true, false] {
        let tree = tree.clone().telling_attributes(tells_attributes);
        let mut newest = query("**");
        newest.sort = GlobSort::Modified;
        let found = answer(&tree, &newest);
        assert_eq!(files(&found), ["a/c", "link", "target", "a/b", "b", "unknown"]);
        let seconds = |at: usize| {
            let since = found.files[at].1.map(|time| time.duration_since(std::time::UNIX_EPOCH).unwrap());
            since.map(|since| since.as_secs())
        };
        assert_eq!([0, 1, 5].map(seconds), [Some(9), Some(7), None]);
        newest.limits.max_results = Some(2);
        let found = answer(&tree, &newest);
        assert_eq!((files(&found), found.tally.truncated), (vec!["a/c", "link"], true));
    }
}

#[test]
fn r_glob_5_links_to_files_inside_are_answers_and_no_link_is_entered() {
    let tree = Tree::of(&["d/f", "p/x"])
        .link("to-file", "d/f")
        .link("to-dir", "d")
        .link("dangling", "nothing")
        .link("outside", "../x")
        .link("absolute", "/etc/passwd")
        .link("loop", "loop")
        .link("d/up", "../d")
        .link("chain", "to-file")
        .pipe("pipe")
        .link("to-pipe", "pipe");
    let found = answer(&tree, &query("**"));
    assert_eq!(files(&found), ["chain", "d/f", "p/x", "to-file"]);
    assert_eq!(found.tally.skipped.unreadable, 0);
    check_in(&tree, "to-dir", "*", &["to-dir/f"]);
}

#[test]
fn r_glob_5_a_link_to_a_hidden_file_is_hidden() {
    let tree = Tree::of(&[".env", "a"]).link("b", ".env");
    let guarded = Guarded::new(tree, PathFilter::deny("env", |path, _| path.name() == Some(".env")));
    assert_eq!(files(&answer(&guarded, &query("**"))), ["a"]);
}

#[test]
fn a_missing_base_and_a_file_for_a_base_are_told_apart() {
    let tree = Tree::of(&["src/a"]);
    check_error(
        run(glob(&tree, &query_in("srx", "*"))),
        (ErrorKind::NotFound, "list `srx`: nothing is there"),
    );
    check_error(
        run(glob(&tree, &query_in("src/a", "*"))),
        (ErrorKind::NotADirectory, "list `src/a`: it is no directory"),
    );
}

#[test]
fn hidden_entries_are_not_shown_not_entered_and_not_counted() {
    let tree = Tree::of(&["a", "secret/b", "secret.txt"]).file(".gitignore", "secret.txt\n");
    let hide = PathFilter::deny("secrets", |path, _| path.as_str().starts_with("secret"));
    let mut all = query("**");
    all.filter = hide;
    let found = answer(&tree, &all);
    assert_eq!(files(&found), [".gitignore", "a"]);
    assert_eq!((found.tally.files, found.tally.skipped), (2, Skipped::default()));
    assert_eq!(tree.calls(), ["list .", "read .gitignore"]);
}

#[test]
fn what_may_be_seen_and_not_read_is_passed_by_uncounted() {
    let tree = Tree::of(&["a", "closed/b"]).file("closed.txt", "x");
    let closed = PathFilter::deny("closed", |path, access| {
        access == Access::Read && path.as_str().starts_with("closed")
    });
    let mut all = query("**");
    all.filter = closed.clone();
    let found = answer(&tree, &all);
    assert_eq!((files(&found), found.tally.skipped), (vec!["a", "closed.txt"], Skipped::default()));
    let mut lines = crate::grep::query("x");
    lines.filter = closed;
    let found = crate::grep::answer(&tree, &lines);
    assert_eq!((found.lines.len(), found.tally.files, found.tally.skipped), (0, 1, Skipped::default()));
}

#[test]
fn a_scope_is_searched_as_a_workspace_of_its_own() {
    let tree = Tree::of(&["pkg/src/a.rs", "pkg/b.rs", "c.rs"]).link("pkg/out", "../c.rs");
    let scoped = Scoped::new(tree, path("pkg"));
    assert_eq!(files(&answer(&scoped, &query("**"))), ["b.rs", "src/a.rs"]);
}

#[test]
fn what_cannot_be_read_is_counted_and_what_has_gone_is_not() {
    let tree = Tree::of(&["closed/a", "gone/b", "c"])
        .fault("closed", ErrorKind::Permission)
        .fault("gone", ErrorKind::NotFound)
        .non_utf8("odd");
    let found = answer(&tree, &query("**"));
    assert_eq!(files(&found), ["c"]);
    assert_eq!((found.tally.skipped.unreadable, found.tally.skipped.non_utf8), (1, 1));
}

#[test]
fn a_backend_that_is_lost_ends_the_search() {
    for kind in [ErrorKind::Unavailable, ErrorKind::TimedOut, ErrorKind::Cancelled] {
        let tree = Tree::of(&["a/b", "c"]).fault("a", kind);
        assert_eq!(run(glob(&tree, &query("**"))).map_err(|error: Error| error.kind()), Err(kind));
    }
}
