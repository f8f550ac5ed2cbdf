//! The backend against an E2B of this machine.
// The service is made of namespaces.
#![cfg(target_os = "linux")]
// The tests plant files behind the sandbox.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // A test that cannot go on ends.

mod bad;
mod commands;
mod conformance;
mod counts;
mod faults;
mod lives;
mod shared;
