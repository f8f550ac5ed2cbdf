//! Opening a path below a directory handle, where no component may be a link.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

#[cfg(any(target_os = "linux", target_os = "android"))]
use rustix::fs::ResolveFlags;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use workspace_core::{MAX_PATH_BYTES, WorkspacePath};

/// A directory as a place to start from. It needs no right to list the directory where the system has `O_PATH`.
pub(crate) const DIRECTORY: OFlags = if cfg!(any(target_os = "linux", target_os = "android")) {
    OFlags::from_bits_retain(PATH.bits() | OFlags::DIRECTORY.bits() | OFlags::CLOEXEC.bits())
} else {
    OFlags::DIRECTORY.union(OFlags::CLOEXEC)
};

#[cfg(any(target_os = "linux", target_os = "android"))]
const PATH: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PATH: OFlags = OFlags::empty();

/// A directory whose entries are read.
pub(crate) const LISTING: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// Whatever stands there, for reading: a pipe does not block and a terminal does not become ours.
pub(crate) const READING: OFlags = OFlags::CLOEXEC.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

#[cfg(any(target_os = "linux", target_os = "android"))]
const WITHOUT_LINKS: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// How often the kernel is asked again when a rename on the host disturbs its walk.
#[cfg(any(target_os = "linux", target_os = "android"))]
const DISTURBED: usize = 16;

/// Who walks the path. The answers are the same; the kernel is faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beneath {
    /// One `openat2`.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    Kernel,
    /// One `openat` a component.
    ByHand,
}

impl Beneath {
    /// What this system allows: old kernels and some sandboxes have no `openat2`.
    pub(crate) fn probe(dir: BorrowedFd<'_>) -> Self {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if kernel_open(dir, ".", DIRECTORY).is_ok() {
            return Self::Kernel;
        }
        let _ = dir;
        Self::ByHand
    }

    /// Opens `path` below `dir`. [`Errno::LOOP`] means that a link stands on the path.
    ///
    /// The flags must not be `O_PATH` without `O_DIRECTORY`, which would open a link.
    pub(crate) fn open(
        self,
        dir: BorrowedFd<'_>,
        path: &WorkspacePath,
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        if path.as_str().len() > MAX_PATH_BYTES {
            return Err(Errno::NAMETOOLONG);
        }
        // The kernel counts the NUL at the end, so it does not take the very longest path.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self == Self::Kernel && path.as_str().len() < MAX_PATH_BYTES {
            let text = if path.is_root() { "." } else { path.as_str() };
            for _ in 0..DISTURBED {
                match kernel_open(dir, text, flags) {
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    // A filter that was put in place after the probe.
                    Err(Errno::NOSYS) => break,
                    opened => return opened,
                }
            }
        }
        open_by_hand(dir, path, flags)
    }

    /// Opens one directory in another. [`Errno::LOOP`] means that it is a link;
    /// [`Errno::XDEV`], where the kernel walks and `same_device` is asked, that
    /// another file system is mounted there.
    pub(crate) fn open_dir_name(
        self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        same_device: bool,
    ) -> Result<OwnedFd, Errno> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self == Self::Kernel && same_device {
            let resolve = WITHOUT_LINKS | ResolveFlags::NO_XDEV;
            return rustix::io::retry_on_intr(|| {
                rustix::fs::openat2(dir, name, flags | OFlags::DIRECTORY, Mode::empty(), resolve)
            });
        }
        let _ = same_device;
        open_name(dir, name, flags | OFlags::DIRECTORY)
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn kernel_open(dir: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    rustix::fs::openat2(dir, path, flags, Mode::empty(), WITHOUT_LINKS)
}

fn open_by_hand(dir: BorrowedFd<'_>, path: &WorkspacePath, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut names = path.components().peekable();
    let mut here: Option<OwnedFd> = None;
    while let Some(name) = names.next() {
        let at = here.as_ref().map_or(dir, AsFd::as_fd);
        if names.peek().is_none() {
            return open_name(at, name, flags);
        }
        here = Some(open_name(at, name, DIRECTORY)?);
    }
    rustix::io::retry_on_intr(|| rustix::fs::openat(dir, ".", flags, Mode::empty()))
}

/// Opens one name in a directory. [`Errno::LOOP`] means that it is a link.
pub(crate) fn open_name<N: rustix::path::Arg + Copy>(
    dir: BorrowedFd<'_>,
    name: N,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let opened =
        rustix::io::retry_on_intr(|| rustix::fs::openat(dir, name, flags | OFlags::NOFOLLOW, Mode::empty()));
    match opened {
        Err(errno) if errno != Errno::NOENT => {
            // Systems differ in how they refuse a link, and some say the same of a file where a directory is wanted.
            let link = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
            Err(if link { Errno::LOOP } else { errno })
        }
        opened => opened,
    }
}
