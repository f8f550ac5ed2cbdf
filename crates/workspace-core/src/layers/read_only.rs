//! Files that cannot be changed.

use crate::{
    Body, Capabilities, CreateDirOptions, Entry, Error, ErrorKind, Feed, FileBody, FsProvider, GlobAnswer,
    GlobQuery, GrepAnswer, GrepQuery, ListOptions, PathRules, ReadOptions, RemoveOptions, RenameOptions,
    ResolveOptions, Result, Stat, StatOptions, WalkOptions, WorkspacePath, WriteOptions, Written,
};

/// A provider whose files can be read and not changed.
///
/// Every operation that would change something is
/// [`ReadOnly`](ErrorKind::ReadOnly) and does not reach the provider below.
#[derive(Debug, Clone)]
pub struct ReadOnly<T>(T);

impl<T> ReadOnly<T> {
    /// Closes a provider to changes.
    pub const fn new(inner: T) -> Self {
        Self(inner)
    }
}

fn refuse<R>(operation: &'static str, path: &WorkspacePath) -> Result<R> {
    Err(Error::new(ErrorKind::ReadOnly, "this workspace is read-only, nothing has changed")
        .during(operation)
        .at(path)
        .hint("work with what can be read, or ask the owner of the workspace for one that can be written"))
}

#[deny(clippy::missing_trait_methods)]
impl<T: FsProvider> FsProvider for ReadOnly<T> {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities().with_write(false)
    }

    fn path_rules(&self) -> PathRules {
        self.0.path_rules()
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        self.0.stat(path, options).await
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        self.0.read(path, options).await
    }

    async fn write(&self, path: &WorkspacePath, _: Body, _: WriteOptions) -> Result<Written> {
        refuse("write", path)
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        self.0.list(path, options).await
    }

    async fn create_dir(&self, path: &WorkspacePath, _: CreateDirOptions) -> Result<bool> {
        refuse("create_dir", path)
    }

    async fn remove(&self, path: &WorkspacePath, _: RemoveOptions) -> Result<()> {
        refuse("remove", path)
    }

    async fn rename(&self, from: &WorkspacePath, _: &WorkspacePath, _: RenameOptions) -> Result<()> {
        refuse("rename", from)
    }

    async fn resolve(&self, path: &WorkspacePath, options: ResolveOptions) -> Result<WorkspacePath> {
        self.0.resolve(path, options).await
    }

    async fn walk(&self, path: &WorkspacePath, options: WalkOptions) -> Result<Feed<Entry>> {
        self.0.walk(path, options).await
    }

    async fn glob(&self, query: GlobQuery) -> Result<GlobAnswer> {
        self.0.glob(query).await
    }

    async fn grep(&self, query: GrepQuery) -> Result<GrepAnswer> {
        self.0.grep(query).await
    }
}
