//! A subject as a case sees it: paths are text, and setting up is one call.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use workspace_core::{
    Body, Capabilities, CreateDirOptions, Entry, ErrorKind, FileKind, FsProvider, ListOptions, PathFilter,
    ReadOptions, RemoveOptions, RenameOptions, ResolveOptions, Result, SharedFs, SharedShell,
    ShellCapabilities, ShellProvider, Stat, StatOptions, Version, WalkOptions, WorkspacePath, WriteOptions,
    Written,
};

use crate::Commands;
use crate::case::{Stop, Verdict, failed, skipped};
use crate::plant::ErasedPlant;
use crate::subject::{Portable, Subject};

/// More than any file of the kit has.
pub(crate) const ALL: u64 = 64 << 20;

/// A subject under test. A clone is the same subject.
#[derive(Clone)]
pub(crate) struct Scene {
    subject: Arc<Subject>,
    filter: PathFilter,
}

/// What stands at a path, as far as the contract shows it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) kind: FileKind,
    pub(crate) bytes: Vec<u8>,
    mode: Option<u32>,
    version: Option<Version>,
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.kind, String::from_utf8_lossy(&self.bytes))
    }
}

/// All that a root holds.
pub(crate) type Tree = BTreeMap<WorkspacePath, Seen>;

/// A path of the kit: each component is taken as it is.
pub(crate) fn path(text: &str) -> Result<WorkspacePath> {
    text.split('/')
        .filter(|name| !name.is_empty())
        .try_fold(WorkspacePath::root(), |directory, name| directory.child(name))
}

impl Scene {
    pub(crate) fn new(subject: Subject) -> Self {
        Self { subject: Arc::new(subject), filter: PathFilter::default() }
    }

    /// The same subject, where each call carries this filter.
    pub(crate) fn filtered(&self, filter: PathFilter) -> Self {
        Self { subject: Arc::clone(&self.subject), filter }
    }

    pub(crate) fn fs(&self) -> &SharedFs {
        &self.subject.fs
    }

    pub(crate) fn capabilities(&self) -> Capabilities {
        self.subject.fs.capabilities()
    }

    pub(crate) fn shell(&self) -> Verdict<&SharedShell> {
        self.subject.shell.as_ref().ok_or_else(|| skipped("there are no commands"))
    }

    pub(crate) fn shell_capabilities(&self) -> Option<ShellCapabilities> {
        self.subject.shell.as_ref().map(ShellProvider::capabilities)
    }

    pub(crate) fn commands(&self) -> &Commands {
        &self.subject.commands
    }

    pub(crate) fn search(&self) -> Verdict<&Portable> {
        self.subject.search.as_ref().ok_or_else(|| skipped("no portable search is given to compare with"))
    }

    pub(crate) fn effort(&self) -> u32 {
        self.subject.effort
    }

    pub(crate) fn patience(&self) -> Duration {
        self.subject.patience
    }

    /// The texts that no error may show: those given, and the spellings of the root.
    pub(crate) fn forbidden(&self) -> Vec<String> {
        let roots = self.fs().path_rules().roots;
        self.subject.forbidden.iter().cloned().chain(roots).filter(|text| text.len() > 1).collect()
    }

    /// The absolute path of the root on the backend.
    pub(crate) fn root(&self) -> Verdict<String> {
        let roots = self.fs().path_rules().roots;
        let root = roots.first().ok_or_else(|| skipped("the backend names no absolute path of its root"))?;
        Ok(root.trim_end_matches('/').to_owned())
    }
}

/// Setting up: through the seed and the plant.
impl Scene {
    /// Makes a file and the directories it needs.
    pub(crate) async fn put(&self, at: &str, bytes: impl AsRef<[u8]>) -> Result<Written> {
        let options = WriteOptions::default().with_create_parents(true);
        self.subject.seed.write(&path(at)?, Body::from(bytes.as_ref().to_vec()), options).await
    }

    /// Makes a directory and those that lead to it.
    pub(crate) async fn put_dir(&self, at: &str) -> Result<bool> {
        self.subject.seed.create_dir(&path(at)?, CreateDirOptions::default().with_parents(true)).await
    }

    fn plant(&self) -> Verdict<&dyn ErasedPlant> {
        self.subject.plant.as_deref().ok_or_else(|| skipped("there is no plant"))
    }

    /// Makes a link. A subject without links, or whose plant makes none, skips the case.
    pub(crate) async fn put_link(&self, at: &str, text: &str) -> Verdict {
        planted(self.plant()?.link(&path(at)?, text).await)
    }

    pub(crate) async fn put_special(&self, at: &str) -> Verdict {
        planted(self.plant()?.special(&path(at)?).await)
    }

    pub(crate) async fn put_non_utf8(&self, directory: &str) -> Verdict {
        planted(self.plant()?.non_utf8(&path(directory)?).await)
    }

    /// Makes a file outside the root; gives its absolute path.
    pub(crate) async fn put_outside(&self, name: &str, bytes: &str) -> Verdict<String> {
        planted(self.plant()?.outside(name, bytes.as_bytes().to_vec()).await)
    }

