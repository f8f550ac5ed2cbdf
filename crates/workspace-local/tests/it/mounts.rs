//! Full disks, mounts, and other file systems: on mounts of the test's own.

use std::fs;
use std::path::Path;
use std::process::Command;

use workspace_core::{
    Atomicity, ErrorKind, FsProvider, Precondition, ReadOptions, RemoveOptions, RenameOptions, WriteOptions,
};

use crate::child::goes_on_with_own_mounts;
use crate::support::{Scene, path, read, refused, write, write_with};

fn mount(arguments: &[&str], at: &Path) {
    let status = Command::new("mount").args(arguments).arg(at).status().unwrap();
    assert!(status.success(), "mount {arguments:?} failed");
}

#[tokio::test]
async fn r_write_1_a_full_disk_leaves_the_old_content_and_no_temporary_file() {
    if !goes_on_with_own_mounts("mounts::r_write_1_a_full_disk_leaves_the_old_content_and_no_temporary_file")
    {
        return;
    }
    let scene = Scene::new();
    mount(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"], &scene.root());
    scene.put("old", "old");
    let files = scene.open();
    for name in ["old", "new"] {
        for size in [200_000, 2_000_000] {
            assert_eq!(refused(write(&files, name, &"x".repeat(size)).await), ErrorKind::NoSpace);
        }
    }
    assert_eq!((scene.text("old").as_str(), scene.names("")), ("old", vec!["old".to_owned()]));
    // The room is free again.
    write(&files, "new", &"x".repeat(40_000)).await.unwrap();
}

#[tokio::test]
async fn r_write_1_a_name_that_is_a_mount_is_rewritten_in_place() {
    if !goes_on_with_own_mounts("mounts::r_write_1_a_name_that_is_a_mount_is_rewritten_in_place") {
        return;
    }
    let scene = Scene::new();
    scene.put("file", "below the mount");
    let source = scene.outside().join("source");
    fs::write(&source, "old").unwrap();
    mount(&["--bind", source.to_str().unwrap()], &scene.at("file"));
    let files = scene.open();
    let required = WriteOptions::default().with_atomicity(Atomicity::Required);
    assert_eq!(refused(write_with(&files, "file", "x", required).await), ErrorKind::Permission);
    let absent = WriteOptions::default().with_if_match(Precondition::Absent);
    assert_eq!(refused(write_with(&files, "file", "x", absent).await), ErrorKind::Conflict);
    assert_eq!(scene.text("file"), "old");
    for text in ["new", &"long ".repeat(100_000), ""] {
        let written = write(&files, "file", text).await.unwrap();
        assert!(!written.atomic && !written.created);
        assert_eq!(scene.text("file"), text);
    }
    assert_eq!(fs::read_to_string(source).unwrap(), "");
    assert_eq!(scene.names(""), ["file"]);
}

#[tokio::test]
async fn r_write_1_room_is_made_before_a_file_is_rewritten_in_place() {
    if !goes_on_with_own_mounts("mounts::r_write_1_room_is_made_before_a_file_is_rewritten_in_place") {
        return;
    }
    let scene = Scene::new();
    let small = scene.home().join("small");
    fs::create_dir(&small).unwrap();
    mount(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"], &small);
    fs::write(small.join("source"), "old").unwrap();
    scene.put("file", "below the mount");
    mount(&["--bind", small.join("source").to_str().unwrap()], &scene.at("file"));
    let outcome = write(&scene.open(), "file", &"x".repeat(200_000)).await;
    assert_eq!(refused(outcome), ErrorKind::NoSpace);
    assert_eq!((scene.text("file").as_str(), scene.names("")), ("old", vec!["file".to_owned()]));
}

#[tokio::test]
async fn a_file_system_mounted_below_is_neither_moved_nor_emptied() {
    if !goes_on_with_own_mounts("mounts::a_file_system_mounted_below_is_neither_moved_nor_emptied") {
        return;
    }
    let scene = Scene::new();
    scene.put("top/a", "a");
    scene.dir("top/mount");
    mount(&["--bind", scene.outside().to_str().unwrap()], &scene.at("top/mount"));
    let files = scene.open();
    // A mount is a part of the workspace like any other.
    assert_eq!(read(&files, "top/mount/secret").await.unwrap(), crate::support::SECRET);
    let moved = files.rename(&path("top/a"), &path("top/mount/a"), RenameOptions::default()).await;
    let error = moved.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("different file systems"), "{error}");
    let gone = files.remove(&path("top"), RemoveOptions::default().with_recursive(true)).await;
    assert_eq!(refused(gone), ErrorKind::Unsupported);
    scene.assert_outside_untouched();
}

#[tokio::test]
async fn a_file_system_without_writing_says_so() {
    if !goes_on_with_own_mounts("mounts::a_file_system_without_writing_says_so") {
        return;
    }
    let scene = Scene::new();
    mount(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"], &scene.root());
    scene.put("file", "old");
    mount(&["-o", "remount,ro"], &scene.root());
    let files = scene.open();
    assert_eq!(refused(write(&files, "file", "x").await), ErrorKind::ReadOnly);
    assert_eq!(refused(write(&files, "new", "x").await), ErrorKind::ReadOnly);
    assert_eq!(refused(files.remove(&path("file"), RemoveOptions::default()).await), ErrorKind::ReadOnly);
    assert_eq!(read(&files, "file").await.unwrap(), "old");
}

#[tokio::test]
async fn files_whose_size_lies_are_read_to_their_end() {
    let files = workspace_local::Local::open("/proc/self").unwrap();
    let opened = files.read(&path("status"), ReadOptions::default()).await.unwrap();
    assert_eq!(opened.stat.size, 0);
    let text = opened.body.collect(1 << 20).await.unwrap();
    assert!(text.starts_with(b"Name:") && text.ends_with(b"\n"));
    // More than one piece, of which none is announced.
    let maps = files.read(&path("smaps"), ReadOptions::default()).await.unwrap();
    assert!(maps.body.collect(64 << 20).await.unwrap().len() > 1000);
}
