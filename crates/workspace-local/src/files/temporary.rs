//! New content in the making, beside the file that it is for.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use workspace_core::temporary_name;

use super::leftovers::{Lock, token, try_lock};

/// How many names are tried.
const ATTEMPTS: usize = 16;

/// A temporary file, locked. Its name goes when it is dropped.
#[derive(Debug)]
pub(super) struct Temporary {
    file: OwnedFd,
    dir: Arc<OwnedFd>,
    name: Option<String>,
}

impl Temporary {
    /// Makes one beside `name`.
    pub(super) fn beside(dir: &Arc<OwnedFd>, name: &str, mode: Mode) -> Result<Self, Errno> {
        let flags = OFlags::RDWR
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::CLOEXEC
            | OFlags::NOCTTY;
        for _ in 0..ATTEMPTS {
            let name = temporary_name(name, token());
            let file = match rustix::fs::openat(dir, &name, flags, mode) {
                Err(Errno::EXIST | Errno::INTR) => continue,
                opened => opened?,
            };
            let temporary = Self { file, dir: Arc::clone(dir), name: Some(name) };
            // A sweep may have come between the name and the lock.
            if try_lock(&temporary.file) != Lock::Theirs && rustix::fs::fstat(&temporary.file)?.st_nlink > 0 {
                return Ok(temporary);
            }
        }
        Err(Errno::BUSY)
    }

    /// Makes one without a name, away from the workspace, in the host's directory for such files.
    pub(super) fn scratch() -> Result<Self, Errno> {
        let dir = Dir::open_ambient_dir(std::env::temp_dir(), ambient_authority())
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        let dir = Arc::new(OwnedFd::from(dir));
        let mut temporary = Self::beside(&dir, "workspace", Mode::from_raw_mode(0o600))?;
        temporary.unname();
        Ok(temporary)
    }

    pub(super) fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Its name, beside the file that it is for. A scratch file has none.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The name is another file's affair now: it was moved.
    pub(super) fn moved(&mut self) {
        self.name = None;
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        let mut left = bytes;
        while !left.is_empty() {
            let written = rustix::io::retry_on_intr(|| rustix::io::write(&self.file, left))?;
            left = left.get(written..).unwrap_or_default();
            if written == 0 {
                return Err(Errno::IO);
            }
        }
        Ok(())
    }

    fn unname(&mut self) {
        if let Some(name) = self.name.take() {
            // Whoever sweeps next gets what stays here.
            let _ = rustix::fs::unlinkat(&self.dir, &name, AtFlags::empty());
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.unname();
    }
}
