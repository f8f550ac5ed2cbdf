//! A child on borrowed memory, started inside a control group.
//!
//! `posix_spawn` cannot start a process in a control group, and a process that
//! is moved there later may have had children by then. So this is what a C
//! library does for `posix_spawn`, with `CLONE_INTO_CGROUP` added: the child
//! shares the host's memory on a stack of its own, and the calling thread stands
//! still until the child has executed its program or given up.
#![allow(unsafe_code)] // One system call that no library wraps, and the few that its child makes.

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(in super::super) use elsewhere::can_start_within;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) use elsewhere::start;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(in super::super) use here::can_start_within;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use here::start;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod here {
    use std::ffi::{c_char, c_int, c_long, c_void};
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
    use std::ptr::null_mut;

    use rustix::io::Errno;
    use rustix::process::Pid;

    use super::super::super::handle::Handle;
    use super::super::{Launch, Started, pointers};

    /// What the child does, laid out before it begins: it may not allocate.
    struct Plan {
        file: *const c_char,
        words: *const *const c_char,
        variables: *const *const c_char,
        cwd: RawFd,
        streams: [RawFd; 3],
        /// Set by the child where it fails; 0 where its program runs.
        failed: c_int,
    }

    pub(in super::super) fn start(launch: &Launch<'_>, cgroup: BorrowedFd<'_>) -> Result<Started, Errno> {
        let (words, variables) = (pointers(launch.words), pointers(launch.variables));
        let mut plan = Plan {
            file: launch.file.as_ptr(),
            words: words.as_ptr(),
            variables: variables.as_ptr(),
            cwd: launch.cwd.as_raw_fd(),
            streams: launch.streams.map(|stream| stream.as_raw_fd()),
            failed: 0,
        };
        // SAFETY: `become_program` keeps to what a child on borrowed memory may do, and all that
        // the plan points to outlives the call.
        let started = unsafe { clone_into(cgroup, become_program, (&raw mut plan).cast()) }?;
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
        let started = unsafe { clone_into(cgroup, leave, null_mut()) };
        started
            .is_ok_and(|child| child.handle.reap_ending().is_ok_and(|status| status.exit_status() == Some(0)))
    }

    type Body = extern "C" fn(*mut c_void) -> !;

    /// In `libc` it is of a type that is too narrow for it.
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

    const STACK_BYTES: usize = 64 * 1024;

    /// A stack for the child, aligned as calls need it.
    #[repr(C, align(16))]
    struct Stack([u8; STACK_BYTES]);

    /// Runs `body` as a child that shares this memory, and returns when it has executed a program or ended.
    ///
    /// # Safety
    /// `body` must neither allocate, nor take a lock, nor unwind, and `plan` must be good for it.
    unsafe fn clone_into(cgroup: BorrowedFd<'_>, body: Body, plan: *mut c_void) -> Result<Started, Errno> {
        let mut stack = Box::<Stack>::new_uninit();
        let mut pidfd: RawFd = -1;
        // SAFETY: the structure is numbers alone, for which zero is a value.
        let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
        args.flags = number(libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD) | CLONE_INTO_CGROUP;
        args.pidfd = (&raw mut pidfd) as u64;
        args.exit_signal = number(libc::SIGCHLD);
        args.stack = stack.as_mut_ptr() as u64;
        args.stack_size = STACK_BYTES as u64;
        args.cgroup = number(cgroup.as_raw_fd());

        // A handler of the host must not run in the child, on this memory.
        let blocked = BlockedSignals::new();
        // SAFETY: the arguments are complete, the stack is the child's alone and outlives it, and the
        // caller vouches for the body.
        let code = unsafe { clone3(&raw mut args, size_of_val(&args), body, plan) };
        drop(blocked);
        let pid = c_int::try_from(code).map_err(|_| Errno::CHILD)?;
        if pid < 0 {
            return Err(Errno::from_raw_os_error(-pid));
        }
        // SAFETY: on success the system has put a new descriptor there, and nobody else owns it.
        let handle = Handle::from_fd(unsafe { OwnedFd::from_raw_fd(pidfd) });
        Ok(Started { pid: Pid::from_raw(pid).ok_or(Errno::CHILD)?, handle })
    }

    /// A flag or a descriptor as the structure has it.
    fn number(number: c_int) -> u64 {
        u64::from(number.cast_unsigned())
    }

    /// Every signal blocked in this thread, for as long as it lives.
    struct BlockedSignals(MaybeUninit<libc::sigset_t>);

    impl BlockedSignals {
        fn new() -> Self {
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

    extern "C" fn leave(_: *mut c_void) -> ! {
        // SAFETY: it ends this process and touches nothing.
        unsafe { libc::_exit(0) }
    }

    /// The child. System calls alone, on values that the host has prepared.
    extern "C" fn become_program(plan: *mut c_void) -> ! {
        // SAFETY: `start` gives its plan, and stands still while this runs.
        unsafe {
            let plan = &mut *plan.cast::<Plan>();
            prepare_and_execute(plan);
            // Reading the error number allocates nothing. The host reads it after the child has ended.
            (&raw mut plan.failed)
                .write_volatile(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO));
            libc::_exit(127)
        }
    }

    /// Returns only where a step fails; the error number is that step's.
    ///
    /// # Safety
    /// Only in a child of [`clone_into`], with a plan whose pointers are good.
    unsafe fn prepare_and_execute(plan: &Plan) {
        // SAFETY: each is one system call on numbers and strings of the plan. The child has its own
        // table of descriptors and of signal handlers, so the host's stay as they are.
        unsafe {
            if libc::setsid() < 0 || libc::fchdir(plan.cwd) < 0 {
                return;
            }
            for (number, stream) in (0..).zip(plan.streams) {
                if libc::dup2(stream, number) < 0 {
                    return;
                }
            }
            if libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) < 0 {
                return;
            }
            // Handlers go first: a signal that waits must not find one of the host's when it is let in.
            let mut default: libc::sigaction = std::mem::zeroed();
            default.sa_sigaction = libc::SIG_DFL;
            for signal in 1..=libc::SIGRTMAX() {
                // Some cannot be set, and are at their default always.
                libc::sigaction(signal, &raw const default, null_mut());
            }
            let mut none = MaybeUninit::uninit();
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), null_mut());
            libc::execve(plan.file, plan.words, plan.variables);
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
}

/// Machines for which the call above is not written: commands run without a control group there.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod elsewhere {
    use std::os::fd::BorrowedFd;

    use rustix::io::Errno;

    use super::super::{Launch, Started};

    pub(in super::super) fn start(_: &Launch<'_>, _: BorrowedFd<'_>) -> Result<Started, Errno> {
        Err(Errno::NOSYS)
    }

    pub(in super::super::super) fn can_start_within(_: BorrowedFd<'_>) -> bool {
        false
    }
}
