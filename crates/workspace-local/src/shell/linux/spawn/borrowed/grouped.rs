//! A child in a control group, from its first instruction.

use std::ffi::c_void;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::null_mut;

use rustix::io::Errno;

use super::super::{Launch, Started};
use super::child::{Lists, Plan, become_program};
use super::clone::{BlockedSignals, Body, Stack, Target, run_child};

pub(in super::super) fn start_in_cgroup(
    launch: &Launch<'_>,
    cgroup: BorrowedFd<'_>,
) -> Result<Started, Errno> {
    let lists = Lists::new(launch);
    let mut plan = Plan::new(launch, &lists);
    // SAFETY: `become_program` keeps to what a child on borrowed memory may do, and all that
    // the plan points to outlives the call.
    let started = unsafe { start_within(cgroup, become_program, (&raw mut plan).cast()) }?;
    if plan.failed == 0 {
        return Ok(started);
    }
    let _ = started.handle.reap_ending();
    Err(Errno::from_raw_os_error(plan.failed))
}

/// Whether a process can be started in this control group: tried, because sandboxes and old
/// kernels refuse it in many ways.
pub(in super::super::super) fn can_start_within(cgroup: BorrowedFd<'_>) -> bool {
    // SAFETY: `leave` does nothing but end, and takes no plan.
    let started = unsafe { start_within(cgroup, leave, null_mut()) };
    started.is_ok_and(|child| child.handle.reap_ending().is_ok_and(|status| status.exit_status() == Some(0)))
}

/// # Safety
/// That of [`run_child`], but for the stack and the signals.
unsafe fn start_within(cgroup: BorrowedFd<'_>, body: Body, plan: *mut c_void) -> Result<Started, Errno> {
    let mut stack = Box::<Stack>::new_uninit();
    let _blocked = BlockedSignals::new();
    let target = Target { flags: 0, cgroup: Some(cgroup.as_raw_fd()) };
    // SAFETY: the caller vouches for the body; the child is taken over once.
    unsafe { run_child(target, &mut stack, body, plan)?.into_started() }
}

extern "C" fn leave(_: *mut c_void) -> ! {
    // SAFETY: it ends this process and touches nothing.
    unsafe { libc::_exit(0) }
}
