//! What all clones and projections of one workspace share.

mod locks;
mod stamps;

pub(crate) use locks::{Locks, PathLock};
pub(crate) use stamps::Stamps;
