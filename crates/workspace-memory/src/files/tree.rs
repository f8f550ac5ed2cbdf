//! The tree itself: nodes by path.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;
use std::time::SystemTime;

use workspace_core::{FileKind, Stat, Version, WorkspacePath};

pub(crate) const FILE_MODE: u32 = 0o644;
pub(crate) const DIR_MODE: u32 = 0o755;
const LINK_MODE: u32 = 0o777;
const SPECIAL_MODE: u32 = 0o644;

const OWNER_READS: u32 = 0o400;
const OWNER_WRITES: u32 = 0o200;
const OWNER_ENTERS: u32 = 0o100;

/// What a node is.
#[derive(Clone)]
pub(crate) enum Content {
    File(Arc<[u8]>),
    Dir,
    /// The text of the link, as it was given.
    Link(Arc<str>),
    /// A pipe, a socket, a device.
    Special,
}

/// What stands at a path.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) content: Content,
    pub(crate) mode: u32,
    pub(crate) modified: SystemTime,
    pub(crate) version: u64,
}

impl Node {
    pub(crate) const fn new(content: Content, modified: SystemTime, version: u64) -> Self {
        let mode = match content {
            Content::File(_) => FILE_MODE,
            Content::Dir => DIR_MODE,
            Content::Link(_) => LINK_MODE,
            Content::Special => SPECIAL_MODE,
        };
        Self { content, mode, modified, version }
    }

    pub(crate) fn kind(&self) -> FileKind {
        match self.content {
            Content::File(_) => FileKind::File,
            Content::Dir => FileKind::Dir,
            Content::Link(_) => FileKind::Link,
            Content::Special => FileKind::Other,
        }
    }

    pub(crate) fn is_dir(&self) -> bool {
        matches!(self.content, Content::Dir)
    }

    pub(crate) fn size(&self) -> u64 {
        match &self.content {
            Content::File(bytes) => bytes.len() as u64,
            _ => 0,
        }
    }

    pub(crate) fn stat(&self) -> Stat {
        Stat::new(self.kind(), self.size())
            .with_mode(self.mode)
            .with_modified(self.modified)
            .with_version(self.version())
    }

    pub(crate) fn version(&self) -> Version {
        Version::new(self.version.to_be_bytes())
    }

    pub(crate) const fn can_read(&self) -> bool {
        self.mode & OWNER_READS != 0
    }

    pub(crate) const fn can_write(&self) -> bool {
        self.mode & OWNER_WRITES != 0
    }

    pub(crate) const fn can_enter(&self) -> bool {
        self.mode & OWNER_ENTERS != 0
    }

    /// Whether entries of this directory can be made, removed and renamed.
    pub(crate) const fn can_change_entries(&self) -> bool {
        self.can_write() && self.can_enter()
    }
}

/// All nodes by path. Each path's parent is in it and is a directory; the root always is.
///
/// The order of [`WorkspacePath`] puts all that lies below a directory right after it.
#[derive(Clone)]
pub(crate) struct Tree {
    nodes: BTreeMap<WorkspacePath, Node>,
    bytes: u64,
}

impl Tree {
    pub(crate) fn new(now: SystemTime) -> Self {
        let root = (WorkspacePath::root(), Node::new(Content::Dir, now, 0));
        Self { nodes: BTreeMap::from([root]), bytes: 0 }
    }

    /// The bytes of all files together.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn get(&self, path: &WorkspacePath) -> Option<&Node> {
        self.nodes.get(path)
    }

    pub(crate) fn get_mut(&mut self, path: &WorkspacePath) -> Option<&mut Node> {
        self.nodes.get_mut(path)
    }

    /// The first node after `path` in the order of the tree that lies below `directory`.
    pub(crate) fn next_below(
        &self,
        directory: &WorkspacePath,
        path: &WorkspacePath,
    ) -> Option<(&WorkspacePath, &Node)> {
        self.nodes.range((Excluded(path), Unbounded)).next().filter(|(next, _)| next.starts_with(directory))
    }

    /// All that lies below a directory, parents first.
    pub(crate) fn below<'a>(
        &'a self,
        directory: &'a WorkspacePath,
    ) -> impl Iterator<Item = (&'a WorkspacePath, &'a Node)> {
        self.nodes
            .range((Excluded(directory), Unbounded))
            .take_while(move |(path, _)| path.starts_with(directory))
    }

    /// The entries of a directory, sorted bytewise by name.
    pub(crate) fn entries<'a>(
        &'a self,
        directory: &'a WorkspacePath,
    ) -> impl Iterator<Item = (&'a WorkspacePath, &'a Node)> {
        let depth = directory.depth() + 1;
        self.below(directory).filter(move |(path, _)| path.depth() == depth)
    }

    pub(crate) fn is_empty(&self, directory: &WorkspacePath) -> bool {
        self.next_below(directory, directory).is_none()
    }

    /// Puts a node at a path whose parent is a directory, in place of what is there.
    pub(crate) fn put(&mut self, path: WorkspacePath, node: Node) {
        self.bytes = self.bytes.saturating_add(node.size());
        if let Some(old) = self.nodes.insert(path, node) {
            self.bytes = self.bytes.saturating_sub(old.size());
        }
    }

    /// Takes a node out with all that lies below it; parents first.
    pub(crate) fn take(&mut self, path: &WorkspacePath) -> Vec<(WorkspacePath, Node)> {
        let paths: Vec<_> = self.below(path).map(|(path, _)| path.clone()).collect();
        let taken: Vec<_> = std::iter::once(path.clone())
            .chain(paths)
            .filter_map(|path| self.nodes.remove_entry(&path))
            .collect();
        let bytes = taken.iter().map(|(_, node)| node.size()).sum();
        self.bytes = self.bytes.saturating_sub(bytes);
        taken
    }
}

/// Paths and sizes, as a failed test wants to see them.
impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (path, node) in &self.nodes {
            let path = format_args!("{path}").to_string();
            match &node.content {
                Content::Link(text) => map.entry(&path, &format_args!("link to {text:?}")),
                Content::File(bytes) => map.entry(&path, &format_args!("file of {} bytes", bytes.len())),
                Content::Dir => map.entry(&path, &format_args!("directory")),
                Content::Special => map.entry(&path, &format_args!("special file")),
            };
        }
        map.finish()
    }
}
