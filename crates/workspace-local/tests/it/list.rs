//! Attributes, listings and walks.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::time::SystemTime;

use workspace_core::{
    Entry, ErrorKind, FileKind, FsProvider, ListOptions, PathFilter, Result, StatOptions, WalkOptions,
    WorkspacePath,
};

use crate::child::goes_on_with_few_descriptors;
use crate::support::{Scene, path, refused};

async fn walk(files: &impl FsProvider, name: &str, options: WalkOptions) -> Result<Vec<Entry>> {
    files.walk(&path(name), options).await?.collect_items(1_000_000).await
}

fn names(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.path.as_str()).collect()
}

#[tokio::test]
async fn stat_tells_kind_size_mode_and_time() {
    let scene = Scene::new();
    scene.put("file", "12345");
    scene.dir("dir");
    scene.link("link", "file");
    fs::set_permissions(scene.at("file"), fs::Permissions::from_mode(0o640)).unwrap();
    let file = fs::File::options().write(true).open(scene.at("file")).unwrap();
    let before_the_epoch = SystemTime::UNIX_EPOCH - std::time::Duration::from_millis(1500);
    file.set_modified(before_the_epoch).unwrap();
    let files = scene.open();
    for name in ["file", "link"] {
        let stat = files.stat(&path(name), StatOptions::default()).await.unwrap();
        assert_eq!((stat.kind, stat.size, stat.mode), (FileKind::File, 5, Some(0o640)));
        assert_eq!(stat.modified, Some(before_the_epoch));
    }
    let itself = || StatOptions::default().with_follow(false);
    let link = files.stat(&path("link"), itself()).await.unwrap();
    assert_eq!((link.kind, link.size), (FileKind::Link, 0));
    assert_eq!(files.stat(&path("dir"), itself()).await.unwrap().kind, FileKind::Dir);
    assert_eq!(files.stat(&path(""), StatOptions::default()).await.unwrap().kind, FileKind::Dir);
    assert_eq!(refused(files.stat(&path("none"), itself()).await), ErrorKind::NotFound);
    assert_eq!(refused(files.stat(&path("file/x"), itself()).await), ErrorKind::NotADirectory);
}

#[tokio::test]
async fn a_version_differs_whenever_the_content_may() {
    let scene = Scene::new();
    scene.put("a", "one");
    let files = scene.open();
    let version = async || files.stat(&path("a"), StatOptions::default()).await.unwrap().version.unwrap();
    let first = version().await;
    assert_eq!(version().await, first);
    // Same length, and the old time put back.
    let time = scene.at("a").metadata().unwrap().modified().unwrap();
    fs::write(scene.at("a"), "two").unwrap();
    fs::File::options().write(true).open(scene.at("a")).unwrap().set_modified(time).unwrap();
    assert_ne!(version().await, first);
}

#[tokio::test]
async fn a_listing_is_sorted_bytewise_and_knows_sizes_and_times() {
    let scene = Scene::new();
    for name in ["b", "a.b", "a-b", "Z", "ä", "a", "_", "名"] {
        scene.put(name, name);
    }
    scene.dir("dir");
    let files = scene.open();
    let listed = files.list(&WorkspacePath::root(), ListOptions::default()).await.unwrap();
    assert_eq!(names(&listed), ["Z", "_", "a", "a-b", "a.b", "b", "dir", "ä", "名"]);
    for entry in &listed {
        let raw = scene.at(entry.path.as_str()).metadata().unwrap();
        let expected = raw.is_file().then(|| (raw.len(), raw.modified().unwrap()));
        assert_eq!(entry.size.zip(entry.modified), expected, "{entry:?}");
    }
    assert_eq!(refused(files.list(&path("a"), ListOptions::default()).await), ErrorKind::NotADirectory);
    assert_eq!(refused(files.list(&path("none"), ListOptions::default()).await), ErrorKind::NotFound);
}

#[tokio::test]
async fn a_name_that_is_not_utf8_is_shown_and_not_entered() {
    let scene = Scene::new();
    let odd = OsStr::from_bytes(b"odd-\xff");
    fs::create_dir(scene.root().join(odd)).unwrap();
    fs::write(scene.root().join(odd).join("below"), "x").unwrap();
    fs::write(scene.root().join(OsStr::from_bytes(b"file-\xfe")), "x").unwrap();
    // A link whose text cannot be judged.
    std::os::unix::fs::symlink(odd, scene.at("to-odd")).unwrap();
    let files = scene.open();
    let listed = files.list(&WorkspacePath::root(), ListOptions::default()).await.unwrap();
    let walked = walk(&files, "", WalkOptions::default()).await.unwrap();
    let seen = |entries: &[Entry]| -> Vec<_> {
        entries.iter().map(|entry| (entry.path.as_str().to_owned(), entry.non_utf8)).collect()
    };
    let expected = [("file-\u{fffd}", true), ("odd-\u{fffd}", true), ("to-odd", false)];
    let expected: Vec<_> = expected.map(|(name, odd)| (name.to_owned(), odd)).into();
    assert_eq!(seen(&listed), expected);
    assert_eq!(seen(&walked), expected);
    assert_eq!(refused(files.list(&path("to-odd"), ListOptions::default()).await), ErrorKind::PathEscape);
}

