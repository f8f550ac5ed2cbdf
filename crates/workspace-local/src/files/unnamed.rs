//! Files without a name, which a killed process cannot leave behind.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::Mode;
use rustix::io::Errno;

/// Whether this system makes files without a name and can name them afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unnamed(bool);

#[cfg(target_os = "linux")]
impl Unnamed {
    /// Naming goes through the descriptors in `/proc`, which some sandboxes do without.
    pub(crate) fn probe() -> Self {
        use rustix::fs::{Access, AtFlags, CWD};
        let flags = AtFlags::empty();
        Self(rustix::fs::accessat(CWD, "/proc/self/fd", Access::EXEC_OK, flags).is_ok())
    }

    /// Makes one on the file system of a directory, with what files get from that directory.
    /// `None` where that cannot be done.
    pub(super) fn make(self, dir: BorrowedFd<'_>, mode: Mode) -> Result<Option<OwnedFd>, Errno> {
        use rustix::fs::OFlags;
        if !self.0 {
            return Ok(None);
        }
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOCTTY;
        match rustix::io::retry_on_intr(|| rustix::fs::openat(dir, ".", flags, mode)) {
            Ok(file) => Ok(Some(file)),
            // The file system cannot, or the kernel took the flag for that of a directory.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Gives it a name that must be free: [`Errno::EXIST`] otherwise.
    pub(super) fn link(file: &OwnedFd, dir: BorrowedFd<'_>, name: &str) -> Result<(), Errno> {
        use rustix::fs::{AtFlags, CWD};
        use std::os::fd::AsRawFd;
        // Not a path of the host: the entry leads to the open file itself.
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        rustix::fs::linkat(CWD, own, dir, name, AtFlags::SYMLINK_FOLLOW)
    }
}

#[cfg(not(target_os = "linux"))]
impl Unnamed {
    pub(crate) fn probe() -> Self {
        Self(false)
    }

    pub(super) fn make(self, _: BorrowedFd<'_>, _: Mode) -> Result<Option<OwnedFd>, Errno> {
        Ok(None)
    }

    pub(super) fn link(_: &OwnedFd, _: BorrowedFd<'_>, _: &str) -> Result<(), Errno> {
        Err(Errno::OPNOTSUPP)
    }
}

#[cfg(test)]
impl Unnamed {
    /// As on a system that has none.
    pub(crate) const NEVER: Self = Self(false);
}
