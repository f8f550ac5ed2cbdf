//! Files that are written from the body of a request.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Uid, chownat, fchown, mkdirat};
use rustix::io::Errno;
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use super::metadata;
use crate::answer::problem;
use crate::sandbox::{User, View};

/// Why a file was not written.
#[derive(Debug)]
pub(super) struct Failed(pub(super) StatusCode, pub(super) String);

impl Failed {
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, message.into())
    }

    pub(super) fn answer(self) -> Response {
        problem(self.0, self.1)
    }
}

/// Writes a file from chunks as they come, in place: what fails half way leaves half a file.
pub(super) async fn receive<E: std::fmt::Display>(
    view: &View,
    user: &User,
    path: &str,
    notes: &BTreeMap<String, String>,
    mut chunks: impl Stream<Item = Result<Bytes, E>> + Unpin,
) -> Result<(), Failed> {
    let mut file = open(view, user, path)?;
    let mut written = 0_usize;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| Failed::internal(format!("error writing file: {error}")))?;
        written += chunk.len();
        file.write_all(&chunk).await.map_err(|error| full(&error, written))?;
    }
    file.flush().await.map_err(|error| full(&error, written))?;
    metadata::replace(&file, notes)
        .map_err(|error| Failed::internal(format!("error setting metadata: {error}")))
}

fn open(view: &View, user: &User, path: &str) -> Result<File, Failed> {
    let is_directory = || Failed(StatusCode::BAD_REQUEST, format!("path is a directory: {path}"));
    if view.stat(path).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory) {
        return Err(is_directory());
    }
    make_parents(view, user, path)
        .map_err(|error| Failed::internal(format!("error ensuring directories: {error}")))?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NONBLOCK;
    let file = view.open(path, flags, Mode::from_raw_mode(0o666)).map_err(|error| match error {
        Errno::ISDIR => is_directory(),
        Errno::NOSPC => Failed(
            StatusCode::INSUFFICIENT_STORAGE,
            "not enough inodes available: no space left on device".into(),
        ),
        error => Failed::internal(format!("error opening file: open {path}: {error}")),
    })?;
    own(fchown(&file, Some(Uid::from_raw(user.uid)), Some(Gid::from_raw(user.gid))))
        .map_err(|error| Failed::internal(format!("error changing ownership: {error}")))?;
    Ok(std::fs::File::from(file).into())
}

fn full(error: &std::io::Error, written: usize) -> Failed {
    if error.kind() == std::io::ErrorKind::StorageFull {
        let message = format!("attempted to write {written} bytes: not enough disk space available");
        Failed(StatusCode::INSUFFICIENT_STORAGE, message)
    } else {
        Failed::internal(format!("error writing file: {error}"))
    }
}

/// Makes the directories above a path that are missing, the user's.
pub(crate) fn make_parents(view: &View, user: &User, path: &str) -> Result<(), String> {
    let above: Vec<_> = path.trim_end_matches('/').match_indices('/').map(|(at, _)| &path[..at]).collect();
    above
        .into_iter()
        .filter(|directory| !directory.is_empty())
        .try_for_each(|directory| make(view, user, directory))
}

/// Makes one directory where it is missing.
pub(crate) fn make(view: &View, user: &User, path: &str) -> Result<(), String> {
    let failed = |error: Errno| format!("mkdir {path}: {error}");
    match view.stat(path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => return Ok(()),
        Ok(_) | Err(Errno::NOTDIR) => return Err(format!("path is a file: {path}")),
        Err(Errno::NOENT) => {}
        Err(error) => return Err(failed(error)),
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let parent = view.parent(path).map_err(failed)?;
    match mkdirat(&parent, name, Mode::from_raw_mode(0o755)) {
        Ok(()) => {
            let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
            own(chownat(&parent, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)).map_err(failed)
        }
        Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

/// Where this program may not give files away, they stay its own.
fn own(changed: rustix::io::Result<()>) -> rustix::io::Result<()> {
    match changed {
        Err(Errno::PERM | Errno::INVAL) if !rustix::process::geteuid().is_root() => Ok(()),
        changed => changed,
    }
}
