//! Rewriting a file whose name cannot be given to another: it is a mount, or its directory is closed.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;
use workspace_core::{Atomicity, Error, ErrorKind, WriteOptions};

use super::precondition::conflict;
use super::staged::synchronise;
use crate::attributes::{self, Identity, Raw};
use crate::beneath::open_name;
use crate::error::Outcome;

/// How much is copied at once, in bytes.
const PIECE: usize = 256 * 1024;

/// Opens a file to be rewritten, where that is allowed and can change no file outside.
pub(super) fn open(dir: BorrowedFd<'_>, name: &str, seen: &Raw, options: &WriteOptions) -> Outcome<OwnedFd> {
    if options.atomicity == Atomicity::Required {
        return Err(Error::new(ErrorKind::Permission, "the file cannot be replaced in one step")
            .hint("its name is a mount, or its directory is closed; only its owner can change that")
            .into());
    }
    if attributes::has_other_names(seen) {
        return Err(Error::new(
            ErrorKind::Permission,
            "the file has more names, some maybe outside, and could only be rewritten under all of them",
        )
        .hint("write to another path")
        .into());
    }
    let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = open_name(dir, name, flags)?;
    if Identity::of(&rustix::fs::fstat(&file)?) != Identity::of(seen) {
        return Err(conflict("another file has taken its place"));
    }
    Ok(file)
}

/// Copies new content, safe in a file of its own, over the old one.
///
/// A reader may see a part of either. Room is made first, so that a full disk
/// stops it before the first byte is changed.
pub(super) fn rewrite(file: BorrowedFd<'_>, content: BorrowedFd<'_>, options: &WriteOptions) -> Outcome<()> {
    let length = attributes::size(&rustix::fs::fstat(content)?);
    reserve(file, length)?;
    let mut buffer = vec![0; PIECE];
    let mut at = 0;
    while at < length {
        let read = rustix::io::retry_on_intr(|| rustix::io::pread(content, &mut buffer, at))?;
        let mut left = buffer.get(..read).filter(|bytes| !bytes.is_empty()).ok_or(Errno::IO)?;
        while !left.is_empty() {
            let written = rustix::io::retry_on_intr(|| rustix::io::pwrite(file, left, at))?;
            left = left.get(written..).filter(|_| written > 0).ok_or(Errno::IO)?;
            at += written as u64;
        }
    }
    rustix::fs::ftruncate(file, length)?;
    Ok(synchronise(file.as_fd(), options.durability)?)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn reserve(file: BorrowedFd<'_>, length: u64) -> Result<(), Errno> {
    if length == 0 {
        return Ok(());
    }
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::KEEP_SIZE, 0, length) {
        Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(errno),
        // Not every file system can say so beforehand.
        _ => Ok(()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn reserve(_: BorrowedFd<'_>, _: u64) -> Result<(), Errno> {
    Ok(())
}
