//! The system call: a child that shares this memory, on a stack of its own.

use std::ffi::{c_int, c_long, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr::null_mut;

use rustix::io::Errno;
use rustix::process::Pid;

use super::super::super::handle::Handle;
use super::super::Started;

pub(super) type Body = extern "C" fn(*mut c_void) -> !;

/// In `libc` it is of a type that is too narrow for it.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

const STACK_BYTES: usize = 64 * 1024;

/// A stack for a child, aligned as calls need it.
#[repr(C, align(16))]
pub(super) struct Stack([u8; STACK_BYTES]);

/// Where a child is started.
#[derive(Clone, Copy, Default)]
pub(super) struct Target {
    /// Flags besides those of borrowing.
    pub(super) flags: c_int,
    pub(super) cgroup: Option<RawFd>,
}

/// A child, by its number and a descriptor that belongs to whoever gets this.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pid: c_int,
    pidfd: RawFd,
}

impl Child {
    /// # Safety
    /// Once for each child.
    pub(super) unsafe fn into_started(self) -> Result<Started, Errno> {
        // SAFETY: the system has put a new descriptor there, and the caller says that nobody else owns it.
        let handle = Handle::from_fd(unsafe { OwnedFd::from_raw_fd(self.pidfd) });
        Ok(Started { pid: Pid::from_raw(self.pid).ok_or(Errno::CHILD)?, handle })
    }
}

/// Runs `body` as a child that shares this memory, and returns when it has executed a program or
/// ended. It allocates nothing, so that such a child can have children of its own.
///
/// # Safety
/// `body` must neither allocate, nor take a lock, nor unwind; `plan` must be good for it, and the
/// stack nobody else's. Signals must be blocked: a handler must not run in the child, on this memory.
pub(super) unsafe fn run_child(
    target: Target,
    stack: &mut MaybeUninit<Stack>,
    body: Body,
    plan: *mut c_void,
) -> Result<Child, Errno> {
    let mut pidfd: RawFd = -1;
    // SAFETY: the structure is numbers alone, for which zero is a value.
    let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
    args.flags = number(libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | target.flags);
    if let Some(cgroup) = target.cgroup {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = number(cgroup);
    }
    args.pidfd = (&raw mut pidfd) as u64;
    // A sibling has the signal of the one that makes it.
    if target.flags & libc::CLONE_PARENT == 0 {
        args.exit_signal = number(libc::SIGCHLD);
    }
    args.stack = stack.as_mut_ptr() as u64;
    args.stack_size = STACK_BYTES as u64;
    // SAFETY: the arguments are complete, the stack outlives the call, and the caller vouches for the rest.
    let code = unsafe { clone3(&raw mut args, size_of_val(&args), body, plan) };
    let pid = c_int::try_from(code).map_err(|_| Errno::CHILD)?;
    if pid < 0 { Err(Errno::from_raw_os_error(-pid)) } else { Ok(Child { pid, pidfd }) }
}

/// A flag or a descriptor as the structure has it.
fn number(number: c_int) -> u64 {
    u64::from(number.cast_unsigned())
}

/// Every signal blocked in this thread, for as long as it lives.
pub(super) struct BlockedSignals(MaybeUninit<libc::sigset_t>);

impl BlockedSignals {
    pub(super) fn new() -> Self {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: both places are valid; the first is initialised by the call before its use.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        }
        Self(before)
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: `new` has had the mask filled in: with these arguments the call cannot fail.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, self.0.as_ptr(), null_mut()) };
    }
}

/// The system call, with the child sent to `body` on its new stack: it has no frame to return to.
/// It gives the child's number, or an error number below zero.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn clone3(
    args: *mut libc::clone_args,
    size: usize,
    body: Body,
    plan: *mut c_void,
) -> c_long {
    std::arch::naked_asm!(
        "mov r8, rcx", // The call overwrites rcx.
        "mov eax, {number}",
        "syscall",
        "test rax, rax",
        "jz 2f",
        "ret",
        "2:",
        "xor ebp, ebp",
        "mov rdi, r8",
        "call rdx",
        "ud2",
        number = const libc::SYS_clone3,
    )
}

/// The same for the other instruction set.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn clone3(
    args: *mut libc::clone_args,
    size: usize,
    body: Body,
    plan: *mut c_void,
) -> c_long {
    std::arch::naked_asm!(
        "mov x8, {number}",
        "svc #0",
        "cbz x0, 2f",
        "ret",
        "2:",
        "mov x29, xzr",
        "mov x0, x3",
        "blr x2",
        "brk #1",
        number = const libc::SYS_clone3,
    )
}
