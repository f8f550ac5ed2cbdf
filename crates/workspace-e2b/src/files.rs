//! The files of a sandbox.

use workspace_core::{
    Body, Capabilities, CreateDirOptions, Entry, Feed, FileBody, FsProvider, GlobAnswer, GlobQuery,
    GrepAnswer, GrepQuery, ListOptions, PathRules, ReadOptions, RemoveOptions, RenameOptions, ResolveOptions,
    Result, Stat, StatOptions, WalkOptions, WorkspacePath, WriteOptions, Written,
};

use crate::E2b;
use crate::prefetch::MOST;

impl E2b {
    /// Runs a change, before and after which nothing that came along is true any more.
    async fn changing<T>(&self, change: impl Future<Output = T>) -> T {
        self.prefetched().changed();
        let outcome = change.await;
        self.prefetched().changed();
        outcome
    }
}

#[deny(clippy::missing_trait_methods)]
impl FsProvider for E2b {
    fn capabilities(&self) -> Capabilities {
        self.files().capabilities()
    }

    fn path_rules(&self) -> PathRules {
        self.files().path_rules()
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        self.files().stat(path, options).await
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        match self.prefetched().take(path, &options) {
            Some(file) if !self.runs_commands() => file,
            _ => self.files().read(path, options).await,
        }
    }

    async fn write(&self, path: &WorkspacePath, body: Body, options: WriteOptions) -> Result<Written> {
        self.changing(self.files().write(path, body, options)).await
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        self.files().list(path, options).await
    }

    async fn create_dir(&self, path: &WorkspacePath, options: CreateDirOptions) -> Result<bool> {
        self.changing(self.files().create_dir(path, options)).await
    }

    async fn remove(&self, path: &WorkspacePath, options: RemoveOptions) -> Result<()> {
        self.changing(self.files().remove(path, options)).await
    }

    async fn rename(&self, from: &WorkspacePath, to: &WorkspacePath, options: RenameOptions) -> Result<()> {
        self.changing(self.files().rename(from, to, options)).await
    }

    async fn resolve(&self, path: &WorkspacePath, options: ResolveOptions) -> Result<WorkspacePath> {
        let state = self.prefetched().state();
        let (resolved, end) = self.files().resolve_with_file(path, &options, MOST).await?;
        self.prefetched().keep(path, resolved.clone(), end, state);
        Ok(resolved)
    }

    async fn walk(&self, path: &WorkspacePath, options: WalkOptions) -> Result<Feed<Entry>> {
        self.files().walk(path, options).await
    }

    async fn glob(&self, query: GlobQuery) -> Result<GlobAnswer> {
        self.files().glob(query).await
    }

    async fn grep(&self, query: GrepQuery) -> Result<GrepAnswer> {
        self.files().grep(query).await
    }
}
