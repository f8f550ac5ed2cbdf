//! The program as its users run it.
#![allow(clippy::disallowed_methods)] // Tests start the program and look at real directories.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on ends.

mod batch;
mod call;
mod check;
mod clients;
mod doctor;
mod mcp;
mod policy_file;
mod program;
mod scripted_loop;
mod tools;
