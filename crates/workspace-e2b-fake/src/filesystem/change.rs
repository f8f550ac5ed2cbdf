//! `MakeDir`, `Move` and `Remove`.

use std::ffi::OsStr;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;
use serde_json::{Value, json};

use super::{entry, words};
use crate::connect::{Code, Problem};
use crate::envd::{make, make_parents};
use crate::sandbox::{User, View, names};

/// Makes a directory and those above it.
pub(super) fn make_dir(view: &View, user: &User, path: &str) -> Result<Value, Problem> {
    match view.stat(path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
            return Err(Problem::new(Code::AlreadyExists, format!("directory already exists: {path}")));
        }
        Ok(_) => {
            let message = format!("path already exists but it is not a directory: {path}");
            return Err(Problem::new(Code::InvalidArgument, message));
        }
        Err(_) => {}
    }
    let path = path.trim_end_matches('/');
    make_parents(view, user, path)
        .and_then(|()| make(view, user, path))
        .map_err(|error| Problem::new(Code::Internal, format!("error creating directory: {error}")))?;
    made(view, path)
}

/// Gives a path another name, over a file that has it.
pub(super) fn rename(view: &View, user: &User, source: &str, destination: &str) -> Result<Value, Problem> {
    make_parents(view, user, destination)
        .map_err(|error| Problem::new(Code::Internal, format!("error creating directory: {error}")))?;
    let renamed = view.parent(source).and_then(|from| {
        let to = view.parent(destination)?;
        renameat(from, base(source), to, base(destination))
    });
    match renamed {
        Ok(()) => made(view, destination),
        Err(error @ (Errno::NOENT | Errno::NOTDIR)) => {
            let message = format!("source file not found: rename {source} {destination}: {}", words(error));
            Err(Problem::new(Code::NotFound, message))
        }
        Err(error) => {
            let message = format!("error renaming: rename {source} {destination}: {}", words(error));
            Err(Problem::new(Code::Internal, message))
        }
    }
}

/// Removes a path and all below it; one that is not there is fine.
pub(super) fn remove(view: &View, path: &str) -> Result<Value, Problem> {
    let removed = match view.parent(path) {
        Ok(parent) => remove_all(&parent, base(path)),
        Err(error) => Err(error),
    };
    match removed {
        Ok(()) | Err(Errno::NOENT | Errno::NOTDIR) => Ok(json!({})),
        Err(error) => {
            let message = format!("error removing file or directory: unlinkat {path}: {}", words(error));
            Err(Problem::new(Code::Internal, message))
        }
    }
}

fn remove_all(parent: &impl AsFd, name: &OsStr) -> rustix::io::Result<()> {
    match unlinkat(parent, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        done => return done,
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = openat(parent, name, flags, Mode::empty())?;
    for below in names(openat(&directory, ".", flags, Mode::empty())?)? {
        match remove_all(&directory, &below) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error),
        }
    }
    unlinkat(parent, name, AtFlags::REMOVEDIR)
}

fn made(view: &View, path: &str) -> Result<Value, Problem> {
    let entry = entry::of(view, path);
    let entry = entry.map_err(|error| super::failed("file", "lstat", path, error))?;
    Ok(json!({ "entry": entry }))
}

fn base(path: &str) -> &OsStr {
    OsStr::new(path.trim_end_matches('/').rsplit('/').next().unwrap_or_default())
}
