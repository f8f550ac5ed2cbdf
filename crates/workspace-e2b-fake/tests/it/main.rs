//! The fake as its clients see it.
//!
//! Where sandboxes cannot be made, or `WORKSPACE_E2B` is `skip`, the tests say that
//! they are skipped. With `required` they fail instead.
#![cfg(target_os = "linux")]
// The tests look at the processes and the files of this machine.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // A test that cannot go on ends.

mod client;
mod control;
mod faults;
mod files;
mod lives;
mod processes;
mod replay;
mod streams;
mod watch;
