//! A child on borrowed memory, started inside a control group or a namespace.
//!
//! `posix_spawn` cannot start a process in either, and a process that is moved
//! to a control group later may have had children by then. So this is what a C
//! library does for `posix_spawn`, with more flags: the child shares the host's
//! memory on a stack of its own, and the calling thread stands still until the
//! child has executed its program or given up.
#![allow(unsafe_code)] // System calls that no library wraps, and the few that their children make.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod child;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod clone;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod elsewhere;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod grouped;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod kept;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(in super::super) use elsewhere::can_start_within;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) use elsewhere::{start_in_cgroup, start_kept};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(in super::super) use grouped::can_start_within;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use grouped::start_in_cgroup;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use kept::start_kept;
