//! The files: the contract over the tree.

mod change;
mod look;
mod now;
mod resolve;
mod tree;

use workspace_core::{
    Body, Capabilities, CreateDirOptions, Entry, Feed, FileBody, FsProvider, ListOptions, PathRules,
    ReadOptions, RemoveOptions, RenameOptions, ResolveOptions, Result, Stat, StatOptions, WalkOptions,
    WorkspacePath, WriteOptions, Written,
};

use crate::{Memory, error};

pub(crate) use look::working_directory;
pub(crate) use tree::Tree;

impl FsProvider for Memory {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
            .with_write(true)
            .with_links(true)
            .with_modes(true)
            .with_atomic_replace(true)
            .with_versions(true)
    }

    fn path_rules(&self) -> PathRules {
        self.0.rules.clone()
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        labelled("stat", path, || look::stat(&self.tree(), path, &options, &self.0.rules))
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        labelled("read", path, || look::open(&self.tree(), path, &options, &self.0.rules))
    }

    async fn write(&self, path: &WorkspacePath, body: Body, options: WriteOptions) -> Result<Written> {
        // Once before a byte is taken, and once more for the tree that is changed.
        labelled("write", path, || change::plan_write(&self.tree(), path, &options, &self.0.rules))?;
        let bytes = self.take_in(body).await.map_err(|error| error.during("write").at(path))?;
        labelled("write", path, || self.change(|tree| tree.write(path, bytes, &options)))
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        labelled("list", path, || look::list(&self.tree(), path, &options, &self.0.rules))
    }

    async fn create_dir(&self, path: &WorkspacePath, options: CreateDirOptions) -> Result<bool> {
        labelled("create_dir", path, || self.change(|tree| tree.create_dir(path, &options)))
    }

    async fn remove(&self, path: &WorkspacePath, options: RemoveOptions) -> Result<()> {
        labelled("remove", path, || self.change(|tree| tree.remove(path, &options)))
    }

    async fn rename(&self, from: &WorkspacePath, to: &WorkspacePath, options: RenameOptions) -> Result<()> {
        self.change(|tree| tree.rename(from, to, &options)).map_err(|error| error.during("rename"))
    }

    async fn resolve(&self, path: &WorkspacePath, options: ResolveOptions) -> Result<WorkspacePath> {
        labelled("resolve", path, || look::resolved(&self.tree(), path, &options, &self.0.rules))
    }

    async fn walk(&self, path: &WorkspacePath, options: WalkOptions) -> Result<Feed<Entry>> {
        labelled("walk", path, || look::walk(self.tree(), path, options, &self.0.rules))
    }
}

impl Memory {
    /// All bytes of a body, as far as the limit of the tree allows.
    async fn take_in(&self, mut body: Body) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while let Some(piece) = body.next().await {
            let piece = piece?;
            if let Some(max) = self.0.max_bytes
                && (bytes.len() as u64).saturating_add(piece.len() as u64) > max
            {
                return Err(error::no_space(max));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

/// Runs a step; its error names the operation and the path as it was asked.
fn labelled<T>(operation: &'static str, path: &WorkspacePath, step: impl FnOnce() -> Result<T>) -> Result<T> {
    step().map_err(|error| error.during(operation).at(path))
}
