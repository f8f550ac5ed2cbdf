//! Files in a map, with links and faults: the contract in the fewest lines, to search over.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use workspace_core::{
    Access, Body, Capabilities, CreateDirOptions, Entry, Error, ErrorKind, FileBody, FileKind, FsProvider,
    ListOptions, PathFilter, PathRules, ReadOptions, RemoveOptions, RenameOptions, Result, Stat, StatOptions,
    WorkspacePath, WriteOptions, Written,
};

#[derive(Clone)]
enum Node {
    File(Vec<u8>, Option<SystemTime>),
    Dir,
    Link(String),
    Pipe,
    NonUtf8,
}

/// A tree to search. Directories are made on the way to what they hold.
#[derive(Clone)]
pub(crate) struct Tree {
    nodes: BTreeMap<WorkspacePath, Node>,
    faults: BTreeMap<WorkspacePath, ErrorKind>,
    /// Whether listings tell sizes and times.
    tells_attributes: bool,
    calls: Arc<Mutex<Vec<String>>>,
}

pub(crate) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text, &PathRules::default()).unwrap()
}

impl Tree {
    pub(crate) fn new() -> Self {
        let nodes = BTreeMap::from([(WorkspacePath::root(), Node::Dir)]);
        Self { nodes, faults: BTreeMap::new(), tells_attributes: true, calls: Arc::default() }
    }

    /// A tree of files without content.
    pub(crate) fn of(paths: &[&str]) -> Self {
        paths.iter().fold(Self::new(), |tree, path| tree.file(path, ""))
    }

    pub(crate) fn file(self, at: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.with(at, Node::File(bytes.as_ref().to_vec(), None))
    }

    /// A file that was changed so many seconds after the epoch.
    pub(crate) fn file_of(self, at: &str, seconds: u64) -> Self {
        self.with(at, Node::File(Vec::new(), Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))))
    }

    pub(crate) fn dir(self, at: &str) -> Self {
        self.with(at, Node::Dir)
    }

    pub(crate) fn link(self, at: &str, target: &str) -> Self {
        self.with(at, Node::Link(target.into()))
    }

    pub(crate) fn pipe(self, at: &str) -> Self {
        self.with(at, Node::Pipe)
    }

    pub(crate) fn non_utf8(self, at: &str) -> Self {
        self.with(at, Node::NonUtf8)
    }

    /// Listing or reading the path fails.
    pub(crate) fn fault(mut self, at: &str, kind: ErrorKind) -> Self {
        self.faults.insert(path(at), kind);
        self
    }

    /// Whether listings tell sizes and times, which a backend may leave to `stat`.
    pub(crate) fn telling_attributes(mut self, yes: bool) -> Self {
        self.tells_attributes = yes;
        self
    }

    fn with(mut self, at: &str, node: Node) -> Self {
        let at = path(at);
        let mut parent = at.parent();
        while let Some(dir) = parent {
            parent = dir.parent();
            self.nodes.entry(dir).or_insert(Node::Dir);
        }
        self.nodes.insert(at, node);
        self
    }

    /// The calls so far, such as `list src`.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    fn called(&self, operation: &str, path: &WorkspacePath) {
        self.calls.lock().unwrap().push(format!("{operation} {path}"));
    }

    /// Follows every link on the way, the last one too where `follow`.
    fn resolve(&self, asked: &WorkspacePath, follow: bool, filter: &PathFilter) -> Result<WorkspacePath> {
        let mut done = WorkspacePath::root();
        let mut rest: Vec<String> = asked.components().rev().map(String::from).collect();
        let mut hops = 0;
        while let Some(name) = rest.pop() {
            let next = done.child(&name)?;
            match self.nodes.get(&next) {
                Some(Node::Link(target)) if follow || !rest.is_empty() => {
                    hops += 1;
                    let target = done.join_link(target)?;
                    let target = target.filter(|_| hops < 40).ok_or_else(|| {
                        Error::new(ErrorKind::PathEscape, "a link on the way leads outside the workspace")
                    })?;
                    rest.extend(target.components().rev().map(String::from));
                    done = WorkspacePath::root();
                }
                Some(Node::File(..) | Node::Pipe) if !rest.is_empty() => {
                    return Err(Error::new(ErrorKind::NotADirectory, "a file stands on the way"));
                }
                None | Some(Node::NonUtf8) => {
                    return Err(Error::new(ErrorKind::NotFound, "nothing is there"));
                }
                _ => done = next,
            }
        }
        filter.check(&done, Access::Read)?;
        Ok(done)
    }

    fn open(
        &self,
        asked: &WorkspacePath,
        follow: bool,
        filter: &PathFilter,
    ) -> Result<(WorkspacePath, Stat)> {
        let at = self.resolve(asked, follow, filter)?;
        let stat = Self::stat_of(&self.nodes[&at]);
        Ok((at, stat))
    }

    fn check_fault(&self, at: &WorkspacePath) -> Result<()> {
        match self.faults.get(at) {
            Some(kind) => Err(Error::new(*kind, "it was told to fail")),
            None => Ok(()),
        }
    }

    fn stat_of(node: &Node) -> Stat {
        match node {
            Node::File(bytes, modified) => {
                let stat = Stat::new(FileKind::File, bytes.len() as u64);
                modified.map_or(stat.clone(), |modified| stat.with_modified(modified))
            }
            Node::Dir => Stat::new(FileKind::Dir, 0),
            Node::Link(_) => Stat::new(FileKind::Link, 0),
            Node::Pipe | Node::NonUtf8 => Stat::new(FileKind::Other, 0),
        }
    }

    fn entry(&self, path: WorkspacePath, node: &Node) -> Entry {
        let stat = Self::stat_of(node);
        let mut entry = Entry::new(path, stat.kind).with_non_utf8(matches!(node, Node::NonUtf8));
        if self.tells_attributes && stat.kind == FileKind::File {
            entry.size = Some(stat.size);
            entry.modified = stat.modified;
        }
        entry
    }
}

