//! A directory of a workspace as a workspace of its own.

use crate::{
    Body, Capabilities, Command, CreateDirOptions, Entry, Error, ErrorKind, Feed, FileBody, FsProvider,
    GlobAnswer, GlobQuery, GrepAnswer, GrepQuery, ListOptions, PathFilter, PathRules, Process, ReadOptions,
    RemoveOptions, RenameOptions, ResolveOptions, Result, ShellCapabilities, ShellProvider, Stat,
    StatOptions, WalkOptions, WorkspacePath, WriteOptions, Written,
};

/// A provider whose root is a directory of the provider below.
///
/// A link that leads out of the directory is refused as one that leads out of
/// the workspace. Paths in answers and errors are those of the scope.
#[derive(Debug, Clone)]
pub struct Scoped<T> {
    inner: T,
    directory: WorkspacePath,
}

impl<T> Scoped<T> {
    /// Narrows a provider to a directory. Resolve the directory first: a path
    /// through a link would put all that it holds outside of itself.
    pub const fn new(inner: T, directory: WorkspacePath) -> Self {
        Self { inner, directory }
    }

    fn below(&self, path: &WorkspacePath) -> WorkspacePath {
        path.under(&self.directory)
    }

    fn narrow(&self, filter: &mut PathFilter) {
        *filter = std::mem::take(filter).scoped(&self.directory);
    }

    /// An error as the caller of the scope may see it, about `path` where it names no other.
    fn outward(&self, error: Error, path: &WorkspacePath) -> Error {
        let directory = self.directory.as_str();
        let inside = error.path().and_then(|at| at.strip_prefix(directory)).and_then(|rest| match rest {
            "" => Some(".".to_owned()),
            rest if directory.is_empty() => Some(rest.to_owned()),
            rest => rest.strip_prefix('/').map(str::to_owned),
        });
        match inside {
            Some(inside) => error.at(inside),
            None => error.at(path),
        }
    }

    fn inward(&self, path: &WorkspacePath) -> Result<WorkspacePath> {
        path.strip_prefix(&self.directory).ok_or_else(|| {
            // The filter refuses such a path below; a provider that ignores it stops here.
            Error::new(ErrorKind::PathEscape, "a link on the way leads outside the workspace").rule("scope")
        })
    }

    fn entry(&self, mut entry: Entry) -> Result<Entry> {
        entry.path = self.inward(&entry.path)?;
        Ok(entry)
    }
}

#[deny(clippy::missing_trait_methods)]
impl<T: FsProvider> FsProvider for Scoped<T> {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn path_rules(&self) -> PathRules {
        self.inner.path_rules().scoped(&self.directory)
    }

    async fn stat(&self, path: &WorkspacePath, mut options: StatOptions) -> Result<Stat> {
        self.narrow(&mut options.filter);
        self.inner.stat(&self.below(path), options).await.map_err(|error| self.outward(error, path))
    }

    async fn read(&self, path: &WorkspacePath, mut options: ReadOptions) -> Result<FileBody> {
        self.narrow(&mut options.filter);
        self.inner.read(&self.below(path), options).await.map_err(|error| self.outward(error, path))
    }

    async fn write(&self, path: &WorkspacePath, body: Body, mut options: WriteOptions) -> Result<Written> {
        self.narrow(&mut options.filter);
        self.inner.write(&self.below(path), body, options).await.map_err(|error| self.outward(error, path))
    }

    async fn list(&self, path: &WorkspacePath, mut options: ListOptions) -> Result<Vec<Entry>> {
        self.narrow(&mut options.filter);
        let entries =
            self.inner.list(&self.below(path), options).await.map_err(|error| self.outward(error, path))?;
        entries.into_iter().map(|entry| self.entry(entry)).collect()
    }

    async fn create_dir(&self, path: &WorkspacePath, mut options: CreateDirOptions) -> Result<bool> {
        self.narrow(&mut options.filter);
        self.inner.create_dir(&self.below(path), options).await.map_err(|error| self.outward(error, path))
    }

    async fn remove(&self, path: &WorkspacePath, mut options: RemoveOptions) -> Result<()> {
        refuse_root("remove", path)?;
        self.narrow(&mut options.filter);
        self.inner.remove(&self.below(path), options).await.map_err(|error| self.outward(error, path))
    }

