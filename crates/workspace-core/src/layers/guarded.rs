//! Files some of which are closed.

use crate::{
    Access, Body, Capabilities, CreateDirOptions, Entry, Feed, FileBody, FsProvider, GlobAnswer, GlobQuery,
    GrepAnswer, GrepQuery, ListOptions, PathFilter, PathRules, ReadOptions, RemoveOptions, RenameOptions,
    ResolveOptions, Result, Stat, StatOptions, WalkOptions, WorkspacePath, WriteOptions, Written,
};

/// A provider with paths that a rule closes.
///
/// The rule judges each path as asked, here, and as resolved, in the provider
/// below: it travels there in the options. So a link to a closed file is
/// closed, and search stays native.
#[derive(Debug, Clone)]
pub struct Guarded<T> {
    inner: T,
    filter: PathFilter,
}

impl<T> Guarded<T> {
    /// Puts a rule before a provider.
    pub const fn new(inner: T, filter: PathFilter) -> Self {
        Self { inner, filter }
    }

    /// Judges the path as asked and adds the rule to those that travel on.
    fn guard(&self, path: &WorkspacePath, access: Access, filter: &mut PathFilter) -> Result<()> {
        self.filter.check(path, access).map_err(|error| error.at(path))?;
        self.add(filter);
        Ok(())
    }

    fn add(&self, filter: &mut PathFilter) {
        *filter = std::mem::take(filter).and(&self.filter);
    }
}

#[deny(clippy::missing_trait_methods)]
impl<T: FsProvider> FsProvider for Guarded<T> {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn path_rules(&self) -> PathRules {
        self.inner.path_rules()
    }

    async fn stat(&self, path: &WorkspacePath, mut options: StatOptions) -> Result<Stat> {
        self.guard(path, Access::Read, &mut options.filter)?;
        self.inner.stat(path, options).await
    }

    async fn read(&self, path: &WorkspacePath, mut options: ReadOptions) -> Result<FileBody> {
        self.guard(path, Access::Read, &mut options.filter)?;
        self.inner.read(path, options).await
    }

    async fn write(&self, path: &WorkspacePath, body: Body, mut options: WriteOptions) -> Result<Written> {
        self.guard(path, Access::Write, &mut options.filter)?;
        self.inner.write(path, body, options).await
    }

    async fn list(&self, path: &WorkspacePath, mut options: ListOptions) -> Result<Vec<Entry>> {
        self.guard(path, Access::Read, &mut options.filter)?;
        self.inner.list(path, options).await
    }

    async fn create_dir(&self, path: &WorkspacePath, mut options: CreateDirOptions) -> Result<bool> {
        self.guard(path, Access::Write, &mut options.filter)?;
        self.inner.create_dir(path, options).await
    }

    async fn remove(&self, path: &WorkspacePath, mut options: RemoveOptions) -> Result<()> {
        self.guard(path, Access::Write, &mut options.filter)?;
        self.inner.remove(path, options).await
    }

    async fn rename(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        mut options: RenameOptions,
    ) -> Result<()> {
        self.filter.check(from, Access::Write).map_err(|error| error.at(from))?;
        self.guard(to, Access::Write, &mut options.filter)?;
        self.inner.rename(from, to, options).await
    }

    async fn resolve(&self, path: &WorkspacePath, mut options: ResolveOptions) -> Result<WorkspacePath> {
        self.guard(path, Access::See, &mut options.filter)?;
        self.inner.resolve(path, options).await
    }

    async fn walk(&self, path: &WorkspacePath, mut options: WalkOptions) -> Result<Feed<Entry>> {
        self.guard(path, Access::Read, &mut options.filter)?;
        self.inner.walk(path, options).await
    }

    async fn glob(&self, mut query: GlobQuery) -> Result<GlobAnswer> {
        self.filter.check(&query.scope.base, Access::Read).map_err(|error| error.at(&query.scope.base))?;
        self.add(&mut query.filter);
        self.inner.glob(query).await
    }

    async fn grep(&self, mut query: GrepQuery) -> Result<GrepAnswer> {
        self.filter.check(&query.scope.base, Access::Read).map_err(|error| error.at(&query.scope.base))?;
        self.add(&mut query.filter);
        self.inner.grep(query).await
    }
}
