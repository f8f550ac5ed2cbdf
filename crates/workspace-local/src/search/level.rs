//! What has been found in one directory, ready to be told.

use std::sync::Arc;
use std::vec;

use workspace_core::Error;
use workspace_search::{Failure, Place, Step};

use super::batch::Batch;
use super::directory::Directory;
use super::names::Name;
use super::slot::Slot;

/// A directory that is still to be read.
#[derive(Debug)]
pub(super) struct Entering {
    pub(super) above: Arc<Directory>,
    pub(super) name: Name,
    pub(super) place: Place,
}

/// The reading of a directory.
pub(super) type Reading<F> = Slot<Entering, Listed<F>>;
/// The search of files of one directory.
pub(super) type Searching<F> = Slot<Batch, Vec<F>>;

/// What became of the reading of a directory.
#[derive(Debug)]
pub(super) enum Listed<F> {
    /// It is told without what it holds.
    Failed(Failure),
    /// The whole search fails.
    Lost(Error),
    /// The search ended meanwhile.
    Stopped,
    /// What it holds.
    Level(Level<F>),
}

/// What a directory holds, in the order in which it is told.
#[derive(Debug)]
pub(super) struct Level<F> {
    /// How many of its ignore files could not be read.
    pub(super) unreadable: u64,
    /// One step an entry.
    pub(super) steps: vec::IntoIter<Step>,
    /// Whether the search ended before all entries were judged.
    pub(super) cut: bool,
    /// What was found in the files that are told next.
    pub(super) found: vec::IntoIter<F>,
    /// The files after those.
    pub(super) batches: vec::IntoIter<Arc<Searching<F>>>,
    /// The directories that are entered.
    pub(super) below: vec::IntoIter<Arc<Reading<F>>>,
}
