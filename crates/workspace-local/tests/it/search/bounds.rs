//! What a search holds open, how much it does, and in what order it tells.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use workspace_core::{Access, FsProvider, PathFilter};

use super::{files, glob_query, grep_query, places};
use crate::child::goes_on_with_few_descriptors;
use crate::support::Scene;

/// Directories side by side and one below the other, more than a process may hold open.
fn wide_and_deep() -> Scene {
    let scene = Scene::new();
    for index in 0..200 {
        scene.put(&format!("wide/{index:03}/a/b/file"), "needle\n");
    }
    scene.put(&format!("deep/{}file", "d/".repeat(300)), "needle\n");
    scene
}

#[tokio::test]
async fn a_wide_and_deep_tree_is_searched_with_few_descriptors() {
    if !goes_on_with_few_descriptors("search::bounds::a_wide_and_deep_tree_is_searched_with_few_descriptors")
    {
        return;
    }
    let scene = wide_and_deep();
    let local = scene.open();
    for _ in 0..20 {
        let glob = local.glob(glob_query("", "**/file")).await.unwrap();
        assert_eq!((glob.files.len(), glob.tally.skipped.unreadable), (201, 0));
        let grep = local.grep(grep_query("", "needle")).await.unwrap();
        assert_eq!((grep.lines.len(), grep.tally.files), (201, 201));
    }
}

#[tokio::test]
async fn r_glob_4_a_full_answer_ends_the_work() {
    let scene = Scene::new();
    for dir in 0..400 {
        for file in 0..5 {
            scene.put(&format!("{dir:03}/{file}.txt"), "needle\n");
        }
    }
    let local = scene.open();
    let seen = Arc::new(AtomicUsize::new(0));
    let counting = || {
        let seen = Arc::clone(&seen);
        PathFilter::new(move |path, access| {
            seen.fetch_add(usize::from(access == Access::See && path.depth() > 1), Ordering::Relaxed);
            Ok(())
        })
    };
    let mut query = glob_query("", "**");
    (query.limits.max_results, query.filter) = (Some(3), counting());
    let answer = local.glob(query).await.unwrap();
    assert_eq!(files(&answer), ["000/0.txt", "000/1.txt", "000/2.txt"]);
    assert_eq!((answer.tally.files, answer.tally.truncated), (4, true));

    let mut query = grep_query("", "needle");
    (query.limits.max_results, query.filter) = (Some(3), counting());
    let answer = local.grep(query).await.unwrap();
    assert_eq!(places(&answer), ["000/0.txt:1", "000/1.txt:1", "000/2.txt:1"]);
    assert_eq!((answer.tally.files, answer.tally.truncated), (4, true));

    let seen = seen.load(Ordering::Relaxed);
    assert!(seen < 1000, "{seen} of 2 times 2,000 names were looked at for 2 times 4");
}

#[tokio::test]
async fn r_glob_4_the_answer_does_not_depend_on_threads() {
    let scene = Scene::new();
    for dir in 0..30 {
        for file in 0..40 {
            scene.put(&format!("{dir:02}/{file:02}.txt"), &"a needle\nhay\n".repeat(1 + (dir * file) % 50));
        }
    }
    let local = scene.open();
    for limit in [None, Some(1), Some(100), Some(700), Some(5000)] {
        let (mut glob, mut grep) = (glob_query("", "**"), grep_query("", "needle"));
        (glob.limits.max_results, grep.limits.max_results) = (limit, limit);
        grep.context = 1;
        let first = (
            workspace_search::glob(&local, &glob).await.unwrap(),
            workspace_search::grep(&local, &grep).await.unwrap(),
        );
        for _ in 0..20 {
            assert_eq!(local.glob(glob.clone()).await.unwrap(), first.0);
            assert_eq!(local.grep(grep.clone()).await.unwrap(), first.1);
        }
    }
}

#[test]
fn a_search_needs_no_runtime() {
    let scene = Scene::new();
    scene.put("a/b", "needle\n");
    let local = scene.open();
    let mut search = std::pin::pin!(local.grep(grep_query("", "needle")));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(answer) = search.as_mut().poll(&mut context) else {
        panic!("the search waits for something")
    };
    assert_eq!(places(&answer.unwrap()), ["a/b:1"]);
}
