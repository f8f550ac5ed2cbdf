//! The program as its users run it.
#![allow(clippy::disallowed_methods)] // Tests start the program and look at real directories.

mod batch;
mod call;
mod check;
mod doctor;
mod policy_file;
mod program;
mod scripted_loop;
mod tools;
