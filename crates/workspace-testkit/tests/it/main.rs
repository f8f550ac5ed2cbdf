//! One binary for all tests of this crate.
#![allow(clippy::unwrap_used)] // In a test a panic is a failure, and that is what is wanted.

mod acting;
mod broken;
mod layers;
#[path = "../../../workspace-memory/tests/it/plant.rs"]
mod plant;
mod runs;
mod toy_search;
