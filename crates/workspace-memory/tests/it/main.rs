//! One binary for all tests of this crate.
#![allow(clippy::unwrap_used)] // In a test a panic is a failure, and that is what is wanted.

mod clock;
mod commands;
mod conformance;
mod files;
mod model;
mod permissions;
mod plant;
mod time;
