//! The backend against a real engine.
//!
//! Without one the tests say that they are skipped, unless `WORKSPACE_DOCKER` is
//! `required`. `.ci/docker-up` starts an engine and makes the images.
// The tests plant files behind the container, and start programs that use it.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // A test that cannot go on ends.

mod bad;
mod conformance;
mod engine;
mod forks;
mod hardened;
mod kill;
mod leaks;
mod midway;
mod shared;
mod transfer;
