//! Writing on a system where every file has a name from the start.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use workspace_core::{
    Body, ErrorKind, FsProvider, ReadOptions, RemoveOptions, WorkspacePath, WriteOptions, is_temporary_name,
    temporary_name,
};

use super::super::leftovers::token;
use crate::Local;
use crate::files::Unnamed;

/// A workspace on such a system.
fn open(root: &Path) -> Local {
    let mut files = Local::open(root).unwrap();
    Arc::get_mut(&mut files.0).unwrap().unnamed = Unnamed::NEVER;
    files
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text, &workspace_core::PathRules::default()).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// Two pieces that are too long to be gathered, then what `last` says.
fn long_body(
    mut last: impl FnMut() -> Poll<Option<workspace_core::Result<Vec<u8>>>> + Send + 'static,
) -> Body {
    let mut pieces = 0;
    Body::from_poll_fn(move |_| {
        pieces += 1;
        if pieces > 2 { last() } else { Poll::Ready(Some(Ok(vec![b'x'; 400_000]))) }
    })
}

#[tokio::test]
async fn r_write_1_a_living_writer_keeps_its_temporary_file() {
    let root = tempfile::tempdir().unwrap();
    let files = open(root.path());
    let at = root.path().to_owned();
    let body = long_body(move || {
        let before = names(&at);
        assert!(before.len() == 1 && is_temporary_name(&before[0]), "{before:?}");
        // Others start in the middle of the write.
        Local::open(&at).unwrap();
        assert_eq!(names(&at), before);
        Poll::Ready(None)
    });
    files.write(&path("a"), body, WriteOptions::default()).await.unwrap();
    assert_eq!(names(root.path()), ["a"]);
    let read = files.read(&path("a"), ReadOptions::default()).await.unwrap();
    assert_eq!(read.body.collect(1 << 20).await.unwrap(), vec![b'x'; 800_000]);
}

#[tokio::test]
async fn r_write_1_a_dropped_write_takes_its_temporary_file_with_it() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("a"), "old").unwrap();
    let files = open(root.path());
    let (tell, told) = tokio::sync::oneshot::channel();
    let mut tell = Some(tell);
    let body = long_body(move || {
        let _ = tell.take().map(|tell| tell.send(()));
        Poll::Pending
    });
    let path = path("a");
    {
        let mut writing = pin!(files.write(&path, body, WriteOptions::default()));
        tokio::select! {
            _ = &mut writing => panic!("the body has no end"),
            told = told => told.unwrap(),
        }
        assert_eq!(names(root.path()).len(), 2);
    }
    assert_eq!(names(root.path()), ["a"]);
    assert_eq!(std::fs::read(root.path().join("a")).unwrap(), b"old");
}

#[tokio::test]
async fn a_file_in_the_making_is_no_more_readable_than_the_one_it_replaces() {
    let root = tempfile::tempdir().unwrap();
    let old = root.path().join("a");
    std::fs::write(&old, "old").unwrap();
    std::fs::set_permissions(&old, Permissions::from_mode(0o600)).unwrap();
    let at = root.path().to_owned();
    let body = long_body(move || {
        let modes: Vec<u32> = std::fs::read_dir(&at)
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().mode() & 0o777)
            .collect();
        assert_eq!(modes, [0o600; 2]);
        Poll::Ready(None)
    });
    open(root.path()).write(&path("a"), body, WriteOptions::default()).await.unwrap();
    assert_eq!(std::fs::read(&old).unwrap().len(), 800_000);
}

#[tokio::test]
async fn what_a_killed_writer_left_goes_at_the_start_and_at_the_first_write() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    std::fs::create_dir(at("dir")).unwrap();
    let left = temporary_name("a", token());
    for dir in ["", "dir/"] {
        std::fs::write(at(&format!("{dir}{left}")), "half").unwrap();
    }
    let files = open(root.path());
    assert_eq!(names(root.path()), ["dir"]);
    files.write(&path("dir/b"), Body::from(b"b".to_vec()), WriteOptions::default()).await.unwrap();
    assert_eq!(names(&at("dir")), ["b"]);
}

#[tokio::test]
async fn a_directory_that_holds_nothing_but_an_unseen_leftover_is_empty() {
    let root = tempfile::tempdir().unwrap();
    let files = Local::open(root.path()).unwrap();
    for (dir, name) in [("ours", temporary_name("x", token())), ("other", temporary_name("x", 1))] {
        std::fs::create_dir(root.path().join(dir)).unwrap();
        std::fs::write(root.path().join(dir).join(name), "half").unwrap();
    }
    files.remove(&path("ours"), RemoveOptions::default()).await.unwrap();
    // Someone else's is not ours to remove.
    let error = files.remove(&path("other"), RemoveOptions::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotEmpty);
}
