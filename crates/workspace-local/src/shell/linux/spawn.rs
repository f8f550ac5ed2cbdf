//! Starting a process without copying the host's page tables.
//!
//! `fork` costs time for each page that the host holds: a quarter of a second
//! at 1 GB. Both ways here lend the host's memory to the child until it
//! executes its program, so they cost the same whatever the host holds.

mod borrowed;
mod posix;

use std::ffi::{CString, OsStr, c_char};
use std::iter::once;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr::null;

use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::Pid;

use super::handle::Handle;
use super::namespaces::Identity;
use super::variables::Variables;

pub(super) use borrowed::can_start_within;

/// Everything that a process begins with.
///
/// It begins in a session of its own, without a terminal, so that nothing can
/// ask a person for a password there; with every signal at its default and none
/// blocked; and with no open descriptor but its three streams.
pub(super) struct Launch<'a> {
    pub(super) file: &'a CString,
    pub(super) words: &'a [CString],
    pub(super) variables: &'a [CString],
    pub(super) cwd: BorrowedFd<'a>,
    /// Standard input, output and error. Their numbers are above 2: see [`above_streams`].
    pub(super) streams: [BorrowedFd<'a>; 3],
}

/// A process that has executed its program, and is not waited for yet.
pub(super) struct Started {
    pub(super) pid: Pid,
    pub(super) handle: Handle,
}

impl Launch<'_> {
    /// Starts it.
    ///
    /// # Errors
    /// What the system says about the program, the working directory or its own limits.
    pub(super) fn start(&self) -> Result<Started, Errno> {
        posix::start(self)
    }

    /// Starts it as a member of a control group, given by its directory, from its first instruction.
    ///
    /// # Errors
    /// Those of [`start`](Self::start).
    pub(super) fn start_in_cgroup(&self, cgroup: BorrowedFd<'_>) -> Result<Started, Errno> {
        borrowed::start_in_cgroup(self, cgroup)
    }

    /// Starts it in a namespace of processes of which `keeper`, given second, is the first one: when
    /// that ends, all end. Who is given an identity has a namespace of users as well.
    ///
    /// # Errors
    /// Those of [`start`](Self::start), and [`Errno::AGAIN`] where the namespace cannot be made.
    pub(super) fn start_kept(
        &self,
        keeper: &Launch<'_>,
        identity: Option<&Identity>,
    ) -> Result<(Started, Started), Errno> {
        borrowed::start_kept(self, keeper, identity)
    }
}

/// Keeps a descriptor off the numbers of the standard streams, which a host may have closed.
pub(super) fn above_streams(fd: OwnedFd) -> Result<OwnedFd, Errno> {
    if fd.as_raw_fd() > 2 { Ok(fd) } else { fcntl_dupfd_cloexec(fd.as_fd(), 3) }
}

/// Variables as `exec` takes them.
pub(super) fn assignments(variables: &Variables) -> Result<Vec<CString>, Errno> {
    let assignment = |(name, value): (&OsStr, &OsStr)| {
        CString::new([name.as_bytes(), value.as_bytes()].join(&b'=')).map_err(|_| Errno::INVAL)
    };
    variables.iter().map(assignment).collect()
}

/// Words as C has them: pointers, and null at the end. They are good while `words` is.
fn pointers(words: &[CString]) -> Vec<*const c_char> {
    words.iter().map(|word| word.as_ptr()).chain(once(null())).collect()
}
