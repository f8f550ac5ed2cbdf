//! Public reports about the tools of coding agents, as far as they are about search.

use workspace_core::ErrorKind;
use workspace_search::{glob, grep};

use crate::glob::{answer as glob_answer, files, query as glob_query, query_in};
use crate::grep::{answer as grep_answer, query as grep_query};
use crate::tree::{Tree, path, run};

#[track_caller]
fn check_glob(tree: &Tree, pattern: &str, expected: &[&str]) {
    assert_eq!(files(&glob_answer(tree, &glob_query(pattern))), expected, "{pattern}");
}

#[track_caller]
fn check_grep(tree: &Tree, pattern: &str, base: &str, expected: &[(&str, u64, &str)]) {
    let mut query = grep_query(pattern);
    query.scope.base = path(base);
    let found = grep_answer(tree, &query);
    let lines: Vec<_> =
        found.lines.iter().map(|line| (line.path.as_str(), line.line, line.text.as_str())).collect();
    assert_eq!(lines, expected, "{pattern} in `{base}`");
}

#[test]
fn tb_sl_04_loops_of_links_end() {
    let tree =
        Tree::new().link("a", "b").link("b", "a").link("dir/loop", "../dir").file("dir/f.txt", "needle\n");
    check_grep(&tree, "needle", ".", &[("dir/f.txt", 1, "needle")]);
    check_glob(&tree, "**/f.txt", &["dir/f.txt"]);
}

#[test]
fn tb_jl_01_a_link_that_leaves_the_root_is_not_searched() {
    let tree = Tree::new().link("leak", "../outside.txt").file("in.txt", "x\n");
    check_grep(&tree, "SECRET", ".", &[]);
    check_glob(&tree, "**/*", &["in.txt"]);
}

#[test]
fn tb_pt_01_a_path_is_never_a_pattern() {
    let tree = Tree::new().file("web/items/[key]/page.tsx", "export const n = 2\n");
    check_grep(&tree, "n = 2", "web/items/[key]", &[("web/items/[key]/page.tsx", 1, "export const n = 2")]);
}

#[test]
fn tb_pt_03_a_pattern_that_equals_an_existing_path_finds_it() {
    let tree = Tree::of(&["app/z-up/[[...z-up]]/page.js"]);
    check_glob(&tree, "app/z-up/[[...z-up]]/page.js", &["app/z-up/[[...z-up]]/page.js"]);
}

#[test]
fn tb_pt_07_names_that_differ_in_case_are_two_files() {
    check_glob(&Tree::of(&["Readme.md", "README.md"]), "*.md", &["README.md", "Readme.md"]);
}

#[test]
fn tb_pt_09_a_file_name_may_begin_with_a_dash() {
    check_grep(&Tree::new().file("-rf.txt", "needle\n"), "needle", "-rf.txt", &[("-rf.txt", 1, "needle")]);
}

#[test]
fn tb_gl_01_what_is_named_and_begins_with_a_dot_matches() {
    let tree = Tree::of(&[".github/workflows/ci.yml", ".eslintrc.json"]);
    check_glob(&tree, ".github/workflows/*.yml", &[".github/workflows/ci.yml"]);
    check_glob(&tree, ".eslintrc.json", &[".eslintrc.json"]);
}

#[test]
fn tb_gl_04_ignored_directories_are_passed_by() {
    let tree = Tree::new()
        .file(".gitignore", "node_modules/\n/wt/\n")
        .file("node_modules/x/A.php", "needle\n")
        .file("wt/one/A.php", "needle\n")
        .file("src/A.php", "needle\n");
    check_glob(&tree, "**/A.php", &["src/A.php"]);
    check_grep(&tree, "needle", ".", &[("src/A.php", 1, "needle")]);
}

#[test]
fn tb_gl_05_braces_are_alternatives() {
    let tree = Tree::of(&["a.ts", "b.tsx", "c.js", "d/e.tsx"]);
    check_glob(&tree, "*.{ts,tsx}", &["a.ts", "b.tsx"]);
    check_glob(&tree, "**/*.{js,ts{,x}}", &["a.ts", "b.tsx", "c.js", "d/e.tsx"]);
}

