//! The bytes of one file, in memory that is used again for the next one.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use workspace_search::{BINARY_PROBE, is_binary};

use super::stop::Stop;

/// How much is read at a time. Files up to this size take one call.
const PIECE: usize = 256 << 10;

/// How much is asked for where the file's own size tells nothing, as in `/proc`.
const UNKNOWN: usize = 8 << 10;

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filled {
    /// The whole file.
    Whole,
    /// It has a NUL byte near its start.
    Binary,
    /// It is over the limit of size.
    TooLarge,
    /// The search ended meanwhile.
    Stopped,
}

/// Reads a file into `bytes`, no further than tells what it is.
///
/// Files under the hands of an agent change and shrink at any time, so they are
/// read and never mapped. `size` is what the system says, which may lie.
pub(super) fn fill(
    file: BorrowedFd<'_>,
    size: u64,
    limit: Option<u64>,
    bytes: &mut Vec<u8>,
    stop: &Stop,
) -> Result<Filled, Errno> {
    bytes.clear();
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let mut probed = false;
    loop {
        // One byte more than is expected, so that a file that has grown shows it.
        let wanted = match size.checked_sub(bytes.len()) {
            Some(left @ 1..) => left.saturating_add(1).min(PIECE),
            _ => UNKNOWN,
        };
        bytes.reserve_exact(wanted);
        let read =
            rustix::io::retry_on_intr(|| rustix::io::read(file, rustix::buffer::spare_capacity(bytes)))?;
        if limit.is_some_and(|limit| bytes.len() as u64 > limit) {
            return Ok(Filled::TooLarge);
        }
        // A file that ends where the system says has been read in one state.
        let ended = read == 0 || (size > 0 && bytes.len() == size);
        if !probed && (ended || bytes.len() >= BINARY_PROBE) {
            probed = true;
            if is_binary(bytes) {
                return Ok(Filled::Binary);
            }
        }
        if ended {
            return Ok(Filled::Whole);
        }
        if stop.is_over() {
            return Ok(Filled::Stopped);
        }
    }
}