impl FsProvider for Tree {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default().with_links(true)
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        self.called("stat", path);
        let (at, stat) =
            self.open(path, options.follow, &options.filter).map_err(|e| e.during("stat").at(path))?;
        self.check_fault(&at)?;
        Ok(stat)
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        self.called("read", path);
        let (at, stat) = self.open(path, true, &options.filter).map_err(|e| e.during("read").at(path))?;
        self.check_fault(&at)?;
        let Node::File(bytes, _) = &self.nodes[&at] else {
            return Err(Error::new(ErrorKind::NotAFile, "it is no file"));
        };
        let length = options.length.map_or(bytes.len(), |length| bytes.len().min(length.try_into().unwrap()));
        // In pieces, as a body may come.
        let pieces: Vec<_> = bytes[..length].chunks(5000).map(|piece| Ok(piece.to_vec())).collect();
        Ok(FileBody::new(stat, Body::from_items(pieces)))
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        self.called("list", path);
        let (at, stat) = self.open(path, true, &options.filter).map_err(|e| e.during("list").at(path))?;
        self.check_fault(&at)?;
        if stat.kind != FileKind::Dir {
            return Err(Error::new(ErrorKind::NotADirectory, "it is no directory").during("list").at(path));
        }
        let children = self.nodes.iter().filter(|(child, _)| child.parent().as_ref() == Some(&at));
        let shown = children.filter(|(child, _)| options.filter.shows(child));
        shown.map(|(child, node)| Ok(self.entry(path.child(child.name().unwrap())?, node))).collect()
    }

    async fn write(&self, _: &WorkspacePath, _: Body, _: WriteOptions) -> Result<Written> {
        Err(read_only())
    }

    async fn create_dir(&self, _: &WorkspacePath, _: CreateDirOptions) -> Result<bool> {
        Err(read_only())
    }

    async fn remove(&self, _: &WorkspacePath, _: RemoveOptions) -> Result<()> {
        Err(read_only())
    }

    async fn rename(&self, _: &WorkspacePath, _: &WorkspacePath, _: RenameOptions) -> Result<()> {
        Err(read_only())
    }
}

fn read_only() -> Error {
    Error::new(ErrorKind::ReadOnly, "this tree is for searches")
}

/// Runs a search that waits for nothing but its turn.
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
