//! Temporary files whose writer was killed.
//!
//! A writer holds a lock on its temporary file for as long as it lives, and
//! marks its name as made here. So whoever finds such a name and gets the lock
//! knows that no one will ever finish the file.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode};
use rustix::io::Errno;
use workspace_core::is_temporary_name;

use super::entries::for_each;
use crate::attributes::Identity;
use crate::beneath::{LISTING, READING, open_name};

/// A fresh token for [`temporary_name`](workspace_core::temporary_name): half of
/// it is random, and the other half follows from that.
pub(super) fn token() -> u64 {
    let random = RandomState::new().hash_one(0) & 0xffff_ffff;
    random << 32 | mark(random)
}

/// What the second half of a token must be. Other makers of such names do not
/// lock their files, so those must not be taken for ours.
fn mark(random: u64) -> u64 {
    (random ^ 0x776f_726b).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// Whether a name is one that [`token`] went into.
fn is_ours(name: &str) -> bool {
    let digits = name.len().checked_sub(20).and_then(|start| name.get(start..start + 16));
    let token = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    is_temporary_name(name) && token.is_some_and(|token| mark(token >> 32) == token & 0xffff_ffff)
}

/// How many entries of a directory are looked at, so that no directory takes long.
const LOOKED_AT: usize = 20_000;

/// Removes what killed writers have left in a directory. What cannot be removed stays.
pub(super) fn sweep(dir: BorrowedFd<'_>) {
    let Ok(listing) = rustix::fs::openat(dir, ".", LISTING, Mode::empty()) else { return };
    let (mut ours, mut left) = (Vec::new(), LOOKED_AT);
    let listed = for_each(listing.as_fd(), |name, file_type| {
        if matches!(file_type, FileType::RegularFile | FileType::Unknown) && name.to_str().is_ok_and(is_ours)
        {
            ours.push(name.to_owned());
        }
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if listed.is_err() {
        return;
    }
    for name in ours {
        let Ok(file) = open_name(dir, name.as_c_str(), READING) else { continue };
        if try_lock(&file) == Lock::Ours {
            // The name is never used again, so it cannot be another file's by now.
            let _ = rustix::fs::unlinkat(dir, &name, AtFlags::empty());
        }
    }
}

/// Whose file a temporary file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lock {
    /// Locked by us, for as long as the descriptor is open.
    Ours,
    /// Someone else has it.
    Theirs,
    /// This file system has no locks, so nothing is ever swept here.
    Unknown,
}

pub(super) fn try_lock(file: impl AsFd) -> Lock {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Lock::Ours,
        Err(Errno::WOULDBLOCK) => Lock::Theirs,
        Err(_) => Lock::Unknown,
    }
}

/// The directories that have been swept: each is, once, before the first write into it.
#[derive(Debug, Default)]
pub(crate) struct Swept(Mutex<HashSet<Identity>>);

/// How many directories are remembered. Sweeping one twice does no harm.
const REMEMBERED: usize = 4096;

impl Swept {
    pub(crate) fn once(&self, dir: BorrowedFd<'_>, identity: Identity) {
        let mut swept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if swept.len() >= REMEMBERED {
            swept.clear();
        }
        let is_first = swept.insert(identity);
        drop(swept);
        if is_first {
            sweep(dir);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workspace_core::temporary_name;

    #[test]
    fn only_names_made_here_are_ours() {
        for _ in 0..100 {
            assert!(is_ours(&temporary_name("a.txt", token())));
        }
        for name in ["a.txt", ".a.txt.tmp", ".a.0123456789abcdef.tmp", &temporary_name("a", 7)] {
            assert!(!is_ours(name), "{name}");
        }
    }

    #[test]
    fn sweeping_leaves_living_writers_and_strangers_alone() {
        let root = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            std::fs::write(root.path().join(name), name).unwrap();
            std::fs::File::open(root.path().join(name)).unwrap()
        };
        let (dead, alive) = (temporary_name("dead", token()), temporary_name("alive", token()));
        let stranger = temporary_name("stranger", 7);
        drop((make(&dead), make(&stranger), make("plain")));
        let writer = make(&alive);
        assert_eq!(try_lock(&writer), Lock::Ours);

        sweep(std::fs::File::open(root.path()).unwrap().as_fd());
        let mut left: Vec<_> =
            std::fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        let mut expected = [alive, "plain".to_owned(), stranger].map(std::ffi::OsString::from);
        expected.sort();
        assert_eq!(left, expected);
    }
}
