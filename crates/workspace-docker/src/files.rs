//! The files of a container: through its shells, or as an archive.

use workspace_core::{
    Body, Capabilities, CreateDirOptions, Entry, Error, Feed, FileBody, FsProvider, GlobAnswer, GlobQuery,
    GrepAnswer, GrepQuery, ListOptions, PathRules, ReadOptions, RemoveOptions, RenameOptions, ResolveOptions,
    Result, Stat, StatOptions, WalkOptions, WorkspacePath, WriteOptions, Written,
};
use workspace_posix::PosixFiles;

use crate::archive::Archive;
use crate::{Docker, error};

/// Where files are read and written.
#[derive(Clone)]
pub(crate) enum Files {
    Shells(PosixFiles),
    Archive(Archive),
}

impl Docker {
    fn shells(&self, operation: &'static str) -> Result<&PosixFiles> {
        match self.files() {
            Files::Shells(files) => Ok(files),
            Files::Archive(_) => Err(error::look_only(operation)),
        }
    }
}

fn named(operation: &'static str, path: &WorkspacePath) -> impl FnOnce(Error) -> Error {
    move |error| error.during(operation).at(path)
}

impl FsProvider for Docker {
    fn capabilities(&self) -> Capabilities {
        match self.files() {
            Files::Shells(files) => files.capabilities(),
            Files::Archive(_) => Capabilities::default().with_modes(true),
        }
    }

    fn path_rules(&self) -> PathRules {
        match self.files() {
            Files::Shells(files) => files.path_rules(),
            Files::Archive(archive) => archive.rules(),
        }
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        match self.files() {
            Files::Shells(files) => files.stat(path, options).await,
            Files::Archive(archive) => archive.stat(path, &options).await.map_err(named("stat", path)),
        }
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        match self.files() {
            Files::Shells(files) => files.read(path, options).await,
            Files::Archive(archive) => archive.read(path, &options).await.map_err(named("read", path)),
        }
    }

    async fn write(&self, path: &WorkspacePath, body: Body, options: WriteOptions) -> Result<Written> {
        self.shells("write").map_err(|error| error.at(path))?.write(path, body, options).await
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        match self.files() {
            Files::Shells(files) => files.list(path, options).await,
            Files::Archive(archive) => archive.list(path, &options).await.map_err(named("list", path)),
        }
    }

    async fn create_dir(&self, path: &WorkspacePath, options: CreateDirOptions) -> Result<bool> {
        self.shells("create_dir").map_err(|error| error.at(path))?.create_dir(path, options).await
    }

    async fn remove(&self, path: &WorkspacePath, options: RemoveOptions) -> Result<()> {
        self.shells("remove").map_err(|error| error.at(path))?.remove(path, options).await
    }

    async fn rename(&self, from: &WorkspacePath, to: &WorkspacePath, options: RenameOptions) -> Result<()> {
        self.shells("rename").map_err(|error| error.at(from))?.rename(from, to, options).await
    }

    async fn resolve(&self, path: &WorkspacePath, options: ResolveOptions) -> Result<WorkspacePath> {
        match self.files() {
            Files::Shells(files) => files.resolve(path, options).await,
            Files::Archive(_) => {
                let seen = options.filter.check(path, workspace_core::Access::See);
                seen.map(|()| path.clone()).map_err(named("resolve", path))
            }
        }
    }

    async fn walk(&self, path: &WorkspacePath, options: WalkOptions) -> Result<Feed<Entry>> {
        match self.files() {
            Files::Shells(files) => files.walk(path, options).await,
            Files::Archive(archive) => archive.walk(path, &options).await.map_err(named("walk", path)),
        }
    }

    async fn glob(&self, query: GlobQuery) -> Result<GlobAnswer> {
        self.shells("glob").map_err(unsearched)?.glob(query).await
    }

    async fn grep(&self, query: GrepQuery) -> Result<GrepAnswer> {
        self.shells("grep").map_err(unsearched)?.grep(query).await
    }
}

/// The tools then search by listings.
fn unsearched(_: Error) -> Error {
    Error::new(workspace_core::ErrorKind::Unsupported, "an image without a shell has no search of its own")
        .during("search")
}
