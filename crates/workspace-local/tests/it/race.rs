//! A directory that is swapped for a link to the outside, again and again, while operations run.
//!
//! `WORKSPACE_RACE_OPERATIONS` sets how many of each kind; 10,000 by default.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use workspace_core::{
    Body, CreateDirOptions, Durability, FsProvider, ListOptions, RemoveOptions, RenameOptions,
    ResolveOptions, StatOptions, WalkOptions, WriteOptions,
};
use workspace_local::Local;

use crate::support::{SECRET, Scene, names_in, path, read};

/// How many operations of each kind.
pub(crate) fn operations() -> usize {
    env::var("WORKSPACE_RACE_OPERATIONS").map_or(10_000, |count| count.parse().unwrap())
}

/// Swaps two names without a pause until it is dropped.
pub(crate) struct Swapping {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Swapping {
    pub(crate) fn begin(one: PathBuf, other: PathBuf) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                // It may be missing for a moment where the test makes it anew.
                let _ = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Swapping {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// The root holds a directory `dir`, and `link` to a directory outside with the same names and other content.
fn scene() -> (Scene, Local) {
    let scene = Scene::new();
    scene.put("dir/secret", "inside");
    scene.put("dir/sub/inside-only", "inside");
    fs::create_dir(scene.outside().join("sub")).unwrap();
    fs::write(scene.outside().join("sub/outside-only"), SECRET).unwrap();
    scene.link("link", "../outside");
    let files = scene.open();
    (scene, files)
}

fn swapping(scene: &Scene) -> Swapping {
    Swapping::begin(scene.at("dir"), scene.at("link"))
}

#[track_caller]
fn assert_untouched(scene: &Scene) {
    assert_eq!(names_in(&scene.outside()), ["secret", "sub"]);
    assert_eq!(names_in(&scene.outside().join("sub")), ["outside-only"]);
    assert_eq!(fs::read_to_string(scene.outside().join("secret")).unwrap(), SECRET);
}

/// The form that looks safe: it resolves the path, compares, and opens.
fn naive_read(root: &Path, name: &str) -> Option<String> {
    let wanted = root.join(name);
    let resolved = wanted.canonicalize().ok()?;
    resolved.starts_with(root).then(|| fs::read_to_string(&wanted).ok())?
}

#[test]
fn r_jail_1_the_race_is_one_that_a_check_before_the_open_loses() {
    let (scene, _) = scene();
    let root = scene.root().canonicalize().unwrap();
    let swapping = swapping(&scene);
    let leaked = (0..2_000_000).any(|_| naive_read(&root, "dir/secret").as_deref() == Some(SECRET));
    drop(swapping);
    assert!(leaked, "the swaps are too slow to show anything");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn r_jail_1_a_swapped_directory_does_not_redirect_a_read() {
    let (scene, files) = scene();
    let swapping = swapping(&scene);
    let (mut inside, mut refused) = (0, 0);
    for _ in 0..operations() {
        match read(&files, "dir/secret").await {
            Ok(text) => {
                assert_eq!(text, "inside", "a leak");
                inside += 1;
            }
            Err(_) => refused += 1,
        }
        let stat = files.stat(&path("dir/secret"), StatOptions::default()).await;
        assert!(stat.is_err() || stat.is_ok_and(|stat| stat.size == 6), "a leak");
        let resolved = files.resolve(&path("dir/secret"), ResolveOptions::default()).await;
        assert!(resolved.is_err() || resolved.is_ok_and(|path| path.as_str() == "dir/secret"));
    }
    drop(swapping);
    println!("{inside} reads inside, {refused} refused, no leak");
    assert!(inside > 0 && refused > 0, "{inside} reads inside, {refused} refused: no race took place");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn r_jail_1_a_swapped_directory_does_not_redirect_a_listing() {
    let (scene, files) = scene();
    let swapping = swapping(&scene);
    for _ in 0..operations() {
        if let Ok(listed) = files.list(&path("dir/sub"), ListOptions::default()).await {
            let names: Vec<_> = listed.iter().map(|entry| entry.path.as_str()).collect();
            assert_eq!(names, ["dir/sub/inside-only"], "a leak");
        }
        let walked = files.walk(&path(""), WalkOptions::default()).await.unwrap();
        let walked = walked.collect_items(99).await.unwrap();
        assert!(walked.iter().all(|entry| entry.path.name() != Some("outside-only")), "a leak");
    }
    drop(swapping);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn r_jail_1_a_swapped_directory_does_not_redirect_a_write() {
    let (scene, files) = scene();
    let swapping = swapping(&scene);
    let mut written = 0;
    for index in 0..operations() {
        let options = WriteOptions::default().with_durability(Durability::None).with_create_parents(true);
        let name = path(["dir/secret", "dir/new", "dir/sub/deep/new"][index % 3]);
        written += usize::from(files.write(&name, Body::from(b"inside".to_vec()), options).await.is_ok());
        let parents = CreateDirOptions::default().with_parents(true);
        let _ = files.create_dir(&path("dir/made/deep"), parents).await;
    }
    drop(swapping);
    assert!(written > 0);
    assert_untouched(&scene);
    for name in ["dir", "link", "dir/sub", "link/sub"] {
        assert!(scene.names(name).iter().all(|name| !workspace_core::is_temporary_name(name)), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn r_jail_1_a_swapped_directory_does_not_redirect_a_removal_or_a_rename() {
    let (scene, files) = scene();
    let real = [scene.at("dir"), scene.at("link")];
    let swapping = swapping(&scene);
    let recursive = || RemoveOptions::default().with_recursive(true);
    let mut removed = 0;
    for index in 0..operations() {
        match index % 3 {
            0 => {
                removed +=
                    usize::from(files.remove(&path("dir/secret"), RemoveOptions::default()).await.is_ok());
            }
            1 => removed += usize::from(files.remove(&path("dir/sub"), recursive()).await.is_ok()),
            _ => {
                let replace = || RenameOptions::default().with_replace(true);
                let _ = files.rename(&path("dir/secret"), &path("dir/moved"), replace()).await;
                let _ = files.rename(&path("dir/moved"), &path("dir/secret"), replace()).await;
            }
        }
        // What was removed is put back, into whichever of the two is the directory.
        for dir in &real {
            if dir.symlink_metadata().is_ok_and(|raw| raw.is_dir()) && index % 3 != 2 {
                let options =
                    WriteOptions::default().with_durability(Durability::None).with_create_parents(true);
                let name = dir.file_name().unwrap().to_str().unwrap();
                for file in ["secret", "sub/inside-only"] {
                    let body = Body::from(b"inside".to_vec());
                    let _ = files.write(&path(&format!("{name}/{file}")), body, options.clone()).await;
                }
            }
        }
    }
    drop(swapping);
    assert!(removed > 0);
    assert_untouched(&scene);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn r_jail_1_a_directory_swapped_below_does_not_redirect_a_recursive_removal() {
    let (scene, files) = scene();
    scene.dir("top");
    scene.link("top/link", "../../outside");
    let swapping = Swapping::begin(scene.at("top/dir"), scene.at("top/link"));
    for _ in 0..operations() / 20 {
        fs::create_dir_all(scene.at("top")).unwrap();
        let _ = std::os::unix::fs::symlink("../../outside", scene.at("top/link"));
        if fs::create_dir(scene.at("top/dir")).is_ok() {
            // It may be the link by now; then there is nothing to put in.
            if scene.at("top/dir").symlink_metadata().is_ok_and(|raw| raw.is_dir()) {
                let _ = fs::create_dir(scene.at("top/dir/only-here"));
                let _ = fs::remove_dir(scene.outside().join("only-here"));
            }
        }
        let _ = files.remove(&path("top"), RemoveOptions::default().with_recursive(true)).await;
    }
    drop(swapping);
    assert_untouched(&scene);
}
