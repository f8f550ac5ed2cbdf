//! The outputs beside the files of a workspace.

use std::sync::Arc;

use workspace_core::{
    Access, Body, Capabilities, CreateDirOptions, Entry, Error, ErrorKind, Feed, FileBody, FileKind,
    FsProvider, GlobAnswer, GlobQuery, GrepAnswer, GrepQuery, ListOptions, PathRules, ReadOptions,
    RemoveOptions, RenameOptions, ResolveOptions, Result, SharedFs, Stat, StatOptions, Version, WalkOptions,
    WorkspacePath, WriteOptions, Written,
};

use super::Outputs;
use super::outputs::Output;

/// The directory of the outputs. It stands in no listing of the root: who was told of a
/// file in it can name it.
pub(crate) const DIRECTORY: &str = "@output";

/// Files, and in `@output` what was printed. An entry of the tree with that name is out of reach.
#[derive(Debug, Clone)]
pub(crate) struct Mounted {
    tree: SharedFs,
    outputs: Arc<Outputs>,
}

/// What a path names.
enum Place {
    Tree,
    Directory,
    File(Output),
    /// In the directory, and not there.
    Nothing,
}

impl Mounted {
    /// Puts outputs beside a tree.
    pub(crate) fn new(tree: SharedFs, outputs: Arc<Outputs>) -> Self {
        Self { tree, outputs }
    }

    fn place(&self, path: &WorkspacePath) -> Place {
        let mut names = path.components();
        if names.next() != Some(DIRECTORY) {
            return Place::Tree;
        }
        match (names.next(), names.next()) {
            (None, _) => Place::Directory,
            (Some(name), None) => self.outputs.find(name).map_or(Place::Nothing, Place::File),
            _ => Place::Nothing,
        }
    }

    fn is_ours(path: &WorkspacePath) -> bool {
        path.components().next() == Some(DIRECTORY)
    }

    /// Refuses to change what is ours.
    fn check_write(path: &WorkspacePath) -> Result<()> {
        if !Self::is_ours(path) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::ReadOnly, "it is what a command printed, which cannot be changed")
            .at(path)
            .hint("write to a file of the workspace instead"))
    }

    fn entries(&self, filter: &workspace_core::PathFilter) -> Result<Vec<Entry>> {
        let directory = WorkspacePath::root().child(DIRECTORY)?;
        let mut entries = Vec::new();
        for output in self.outputs.all() {
            let path = directory.child(&output.name())?;
            if filter.shows(&path) {
                let entry = Entry::new(path, FileKind::File);
                entries.push(entry.with_size(output.text.length() as u64).with_modified(output.at));
            }
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }
}

fn stat(output: &Output) -> Stat {
    Stat::new(FileKind::File, output.text.length() as u64)
        .with_modified(output.at)
        .with_version(Version::new(output.number.to_be_bytes()))
}

fn nothing(path: &WorkspacePath) -> Error {
    Error::new(ErrorKind::NotFound, "no such output is kept; the oldest are let go first").at(path)
}

#[deny(clippy::missing_trait_methods)]
impl FsProvider for Mounted {
    fn capabilities(&self) -> Capabilities {
        self.tree.capabilities()
    }

    fn path_rules(&self) -> PathRules {
        self.tree.path_rules()
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        let stat = match self.place(path) {
            Place::Tree => return self.tree.stat(path, options).await,
            Place::Directory => Stat::new(FileKind::Dir, 0),
            Place::File(output) => stat(&output),
            Place::Nothing => return Err(nothing(path).during("stat")),
        };
        options.filter.check(path, Access::Read)?;
        Ok(stat)
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        let output = match self.place(path) {
            Place::Tree => return self.tree.read(path, options).await,
            Place::Directory => {
                return Err(Error::new(ErrorKind::IsADirectory, "it is a directory").during("read").at(path));
            }
            Place::File(output) => output,
            Place::Nothing => return Err(nothing(path).during("read")),
        };
        options.filter.check(path, Access::Read)?;
        Ok(FileBody::new(stat(&output), output.text.window(options.offset, options.length)))
    }

    async fn write(&self, path: &WorkspacePath, body: Body, options: WriteOptions) -> Result<Written> {
        Self::check_write(path)?;
        self.tree.write(path, body, options).await
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        match self.place(path) {
            Place::Tree => self.tree.list(path, options).await,
            Place::Directory => {
                options.filter.check(path, Access::Read)?;
                self.entries(&options.filter)
            }
            Place::File(_) => {
                Err(Error::new(ErrorKind::NotADirectory, "it is a file").during("list").at(path))
            }
            Place::Nothing => Err(nothing(path).during("list")),
        }
    }

    async fn create_dir(&self, path: &WorkspacePath, options: CreateDirOptions) -> Result<bool> {
        Self::check_write(path)?;
        self.tree.create_dir(path, options).await
    }

    async fn remove(&self, path: &WorkspacePath, options: RemoveOptions) -> Result<()> {
        Self::check_write(path)?;
        self.tree.remove(path, options).await
    }

    async fn rename(&self, from: &WorkspacePath, to: &WorkspacePath, options: RenameOptions) -> Result<()> {
        Self::check_write(from)?;
        Self::check_write(to)?;
        self.tree.rename(from, to, options).await
    }

    async fn resolve(&self, path: &WorkspacePath, options: ResolveOptions) -> Result<WorkspacePath> {
        if !Self::is_ours(path) {
            return self.tree.resolve(path, options).await;
        }
        options.filter.check(path, Access::See)?;
        Ok(path.clone())
    }

    async fn walk(&self, path: &WorkspacePath, options: WalkOptions) -> Result<Feed<Entry>> {
        if !Self::is_ours(path) {
            return self.tree.walk(path, options).await;
        }
        if options.max_depth == Some(0) {
            return Ok(Feed::empty());
        }
        let entries = self.list(path, ListOptions::default().with_filter(options.filter)).await?;
        Ok(Feed::from_items(entries.into_iter().map(Ok)))
    }

    async fn glob(&self, query: GlobQuery) -> Result<GlobAnswer> {
        if Self::is_ours(&query.scope.base) {
            return workspace_search::glob(self, &query).await;
        }
        self.tree.glob(query).await
    }

    async fn grep(&self, query: GrepQuery) -> Result<GrepAnswer> {
        if Self::is_ours(&query.scope.base) {
            return workspace_search::grep(self, &query).await;
        }
        self.tree.grep(query).await
    }
}
