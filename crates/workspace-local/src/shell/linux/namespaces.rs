//! Namespaces of processes: whoever is in one dies with its first process.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, write};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, getegid, geteuid};

use super::handle::Handle;
use super::spawn::{Launch, Started, above_streams};

/// That commands can be started in namespaces of their own here, and how.
#[derive(Debug)]
pub(super) struct Namespaces {
    identity: Option<Identity>,
}

/// Who a process is in a namespace of users of its own: who it was before.
#[derive(Debug)]
pub(super) struct Identity {
    users: CString,
    groups: CString,
}

const SCRIPT: &str = include_str!("keeper.sh");

/// The first process of a namespace: a small shell that waits until this is dropped or the host ends.
#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) pid: Pid,
    pub(super) handle: Handle,
    /// Its standard input. When it is closed, the keeper ends.
    line: OwnedFd,
}

impl Namespaces {
    /// Tries it out: without rights of its own the host needs a namespace of users as well, which
    /// many systems refuse.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn probe() -> Result<Self, Errno> {
        let plain = Self { identity: None };
        if plain.try_out().is_ok() {
            return Ok(plain);
        }
        let own = Self { identity: Some(Identity::own()?) };
        own.try_out().map(|()| own)
    }

    /// Starts a program in one.
    ///
    /// # Errors
    /// Those of [`Launch::start_kept`].
    pub(super) fn start(&self, launch: &Launch<'_>) -> Result<(Started, Keeper), Errno> {
        let (input, line) = pipe_with(PipeFlags::CLOEXEC)?;
        let input = above_streams(input)?;
        let nowhere =
            above_streams(openat(CWD, "/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?)?;
        let script = CString::new(SCRIPT).map_err(|_| Errno::INVAL)?;
        let keeper = Launch {
            file: &c"/bin/sh".into(),
            words: &[c"sh".into(), c"-c".into(), script, c"workspace-keeper".into()],
            variables: &[c"PATH=/usr/bin:/bin".into()],
            cwd: launch.cwd,
            streams: [input.as_fd(), nowhere.as_fd(), nowhere.as_fd()],
        };
        let (program, Started { pid, handle }) = launch.start_kept(&keeper, self.identity.as_ref())?;
        Ok((program, Keeper { pid, handle, line }))
    }

    fn try_out(&self) -> Result<(), Errno> {
        let nothing =
            above_streams(openat(CWD, "/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?)?;
        let top = openat(CWD, "/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let (program, keeper) = self.start(&Launch {
            file: &c"/bin/sh".into(),
            words: &[c"sh".into(), c"-c".into(), c"exit 0".into()],
            variables: &[],
            cwd: top.as_fd(),
            streams: [nothing.as_fd(); 3],
        })?;
        let ended = program.handle.reap_ending();
        keeper.handle.signal(Signal::KILL);
        keeper.handle.reap_ending()?;
        if ended?.exit_status() == Some(0) { Ok(()) } else { Err(Errno::OPNOTSUPP) }
    }
}

impl Keeper {
    /// Lets it stay for as long as there is somebody to keep, without the host too.
    pub(super) fn stay(self) {
        let _ = write(&self.line, b"stay\n");
        drop(self.line);
        self.handle.reap_in_background(|| {});
    }
}

impl Identity {
    fn own() -> Result<Self, Errno> {
        let line = |number: u32| CString::new(format!("{number} {number} 1")).map_err(|_| Errno::INVAL);
        Ok(Self { users: line(geteuid().as_raw())?, groups: line(getegid().as_raw())? })
    }

    /// Which files say so, in the order in which they must be written, and with what.
    pub(super) fn files(&self) -> impl Iterator<Item = (&CStr, &CStr)> {
        [
            // Without this, only a privileged process may say who the group is.
            (c"/proc/self/setgroups", c"deny"),
            (c"/proc/self/uid_map", self.users.as_c_str()),
            (c"/proc/self/gid_map", self.groups.as_c_str()),
        ]
        .into_iter()
    }
}
