//! Files and directories that the system closes to us.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use workspace_core::{
    Atomicity, Body, ErrorKind, FsProvider, ListOptions, WalkOptions, WorkspacePath, WriteMode, WriteOptions,
};

use crate::child::goes_on_without_rights;
use crate::support::{Scene, path, read, refused, write, write_with};

fn set_mode(scene: &Scene, name: &str, mode: u32) {
    fs::set_permissions(scene.at(name), fs::Permissions::from_mode(mode)).unwrap();
}

/// A directory that takes no new names, with a file that takes new content.
fn closed_directory() -> Scene {
    let scene = Scene::new();
    scene.put("dir/file", "old content, and longer than what follows");
    scene.put("dir/twin", "two names");
    fs::hard_link(scene.at("dir/twin"), scene.outside().join("twin")).unwrap();
    set_mode(&scene, "dir", 0o555);
    scene
}

#[tokio::test]
async fn r_write_1_a_file_in_a_closed_directory_is_rewritten_in_place_and_that_is_told() {
    if !goes_on_without_rights(
        "unwritable::r_write_1_a_file_in_a_closed_directory_is_rewritten_in_place_and_that_is_told",
    ) {
        return;
    }
    let scene = closed_directory();
    let before = scene.at("dir/file").metadata().unwrap();
    let files = scene.open();
    for size in [3, 1_000_000, 0] {
        let text = "x".repeat(size);
        let options = WriteOptions::default().with_mode(WriteMode::Set(0o640));
        let written = write_with(&files, "dir/file", &text, options).await.unwrap();
        assert!(!written.atomic && !written.created);
        assert_eq!((written.stat.size, written.stat.mode), (size as u64, Some(0o640)));
        assert_eq!(scene.text("dir/file"), text);
    }
    assert_eq!(scene.at("dir/file").metadata().unwrap().ino(), before.ino());
    assert_eq!(scene.names("dir"), ["file", "twin"]);
    set_mode(&scene, "dir", 0o755);
}

#[tokio::test]
async fn r_write_1_what_cannot_be_replaced_safely_is_refused() {
    if !goes_on_without_rights("unwritable::r_write_1_what_cannot_be_replaced_safely_is_refused") {
        return;
    }
    let scene = closed_directory();
    let files = scene.open();
    let required = WriteOptions::default().with_atomicity(Atomicity::Required);
    assert_eq!(refused(write_with(&files, "dir/file", "x", required).await), ErrorKind::Permission);
    // In place it would be changed under its other name as well.
    assert_eq!(refused(write(&files, "dir/twin", "x").await), ErrorKind::Permission);
    assert_eq!(refused(write(&files, "dir/new", "x").await), ErrorKind::Permission);
    let broken = Body::from_items([
        Ok(vec![b'x'; 400_000]),
        Err(workspace_core::Error::new(ErrorKind::TimedOut, "silence")),
    ]);
    let outcome = files.write(&path("dir/file"), broken, WriteOptions::default()).await;
    assert_eq!(refused(outcome), ErrorKind::TimedOut);
    assert_eq!(scene.text("dir/file"), "old content, and longer than what follows");
    assert_eq!(fs::read_to_string(scene.outside().join("twin")).unwrap(), "two names");
    assert_eq!(scene.names("dir"), ["file", "twin"]);
    set_mode(&scene, "dir", 0o755);
}

#[tokio::test]
async fn what_may_not_be_read_is_told_and_does_not_end_a_walk() {
    if !goes_on_without_rights("unwritable::what_may_not_be_read_is_told_and_does_not_end_a_walk") {
        return;
    }
    let scene = Scene::new();
    for name in ["a/x", "closed/y", "z"] {
        scene.put(name, "x");
    }
    set_mode(&scene, "closed", 0o000);
    set_mode(&scene, "z", 0o200);
    let files = scene.open();
    assert_eq!(refused(read(&files, "z").await), ErrorKind::Permission);
    assert_eq!(refused(read(&files, "closed/y").await), ErrorKind::Permission);
    assert_eq!(refused(files.list(&path("closed"), ListOptions::default()).await), ErrorKind::Permission);
    let walked = files.walk(&WorkspacePath::root(), WalkOptions::default()).await.unwrap();
    let walked = walked.collect_items(9).await.unwrap();
    let seen: Vec<_> = walked.iter().map(|entry| (entry.path.as_str(), entry.unreadable)).collect();
    assert_eq!(seen, [("a", false), ("a/x", false), ("closed", true), ("z", false)]);
    // What cannot be read can be written all the same.
    write(&files, "z", "new").await.unwrap();
    assert_eq!(scene.at("z").metadata().unwrap().mode() & 0o777, 0o200);
    set_mode(&scene, "closed", 0o755);
}
