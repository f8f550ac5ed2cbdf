//! Search over a provider that was written for these tests alone, against the rules and against other implementations.
// Helpers of tests are tests: what they cannot do ends them.
#![allow(clippy::unwrap_used)]

mod cases;
mod glob;
mod glob_model;
mod grep;
mod grep_model;
mod grep_pattern;
mod ignoring;
mod ignoring_model;
mod limits;
mod memory;
mod multiline;
mod native;
mod tree;
