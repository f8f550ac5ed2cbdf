//! The backend on systems that are no Unix: it says that there is none.
//!
//! Without directory handles to walk from, every check of a path is a guess
//! that the next rename makes wrong. Better none than that.

use std::path::PathBuf;

use workspace_core::{
    Body, Capabilities, CreateDirOptions, Entry, Error, ErrorKind, FileBody, FsProvider, ListOptions,
    ReadOptions, RemoveOptions, RenameOptions, Result, Stat, StatOptions, WorkspacePath, WriteOptions,
    Written,
};

use crate::LocalBuilder;

/// A directory of this machine as the files of a workspace.
///
/// On this system it cannot be made: [`open`](Self::open) and
/// [`LocalBuilder::build`] are [`Unsupported`](ErrorKind::Unsupported).
#[derive(Debug, Clone)]
pub struct Local(Never);

#[derive(Debug, Clone)]
enum Never {}

impl Local {
    /// Opens a directory.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported), always.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self> {
        Self::builder(root).build()
    }

    /// Begins to set up a workspace over a directory.
    pub fn builder(root: impl Into<PathBuf>) -> LocalBuilder {
        LocalBuilder::new(root.into())
    }

    pub(crate) fn build(_: &LocalBuilder) -> Result<Self> {
        Err(Error::new(ErrorKind::Unsupported, "local files are not available on this system")
            .during("open the root")
            .hint("use a container, or a Unix system such as the Windows Subsystem for Linux"))
    }
}

impl FsProvider for Local {
    fn capabilities(&self) -> Capabilities {
        match self.0 {}
    }

    async fn stat(&self, _: &WorkspacePath, _: StatOptions) -> Result<Stat> {
        match self.0 {}
    }

    async fn read(&self, _: &WorkspacePath, _: ReadOptions) -> Result<FileBody> {
        match self.0 {}
    }

    async fn write(&self, _: &WorkspacePath, _: Body, _: WriteOptions) -> Result<Written> {
        match self.0 {}
    }

    async fn list(&self, _: &WorkspacePath, _: ListOptions) -> Result<Vec<Entry>> {
        match self.0 {}
    }

    async fn create_dir(&self, _: &WorkspacePath, _: CreateDirOptions) -> Result<bool> {
        match self.0 {}
    }

    async fn remove(&self, _: &WorkspacePath, _: RemoveOptions) -> Result<()> {
        match self.0 {}
    }

    async fn rename(&self, _: &WorkspacePath, _: &WorkspacePath, _: RenameOptions) -> Result<()> {
        match self.0 {}
    }
}
