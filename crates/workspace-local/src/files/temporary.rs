//! New content in the making, before it stands where it belongs.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use workspace_core::temporary_name;

use super::leftovers::{Lock, token, try_lock};
use super::moving::rename_to_free;
use super::unnamed::Unnamed;
use crate::roots::Root;

/// How many names are tried.
const ATTEMPTS: usize = 16;

/// A temporary file, locked. If it has a name, that goes when it is dropped.
#[derive(Debug)]
pub(super) struct Temporary {
    file: OwnedFd,
    standing: Standing,
}

/// Whether a temporary file has a name.
#[derive(Debug)]
enum Standing {
    /// A name that only we know, in the directory of the target or in the top of its root.
    Named(Place, String),
    /// None so far. It lies on the file system of the target, so it can have one there.
    Unnamed,
    /// None. It lies elsewhere, and its bytes can only be copied.
    Scratch,
    /// That of the target.
    InPlace,
}

#[derive(Debug)]
enum Place {
    Beside(Arc<OwnedFd>),
    Top(Arc<Root>),
}

impl AsFd for Place {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Beside(dir) => dir.as_fd(),
            Self::Top(root) => root.fd(),
        }
    }
}

impl Temporary {
    /// Makes one for `name` in `dir`: without a name where the system can do that, else beside it.
    pub(super) fn make(dir: &Arc<OwnedFd>, name: &str, mode: Mode, unnamed: Unnamed) -> Result<Self, Errno> {
        if let Some(file) = unnamed.make(dir.as_fd(), mode)? {
            // Nobody can have found it, so the lock is ours, if there are locks here.
            try_lock(&file);
            return Ok(Self { file, standing: Standing::Unnamed });
        }
        Self::beside(dir, name, mode)
    }

    fn beside(dir: &Arc<OwnedFd>, name: &str, mode: Mode) -> Result<Self, Errno> {
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
            let standing = Standing::Named(Place::Beside(Arc::clone(dir)), name);
            let temporary = Self { file, standing };
            // A sweep may have come between the name and the lock.
            if try_lock(&temporary.file) != Lock::Theirs && rustix::fs::fstat(&temporary.file)?.st_nlink > 0 {
                return Ok(temporary);
            }
        }
        Err(Errno::BUSY)
    }

    /// Makes one away from the workspace, in the host's directory for such files.
    pub(super) fn scratch() -> Result<Self, Errno> {
        let dir = Dir::open_ambient_dir(std::env::temp_dir(), ambient_authority())
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        let dir = Arc::new(OwnedFd::from(dir));
        let mut temporary = Self::beside(&dir, "workspace", Mode::from_raw_mode(0o600))?;
        temporary.become_now(Standing::Scratch);
        Ok(temporary)
    }

    pub(super) fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Whether its bytes can only be copied to the target.
    pub(super) fn is_scratch(&self) -> bool {
        matches!(self.standing, Standing::Scratch)
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

    /// Moves it over `name` in `dir`, whatever file stands there.
    pub(super) fn replace(&mut self, root: &Arc<Root>, dir: &Arc<OwnedFd>, name: &str) -> Result<(), Errno> {
        if let Standing::Unnamed = self.standing {
            self.give_name(root, dir, name)?;
        }
        let Standing::Named(place, own) = &self.standing else { return Err(Errno::INVAL) };
        rustix::fs::renameat(place, own, dir, name)?;
        self.standing = Standing::InPlace;
        Ok(())
    }

    /// Puts it where nothing stands: [`Errno::EXIST`] otherwise.
    pub(super) fn occupy(&mut self, dir: &OwnedFd, name: &str) -> Result<(), Errno> {
        match &self.standing {
            Standing::Unnamed => Unnamed::link(&self.file, dir.as_fd(), name)?,
            Standing::Named(place, own) => rename_to_free((place.as_fd(), own), (dir.as_fd(), name), false)?,
            Standing::Scratch | Standing::InPlace => return Err(Errno::INVAL),
        }
        self.standing = Standing::InPlace;
        Ok(())
    }

    /// Gives it a name to be moved from: no name can be moved over another without one.
    ///
    /// It stands in the top of the root, if it can, for no longer than the move
    /// takes. A process killed in that moment leaves it where the next one looks.
    fn give_name(&mut self, root: &Arc<Root>, dir: &Arc<OwnedFd>, name: &str) -> Result<(), Errno> {
        for place in [Place::Top(Arc::clone(root)), Place::Beside(Arc::clone(dir))] {
            for _ in 0..ATTEMPTS {
                let own = temporary_name(name, token());
                match Unnamed::link(&self.file, place.as_fd(), &own) {
                    Err(Errno::EXIST | Errno::INTR) => {}
                    Ok(()) => {
                        self.standing = Standing::Named(place, own);
                        return Ok(());
                    }
                    // The top is closed to us, or another file system.
                    Err(_) if matches!(place, Place::Top(_)) => break,
                    Err(errno) => return Err(errno),
                }
            }
        }
        Err(Errno::BUSY)
    }

    fn become_now(&mut self, standing: Standing) {
        if let Standing::Named(place, name) = std::mem::replace(&mut self.standing, standing) {
            // Whoever sweeps next gets what stays here.
            let _ = rustix::fs::unlinkat(place, &name, AtFlags::empty());
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.become_now(Standing::InPlace);
    }
}

#[cfg(test)]
mod tests;
