//! The files over every shell that this machine has.
// The tests meddle with the files behind the workspace.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // A test that cannot go on ends.

mod aide;
mod child;
mod conformance;
mod examples;
