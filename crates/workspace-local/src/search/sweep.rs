//! Whether a large file has a line that matches, in memory of a small size.

use std::os::fd::BorrowedFd;

use memchr::memrchr;
use rustix::io::Errno;
use workspace_core::Error;
use workspace_search::{BINARY_PROBE, FileSearch, FileText, Goal, LineMatcher, is_binary};

use super::stop::Stop;

/// How much is read at a time: little enough to be searched where the processor has it at hand.
const PART: usize = 128 << 10;

/// All that is asked of a part.
const ANY: Goal = Goal { stop_after: Some(1), keep_lines: false, longest: None };

/// What a sweep has met.
pub(super) enum Swept {
    /// No line matches.
    Nothing,
    /// A line matches, so the file is to be read as a whole.
    Found,
    /// It has a NUL byte near its start.
    Binary,
    /// It is over the limit of size.
    TooLarge,
    /// The search ended meanwhile.
    Stopped,
    /// The search engine failed.
    Lost(Error),
}

/// Reads a file part by part up to the first line that matches.
///
/// `part` is memory that is used again for the next file. `size` is what the
/// system says, which may lie.
pub(super) fn sweep(
    file: BorrowedFd<'_>,
    size: u64,
    limit: Option<u64>,
    part: &mut Vec<u8>,
    matcher: &mut LineMatcher,
    stop: &Stop,
) -> Result<Swept, Errno> {
    let mut bytes = std::mem::take(part);
    bytes.clear();
    let mut rest = Vec::new();
    let mut total = 0;
    let mut begun = false;
    loop {
        if stop.is_over() {
            return Ok(Swept::Stopped);
        }
        if bytes.capacity() - bytes.len() < PART / 2 {
            bytes.reserve_exact(PART);
        }
        let read =
            rustix::io::retry_on_intr(|| rustix::io::read(file, rustix::buffer::spare_capacity(&mut bytes)))?;
        total += read as u64;
        if limit.is_some_and(|limit| total > limit) {
            return Ok(Swept::TooLarge);
        }
        let ended = read == 0 || total == size;
        if !begun && !ended && bytes.len() < BINARY_PROBE {
            continue;
        }
        if !begun && is_binary(&bytes) {
            return Ok(Swept::Binary);
        }
        // A part ends where a line does; a line that is longer than a part makes it grow.
        let end = if ended { Some(bytes.len()) } else { memrchr(b'\n', &bytes).map(|newline| newline + 1) };
        let Some(end) = end else { continue };
        rest.clear();
        rest.extend_from_slice(bytes.get(end..).unwrap_or_default());
        bytes.truncate(end);
        let mut search = FileSearch::new(FileText::from_part(bytes, !begun), ANY);
        begun = true;
        loop {
            match search.step(matcher) {
                Ok(true) if stop.is_over() => return Ok(Swept::Stopped),
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Ok(Swept::Lost(error)),
            }
        }
        let found = search.count() > 0;
        bytes = search.into_text().into_bytes();
        bytes.clear();
        if found || ended {
            if bytes.capacity() <= 2 * PART {
                *part = bytes;
            }
            return Ok(if found { Swept::Found } else { Swept::Nothing });
        }
        bytes.extend_from_slice(&rest);
    }
}
