//! What a child on borrowed memory does: system calls alone, on values that the host has prepared.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr::{null, null_mut};

use super::super::{Launch, pointers};

/// The plan of a child, laid out before it begins: it may not allocate.
pub(super) struct Plan {
    file: *const c_char,
    words: *const *const c_char,
    variables: *const *const c_char,
    /// -1 to stay where it is.
    cwd: RawFd,
    streams: [RawFd; 3],
    /// For the first process of a namespace.
    is_first: bool,
    /// Set by the child where it fails; 0 where its program runs.
    pub(super) failed: c_int,
}

/// The lists that a plan points to.
pub(super) struct Lists {
    words: Vec<*const c_char>,
    variables: Vec<*const c_char>,
}

impl Lists {
    pub(super) fn new(launch: &Launch<'_>) -> Self {
        Self { words: pointers(launch.words), variables: pointers(launch.variables) }
    }
}

impl Plan {
    /// It is good as long as the launch and the lists are.
    pub(super) fn new(launch: &Launch<'_>, lists: &Lists) -> Self {
        Self {
            file: launch.file.as_ptr(),
            words: lists.words.as_ptr(),
            variables: lists.variables.as_ptr(),
            cwd: launch.cwd.as_raw_fd(),
            streams: launch.streams.map(|stream| stream.as_raw_fd()),
            is_first: false,
            failed: 0,
        }
    }

    /// For one that begins in the directory where it is made.
    pub(super) fn in_place(self) -> Self {
        Self { cwd: -1, ..self }
    }

    /// For the first process of a namespace.
    pub(super) fn first(self) -> Self {
        Self { is_first: true, ..self }
    }
}

/// The body of a child whose plan is a [`Plan`].
pub(super) extern "C" fn become_program(plan: *mut c_void) -> ! {
    // SAFETY: whoever starts it gives its plan, and stands still while this runs.
    unsafe {
        let plan = &mut *plan.cast::<Plan>();
        prepare_and_execute(plan);
        give_up(&raw mut plan.failed)
    }
}

/// Ends a child in which a system call has failed.
///
/// # Safety
/// Only in such a child, right after that call, with a place that is good.
pub(super) unsafe fn give_up(failed: *mut c_int) -> ! {
    // SAFETY: reading the error number allocates nothing. The host reads it after the child has ended.
    unsafe {
        failed.write_volatile(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO));
        libc::_exit(127)
    }
}

/// Returns only where a step fails; the error number is that step's.
///
/// # Safety
/// Only in a child on borrowed memory, with a plan whose pointers are good.
unsafe fn prepare_and_execute(plan: &Plan) {
    // SAFETY: each is one system call on numbers and strings of the plan. The child has its own
    // table of descriptors and of signal handlers, so the host's stay as they are.
    unsafe {
        if libc::setsid() < 0 || plan.cwd >= 0 && libc::fchdir(plan.cwd) < 0 {
            return;
        }
        if plan.is_first && !show_own_processes() {
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

/// Puts a `/proc` of its own namespace over that of the host, which keeps its own: the numbers
/// there would be those of others.
///
/// # Safety
/// Only in a child on borrowed memory, in namespaces of processes and of mounts of its own.
unsafe fn show_own_processes() -> bool {
    let bare = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    let proc = c"proc".as_ptr();
    // SAFETY: a system call on good strings.
    unsafe { libc::mount(proc, c"/proc".as_ptr(), proc, bare, null()) == 0 }
}

/// Writes a short text to a file of `/proc`.
///
/// # Safety
/// Only in a child on borrowed memory.
pub(super) unsafe fn put(file: &CStr, text: &CStr) -> bool {
    // SAFETY: system calls on good strings.
    unsafe {
        let fd = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return false;
        }
        let length = text.count_bytes();
        let written = libc::write(fd, text.as_ptr().cast(), length);
        libc::close(fd);
        usize::try_from(written) == Ok(length)
    }
}
