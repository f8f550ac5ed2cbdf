//! Reading: what was judged is opened, looked at and read through one descriptor.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use workspace_core::{Body, Error, ErrorKind, Feed, FileBody, FileKind, ReadOptions, Result, WorkspacePath};

use crate::attributes::{self, Raw};
use crate::beneath::READING;
use crate::blocking::off_thread;
use crate::config::HardLinks;
use crate::error::{Fault, Outcome};
use crate::jail::Ask;
use crate::local::Inner;

/// The largest piece of a body, in bytes.
const PIECE: usize = 256 * 1024;
/// A file up to this size, in bytes, is read in the hop that opens it.
const WHOLE: u64 = 1024 * 1024;

/// How much is asked for where the file's own size tells nothing, as in `/proc`.
const UNKNOWN: usize = 8 * 1024;

pub(super) fn read(inner: &Inner, path: &WorkspacePath, options: &ReadOptions) -> Outcome<FileBody> {
    let jail = &inner.jail;
    let file = jail.settle(Ask::read(path, &options.filter), |spot| jail.open(spot, READING))?;
    let raw = rustix::fs::fstat(&file)?;
    must_be_file(&raw)?;
    inner.hard_links.must_allow(&raw)?;

    let mut window = Window { at: options.offset, left: options.length.unwrap_or(u64::MAX) };
    let expected = attributes::size(&raw).saturating_sub(options.offset);
    let largest = if expected <= WHOLE { usize::try_from(WHOLE).unwrap_or(PIECE) } else { PIECE };
    let (first, ended) = window.next(file.as_fd(), expected, largest)?;
    let body = if ended {
        Body::from(first)
    } else {
        pieces(Pieces { file, window, ready: Some(first), ended, path: path.clone() })
    };
    Ok(FileBody::new(attributes::stat(&raw), body))
}

/// Refuses what is no regular file.
pub(crate) fn must_be_file(raw: &Raw) -> Outcome<()> {
    match attributes::kind(raw) {
        FileKind::File => Ok(()),
        FileKind::Dir => Err(Errno::ISDIR.into()),
        _ => Err(Errno::NXIO.into()),
    }
}

impl HardLinks {
    /// Refuses a file with more than one name, where the owner of the workspace wants that.
    pub(crate) fn must_allow(self, raw: &Raw) -> Outcome<()> {
        if self == Self::Refuse && attributes::has_other_names(raw) {
            return Err(Error::new(
                ErrorKind::DeniedPath,
                "the file has more than one name, some maybe outside",
            )
            .rule("hard-links")
            .hint("leave this file alone; only the owner of the workspace can open it")
            .into());
        }
        Ok(())
    }
}

/// What is still to be read.
#[derive(Debug)]
struct Window {
    at: u64,
    left: u64,
}

impl Window {
    /// The next piece, and whether it is the last one. The end of a file is
    /// where a read gives nothing: its size may lie, and may grow.
    fn next(
        &mut self,
        file: BorrowedFd<'_>,
        expected: u64,
        largest: usize,
    ) -> Result<(Vec<u8>, bool), Errno> {
        let wanted = usize::try_from(self.left).unwrap_or(largest).min(largest);
        let expected = usize::try_from(expected).unwrap_or(PIECE).min(wanted);
        // One byte more than expected, so that the read that finds the end needs no more room.
        let mut bytes = Vec::with_capacity(if expected == 0 { UNKNOWN } else { expected + 1 });
        let mut ended = false;
        while bytes.len() < wanted {
            if bytes.len() == bytes.capacity() {
                bytes.reserve(UNKNOWN);
            }
            let at = self.at.saturating_add(bytes.len() as u64);
            if i64::try_from(at).is_err() {
                ended = true;
                break;
            }
            let read = rustix::io::retry_on_intr(|| {
                rustix::io::pread(file, rustix::buffer::spare_capacity(&mut bytes), at)
            })?;
            if read == 0 {
                ended = true;
                break;
            }
        }
        bytes.truncate(wanted);
        self.at = self.at.saturating_add(bytes.len() as u64);
        self.left -= bytes.len() as u64;
        Ok((bytes, ended || self.left == 0))
    }
}

/// A body that is read piece by piece, each when it is asked for.
struct Pieces {
    file: OwnedFd,
    window: Window,
    ready: Option<Vec<u8>>,
    ended: bool,
    path: WorkspacePath,
}

fn pieces(pieces: Pieces) -> Body {
    Feed::unfold(pieces, |mut pieces| async move {
        if let Some(ready) = pieces.ready.take() {
            return Ok(Some((ready, pieces)));
        }
        if pieces.ended {
            return Ok(None);
        }
        off_thread(move || {
            let (bytes, ended) = pieces
                .window
                .next(pieces.file.as_fd(), PIECE as u64, PIECE)
                .map_err(|errno| Fault::from(errno).tell("read", &pieces.path))?;
            pieces.ended = ended;
            Ok((!bytes.is_empty()).then_some((bytes, pieces)))
        })
        .await?
    })
}
