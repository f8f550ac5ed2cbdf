//! A terminal for a process.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tokio::io::unix::AsyncFd;

use super::config::Size;
use crate::ready::ready;

/// The outer side of a terminal.
#[derive(Debug, Clone)]
pub(super) struct Terminal {
    outer: Arc<AsyncFd<OwnedFd>>,
}

impl Terminal {
    /// A new terminal of that size.
    pub(super) fn open(size: Size) -> io::Result<Self> {
        let outer = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&outer)?;
        unlockpt(&outer)?;
        rustix::io::ioctl_fionbio(&outer, true)?;
        let terminal = Self { outer: Arc::new(ready(outer)?) };
        terminal.resize(size)?;
        Ok(terminal)
    }

    /// The inner side, for the process.
    pub(super) fn inner(&self) -> io::Result<OwnedFd> {
        let name = ptsname(&*self.outer, Vec::new())?;
        Ok(open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?)
    }

    pub(super) fn resize(&self, size: Size) -> io::Result<()> {
        let short = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        let size = Winsize { ws_row: short(size.rows), ws_col: short(size.cols), ws_xpixel: 0, ws_ypixel: 0 };
        Ok(tcsetwinsize(&*self.outer, size)?)
    }

    pub(super) async fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let mut ready = self.outer.writable().await?;
            match ready.try_io(|outer| Ok(rustix::io::write(outer, bytes)?)) {
                Ok(written) => bytes = bytes.get(written?..).unwrap_or_default(),
                Err(_would_block) => {}
            }
        }
        Ok(())
    }

    /// Reads what the process writes; nothing, or an error, when the last inner side is closed.
    pub(super) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.outer.readable().await?;
            match ready.try_io(|outer| Ok(rustix::io::read(outer, &mut *buffer)?)) {
                Ok(read) => return read,
                Err(_would_block) => {}
            }
        }
    }
}
