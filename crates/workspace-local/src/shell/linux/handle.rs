//! A process by its descriptor: the one name of a process that is never given to another.
#![allow(unsafe_code)] // tokio asks for it where a descriptor is watched.

use std::future::pending;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, pidfd_open, pidfd_send_signal, waitid,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::sleep;

const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A process, running or ended.
#[derive(Debug)]
pub(super) struct Handle(OwnedFd);

impl Handle {
    /// Opens the process that has this number now.
    pub(super) fn open(pid: Pid) -> Result<Self, Errno> {
        pidfd_open(pid, PidfdFlags::empty()).map(Self)
    }

    /// Takes over a process descriptor.
    pub(super) fn from_fd(fd: OwnedFd) -> Self {
        Self(fd)
    }

    /// Signals it. A process that has ended is no error.
    pub(super) fn signal(&self, signal: Signal) {
        let _ = pidfd_send_signal(&self.0, signal);
    }

    /// Whether it has ended, waited for or not.
    pub(super) fn has_ended(&self) -> bool {
        let mut watched = [PollFd::new(&self.0, PollFlags::IN)];
        matches!(poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(1..))
    }

    /// Waits until it has ended.
    pub(super) async fn ended(&self) {
        // SAFETY: the descriptor stays open while it is borrowed, and the watch ends before that.
        let watch = unsafe { AsyncFd::register_with_interest(self.0.as_fd(), Interest::READABLE) };
        match watch {
            // It fails only where the runtime shuts down, and this future with it.
            Ok(watch) if watch.readable().await.is_err() => pending().await,
            Ok(_) => {}
            // The runtime cannot watch one more descriptor, so this looks by itself.
            Err(_) => {
                while !self.has_ended() {
                    sleep(LOOK_AGAIN).await;
                }
            }
        }
    }

    /// How this child of ours has ended; the system forgets it with that. `None` while it runs.
    ///
    /// # Errors
    /// Where something else in the host has waited for it.
    pub(super) fn reap(&self) -> Result<Option<WaitIdStatus>, Errno> {
        waitid(WaitId::PidFd(self.0.as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOHANG)
    }

    /// The same for a child that is about to end: the thread stands still until it has.
    ///
    /// # Errors
    /// Those of [`reap`](Self::reap).
    pub(super) fn reap_ending(&self) -> Result<WaitIdStatus, Errno> {
        loop {
            match waitid(WaitId::PidFd(self.0.as_fd()), WaitIdOptions::EXITED) {
                Ok(Some(status)) => return Ok(status),
                Ok(None) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    /// Waits for this child of ours on a thread of its own, so that it does not
    /// stay as a zombie, and does some more work there.
    pub(super) fn reap_in_background(self, then: impl FnOnce() + Send + 'static) {
        in_background(move || {
            let _ = self.reap_ending();
            then();
        });
    }
}

/// Does work that waits for processes to end, on a thread of its own. Without a thread they stay
/// zombies until the host ends.
pub(super) fn in_background(work: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new().name("reap a command".into()).spawn(work);
}
