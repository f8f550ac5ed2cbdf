//! Any files, held in one way.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{
    Body, Capabilities, CreateDirOptions, Entry, Feed, FileBody, FsProvider, GlobAnswer, GlobQuery,
    GrepAnswer, GrepQuery, ListOptions, PathRules, ReadOptions, RemoveOptions, RenameOptions, ResolveOptions,
    Result, Stat, StatOptions, WalkOptions, WorkspacePath, WriteOptions, Written,
};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// The dispatchable twin of [`FsProvider`]. A method that is missing here does not compile below.
trait ErasedFs: Send + Sync {
    fn capabilities(&self) -> Capabilities;
    fn path_rules(&self) -> PathRules;
    fn stat<'a>(&'a self, path: &'a WorkspacePath, options: StatOptions) -> BoxFuture<'a, Stat>;
    fn read<'a>(&'a self, path: &'a WorkspacePath, options: ReadOptions) -> BoxFuture<'a, FileBody>;
    fn write<'a>(
        &'a self,
        path: &'a WorkspacePath,
        body: Body,
        options: WriteOptions,
    ) -> BoxFuture<'a, Written>;
    fn list<'a>(&'a self, path: &'a WorkspacePath, options: ListOptions) -> BoxFuture<'a, Vec<Entry>>;
    fn create_dir<'a>(&'a self, path: &'a WorkspacePath, options: CreateDirOptions) -> BoxFuture<'a, bool>;
    fn remove<'a>(&'a self, path: &'a WorkspacePath, options: RemoveOptions) -> BoxFuture<'a, ()>;
    fn rename<'a>(
        &'a self,
        from: &'a WorkspacePath,
        to: &'a WorkspacePath,
        options: RenameOptions,
    ) -> BoxFuture<'a, ()>;
    fn resolve<'a>(
        &'a self,
        path: &'a WorkspacePath,
        options: ResolveOptions,
    ) -> BoxFuture<'a, WorkspacePath>;
    fn walk<'a>(&'a self, path: &'a WorkspacePath, options: WalkOptions) -> BoxFuture<'a, Feed<Entry>>;
    fn glob(&self, query: GlobQuery) -> BoxFuture<'_, GlobAnswer>;
    fn grep(&self, query: GrepQuery) -> BoxFuture<'_, GrepAnswer>;
}

impl<T: FsProvider> ErasedFs for T {
    fn capabilities(&self) -> Capabilities {
        FsProvider::capabilities(self)
    }

    fn path_rules(&self) -> PathRules {
        FsProvider::path_rules(self)
    }

    fn stat<'a>(&'a self, path: &'a WorkspacePath, options: StatOptions) -> BoxFuture<'a, Stat> {
        Box::pin(FsProvider::stat(self, path, options))
    }

    fn read<'a>(&'a self, path: &'a WorkspacePath, options: ReadOptions) -> BoxFuture<'a, FileBody> {
        Box::pin(FsProvider::read(self, path, options))
    }

    fn write<'a>(
        &'a self,
        path: &'a WorkspacePath,
        body: Body,
        options: WriteOptions,
    ) -> BoxFuture<'a, Written> {
        Box::pin(FsProvider::write(self, path, body, options))
    }

    fn list<'a>(&'a self, path: &'a WorkspacePath, options: ListOptions) -> BoxFuture<'a, Vec<Entry>> {
        Box::pin(FsProvider::list(self, path, options))
    }

    fn create_dir<'a>(&'a self, path: &'a WorkspacePath, options: CreateDirOptions) -> BoxFuture<'a, bool> {
        Box::pin(FsProvider::create_dir(self, path, options))
    }

    fn remove<'a>(&'a self, path: &'a WorkspacePath, options: RemoveOptions) -> BoxFuture<'a, ()> {
        Box::pin(FsProvider::remove(self, path, options))
    }

    fn rename<'a>(
        &'a self,
        from: &'a WorkspacePath,
        to: &'a WorkspacePath,
        options: RenameOptions,
    ) -> BoxFuture<'a, ()> {
        Box::pin(FsProvider::rename(self, from, to, options))
    }

    fn resolve<'a>(
        &'a self,
        path: &'a WorkspacePath,
        options: ResolveOptions,
    ) -> BoxFuture<'a, WorkspacePath> {
        Box::pin(FsProvider::resolve(self, path, options))
    }

    fn walk<'a>(&'a self, path: &'a WorkspacePath, options: WalkOptions) -> BoxFuture<'a, Feed<Entry>> {
        Box::pin(FsProvider::walk(self, path, options))
    }

    fn glob(&self, query: GlobQuery) -> BoxFuture<'_, GlobAnswer> {
        Box::pin(FsProvider::glob(self, query))
    }

    fn grep(&self, query: GrepQuery) -> BoxFuture<'_, GrepAnswer> {
        Box::pin(FsProvider::grep(self, query))
    }
}

/// Any [`FsProvider`], shared: cheap to clone, and itself a provider.
#[derive(Clone)]
pub struct SharedFs(Arc<dyn ErasedFs>);

impl SharedFs {
    /// Shares a provider.
    pub fn new(files: impl FsProvider) -> Self {
        Self(Arc::new(files))
    }
}

impl fmt::Debug for SharedFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedFs").field(&self.0.capabilities()).finish()
    }
}

#[deny(clippy::missing_trait_methods)]
impl FsProvider for SharedFs {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
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

    async fn write(&self, path: &WorkspacePath, body: Body, options: WriteOptions) -> Result<Written> {
        self.0.write(path, body, options).await
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        self.0.list(path, options).await
    }

    async fn create_dir(&self, path: &WorkspacePath, options: CreateDirOptions) -> Result<bool> {
        self.0.create_dir(path, options).await
    }

    async fn remove(&self, path: &WorkspacePath, options: RemoveOptions) -> Result<()> {
        self.0.remove(path, options).await
    }

    async fn rename(&self, from: &WorkspacePath, to: &WorkspacePath, options: RenameOptions) -> Result<()> {
        self.0.rename(from, to, options).await
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
