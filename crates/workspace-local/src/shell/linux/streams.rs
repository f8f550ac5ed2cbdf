//! The three streams of a command, at both ends.

use std::os::fd::OwnedFd;

use rustix::fs::{CWD, MemfdFlags, Mode, OFlags, memfd_create, openat};
use rustix::io::{Errno, pwrite};
use rustix::pipe::{PipeFlags, pipe_with};
use workspace_core::{Error, ErrorKind, Result, Stdin};

use super::program::exhausted;
use super::spawn::above_streams;

/// What a command reads and prints, before it is started.
pub(super) struct Streams {
    /// Its own ends: standard input, output and error.
    pub(super) theirs: [OwnedFd; 3],
    /// Our end of its standard input, where that stays open for writing.
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

impl Streams {
    /// Opens them.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) where the system has no room for them.
    pub(super) fn open(stdin: Stdin) -> Result<Self> {
        let (their_stdin, stdin) = match stdin {
            Stdin::Empty => (nothing().map_err(exhausted)?, None),
            Stdin::Bytes(bytes) => (file_of(&bytes).map_err(exhausted)?, None),
            Stdin::Open => {
                let (theirs, ours) = pipe().map_err(exhausted)?;
                (theirs, Some(ours))
            }
            _ => {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    "this backend cannot feed a command that way",
                ));
            }
        };
        let (stdout, their_stdout) = pipe().map_err(exhausted)?;
        let (stderr, their_stderr) = pipe().map_err(exhausted)?;
        let theirs = [their_stdin, their_stdout, their_stderr].map(above_streams);
        let [Ok(their_stdin), Ok(their_stdout), Ok(their_stderr)] = theirs else {
            return Err(exhausted(Errno::MFILE));
        };
        Ok(Self { theirs: [their_stdin, their_stdout, their_stderr], stdin, stdout, stderr })
    }
}

fn pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    pipe_with(PipeFlags::CLOEXEC)
}

fn nothing() -> Result<OwnedFd, Errno> {
    openat(CWD, "/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

/// A file in memory, at its beginning: nobody has to feed it, and its end needs no closing.
fn file_of(bytes: &[u8]) -> Result<OwnedFd, Errno> {
    let file = memfd_create("workspace-stdin", MemfdFlags::CLOEXEC)?;
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        written += pwrite(&file, rest, written as u64)?;
    }
    Ok(file)
}
