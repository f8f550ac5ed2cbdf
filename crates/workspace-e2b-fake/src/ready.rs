//! Descriptors that are waited for.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::unix::AsyncFd;

/// Waits for a descriptor that this value owns.
#[allow(
    deprecated,
    reason = "what it is deprecated for, a descriptor that changes or closes, an `OwnedFd` cannot do"
)]
pub(crate) fn ready(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(descriptor)
}
