//! A backend's own search is used where it has one.

use workspace_core::{
    Body, Capabilities, CreateDirOptions, Entry, FileBody, FsProvider, GlobAnswer, GlobQuery, GrepAnswer,
    GrepQuery, ListOptions, ReadOptions, RemoveOptions, RenameOptions, Result, SharedFs, Stat, StatOptions,
    WorkspacePath, WriteOptions, Written,
};
use workspace_search::{glob_any, grep_any};

use crate::glob::query;
use crate::grep::query as grep_query;
use crate::tree::{Tree, run};

/// A tree with a search of its own, which finds a million files.
struct Native(Tree, Capabilities);

impl FsProvider for Native {
    fn capabilities(&self) -> Capabilities {
        self.1
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

    async fn glob(&self, _: GlobQuery) -> Result<GlobAnswer> {
        let mut answer = GlobAnswer::default();
        answer.tally.files = 1_000_000;
        Ok(answer)
    }

    async fn grep(&self, _: GrepQuery) -> Result<GrepAnswer> {
        let mut answer = GrepAnswer::default();
        answer.tally.files = 1_000_000;
        Ok(answer)
    }
}

#[test]
fn the_native_search_is_used_where_the_capability_says_so() {
    for (capabilities, names, lines) in [
        (Capabilities::default(), 1, 1),
        (Capabilities::default().with_glob(true), 1_000_000, 1),
        (Capabilities::default().with_grep(true), 1, 1_000_000),
    ] {
        let fs = SharedFs::new(Native(Tree::new().file("a", "x"), capabilities));
        assert_eq!(run(glob_any(&fs, query("*"))).unwrap().tally.files, names);
        assert_eq!(run(grep_any(&fs, grep_query("x"))).unwrap().tally.files, lines);
    }
}
