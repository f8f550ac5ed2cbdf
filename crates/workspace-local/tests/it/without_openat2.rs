//! The same rules where the kernel has no `openat2`, as in old kernels and some containers.
#![allow(unsafe_code)] // A filter of system calls is put in place between fork and exec.

use std::ffi::{c_int, c_ushort, c_void};
use std::io;
use std::os::unix::process::CommandExt;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::child::{assert_passed, is_child, this_binary};

#[repr(C)]
struct Instruction {
    code: c_ushort,
    if_true: u8,
    if_false: u8,
    value: u32,
}

#[repr(C)]
struct Program {
    length: c_ushort,
    instructions: *const Instruction,
}

unsafe extern "C" {
    fn prctl(option: c_int, ...) -> c_int;
}

/// Answers `openat2`, which has the same number on every architecture, with "no such system call".
static FILTER: [Instruction; 4] = [
    Instruction { code: 0x20, if_true: 0, if_false: 0, value: 0 },
    Instruction { code: 0x15, if_true: 0, if_false: 1, value: 437 },
    Instruction { code: 0x06, if_true: 0, if_false: 0, value: 0x0005_0026 },
    Instruction { code: 0x06, if_true: 0, if_false: 0, value: 0x7fff_0000 },
];

fn install() -> io::Result<()> {
    let program = Program { length: 4, instructions: FILTER.as_ptr() };
    let program: *const c_void = (&raw const program).cast();
    // SAFETY: both calls read their arguments only, and the program outlives the call that reads it.
    let installed = unsafe { prctl(38, 1, 0, 0, 0) == 0 && prctl(22, 2, program) == 0 };
    if installed { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[test]
fn openat2_is_missing_here() {
    if is_child() {
        let opened = rustix::fs::openat2(CWD, ".", OFlags::PATH, Mode::empty(), ResolveFlags::empty());
        assert_eq!(opened.unwrap_err(), Errno::NOSYS);
    }
}

#[test]
fn r_jail_1_every_rule_holds_without_openat2() {
    if is_child() {
        return;
    }
    let mut child = this_binary();
    child.env("WORKSPACE_RACE_OPERATIONS", "1000");
    child.args(["openat2_is_missing_here", "jail::", "race::", "holes::", "roots::", "errors::"]);
    child.args(["list::", "remove_rename::", "write::", "keep::", "search::"]);
    // SAFETY: between fork and exec it makes two system calls and allocates nothing.
    unsafe { child.pre_exec(install) };
    assert_passed("the whole suite", &child.output().unwrap());
}
