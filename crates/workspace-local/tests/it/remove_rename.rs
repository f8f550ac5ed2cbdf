//! Directories made, names removed and moved.

use std::fs;
use std::os::unix::fs::MetadataExt;

use workspace_core::{
    Access, CreateDirOptions, ErrorKind, FsProvider, PathFilter, RemoveOptions, RenameOptions, Result,
};
use workspace_local::Local;

use crate::support::{Scene, path, refused};

async fn remove_all(files: &Local, name: &str) -> Result<()> {
    files.remove(&path(name), RemoveOptions::default().with_recursive(true)).await
}

async fn rename(files: &Local, from: &str, to: &str) -> Result<()> {
    files.rename(&path(from), &path(to), RenameOptions::default()).await
}

async fn replace(files: &Local, from: &str, to: &str) -> Result<()> {
    files.rename(&path(from), &path(to), RenameOptions::default().with_replace(true)).await
}

/// Closes writing to everything called `closed`.
fn closed() -> PathFilter {
    PathFilter::deny("closed", |path, access| access == Access::Write && path.name() == Some("closed"))
}

#[tokio::test]
async fn a_directory_is_made_once() {
    let scene = Scene::new();
    scene.put("file", "x");
    scene.link("alias", "dir");
    let files = scene.open();
    let plain = CreateDirOptions::default;
    assert!(files.create_dir(&path("dir"), plain()).await.unwrap());
    assert!(!files.create_dir(&path("dir"), plain()).await.unwrap());
    assert!(!files.create_dir(&path("alias"), plain()).await.unwrap());
    assert!(!files.create_dir(&path(""), plain()).await.unwrap());
    assert_eq!(refused(files.create_dir(&path("file"), plain()).await), ErrorKind::AlreadyExists);
    assert_eq!(refused(files.create_dir(&path("file/x"), plain()).await), ErrorKind::NotADirectory);
    assert_eq!(refused(files.create_dir(&path("a/b"), plain()).await), ErrorKind::NotFound);
    let parents = || plain().with_parents(true);
    assert!(files.create_dir(&path("a/b/c"), parents()).await.unwrap());
    assert!(!files.create_dir(&path("a/b/c"), parents()).await.unwrap());
    assert!(scene.at("a/b/c").is_dir());
    let closed = parents().with_filter(closed());
    assert_eq!(refused(files.create_dir(&path("new/closed/x"), closed).await), ErrorKind::DeniedPath);
    assert!(!scene.at("new").exists());
}

#[tokio::test]
async fn a_removal_takes_what_it_is_asked_for() {
    let scene = Scene::new();
    for name in ["file", "dir/sub/file", "dir/other", "full/x"] {
        scene.put(name, "x");
    }
    scene.dir("empty");
    scene.link("dir/out", "../../outside");
    scene.link("dir/sub/up", "../..");
    let files = scene.open();
    let plain = RemoveOptions::default;
    assert_eq!(refused(files.remove(&path("none"), plain()).await), ErrorKind::NotFound);
    assert_eq!(refused(files.remove(&path("full"), plain()).await), ErrorKind::NotEmpty);
    assert_eq!(refused(files.remove(&path(""), plain()).await), ErrorKind::InvalidInput);
    assert_eq!(refused(remove_all(&files, "").await), ErrorKind::InvalidInput);
    files.remove(&path("file"), plain()).await.unwrap();
    files.remove(&path("empty"), plain()).await.unwrap();
    remove_all(&files, "dir").await.unwrap();
    assert_eq!(scene.names(""), ["full"]);
    assert_eq!(scene.names("full"), ["x"]);
    scene.assert_outside_untouched();
}

#[tokio::test]
async fn a_removal_is_judged_as_a_whole_before_it_begins() {
    let scene = Scene::new();
    for name in ["dir/a", "dir/m/closed", "dir/z"] {
        scene.put(name, "x");
    }
    let files = scene.open();
    let options = RemoveOptions::default().with_recursive(true).with_filter(closed());
    assert_eq!(refused(files.remove(&path("dir"), options).await), ErrorKind::DeniedPath);
    assert_eq!(scene.names("dir"), ["a", "m", "z"]);
    let options = RemoveOptions::default().with_recursive(true).with_filter(closed());
    files.remove(&path("dir/a"), options).await.unwrap();
}

