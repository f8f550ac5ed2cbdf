//! Operations that change nothing.

use std::sync::Arc;
use std::task::Poll;

use workspace_core::{
    Access, Body, Entry, Feed, FileBody, FileKind, ListOptions, PathFilter, PathRules, ReadOptions,
    ResolveOptions, Result, Stat, StatOptions, WalkOptions, WorkspacePath, is_temporary_name,
};

use super::resolve::{Leaf, Place};
use super::tree::{Content, Node, Tree};
use crate::error;

/// Bodies come in pieces of this size, so that who reads them must put pieces together.
const PIECE: usize = 64 << 10;

pub(super) fn stat(
    tree: &Tree,
    path: &WorkspacePath,
    options: &StatOptions,
    rules: &PathRules,
) -> Result<Stat> {
    let leaf = if options.follow { Leaf::Follow } else { Leaf::Keep };
    let (_, node) = tree.find(path, leaf, &options.filter, rules)?;
    Ok(node.stat())
}

pub(super) fn open(
    tree: &Tree,
    path: &WorkspacePath,
    options: &ReadOptions,
    rules: &PathRules,
) -> Result<FileBody> {
    let (node, bytes) = tree.find_file(path, &options.filter, rules)?;
    let size = node.size();
    let start = options.offset.min(size);
    let end = options.length.map_or(size, |length| start.saturating_add(length).min(size));
    Ok(FileBody::new(node.stat(), window(Arc::clone(bytes), start, end)))
}

/// All bytes of a file.
pub(super) fn bytes(tree: &Tree, path: &WorkspacePath, rules: &PathRules) -> Result<Arc<[u8]>> {
    let (_, bytes) = tree.find_file(path, &PathFilter::default(), rules)?;
    Ok(Arc::clone(bytes))
}

/// A body of the bytes from `start` to `end`, which shares the file's own.
fn window(bytes: Arc<[u8]>, start: u64, end: u64) -> Body {
    let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    let (mut at, end) = (index(start), index(end));
    Feed::from_poll_fn(move |_| {
        let piece = bytes.get(at..end.min(at.saturating_add(PIECE))).filter(|piece| !piece.is_empty());
        Poll::Ready(piece.map(|piece| {
            at += piece.len();
            Ok(piece.to_vec())
        }))
    })
}

pub(super) fn list(
    tree: &Tree,
    path: &WorkspacePath,
    options: &ListOptions,
    rules: &PathRules,
) -> Result<Vec<Entry>> {
    let directory = tree.find_directory(path, &options.filter, rules)?;
    tree.entries(&directory)
        .filter(|(at, _)| is_shown(at, &options.filter))
        .map(|(at, node)| Ok(entry(path.child(at.name().unwrap_or_default())?, node)))
        .collect()
}

pub(super) fn resolved(
    tree: &Tree,
    path: &WorkspacePath,
    options: &ResolveOptions,
    rules: &PathRules,
) -> Result<WorkspacePath> {
    let place = tree.resolve(path, Leaf::Follow, rules)?;
    options.filter.check(place.path(), Access::See)?;
    match place {
        Place::There(path) | Place::Free { path, .. } => Ok(path),
        Place::Dangling(_) => Err(error::dangling_write()),
    }
}

/// Walks the tree as it is now; later changes do not show.
pub(super) fn walk(
    tree: Arc<Tree>,
    path: &WorkspacePath,
    options: WalkOptions,
    rules: &PathRules,
) -> Result<Feed<Entry>> {
    let directory = tree.find_directory(path, &options.filter, rules)?;
    let max_depth = options.max_depth.unwrap_or(usize::MAX);
    if max_depth == 0 {
        return Ok(Feed::empty());
    }
    let asked = path.clone();
    let mut last = directory.clone();
    let mut closed: Option<WorkspacePath> = None;
    Ok(Feed::from_poll_fn(move |_| {
        while let Some((at, node)) = tree.next_below(&directory, &last) {
            let at = at.clone();
            last.clone_from(&at);
            if closed.as_ref().is_some_and(|closed| at.starts_with(closed)) {
                continue;
            }
            let shown = is_shown(&at, &options.filter);
            let inside = at.strip_prefix(&directory).unwrap_or_default();
            let open = node.can_read() && node.can_enter();
            let too_deep = inside.depth() >= max_depth;
            if node.is_dir() && (!shown || !open || too_deep) {
                closed = Some(at);
            }
            if shown {
                let unreadable = node.is_dir() && !open && !too_deep;
                let entry = entry(inside.under(&asked), node).with_unreadable(unreadable);
                return Poll::Ready(Some(Ok(entry)));
            }
        }
        Poll::Ready(None)
    }))
}

/// The directory in which a command is to start.
pub(crate) fn working_directory(
    tree: &Tree,
    path: &WorkspacePath,
    filter: &PathFilter,
    rules: &PathRules,
) -> Result<WorkspacePath> {
    let (path, node) = tree.find(path, Leaf::Follow, filter, rules)?;
    match (node.is_dir(), node.can_enter()) {
        (false, _) => Err(error::not_a_directory()),
        (true, false) => Err(error::permission()),
        (true, true) => Ok(path),
    }
}

impl Tree {
    /// What stands at a path that is to be read.
    fn find(
        &self,
        path: &WorkspacePath,
        leaf: Leaf,
        filter: &PathFilter,
        rules: &PathRules,
    ) -> Result<(WorkspacePath, &Node)> {
        let place = self.resolve(path, leaf, rules)?;
        filter.check(place.path(), Access::Read)?;
        match place {
            Place::There(path) => {
                let node = self.get(&path).ok_or_else(error::not_found)?;
                Ok((path, node))
            }
            Place::Free { .. } => Err(error::not_found()),
            Place::Dangling(_) => Err(error::dangling_read()),
        }
    }

    /// A file whose bytes are to be read.
    fn find_file(
        &self,
        path: &WorkspacePath,
        filter: &PathFilter,
        rules: &PathRules,
    ) -> Result<(&Node, &Arc<[u8]>)> {
        let (_, node) = self.find(path, Leaf::Follow, filter, rules)?;
        match &node.content {
            Content::File(bytes) if node.can_read() => Ok((node, bytes)),
            Content::File(_) => Err(error::permission()),
            Content::Dir => Err(error::is_a_directory()),
            Content::Link(_) | Content::Special => Err(error::not_a_file()),
        }
    }

    /// A directory whose entries are to be read.
    fn find_directory(
        &self,
        path: &WorkspacePath,
        filter: &PathFilter,
        rules: &PathRules,
    ) -> Result<WorkspacePath> {
        let (path, node) = self.find(path, Leaf::Follow, filter, rules)?;
        match (node.is_dir(), node.can_read()) {
            (false, _) => Err(error::not_a_directory()),
            (true, false) => Err(error::permission()),
            (true, true) => Ok(path),
        }
    }
}

fn is_shown(path: &WorkspacePath, filter: &PathFilter) -> bool {
    !path.name().is_some_and(is_temporary_name) && filter.shows(path)
}

fn entry(path: WorkspacePath, node: &Node) -> Entry {
    let entry = Entry::new(path, node.kind()).with_modified(node.modified);
    if node.kind() == FileKind::File { entry.with_size(node.size()) } else { entry }
}
