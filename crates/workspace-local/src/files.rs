//! The files of a directory as the contract wants them: one module an operation.
//!
//! Each operation is plain code that waits for the disk and runs off the
//! threads that drive futures, as a rule in one hop.

mod create_dir;
mod descent;
mod entries;
mod in_place;
mod keep;
mod leftovers;
mod list;
mod moving;
mod precondition;
mod read;
mod remove;
mod rename;
mod staged;
mod stat;
mod temporary;
mod turns;
mod unnamed;
mod walk;
mod write;

use std::sync::Arc;

use workspace_core::{
    Body, Capabilities, CreateDirOptions, Entry, Feed, FileBody, FsProvider, GlobAnswer, GlobQuery,
    GrepAnswer, GrepQuery, ListOptions, PathRules, ReadOptions, RemoveOptions, RenameOptions, ResolveOptions,
    Result, Stat, StatOptions, WalkOptions, WorkspacePath, WriteOptions, Written,
};

pub(crate) use entries::{first_names, for_each};
pub(crate) use leftovers::Swept;
pub(crate) use read::must_be_file;
pub(crate) use stat::stat;
pub(crate) use turns::Turns;
pub(crate) use unnamed::Unnamed;

use crate::blocking::off_thread;
use crate::error::Outcome;
use crate::local::{Inner, Local};

impl Local {
    /// Does one operation on one path, off the threads that drive futures.
    async fn run<T: Send + 'static>(
        &self,
        operation: &'static str,
        path: &WorkspacePath,
        work: impl FnOnce(&Inner, &WorkspacePath) -> Outcome<T> + Send + 'static,
    ) -> Result<T> {
        let inner = Arc::clone(&self.0);
        let asked = path.clone();
        off_thread(move || work(&inner, &asked).map_err(|fault| fault.tell(operation, &asked)))
            .await
            .map_err(|error| error.during(operation).at(path))?
    }
}

impl FsProvider for Local {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities
    }

    fn path_rules(&self) -> PathRules {
        self.0.rules.clone()
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        self.run("stat", path, move |inner, path| stat::stat(inner, path, &options)).await
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        self.run("read", path, move |inner, path| read::read(inner, path, &options)).await
    }

    async fn write(&self, path: &WorkspacePath, body: Body, options: WriteOptions) -> Result<Written> {
        write::write(&self.0, path, body, options).await.map_err(|error| error.during("write").at(path))
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        self.run("list", path, move |inner, path| list::list(inner, path, &options)).await
    }

    async fn create_dir(&self, path: &WorkspacePath, options: CreateDirOptions) -> Result<bool> {
        self.run("create_dir", path, move |inner, path| create_dir::create_dir(inner, path, &options)).await
    }

    async fn remove(&self, path: &WorkspacePath, options: RemoveOptions) -> Result<()> {
        self.run("remove", path, move |inner, path| remove::remove(inner, path, &options)).await
    }

    async fn rename(&self, from: &WorkspacePath, to: &WorkspacePath, options: RenameOptions) -> Result<()> {
        let target = to.clone();
        self.run("rename", from, move |inner, from| rename::rename(inner, from, &target, &options)).await
    }

    async fn resolve(&self, path: &WorkspacePath, options: ResolveOptions) -> Result<WorkspacePath> {
        self.run("resolve", path, move |inner, path| stat::resolve(inner, path, &options)).await
    }

    async fn walk(&self, path: &WorkspacePath, options: WalkOptions) -> Result<Feed<Entry>> {
        let files = Arc::clone(&self.0);
        self.run("walk", path, move |_, path| walk::walk(files, path, options)).await
    }

    async fn glob(&self, query: GlobQuery) -> Result<GlobAnswer> {
        self.find_files(query).await
    }

    async fn grep(&self, query: GrepQuery) -> Result<GrepAnswer> {
        self.find_lines(query).await
    }
}
