//! The order of writers to one name.

use std::hash::{BuildHasher, RandomState};
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use crate::attributes::Identity;

const STRIPES: usize = 64;

/// Lets the writers of one name, in this process, take turns at the last step,
/// so that of two that demand the same state only one finds it.
#[derive(Debug)]
pub(crate) struct Turns {
    stripes: [Mutex<()>; STRIPES],
    hasher: RandomState,
}

impl Default for Turns {
    fn default() -> Self {
        Self { stripes: std::array::from_fn(|_| Mutex::new(())), hasher: RandomState::new() }
    }
}

impl Turns {
    /// Waits for the turn to write a name in a directory.
    ///
    /// Two names may share a turn: that costs them time and nothing else.
    pub(super) fn take(&self, dir: &OwnedFd, name: &str) -> Result<MutexGuard<'_, ()>, Errno> {
        let dir = Identity::of(&rustix::fs::fstat(dir)?);
        #[allow(clippy::cast_possible_truncation)] // Any part of a hash is as good as another.
        let index = self.hasher.hash_one((dir, name)) as usize % STRIPES;
        Ok(self.stripes[index].lock().unwrap_or_else(PoisonError::into_inner))
    }
}
