//! The ignore files of a directory, read through its handle.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use workspace_core::{Access, Error, ErrorKind, FileKind, PathFilter, Result, WorkspacePath};
use workspace_search::{Failure, IgnoreFiles, MAX_IGNORE_FILE};

use super::directory::Directory;
use super::names::Name;
use crate::beneath::{READING, open_name};
use crate::error::Outcome;
use crate::files::must_be_file;
use crate::jail::Ask;
use crate::local::Inner;

/// How much is asked for at a time.
const PIECE: usize = 16 << 10;

/// Reads the ignore files among the entries of a directory; also tells how many could not be read.
///
/// # Errors
/// Those that say that the file system is lost.
pub(super) fn ignore_files(
    inner: &Inner,
    directory: &Directory,
    filter: &PathFilter,
) -> Result<(IgnoreFiles, u64)> {
    let mut reading = Reading { inner, directory, filter, unreadable: 0 };
    let mut files = IgnoreFiles::default();
    // The order is bytewise, in which the entries of a directory are told.
    if let Some(name) = directory.names.find(".git")
        && name.kind == FileKind::Dir
    {
        let exclude = directory.shown.child(".git")?.child("info")?.child("exclude")?;
        files.exclude = reading.by_path(&exclude)?;
    }
    files.gitignore = reading.by_name(".gitignore")?;
    files.ignore = reading.by_name(".ignore")?;
    Ok((files, reading.unreadable))
}

struct Reading<'a> {
    inner: &'a Inner,
    directory: &'a Directory,
    filter: &'a PathFilter,
    unreadable: u64,
}

impl Reading<'_> {
    fn by_name(&mut self, shown: &str) -> Result<Option<Vec<u8>>> {
        let Some(name) = self.directory.names.find(shown) else { return Ok(None) };
        match name.kind {
            FileKind::File => {
                let read = self.open(shown, name).and_then(|file| self.read(file.as_fd()));
                let path = self.directory.shown.child(shown)?;
                self.survive(&path, read)
            }
            // An ignore file may be a link inside the root, as any file that is named.
            FileKind::Link => self.by_path(&self.directory.shown.child(shown)?),
            _ => Ok(None),
        }
    }

    fn open(&self, shown: &str, name: Name) -> Outcome<OwnedFd> {
        let directory = self.directory;
        if !self.filter.is_empty() {
            self.filter.check(&directory.spot_of(shown)?.path(), Access::Read)?;
        }
        let hand = directory.hand(&self.inner.jail)?;
        Ok(open_name(hand.as_fd(), directory.names.for_system(name), READING)?)
    }

    /// A file whose path is resolved as that of any file that a call names.
    fn by_path(&mut self, path: &WorkspacePath) -> Result<Option<Vec<u8>>> {
        let jail = &self.inner.jail;
        let file = jail.settle(Ask::read(path, self.filter), |spot| jail.open(spot, READING));
        let read = file.and_then(|file| self.read(file.as_fd()));
        self.survive(path, read)
    }

    fn read(&self, file: BorrowedFd<'_>) -> Outcome<Vec<u8>> {
        let raw = rustix::fs::fstat(file)?;
        must_be_file(&raw)?;
        self.inner.hard_links.must_allow(&raw)?;
        let mut bytes = Vec::new();
        loop {
            bytes.reserve(PIECE);
            let read = rustix::io::retry_on_intr(|| {
                rustix::io::read(file, rustix::buffer::spare_capacity(&mut bytes))
            })?;
            if bytes.len() as u64 > MAX_IGNORE_FILE {
                return Err(Error::new(ErrorKind::TooLarge, "the ignore file is too large").into());
            }
            if read == 0 {
                return Ok(bytes);
            }
        }
    }

    fn survive(&mut self, path: &WorkspacePath, read: Outcome<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        let fault = match read {
            Ok(bytes) => return Ok(Some(bytes)),
            Err(fault) => fault,
        };
        if Failure::of(fault.tell("read", path))? == Failure::Unreadable {
            self.unreadable += 1;
        }
        Ok(None)
    }
}
