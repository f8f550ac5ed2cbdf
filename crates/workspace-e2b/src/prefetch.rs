//! What stands at the end of a path, that came along when the path was resolved.
//!
//! A tool that changes a file asks first where its path leads, for the lock, and then
//! reads it: one request can answer both. What came along is given once, at most for a
//! moment, and never where anything was changed or run through this handle since, so
//! that it is what the file held when the path was resolved, after all that the
//! caller knows of.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use workspace_core::{Access, Body, Error, ErrorKind, FileBody, ReadOptions, Result, WorkspacePath};
use workspace_posix::AtTheEnd;

/// Larger files do not come along, in bytes.
pub(crate) const MOST: u64 = 256 << 10;
/// How long what came along can be given.
const FRESH: Duration = Duration::from_millis(300);
/// So many files wait at most.
const FILES: usize = 16;

/// The files that wait for their readers, by their paths as they were asked for.
#[derive(Default)]
pub(crate) struct Prefetched {
    /// Counts what may have changed files.
    changes: AtomicU64,
    waiting: Mutex<HashMap<WorkspacePath, Waiting>>,
}

struct Waiting {
    resolved: WorkspacePath,
    end: AtTheEnd,
    since: Instant,
    changes: u64,
}

impl Prefetched {
    /// Something may change files from now on, or has.
    pub(crate) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The state before a question, to be given with its answer.
    pub(crate) fn state(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    pub(crate) fn keep(&self, path: &WorkspacePath, resolved: WorkspacePath, end: AtTheEnd, changes: u64) {
        if end == AtTheEnd::Other {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, file| file.since.elapsed() < FRESH);
        if waiting.len() < FILES {
            let since = Instant::now();
            waiting.insert(path.clone(), Waiting { resolved, end, since, changes });
        }
    }

    /// The window of a file that is asked for, where the file is here.
    pub(crate) fn take(&self, path: &WorkspacePath, options: &ReadOptions) -> Option<Result<FileBody>> {
        let file = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(path)?;
        if file.since.elapsed() > FRESH || file.changes != self.state() {
            return None;
        }
        if let Err(refusal) = options.filter.check(&file.resolved, Access::Read) {
            return Some(Err(refusal.during("read").at(path)));
        }
        let (stat, mut bytes) = match file.end {
            AtTheEnd::File(stat, bytes) => (stat, bytes),
            AtTheEnd::Nothing => return Some(Err(not_found().during("read").at(path))),
            _ => return None,
        };
        let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let skip = number(options.offset).min(bytes.len());
        bytes.drain(..skip);
        bytes.truncate(options.length.map_or(usize::MAX, number));
        Some(Ok(FileBody::new(stat, Body::from(bytes))))
    }
}

fn not_found() -> Error {
    Error::new(ErrorKind::NotFound, "there is nothing here").hint("list the directory to see what it holds")
}

#[cfg(test)]
mod tests {
    use workspace_core::{FileKind, Stat};

    use super::*;

    fn path(name: &str) -> WorkspacePath {
        WorkspacePath::root().child(name).unwrap()
    }

    fn kept(files: &Prefetched, name: &str) {
        let file = AtTheEnd::File(Stat::new(FileKind::File, 3), b"abc".to_vec());
        files.keep(&path(name), path(name), file, files.state());
    }

    #[test]
    fn a_file_is_given_once_and_not_after_a_change() {
        let files = Prefetched::default();
        kept(&files, "a");
        let mut options = ReadOptions::default();
        options.offset = 1;
        options.length = Some(1);
        assert!(files.take(&path("b"), &options).is_none());
        assert_eq!(files.take(&path("a"), &options).unwrap().unwrap().stat.size, 3);
        assert!(files.take(&path("a"), &options).is_none());
        kept(&files, "a");
        files.changed();
        assert!(files.take(&path("a"), &options).is_none());
        // An answer to a question that was asked before the change.
        files.keep(&path("a"), path("a"), AtTheEnd::Nothing, files.state() - 1);
        assert!(files.take(&path("a"), &options).is_none());
        files.keep(&path("a"), path("a"), AtTheEnd::Nothing, files.state());
        let missing = files.take(&path("a"), &options).unwrap();
        assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
    }
}