    async fn rename(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        mut options: RenameOptions,
    ) -> Result<()> {
        refuse_root("rename", from)?;
        refuse_root("rename", to)?;
        self.narrow(&mut options.filter);
        self.inner
            .rename(&self.below(from), &self.below(to), options)
            .await
            .map_err(|error| self.outward(error, from))
    }

    async fn resolve(&self, path: &WorkspacePath, mut options: ResolveOptions) -> Result<WorkspacePath> {
        self.narrow(&mut options.filter);
        let resolved = self
            .inner
            .resolve(&self.below(path), options)
            .await
            .map_err(|error| self.outward(error, path))?;
        self.inward(&resolved).map_err(|error| error.during("resolve").at(path))
    }

    async fn walk(&self, path: &WorkspacePath, mut options: WalkOptions) -> Result<Feed<Entry>> {
        self.narrow(&mut options.filter);
        let mut entries =
            self.inner.walk(&self.below(path), options).await.map_err(|error| self.outward(error, path))?;
        let directory = self.directory.clone();
        Ok(Feed::from_poll_fn(move |cx| {
            entries.poll_next(cx).map(|next| {
                next.map(|entry| {
                    let mut entry = entry?;
                    entry.path = entry.path.strip_prefix(&directory).ok_or_else(|| {
                        Error::new(ErrorKind::PathEscape, "the walk left the workspace")
                            .during("walk")
                            .rule("scope")
                    })?;
                    Ok(entry)
                })
            })
        }))
    }

    async fn glob(&self, mut query: GlobQuery) -> Result<GlobAnswer> {
        let base = std::mem::take(&mut query.scope.base);
        query.scope.base = self.below(&base);
        self.narrow(&mut query.filter);
        let mut answer = self.inner.glob(query).await.map_err(|error| self.outward(error, &base))?;
        for (path, _) in &mut answer.files {
            *path = self.inward(path)?;
        }
        Ok(answer)
    }

    async fn grep(&self, mut query: GrepQuery) -> Result<GrepAnswer> {
        let base = std::mem::take(&mut query.scope.base);
        query.scope.base = self.below(&base);
        self.narrow(&mut query.filter);
        let mut answer = self.inner.grep(query).await.map_err(|error| self.outward(error, &base))?;
        let lines = answer.lines.iter_mut().map(|line| &mut line.path);
        let counts = answer.counts.iter_mut().map(|count| &mut count.path);
        for path in lines.chain(&mut answer.files).chain(counts) {
            *path = self.inward(path)?;
        }
        Ok(answer)
    }
}

/// The root of a scope is a directory like any other to the provider below, which would remove it.
fn refuse_root(operation: &'static str, path: &WorkspacePath) -> Result<()> {
    if path.is_root() {
        return Err(Error::new(ErrorKind::InvalidInput, "the root of the workspace stays where it is")
            .during(operation)
            .at(path)
            .hint("name an entry inside the workspace"));
    }
    Ok(())
}

/// Commands whose working directories are taken from a directory of the workspace below.
///
/// It moves where commands start. It does not hold a running program in the
/// directory: a program does what its user may do.
#[derive(Debug, Clone)]
pub struct ScopedShell<T> {
    inner: T,
    directory: WorkspacePath,
}

impl<T> ScopedShell<T> {
    /// Narrows the working directories of commands to a resolved directory.
    pub const fn new(inner: T, directory: WorkspacePath) -> Self {
        Self { inner, directory }
    }
}

#[deny(clippy::missing_trait_methods)]
impl<T: ShellProvider> ShellProvider for ScopedShell<T> {
    fn capabilities(&self) -> ShellCapabilities {
        self.inner.capabilities()
    }

    async fn spawn(&self, mut command: Command) -> Result<Process> {
        let cwd = std::mem::take(&mut command.cwd);
        command.cwd = cwd.under(&self.directory);
        command.filter = std::mem::take(&mut command.filter).scoped(&self.directory);
        self.inner.spawn(command).await.map_err(|error| match error.path() {
            Some(_) => error.at(&cwd),
            None => error,
        })
    }
}
