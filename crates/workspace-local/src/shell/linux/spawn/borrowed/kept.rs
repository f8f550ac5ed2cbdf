//! Two children in one namespace of processes: the first, whose end is the end of all, and the program.
//!
//! The program is not the first one itself: that would hear no signal it does not
//! handle, and be given the orphans of all others. Both are to be children of the
//! host, so that it learns how the program ended. No process can have a child in
//! a namespace without entering it, and the host must not; so a third one, which
//! lives for a moment, makes both as its siblings.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::ptr::null;

use rustix::io::Errno;
use rustix::process::Signal;

use super::super::super::namespaces::Identity;
use super::super::{Launch, Started};
use super::child::{Lists, Plan, become_program, give_up, put};
use super::clone::{BlockedSignals, Child, Stack, Target, run_child};

/// The plan of the third one.
struct Midwife {
    identity: *const Identity,
    cwd: c_int,
    stack: *mut MaybeUninit<Stack>,
    keeper: Plan,
    program: Plan,
    keeper_child: Option<Child>,
    program_child: Option<Child>,
    failed: c_int,
}

/// Starts a program with a keeper, which is the first process of their namespace.
///
/// # Errors
/// What the system says about the program. Where it cannot make the namespace, [`Errno::AGAIN`].
pub(in super::super) fn start_kept(
    launch: &Launch<'_>,
    keeper: &Launch<'_>,
    identity: Option<&Identity>,
) -> Result<(Started, Started), Errno> {
    let (lists, keeper_lists) = (Lists::new(launch), Lists::new(keeper));
    let mut stacks = [Box::<Stack>::new_uninit(), Box::<Stack>::new_uninit()];
    let [own, theirs] = &mut stacks;
    let mut plan = Midwife {
        identity: identity.map_or(null(), |identity| &raw const *identity),
        cwd: launch.cwd.as_raw_fd(),
        stack: &raw mut **theirs,
        keeper: Plan::new(keeper, &keeper_lists).in_place().first(),
        program: Plan::new(launch, &lists).in_place(),
        keeper_child: None,
        program_child: None,
        failed: 0,
    };
    // It shares the table of descriptors, so that those of its siblings come to the host.
    let flags = libc::CLONE_FILES | if identity.is_some() { libc::CLONE_NEWUSER } else { 0 };
    let blocked = BlockedSignals::new();
    let target = Target { flags, cgroup: None };
    // SAFETY: `deliver` keeps to what a child on borrowed memory may do, all that the plan points
    // to outlives the call, and signals are blocked.
    let midwife = unsafe {
        run_child(target, own, deliver, (&raw mut plan).cast()).and_then(|child| child.into_started())
    };
    drop(blocked);
    let _ = midwife.map_err(|_| Errno::AGAIN)?.handle.reap_ending();

    // SAFETY: each child is taken over here and nowhere else.
    let [keeper_child, program_child] = [plan.keeper_child, plan.program_child]
        .map(|child| child.and_then(|child| unsafe { child.into_started() }.ok()));
    let failed = [plan.failed, plan.keeper.failed].iter().any(|failed| *failed != 0);
    match (keeper_child, program_child) {
        (Some(keeper), Some(program)) if !failed && plan.program.failed == 0 => Ok((program, keeper)),
        (keeper, program) => {
            // The keeper goes last: it waits until all others are waited for.
            for started in [program, keeper].into_iter().flatten() {
                started.handle.signal(Signal::KILL);
                let _ = started.handle.reap_ending();
            }
            let no_namespace = failed || plan.program.failed == 0;
            Err(if no_namespace { Errno::AGAIN } else { Errno::from_raw_os_error(plan.program.failed) })
        }
    }
}

/// The third one: it makes the namespaces, and in them first the keeper, then the program.
extern "C" fn deliver(plan: *mut c_void) -> ! {
    // SAFETY: `start_kept` gives its plan, and stands still while this runs. Each is a system call
    // on what the plan holds, or a child made with the same care.
    unsafe {
        let plan = &mut *plan.cast::<Midwife>();
        if let Some(identity) = plan.identity.as_ref()
            && !identity.files().all(|(file, text)| put(file, text))
        {
            give_up(&raw mut plan.failed);
        }
        // The working directory comes along into the new mounts, as long as it is entered before.
        let theirs = libc::CLONE_NEWPID | libc::CLONE_NEWNS;
        let private = libc::MS_REC | libc::MS_SLAVE;
        if libc::fchdir(plan.cwd) < 0
            || libc::unshare(theirs) < 0
            || libc::mount(null(), c"/".as_ptr(), null(), private, null()) < 0
        {
            give_up(&raw mut plan.failed);
        }
        let sibling = Target { flags: libc::CLONE_PARENT, cgroup: None };
        for (child, own) in [
            (&raw mut plan.keeper_child, &raw mut plan.keeper),
            (&raw mut plan.program_child, &raw mut plan.program),
        ] {
            match run_child(sibling, &mut *plan.stack, become_program, own.cast()) {
                Ok(made) => child.write_volatile(Some(made)),
                Err(errno) => (&raw mut plan.failed).write_volatile(errno.raw_os_error()),
            }
            if (*own).failed != 0 || plan.failed != 0 {
                break;
            }
        }
        libc::_exit(0)
    }
}
