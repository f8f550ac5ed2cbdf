//! The backend against a real disk.
// The tests look at, and meddle with, the files behind the workspace.
#![allow(clippy::disallowed_methods)]
// What stands between the tests is test code as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod child;
mod conformance;
mod errors;
mod holes;
mod jail;
mod keep;
mod kill;
mod list;
mod mounts;
mod race;
mod remove_rename;
mod roots;
mod search;
mod shell;
mod support;
mod unwritable;
mod without_openat2;
mod write;
