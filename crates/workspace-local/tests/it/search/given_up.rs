//! A search that nobody waits for any more is over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use workspace_core::{FsProvider, PathFilter};

use super::{glob_query, grep_query};
use crate::support::Scene;

/// How soon nothing works for a search any more that was given up.
const SOON: Duration = Duration::from_millis(50);

/// A filter that tells when it is first asked. A search holds it as long as it works.
fn witness() -> (PathFilter, Arc<Notify>) {
    let asked = Arc::new(Notify::new());
    let telling = Arc::clone(&asked);
    let filter = PathFilter::new(move |_, _| {
        telling.notify_one();
        Ok(())
    });
    (filter, asked)
}

/// How long a search goes on after its future was dropped.
async fn after_drop<F: Future + Send + 'static>(search: F, asked: Arc<Notify>) -> Duration
where
    F::Output: Send,
{
    let search = tokio::spawn(search);
    asked.notified().await;
    assert!(!search.is_finished(), "the search was over before it could be given up");
    search.abort();
    let begin = Instant::now();
    while Arc::strong_count(&asked) > 1 {
        assert!(begin.elapsed() < Duration::from_secs(10), "the search goes on");
        tokio::task::yield_now().await;
    }
    begin.elapsed()
}

/// The machine may be busy with something else for a moment, so the best of some counts.
#[track_caller]
fn assert_soon(times: &[Duration]) {
    assert!(times.iter().min().is_some_and(|best| *best < SOON), "none was over soon: {times:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_grep_4_a_grep_of_large_files_is_over_when_it_is_given_up() {
    let scene = Scene::new();
    let text = format!("{}\n", "x".repeat(120)).repeat((8 << 20) / 121);
    for index in 0..12 {
        scene.put(&format!("d{index:02}/large.txt"), &text);
    }
    let files = scene.open();
    let mut times = Vec::new();
    for _ in 0..5 {
        let (filter, asked) = witness();
        let mut query = grep_query("", "(x+x+)+y|[a-q][^u-z]{13}z");
        query.filter = filter;
        let files = files.clone();
        times.push(after_drop(async move { files.grep(query).await }, asked).await);
    }
    assert_soon(&times);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_glob_4_a_glob_of_many_names_is_over_when_it_is_given_up() {
    let scene = Scene::new();
    for dir in 0..40 {
        scene.dir(&format!("{dir:02}"));
        for file in 0..250 {
            std::fs::write(scene.at(&format!("{dir:02}/{file:03}")), "").unwrap();
        }
    }
    let files = scene.open();
    let mut times = Vec::new();
    for _ in 0..5 {
        let (filter, asked) = witness();
        let mut query = glob_query("", "**/[0-9]*[13579]");
        query.filter = filter;
        let files = files.clone();
        times.push(after_drop(async move { files.glob(query).await }, asked).await);
    }
    assert_soon(&times);
}
