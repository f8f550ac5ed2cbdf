//! Going down a tree by handles, few of which are open at a time.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::attributes::Identity;
use crate::beneath::{Beneath, LISTING};

/// How many directories of a descent are held open. Those further up are
/// closed and found again, so the depth of a tree costs no descriptors.
const HELD: usize = 64;

/// A directory, and the ones passed through to reach it.
///
/// No name is looked up twice and no link is followed, so a directory that is
/// swapped for a link meanwhile leads nowhere.
#[derive(Debug)]
pub(super) struct Descent {
    here: OwnedFd,
    above: Vec<Passed>,
    beneath: Beneath,
}

/// A directory that was passed through.
#[derive(Debug)]
enum Passed {
    Open(OwnedFd),
    Closed(Identity),
}

impl Descent {
    /// Starts at a directory that is open for listing.
    pub(super) fn new(here: OwnedFd, beneath: Beneath) -> Self {
        Self { here, above: Vec::new(), beneath }
    }

    /// The directory reached.
    pub(super) fn here(&self) -> BorrowedFd<'_> {
        self.here.as_fd()
    }

    /// Goes into a directory. [`Errno::LOOP`] means that it is a link by now.
    pub(super) fn enter(&mut self, name: &CStr) -> Result<(), Errno> {
        let below = self.beneath.open_dir_name(self.here.as_fd(), name, LISTING, false)?;
        self.go_into(below)
    }

    /// Goes into a directory unless another file system is mounted there: [`Errno::XDEV`].
    ///
    /// Mounts are seen where the kernel walks paths.
    pub(super) fn enter_same_device(&mut self, name: &CStr) -> Result<(), Errno> {
        let below = self.beneath.open_dir_name(self.here.as_fd(), name, LISTING, true)?;
        self.go_into(below)
    }

    fn go_into(&mut self, below: OwnedFd) -> Result<(), Errno> {
        self.above.push(Passed::Open(std::mem::replace(&mut self.here, below)));
        let too_far_up = self.above.len().checked_sub(HELD).and_then(|index| self.above.get_mut(index));
        if let Some(passed) = too_far_up
            && let Passed::Open(dir) = passed
        {
            *passed = Passed::Closed(Identity::of(&rustix::fs::fstat(dir)?));
        }
        Ok(())
    }

    /// Goes back up. [`Errno::STALE`] means that the directory was moved meanwhile, and its parent is not found again.
    pub(super) fn leave(&mut self) -> Result<(), Errno> {
        let Some(passed) = self.above.pop() else { return Ok(()) };
        self.here = match passed {
            Passed::Open(dir) => dir,
            Passed::Closed(identity) => {
                let flags = LISTING | OFlags::NOFOLLOW;
                let dir = rustix::fs::openat(&self.here, "..", flags, Mode::empty())?;
                if Identity::of(&rustix::fs::fstat(&dir)?) != identity {
                    return Err(Errno::STALE);
                }
                dir
            }
        };
        Ok(())
    }
}
