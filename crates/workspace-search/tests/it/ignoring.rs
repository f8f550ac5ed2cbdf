//! What ignore files hide, and what they never hide.

use workspace_core::{ErrorKind, PathFilter};

use crate::glob::{answer, files, query, query_in};
use crate::tree::Tree;

#[track_caller]
fn check(tree: &Tree, pattern: &str, expected: &[&str]) {
    assert_eq!(files(&answer(tree, &query(pattern))), expected, "{pattern}");
}

#[track_caller]
fn check_in(tree: &Tree, base: &str, pattern: &str, expected: &[&str]) {
    assert_eq!(files(&answer(tree, &query_in(base, pattern))), expected, "{pattern} in {base}");
}

#[test]
fn r_glob_3_nested_ignore_files_with_negation() {
    let tree = Tree::of(&["a.log", "keep.log", "src/b.log", "src/c.txt", "src/gen/d.txt", "out/e"])
        .file(".gitignore", "*.log\n!keep.log\n/out\n")
        .file("src/.gitignore", "!b.log\ngen/\n");
    check(&tree, "**", &[".gitignore", "keep.log", "src/.gitignore", "src/b.log", "src/c.txt"]);
}

#[test]
fn r_glob_3_every_kind_of_ignore_file_holds() {
    let tree = Tree::of(&["a", "b", "c", "d"])
        .file(".ignore", "a\n!b\n")
        .file(".gitignore", "b\nc\n")
        .file(".git/info/exclude", "d\n!c\n");
    // `.ignore` decides before `.gitignore`, and that before `exclude`.
    check(&tree, "?", &["b"]);
}

#[test]
fn an_ignore_file_may_have_a_mark_returns_bad_lines_and_no_last_newline() {
    let bytes = b"\xef\xbb\xbfa\r\n\xff\r\n# note\r\n\r\nb".to_vec();
    let tree = Tree::of(&["a", "b", "c"]).file(".gitignore", bytes);
    check(&tree, "?", &["c"]);
}

#[test]
fn an_ignore_file_may_be_a_link_inside() {
    let tree = Tree::of(&["a", "b"]).file("rules", "a\n").link(".gitignore", "rules");
    check(&tree, "?", &["b"]);
    let tree = Tree::of(&["a", "b"]).link(".gitignore", "../outside");
    check(&tree, "?", &["a", "b"]);
}

#[test]
fn r_glob_3_the_rules_can_be_turned_off() {
    let tree = Tree::of(&["a.log"]).file(".gitignore", "*.log\n");
    let mut all = query("*");
    all.scope.gitignore = false;
    assert_eq!(files(&answer(&tree, &all)), [".gitignore", "a.log"]);
    assert_eq!(tree.calls(), ["list ."]);
}

#[test]
fn r_glob_3_the_rules_never_hold_for_the_base() {
    let tree = Tree::of(&["build/a.o", "build/sub/b.o"]).file(".gitignore", "build/\n*.o\n");
    check_in(&tree, "build", "**", &["build/a.o", "build/sub/b.o"]);
    check_in(&tree, "build/sub", "*", &["build/sub/b.o"]);
    check(&tree, "**/*.o", &[]);
}

#[test]
fn r_glob_5_the_rules_never_hold_for_what_the_pattern_names() {
    let tree = Tree::of(&["build/a.o", "x/build/c.o", ".env"]).file(".gitignore", "build/\n*.o\n.env\n");
    check(&tree, "build/*", &["build/a.o"]);
    check(&tree, "**/build/*.o", &["build/a.o", "x/build/c.o"]);
    check(&tree, ".env", &[".env"]);
    check(&tree, "**/.env", &[".env"]);
    check(&tree, ".en?", &[]);
    check(&tree, "buil?/*", &[]);
}

#[test]
fn r_glob_5_below_a_named_directory_only_its_own_ignore_files_hold() {
    let tree = Tree::of(&["build/a.o", "build/b.tmp", "build/sub/c.o", "src/d.o"])
        .file(".gitignore", "build/\n*.o\n")
        .file("build/.gitignore", "*.tmp\n");
    check(&tree, "build/**/*.*", &["build/.gitignore", "build/a.o", "build/sub/c.o"]);
    check(&tree, "s*/**", &[]);
}

#[test]
fn an_ignored_directory_counts_as_one() {
    let tree = Tree::of(&["out/a", "out/b", "c.log"]).file(".gitignore", "out\n*.log\n");
    assert_eq!(answer(&tree, &query("**")).tally.skipped.ignored, 2);
    assert_eq!(tree.calls(), ["list .", "read .gitignore"]);
}

#[test]
fn an_ignore_file_that_cannot_be_read_hides_nothing_and_is_counted() {
    let tree = Tree::of(&["a"]).file(".gitignore", "a\n").fault(".gitignore", ErrorKind::Permission);
    let found = answer(&tree, &query("?"));
    assert_eq!((files(&found), found.tally.skipped.unreadable), (vec!["a"], 1));
    let long = "#".repeat((1 << 20) + 1) + "\na\n";
    let found = answer(&Tree::of(&["a"]).file(".gitignore", long), &query("?"));
    assert_eq!((files(&found), found.tally.skipped.unreadable), (vec!["a"], 1));
}

#[test]
fn a_hidden_ignore_file_is_not_read() {
    let tree = Tree::of(&["a"]).file(".gitignore", "a\n");
    let mut hidden = query("*");
    hidden.filter = PathFilter::deny("rules", |path, _| path.name() == Some(".gitignore"));
    assert_eq!(files(&answer(&tree, &hidden)), ["a"]);
    assert_eq!(tree.calls(), ["list ."]);
}
