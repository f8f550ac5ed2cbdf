//! Trees that change while they are searched.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use workspace_core::FsProvider;

use super::{glob_query, grep_query};
use crate::support::Scene;

/// One round of what programs do to a tree: files and directories come, go, move, grow and shrink.
fn change(root: &Path, round: usize) {
    let dir = root.join(format!("d{}", round % 12));
    let _ = fs::create_dir_all(dir.join("sub"));
    let _ = fs::write(dir.join("file.txt"), "needle\n".repeat(round % 3000));
    let _ = fs::rename(dir.join("file.txt"), dir.join("sub/moved.txt"));
    let _ = fs::write(dir.join("sub/file.txt"), "needle\n");
    let _ = fs::rename(dir.join("sub"), root.join(format!("d{}", (round + 5) % 12)).join("other"));
    if round.is_multiple_of(7) {
        let _ = fs::remove_dir_all(&dir);
    }
    let _ = fs::remove_dir_all(dir.join("other"));
    // A name that is a directory, then a file, then a link.
    let odd = root.join("odd");
    let _ = match round % 3 {
        0 => fs::remove_file(&odd).and_then(|()| fs::create_dir(&odd)),
        1 => fs::remove_dir(&odd).and_then(|()| fs::write(&odd, "needle\n")),
        _ => fs::remove_file(&odd).and_then(|()| std::os::unix::fs::symlink("d1", &odd)),
    };
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tree_that_changes_is_searched_without_a_failure() {
    let scene = Scene::new();
    for index in 0..40 {
        scene.put(&format!("still/{index:02}/file.txt"), "a needle that stays\n");
    }
    let local = scene.open();
    let stop = Arc::new(AtomicBool::new(false));
    let (root, stopped) = (scene.root(), Arc::clone(&stop));
    let changing = std::thread::spawn(move || {
        let mut rounds = 0;
        while !stopped.load(Ordering::Relaxed) {
            change(&root, rounds);
            rounds += 1;
        }
        rounds
    });
    for _ in 0..60 {
        let glob = local.glob(glob_query("", "**")).await.unwrap();
        let still = glob.files.iter().filter(|(path, _)| path.as_str().starts_with("still/")).count();
        assert_eq!(still, 40);
        assert!(glob.files.is_sorted(), "the order is not that of paths");
        let grep = local.grep(grep_query("", "needle")).await.unwrap();
        let still = grep.lines.iter().filter(|line| line.text == "a needle that stays").count();
        assert_eq!(still, 40);
        assert!(grep.lines.is_sorted_by_key(|line| (line.path.clone(), line.line)));
    }
    stop.store(true, Ordering::Relaxed);
    assert!(changing.join().unwrap() > 0);
}

#[tokio::test]
async fn a_file_that_shrinks_while_it_is_searched_is_no_fault() {
    let scene = Scene::new();
    let text = "a needle in a line\n".repeat(200_000);
    scene.put("file", &text);
    let local = scene.open();
    let (at, stop) = (scene.at("file"), Arc::new(AtomicBool::new(false)));
    let stopped = Arc::clone(&stop);
    let shrinking = std::thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            fs::OpenOptions::new().write(true).open(&at).unwrap().set_len(10).unwrap();
            fs::write(&at, &text).unwrap();
        }
    });
    for _ in 0..30 {
        let grep = local.grep(grep_query("", "needle")).await.unwrap();
        // What a write has not reached yet is a hole of zeros, which makes the file binary.
        assert!(grep.tally.files + grep.tally.skipped.binary == 1, "{:?}", grep.tally);
    }
    stop.store(true, Ordering::Relaxed);
    shrinking.join().unwrap();
}
