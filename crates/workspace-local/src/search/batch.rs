//! Files of one directory that one thread searches in one go.

use std::sync::Arc;

use rustix::io::Errno;
use workspace_core::{FileKind, Result, WorkspacePath};

use super::directory::{Directory, Hand};
use super::names::Name;

/// Files of a directory, in order.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) directory: Arc<Directory>,
    pub(super) files: Vec<Name>,
}

/// A file, or a link, that a walk came across.
#[derive(Debug)]
pub(super) struct Met<'d> {
    pub(super) directory: &'d Directory,
    /// A handle of the directory, or why there is none.
    pub(super) hand: Result<&'d Hand<'d>, Errno>,
    pub(super) name: Name,
}

impl Met<'_> {
    pub(super) fn kind(&self) -> FileKind {
        self.name.kind
    }

    /// The path by which the answer shows it.
    pub(super) fn path(&self) -> Result<WorkspacePath> {
        self.directory.shown.child(self.directory.names.shown(self.name))
    }
}

/// What is done with the files that a walk comes across.
pub(super) trait Seek: Sync {
    /// What a thread has at hand for all of its files.
    type Hands;
    /// What a file gives.
    type Found: Send;

    /// Whether links are files that may be sought.
    const LINKS: bool;
    /// How many files make one job; more than one thread then works on a directory.
    const BATCH: usize;

    fn hands(&self) -> Self::Hands;

    fn find(&self, hands: &mut Self::Hands, met: &Met<'_>) -> Self::Found;

    /// How much of the memory of a search it takes, in entries of a directory.
    fn weight(found: &Self::Found) -> usize;
}
