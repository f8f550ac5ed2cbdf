//! Machines for which the system call is not written: commands run in no control group or namespace there.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use super::super::super::namespaces::Identity;
use super::super::{Launch, Started};

pub(in super::super) fn start_in_cgroup(_: &Launch<'_>, _: BorrowedFd<'_>) -> Result<Started, Errno> {
    Err(Errno::NOSYS)
}

pub(in super::super::super) fn can_start_within(_: BorrowedFd<'_>) -> bool {
    false
}

pub(in super::super) fn start_kept(
    _: &Launch<'_>,
    _: &Launch<'_>,
    _: Option<&Identity>,
) -> Result<(Started, Started), Errno> {
    Err(Errno::NOSYS)
}