#[tokio::test]
async fn a_rename_moves_and_replaces_only_on_request() {
    let scene = Scene::new();
    for name in ["a", "b", "dir/x", "full/y"] {
        scene.put(name, name);
    }
    scene.dir("empty");
    scene.link("link", "a");
    let files = scene.open();
    assert_eq!(refused(rename(&files, "none", "c").await), ErrorKind::NotFound);
    assert_eq!(refused(rename(&files, "a", "none/c").await), ErrorKind::NotFound);
    for (from, to) in [("a", "b"), ("a", "link"), ("a", "empty"), ("dir", "b"), ("dir", "empty"), ("a", "a")]
    {
        assert_eq!(refused(rename(&files, from, to).await), ErrorKind::AlreadyExists, "{from} to {to}");
    }
    for (from, to) in [("a", "empty"), ("dir", "b"), ("dir", "empty"), ("dir", "full")] {
        assert_eq!(refused(replace(&files, from, to).await), ErrorKind::AlreadyExists, "{from} to {to}");
    }
    replace(&files, "a", "a").await.unwrap();
    replace(&files, "a", "b").await.unwrap();
    assert_eq!(scene.text("b"), "a");
    rename(&files, "link", "moved").await.unwrap();
    assert!(scene.at("moved").symlink_metadata().unwrap().is_symlink());
    rename(&files, "dir", "full/dir").await.unwrap();
    assert_eq!(scene.text("full/dir/x"), "dir/x");
    assert_eq!(scene.names(""), ["b", "empty", "full", "moved"]);
}

#[tokio::test]
async fn a_rename_onto_a_link_replaces_the_link_and_not_its_target() {
    let scene = Scene::new();
    scene.put("a", "a");
    scene.put("target", "target");
    scene.link("link", "target");
    scene.link("out", "../outside/secret");
    let files = scene.open();
    replace(&files, "a", "link").await.unwrap();
    assert_eq!((scene.text("link").as_str(), scene.text("target").as_str()), ("a", "target"));
    replace(&files, "link", "out").await.unwrap();
    assert_eq!(scene.text("out"), "a");
    scene.assert_outside_untouched();
}

#[tokio::test]
async fn two_names_of_one_file_become_one() {
    let scene = Scene::new();
    scene.put("a", "x");
    fs::hard_link(scene.at("a"), scene.at("b")).unwrap();
    replace(&scene.open(), "a", "b").await.unwrap();
    assert_eq!(scene.names(""), ["b"]);
    assert_eq!(scene.at("b").metadata().unwrap().nlink(), 1);
}

#[tokio::test]
async fn roots_do_not_move_and_a_directory_does_not_move_into_itself() {
    let scene = Scene::new();
    scene.put("dir/sub/x", "x");
    scene.link("alias", "dir/sub");
    let files = scene.open();
    for (from, to) in
        [("", "x"), ("dir", ""), ("dir", "dir/sub/new"), ("dir", "dir/new"), ("dir", "alias/new")]
    {
        assert_eq!(refused(rename(&files, from, to).await), ErrorKind::InvalidInput, "`{from}` to `{to}`");
    }
    assert_eq!(scene.text("dir/sub/x"), "x");
}

#[tokio::test]
async fn a_rename_is_judged_on_both_sides_with_all_below() {
    let scene = Scene::new();
    scene.put("dir/a/closed", "x");
    scene.put("other/a/x", "x");
    let files = scene.open();
    let closing = |filter: PathFilter| RenameOptions::default().with_filter(filter);
    assert_eq!(
        refused(files.rename(&path("dir"), &path("new"), closing(closed())).await),
        ErrorKind::DeniedPath
    );
    let destination = PathFilter::deny("destination", |path, _| *path == crate::support::path("new/a/x"));
    assert_eq!(
        refused(files.rename(&path("other"), &path("new"), closing(destination.clone())).await),
        ErrorKind::DeniedPath
    );
    files.rename(&path("other"), &path("elsewhere"), closing(destination)).await.unwrap();
    assert_eq!(scene.names(""), ["dir", "elsewhere"]);
}
