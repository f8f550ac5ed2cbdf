//! `posix_spawn`, which the standard library uses as well, with three things
//! that it does not offer: a new session, a working directory given by its
//! descriptor, and no descriptor inherited by accident.
#![allow(unsafe_code)] // No safe binding of `posix_spawn` exists.

use std::ffi::{c_int, c_short};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};

use super::super::handle::Handle;
use super::{Launch, Started, pointers};

#[allow(clippy::cast_possible_truncation)] // C has two types for them; all are small.
const FLAGS: c_short =
    libc::POSIX_SPAWN_SETSID | (libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF) as c_short;

pub(super) fn start(launch: &Launch<'_>) -> Result<Started, Errno> {
    let (mut attributes, mut actions) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let attributes = Attributes::new(&mut attributes)?;
    let mut actions = Actions::new(&mut actions)?;
    for (number, stream) in (0..).zip(launch.streams) {
        actions.duplicate(stream.as_raw_fd(), number)?;
    }
    actions.enter(launch.cwd.as_raw_fd())?;
    actions.close_others()?;

    let (words, variables) = (pointers(launch.words), pointers(launch.variables));
    let mut pid = 0;
    // SAFETY: every pointer is to a value that outlives the call, both lists end
    // with null, and the strings end with NUL. The casts to `*mut` are for C's
    // signature: the strings are not changed.
    check(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            launch.file.as_ptr(),
            &raw const *actions.0,
            &raw const *attributes.0,
            words.as_ptr().cast(),
            variables.as_ptr().cast(),
        )
    })?;
    let pid = Pid::from_raw(pid).ok_or(Errno::CHILD)?;
    // The number is this child's until it is waited for, so it cannot be another's by now.
    let handle = Handle::open(pid).inspect_err(|_| {
        let _ = kill_process_group(pid, Signal::KILL);
        let _ = waitpid(Some(pid), WaitOptions::empty());
    })?;
    Ok(Started { pid, handle })
}

/// Attributes that are initialised for as long as this lives.
struct Attributes<'a>(&'a mut libc::posix_spawnattr_t);

impl<'a> Attributes<'a> {
    fn new(place: &'a mut MaybeUninit<libc::posix_spawnattr_t>) -> Result<Self, Errno> {
        // SAFETY: the place is valid for writing, and is taken for initialised only where the call
        // has succeeded. It does not move while it is borrowed.
        let this = unsafe {
            check(libc::posix_spawnattr_init(place.as_mut_ptr()))?;
            Self(place.assume_init_mut())
        };
        let (mut none, mut all) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: the attributes are initialised, and so is each set by the call right before its use.
        unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(this.0, none.as_ptr()))?;
            libc::sigfillset(all.as_mut_ptr());
            check(libc::posix_spawnattr_setsigdefault(this.0, all.as_ptr()))?;
            check(libc::posix_spawnattr_setflags(this.0, FLAGS))?;
        }
        Ok(this)
    }
}

impl Drop for Attributes<'_> {
    fn drop(&mut self) {
        // SAFETY: they were initialised and are not used after this.
        unsafe { libc::posix_spawnattr_destroy(self.0) };
    }
}

/// What the child does before it executes its program, in this order.
struct Actions<'a>(&'a mut libc::posix_spawn_file_actions_t);

impl<'a> Actions<'a> {
    fn new(place: &'a mut MaybeUninit<libc::posix_spawn_file_actions_t>) -> Result<Self, Errno> {
        // SAFETY: as for the attributes.
        unsafe {
            check(libc::posix_spawn_file_actions_init(place.as_mut_ptr()))?;
            Ok(Self(place.assume_init_mut()))
        }
    }

    fn duplicate(&mut self, from: c_int, to: c_int) -> Result<(), Errno> {
        // SAFETY: the actions are initialised; numbers are checked by the system when they are used.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(self.0, from, to) })
    }

    fn enter(&mut self, directory: c_int) -> Result<(), Errno> {
        // SAFETY: as above.
        check(unsafe { libc::posix_spawn_file_actions_addfchdir_np(self.0, directory) })
    }

    /// Descriptors of Rust close by themselves; those that a C library of the host opened may not.
    #[cfg(target_env = "gnu")]
    fn close_others(&mut self) -> Result<(), Errno> {
        // SAFETY: as above.
        check(unsafe { libc::posix_spawn_file_actions_addclosefrom_np(self.0, 3) })
    }

    /// Other C libraries have no such action.
    #[cfg(not(target_env = "gnu"))]
    fn close_others(&mut self) -> Result<(), Errno> {
        Ok(())
    }
}

impl Drop for Actions<'_> {
    fn drop(&mut self) {
        // SAFETY: they were initialised and are not used after this.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0) };
    }
}

/// These functions give the error number itself.
fn check(code: c_int) -> Result<(), Errno> {
    if code == 0 { Ok(()) } else { Err(Errno::from_raw_os_error(code)) }
}
