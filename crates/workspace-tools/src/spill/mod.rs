//! Outputs of commands that are over the cap, whole, as files that can be read.
//!
//! They are held in memory: the tools touch no disk of their own, and what a backend
//! holds belongs to its user. [`Whole`] collects one output while its command runs,
//! [`Outputs`] keeps those that were cut, and [`Mounted`] shows them beside the files of
//! the workspace as `@output/1`, `@output/2` and so on, which nobody can change.

mod mounted;
mod outputs;
mod text;
mod whole;

pub(crate) use mounted::{DIRECTORY, Mounted};
pub(crate) use outputs::Outputs;
pub(crate) use whole::Whole;