fn tree() -> Scene {
    let scene = Scene::new();
    for name in ["a/b/c/d", "a/b/x", "a-1", "a.2", "z/y", "a/empty.txt"] {
        scene.put(name, "x");
    }
    scene.dir("void");
    scene.link("z/link", "../a");
    scene
}

#[tokio::test]
async fn a_walk_gives_parents_first_and_each_directory_sorted() {
    let files = tree().open();
    let scene = tree();
    let files_of_scene = scene.open();
    drop(files);
    let all = walk(&files_of_scene, "", WalkOptions::default()).await.unwrap();
    assert_eq!(
        names(&all),
        ["a", "a/b", "a/b/c", "a/b/c/d", "a/b/x", "a/empty.txt", "a-1", "a.2", "void", "z", "z/link", "z/y"]
    );
    assert!(names(&all).is_sorted_by_key(|name| path(name)));
    let depth = |depth| WalkOptions::default().with_max_depth(Some(depth));
    let found = walk(&files_of_scene, "", depth(1)).await.unwrap();
    assert_eq!(names(&found), ["a", "a-1", "a.2", "void", "z"]);
    let found = walk(&files_of_scene, "a", depth(2)).await.unwrap();
    assert_eq!(names(&found), ["a/b", "a/b/c", "a/b/x", "a/empty.txt"]);
    assert_eq!(walk(&files_of_scene, "a", depth(0)).await.unwrap(), []);
    // Through a link the walk is told in the words of the question.
    let found = walk(&files_of_scene, "z/link", depth(1)).await.unwrap();
    assert_eq!(names(&found), ["z/link/b", "z/link/empty.txt"]);
    assert_eq!(refused(walk(&files_of_scene, "a-1", depth(1)).await), ErrorKind::NotADirectory);
}

#[tokio::test]
async fn a_walk_neither_shows_nor_enters_what_rules_hide() {
    let scene = tree();
    let filter = PathFilter::deny("b", |path, _| path.starts_with(&crate::support::path("a/b")));
    let found = walk(&scene.open(), "", WalkOptions::default().with_filter(filter.clone())).await.unwrap();
    assert_eq!(names(&found), ["a", "a/empty.txt", "a-1", "a.2", "void", "z", "z/link", "z/y"]);
    // The rule holds for the same entries under another name.
    let found = walk(&scene.open(), "z/link", WalkOptions::default().with_filter(filter)).await.unwrap();
    assert_eq!(names(&found), ["z/link/empty.txt"]);
}

#[tokio::test]
async fn a_walk_of_a_deep_tree_holds_few_descriptors() {
    if !goes_on_with_few_descriptors("list::a_walk_of_a_deep_tree_holds_few_descriptors") {
        return;
    }
    let scene = Scene::new();
    let deep = vec!["d"; 300].join("/");
    scene.put(&format!("{deep}/file"), "x");
    scene.put(&format!("{deep}/../../sibling"), "x");
    let files = scene.open();
    let found = walk(&files, "", WalkOptions::default()).await.unwrap();
    assert_eq!(found.len(), 302);
    assert!(found.iter().all(|entry| !entry.unreadable));
    // The sibling of a directory far down comes after all that this directory holds.
    assert_eq!(found.last().unwrap().path.name(), Some("sibling"));
    files.remove(&path("d"), workspace_core::RemoveOptions::default().with_recursive(true)).await.unwrap();
    assert_eq!(scene.names(""), [""; 0]);
}

#[tokio::test]
async fn a_wide_tree_is_walked_in_order_and_may_be_left_early() {
    let scene = Scene::new();
    for index in 0..3000 {
        fs::write(scene.at(&format!("file-{index:05}")), "").unwrap();
    }
    let files = scene.open();
    let found = walk(&files, "", WalkOptions::default()).await.unwrap();
    assert_eq!(found.len(), 3000);
    assert!(names(&found).is_sorted());
    let mut some = files.walk(&WorkspacePath::root(), WalkOptions::default()).await.unwrap();
    assert_eq!(some.next().await.unwrap().unwrap().path.as_str(), "file-00000");
    drop(some);
}