    /// What a file outside the root holds.
    pub(crate) async fn outside(&self, name: &str) -> Verdict<Option<String>> {
        let bytes = planted(self.plant()?.read_outside(name).await)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// What the storage holds for a file.
    pub(crate) async fn stored(&self, at: &str) -> Verdict<Option<Vec<u8>>> {
        planted(self.plant()?.stored(&path(at)?).await)
    }

    /// All names of a directory in the storage.
    pub(crate) async fn stored_names(&self, directory: &str) -> Verdict<Vec<String>> {
        let mut names = planted(self.plant()?.stored_names(&path(directory)?).await)?;
        names.sort();
        Ok(names)
    }

    /// All that the root holds, seen through the seed.
    pub(crate) async fn tree(&self) -> Result<Tree> {
        let seed = &self.subject.seed;
        let mut tree = Tree::new();
        let entries = seed.walk(&WorkspacePath::root(), WalkOptions::default()).await?;
        for entry in entries.collect_items(100_000).await? {
            let stat = seed.stat(&entry.path, StatOptions::default().with_follow(false)).await?;
            let bytes = match stat.kind {
                FileKind::File => {
                    seed.read(&entry.path, ReadOptions::default()).await?.body.collect(ALL).await?
                }
                _ => Vec::new(),
            };
            let version = stat.version.filter(|_| stat.kind == FileKind::File);
            tree.insert(entry.path, Seen { kind: stat.kind, bytes, mode: stat.mode, version });
        }
        Ok(tree)
    }
}

/// The calls of the contract, on the subject.
impl Scene {
    pub(crate) async fn read(&self, at: &str) -> Result<Vec<u8>> {
        let options = ReadOptions::default().with_filter(self.filter.clone());
        self.fs().read(&path(at)?, options).await?.body.collect(ALL).await
    }

    pub(crate) async fn text(&self, at: &str) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.read(at).await?).into_owned())
    }

    pub(crate) async fn write(&self, at: &str, bytes: impl AsRef<[u8]>) -> Result<Written> {
        self.write_with(at, bytes, WriteOptions::default()).await
    }

    pub(crate) async fn write_with(
        &self,
        at: &str,
        bytes: impl AsRef<[u8]>,
        options: WriteOptions,
    ) -> Result<Written> {
        let options = options.with_filter(self.filter.clone());
        self.fs().write(&path(at)?, Body::from(bytes.as_ref().to_vec()), options).await
    }

    pub(crate) async fn stat(&self, at: &str) -> Result<Stat> {
        self.fs().stat(&path(at)?, StatOptions::default().with_filter(self.filter.clone())).await
    }

    /// What stands at the path itself, a link included.
    pub(crate) async fn stat_link(&self, at: &str) -> Result<Stat> {
        let options = StatOptions::default().with_follow(false).with_filter(self.filter.clone());
        self.fs().stat(&path(at)?, options).await
    }

    pub(crate) async fn list(&self, at: &str) -> Result<Vec<Entry>> {
        self.fs().list(&path(at)?, ListOptions::default().with_filter(self.filter.clone())).await
    }

    /// The paths of a listing, in its order.
    pub(crate) async fn names(&self, at: &str) -> Result<Vec<String>> {
        Ok(self.list(at).await?.into_iter().map(|entry| entry.path.to_string()).collect())
    }

    pub(crate) async fn walk(&self, at: &str, max_depth: Option<usize>) -> Result<Vec<Entry>> {
        let options = WalkOptions::default().with_max_depth(max_depth).with_filter(self.filter.clone());
        self.fs().walk(&path(at)?, options).await?.collect_items(100_000).await
    }

    pub(crate) async fn create_dir(&self, at: &str) -> Result<bool> {
        self.fs().create_dir(&path(at)?, CreateDirOptions::default().with_filter(self.filter.clone())).await
    }

    pub(crate) async fn create_dirs(&self, at: &str) -> Result<bool> {
        let options = CreateDirOptions::default().with_parents(true).with_filter(self.filter.clone());
        self.fs().create_dir(&path(at)?, options).await
    }

    pub(crate) async fn remove(&self, at: &str) -> Result<()> {
        self.fs().remove(&path(at)?, RemoveOptions::default().with_filter(self.filter.clone())).await
    }

    pub(crate) async fn remove_all(&self, at: &str) -> Result<()> {
        let options = RemoveOptions::default().with_recursive(true).with_filter(self.filter.clone());
        self.fs().remove(&path(at)?, options).await
    }

    pub(crate) async fn rename(&self, from: &str, to: &str) -> Result<()> {
        let options = RenameOptions::default().with_filter(self.filter.clone());
        self.fs().rename(&path(from)?, &path(to)?, options).await
    }

    pub(crate) async fn rename_over(&self, from: &str, to: &str) -> Result<()> {
        let options = RenameOptions::default().with_replace(true).with_filter(self.filter.clone());
        self.fs().rename(&path(from)?, &path(to)?, options).await
    }

    pub(crate) async fn resolve(&self, at: &str) -> Result<String> {
        let options = ResolveOptions::default().with_filter(self.filter.clone());
        Ok(self.fs().resolve(&path(at)?, options).await?.to_string())
    }
}

/// What a plant cannot make is no fault of the subject.
fn planted<T>(result: Result<T>) -> Verdict<T> {
    result.map_err(|error| match error.kind() {
        ErrorKind::Unsupported => skipped(error.message()),
        _ => failed(format_args!("the plant failed: {error}")),
    })
}

impl Scene {
    /// Looks again until it holds, for what a backend may do a moment after a call.
    ///
    /// There is no event to wait for: what happens behind the contract is not told by it.
    pub(crate) async fn eventually<F, Fut>(&self, what: &str, mut check: F) -> Verdict
    where
        F: FnMut() -> Fut,
        Fut: Future<Output = Verdict<bool>>,
    {
        let end = Instant::now() + self.patience() / 2;
        while !check().await? {
            if Instant::now() > end {
                return Err(Stop::Failed(format!("{what}: it is not so, even after a while")));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }
}
