//! Where a search ends early: files, time, and the caller who gave up.

use std::time::Duration;

use workspace_core::{GrepQuery, SearchTally};
use workspace_search::{glob, grep};

use crate::glob::{answer, files, query};
use crate::grep::{answer as grep_answer, query as grep_query};
use crate::tree::{Tree, run};

#[test]
fn r_glob_4_the_limit_of_files_is_told() {
    let tree = Tree::of(&["a/1", "a/2", "b/3"]);
    let limited = |limit| {
        let mut query = query("**/[13]");
        query.limits.max_files = Some(limit);
        answer(&tree, &query)
    };
    let found = limited(2);
    let mut expected = SearchTally::default();
    (expected.files, expected.file_limit) = (2, true);
    assert_eq!((files(&found), found.tally), (vec!["a/1"], expected));
    let found = limited(3);
    assert_eq!((files(&found), found.tally.file_limit), (vec!["a/1", "b/3"], false));
}

#[test]
fn r_grep_3_a_grep_walks_no_further_than_a_glob() {
    let tree = Tree::new().file("a/1", "x").file("a/2", "y").file("b/3", "x");
    let mut limited = grep_query("x");
    limited.limits.max_files = Some(2);
    let found = grep_answer(&tree, &limited);
    assert_eq!((found.lines.len(), found.tally.files, found.tally.file_limit), (1, 2, true));
}

#[test]
fn r_glob_2_a_count_that_a_limit_cut_is_told() {
    let tree = Tree::of(&["a.x", "d/1.rs", "d/2.rs"]);
    let mut limited = query("*.rs");
    limited.limits.max_files = Some(2);
    let found = answer(&tree, &limited);
    assert_eq!((found.deeper, found.tally.file_limit), (Some(1), true));
}

#[test]
fn r_glob_4_the_limit_of_time_is_told() {
    let tree = Tree::new().file("a", "x");
    let mut late = query("*");
    late.limits.max_time = Some(Duration::ZERO);
    let found = answer(&tree, &late);
    assert_eq!((files(&found), found.tally.time_limit, found.deeper), (vec![], true, None));
    for base in ["", "a"] {
        let mut late = grep_query("x");
        late.scope.base = crate::tree::path(base);
        late.limits.max_time = Some(Duration::ZERO);
        let found = grep_answer(&tree, &late);
        assert_eq!((found.lines.len(), found.tally.time_limit, found.tally.files), (0, true, 0));
    }
}

#[test]
fn no_limit_is_no_limit() {
    let names: Vec<String> = (0..300).map(|n| format!("{n:03}")).collect();
    let tree = Tree::of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut all = query("*");
    assert_eq!(answer(&tree, &all).files.len(), 200);
    all.limits.max_results = None;
    all.limits.max_files = None;
    all.limits.max_time = None;
    assert_eq!(answer(&tree, &all).files.len(), 300);
}

/// How many times a future gives way before it is done.
fn breaths<F: Future>(future: F) -> usize {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut breaths = 0;
    while future.as_mut().poll(&mut context).is_pending() {
        breaths += 1;
    }
    breaths
}

#[test]
fn r_grep_4_a_search_gives_way_at_each_file_and_within_large_ones() {
    let tree = Tree::new().file("a", "x\n").file("b", "x\n");
    assert!(breaths(grep(&tree, &grep_query("x"))) >= 2);
    let large = Tree::new().file("a", "y\n".repeat(1 << 20));
    assert!(breaths(grep(&large, &grep_query("x"))) >= 2);
    let deep = Tree::of(&["a/b/c"]);
    assert!(breaths(glob(&deep, &query("**"))) >= 2);
}

#[test]
fn a_search_that_is_dropped_reads_nothing_more() {
    let tree = Tree::new().file("a", "x\n").file("b", "x\n").file("c", "x\n");
    let (mut query, mut context) =
        (grep_query("x"), std::task::Context::from_waker(std::task::Waker::noop()));
    query.scope.gitignore = false;
    let mut search = Box::pin(grep(&tree, &query));
    while !tree.calls().contains(&"read a".to_owned()) {
        assert!(search.as_mut().poll(&mut context).is_pending());
    }
    drop(search);
    assert_eq!(tree.calls(), ["list .", "read a"]);
}

#[tokio::test]
async fn a_search_can_be_given_up_by_its_runtime() {
    let names: Vec<String> = (0..2000).map(|n| format!("{n:04}")).collect();
    let tree = names.iter().fold(Tree::new(), |tree, name| tree.file(name, "x".repeat(5000)));
    let mut patient = grep_query("y");
    patient.limits.max_time = None;
    let search = tokio::time::timeout(Duration::ZERO, grep(&tree, &patient));
    assert!(search.await.is_err(), "the search held on to its thread");
}

#[test]
fn searches_can_be_spawned() {
    fn check_send<T: Send>(_: T) {}
    let tree = Tree::new();
    check_send(glob(&tree, &query("*")));
    check_send(grep(&tree, &GrepQuery::default()));
    let _ = run(glob(&tree, &query("*")));
}