#[test]
fn tb_gl_07_a_missing_base_is_an_error() {
    let tree = Tree::of(&["src/a.py"]);
    assert_eq!(run(glob(&tree, &query_in("src/nope", "*.py"))).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(files(&glob_answer(&tree, &query_in("src", "*.py"))), ["src/a.py"]);
}

#[test]
fn tb_gr_01_a_pattern_is_never_an_option() {
    let tree = Tree::new().file("a.c", "p->x = -1;\nq--;\n");
    check_grep(&tree, "->x", ".", &[("a.c", 1, "p->x = -1;")]);
    check_grep(&tree, "-1", ".", &[("a.c", 1, "p->x = -1;")]);
    check_grep(&tree, "--", ".", &[("a.c", 2, "q--;")]);
}

#[test]
fn tb_gr_03_a_path_that_does_not_exist_is_an_error_that_names_it() {
    let mut query = grep_query("x");
    query.scope.base = path("src/helprs");
    let error = run(grep(&Tree::of(&["src/helpers/a.ts"]), &query)).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::NotFound, Some("src/helprs")));
}

#[test]
fn tb_gr_05_no_match_and_nothing_searched_are_told_apart() {
    let tree = Tree::new().file("a.txt", "hello\n");
    let mut query = grep_query("zzz");
    assert_eq!(grep_answer(&tree, &query).tally.files, 1);
    query.glob = Some("*.rs".into());
    assert_eq!(grep_answer(&tree, &query).tally.files, 0);
}

#[test]
fn tb_gr_07_a_clipped_line_shows_the_match() {
    let line = format!("{}needle{}", "x".repeat(40_000), "y".repeat(40_000));
    let mut query = grep_query("needle");
    query.context = 1;
    let found = grep_answer(&Tree::new().file("min.js", format!("a\n{line}\nb\n")), &query);
    let [shown] = found.lines.as_slice() else { panic!("{found:?}") };
    assert!(shown.text.contains("needle") && shown.text.len() < 1000 && shown.cut);
    assert_eq!(
        (shown.line, shown.column, &shown.before, &shown.after),
        (2, 40_001, &vec!["a".into()], &vec!["b".into()])
    );
}

#[test]
fn tb_gr_09_nested_quantifiers_end() {
    let tree = Tree::new().file("a.txt", "a".repeat(5000) + "!\n");
    for pattern in ["(a+)+$", "(x+x+)+y", "(x|xx)*y"] {
        check_grep(&tree, pattern, ".", &[]);
    }
}

#[test]
fn tb_gr_10_an_invalid_expression_is_an_error_that_tells_why() {
    let tree = Tree::new().file("a.txt", "f(x)\n");
    assert_eq!(run(grep(&tree, &grep_query("f("))).unwrap_err().kind(), ErrorKind::InvalidPattern);
    check_grep(&tree, r"f\(", ".", &[("a.txt", 1, "f(x)")]);
}

#[test]
fn tb_gr_12_lines_between_matches_are_told_once() {
    let mut query = grep_query("hit");
    query.context = 1;
    let found = grep_answer(&Tree::new().file("c.txt", "1\nhit a\nhit b\n4\n"), &query);
    let told: Vec<_> = found
        .lines
        .iter()
        .flat_map(|line| line.before.iter().chain([&line.text]).chain(&line.after))
        .collect();
    assert_eq!(told, ["1", "hit a", "hit b", "4"]);
}

#[test]
fn tb_gr_14_a_miss_a_hit_and_a_missing_file_are_three_answers() {
    let tree = Tree::new().file("out.yaml", "digest: 1\n");
    check_grep(&tree, "host-name", "out.yaml", &[]);
    check_grep(&tree, "digest", "out.yaml", &[("out.yaml", 1, "digest: 1")]);
    let mut query = grep_query("x");
    query.scope.base = path("nope.yaml");
    assert_eq!(run(grep(&tree, &query)).unwrap_err().kind(), ErrorKind::NotFound);
}
