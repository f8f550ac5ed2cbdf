//! Permission bits hold for the owner, whoever runs the tests.

use workspace_core::{
    Body, CreateDirOptions, ErrorKind, FsProvider, ListOptions, ReadOptions, RemoveOptions, RenameOptions,
    WalkOptions, WorkspacePath, WriteOptions,
};
use workspace_memory::Memory;

use crate::files::path;

fn tree(mode: u32) -> Memory {
    Memory::new().with_file("dir/file", "x").with_dir("dir/sub").with_mode("dir", mode)
}

/// What each call on a directory of this mode answers with: list, read, write
/// a new file, write an old one, make a directory, remove, rename.
#[track_caller]
fn check(mode: u32, allowed: [bool; 7]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let got = runtime.block_on(async {
        let file = path("dir/file");
        let write = async |at: &str| {
            tree(mode).write(&path(at), Body::from(b"y".to_vec()), WriteOptions::default()).await.map(drop)
        };
        [
            tree(mode).list(&path("dir"), ListOptions::default()).await.map(drop),
            tree(mode).read(&file, ReadOptions::default()).await.map(drop),
            write("dir/new").await,
            write("dir/file").await,
            tree(mode).create_dir(&path("dir/new"), CreateDirOptions::default()).await.map(drop),
            tree(mode).remove(&file, RemoveOptions::default()).await,
            tree(mode).rename(&file, &path("taken"), RenameOptions::default()).await,
        ]
    });
    let got = got.map(|result| match result {
        Ok(()) => true,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Permission, "{error}");
            false
        }
    });
    assert_eq!(got, allowed, "mode {mode:o}");
}

#[test]
fn r_mem_1_the_bits_of_a_directory_hold() {
    check(0o700, [true; 7]);
    check(0o500, [true, true, false, true, false, false, false]);
    check(0o300, [false, true, true, true, true, true, true]);
    check(0o600, [true, false, false, false, false, false, false]);
    check(0o000, [false; 7]);
}

#[tokio::test]
async fn r_mem_1_a_closed_file_is_not_read() {
    let memory = Memory::new().with_file("file", "x").with_mode("file", 0o200);
    let error = memory.read(&path("file"), ReadOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "read `file`: its permission bits refuse this to their owner");
    assert_eq!(memory.read_now("file").unwrap_err().kind(), ErrorKind::Permission);
}

#[tokio::test]
async fn r_list_2_a_closed_directory_is_marked_and_does_not_end_a_walk() {
    let memory = Memory::new().with_file("a/x", "").with_file("b/y", "").with_mode("a", 0o000);
    let walk = memory.walk(&WorkspacePath::root(), WalkOptions::default()).await.unwrap();
    let entries = walk.collect_items(10).await.unwrap();
    let told: Vec<_> = entries.iter().map(|entry| (entry.path.as_str(), entry.unreadable)).collect();
    assert_eq!(told, [("a", true), ("b", false), ("b/y", false)]);
    // Nobody looked into it where the depth ends before.
    let walk =
        memory.walk(&WorkspacePath::root(), WalkOptions::default().with_max_depth(Some(1))).await.unwrap();
    assert!(walk.collect_items(10).await.unwrap().iter().all(|entry| !entry.unreadable));
}

#[tokio::test]
async fn a_tree_with_a_closed_directory_in_it_is_not_removed() {
    let memory = Memory::new().with_file("a/b/c", "").with_mode("a/b", 0o500);
    let options = RemoveOptions::default().with_recursive(true);
    let error = memory.remove(&path("a"), options).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission);
    assert_eq!(memory.read_now("a/b/c").unwrap(), b"");
}
