//! A tree of plain files and directories, as simple as can be, and random operations on it.
//!
//! It is written apart from every backend: what both say is what the contract says.

mod compare;
mod operation;
mod tree;

pub use compare::compare;
pub use operation::{Operation, State, operations};
pub use tree::{Answer, Expected, Model};
