//! Operations that change the tree: each is planned first, and changes nothing where the plan fails.

use std::sync::Arc;
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use workspace_core::{
    Access, CreateDirOptions, MAX_PATH_BYTES, PathFilter, PathRules, Precondition, RemoveOptions,
    RenameOptions, Result, WorkspacePath, WriteMode, WriteOptions, Written,
};

use super::resolve::{Leaf, Place};
use super::tree::{Content, FILE_MODE, Node, Tree};
use crate::clock::lock;
use crate::{Memory, error};

/// A tree under the lock, with what a change needs to know.
pub(crate) struct Change<'a> {
    tree: &'a mut Arc<Tree>,
    versions: &'a mut u64,
    rules: &'a PathRules,
    max_bytes: Option<u64>,
    now: SystemTime,
}

impl Memory {
    /// Makes one change, alone.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Change<'_>) -> Result<T>) -> Result<T> {
        let now = self.now();
        let mut state = lock(&self.0.state);
        let state = &mut *state;
        change(&mut Change {
            tree: &mut state.tree,
            versions: &mut state.versions,
            rules: &self.0.rules,
            max_bytes: self.0.max_bytes,
            now,
        })
    }
}

/// What a write will do.
pub(super) struct PlannedWrite {
    path: WorkspacePath,
    /// Directories to make, parents first.
    directories: Vec<WorkspacePath>,
    /// Mode and size of the file that is replaced.
    old: Option<(u32, u64)>,
}

pub(super) fn plan_write(
    tree: &Tree,
    path: &WorkspacePath,
    options: &WriteOptions,
    rules: &PathRules,
) -> Result<PlannedWrite> {
    let place = tree.resolve(path, Leaf::Follow, rules)?;
    options.filter.check(place.path(), Access::Write)?;
    let (path, directory) = match place {
        Place::Dangling(_) => return Err(error::dangling_write()),
        Place::Free { path, directory } => (path, Some(directory)),
        Place::There(path) => (path, None),
    };
    let node = tree.get(&path);
    match node.map(|node| &node.content) {
        None | Some(Content::File(_)) => {}
        Some(Content::Dir) => return Err(error::is_a_directory()),
        Some(Content::Link(_) | Content::Special) => return Err(error::not_a_file()),
    }
    if node.is_some_and(|node| !node.can_write()) {
        return Err(error::permission());
    }
    check_state(node, &options.if_match)?;
    let directories = match directory {
        None => Vec::new(),
        Some(directory) => {
            let missing = plan_parents(tree, &path, &directory, &options.filter)?;
            if !missing.is_empty() && !options.create_parents {
                return Err(error::parent_not_found());
            }
            missing
        }
    };
    Ok(PlannedWrite { path, directories, old: node.map(|node| (node.mode, node.size())) })
}

/// Whether a file is in the state that the caller demands.
fn check_state(node: Option<&Node>, demanded: &Precondition) -> Result<()> {
    let holds = match (demanded, node) {
        (Precondition::Any, _) | (Precondition::Absent, None) => return Ok(()),
        (Precondition::Absent, Some(_)) => return Err(error::conflict("the file exists already")),
        (_, None) => return Err(error::conflict("the file does not exist any more")),
        (Precondition::Version(version), Some(node)) => node.version() == *version,
        (Precondition::Sha256(hash), Some(node)) => match &node.content {
            Content::File(bytes) => Sha256::digest(bytes).as_slice() == hash,
            _ => false,
        },
        (_, Some(_)) => return Err(error::unsupported("this precondition is not known here")),
    };
    if holds { Ok(()) } else { Err(error::conflict("the file has changed since it was read")) }
}

/// The directories that are missing between `directory` and `path`, if they may be made there.
fn plan_parents(
    tree: &Tree,
    path: &WorkspacePath,
    directory: &WorkspacePath,
    filter: &PathFilter,
) -> Result<Vec<WorkspacePath>> {
    let depth = directory.depth();
    let mut missing: Vec<_> = std::iter::successors(path.parent(), WorkspacePath::parent)
        .take_while(|parent| parent.depth() > depth)
        .collect();
    missing.reverse();
    missing.iter().try_for_each(|directory| filter.check(directory, Access::Write))?;
    open_for_change(tree, directory)?;
    Ok(missing)
}

/// Entries can be made and taken away in this directory.
fn open_for_change(tree: &Tree, directory: &WorkspacePath) -> Result<()> {
    match tree.get(directory) {
        Some(node) if node.can_change_entries() => Ok(()),
        Some(_) => Err(error::permission()),
        None => Err(error::parent_not_found()),
    }
}

impl Change<'_> {
    pub(crate) fn write(
        &mut self,
        path: &WorkspacePath,
        bytes: Vec<u8>,
        options: &WriteOptions,
    ) -> Result<Written> {
        let PlannedWrite { path, directories, old } = plan_write(self.tree, path, options, self.rules)?;
        if let Some(max) = self.max_bytes {
            let kept = self.tree.bytes().saturating_sub(old.map_or(0, |(_, size)| size));
            if kept.saturating_add(bytes.len() as u64) > max {
                return Err(error::no_space(max));
            }
        }
        let mut node = self.node(Content::File(bytes.into()));
        node.mode = match options.mode {
            WriteMode::Set(mode) => mode & 0o7777,
            _ => old.map_or(FILE_MODE, |(mode, _)| mode),
        };
        let stat = node.stat();
        self.make(directories);
        self.put(path, node);
        Ok(Written::new(old.is_none(), stat))
    }

    pub(crate) fn create_dir(&mut self, path: &WorkspacePath, options: &CreateDirOptions) -> Result<bool> {
        let place = self.tree.resolve(path, Leaf::Follow, self.rules)?;
        options.filter.check(place.path(), Access::Write)?;
        let (path, directory) = match place {
            Place::Dangling(_) => return Err(error::dangling_write()),
            Place::There(path) if self.tree.get(&path).is_some_and(Node::is_dir) => return Ok(false),
            Place::There(_) => return Err(error::already_exists()),
            Place::Free { path, directory } => (path, directory),
        };
        let mut directories = plan_parents(self.tree, &path, &directory, &options.filter)?;
        if !directories.is_empty() && !options.parents {
            return Err(error::parent_not_found());
        }
        directories.push(path);
        self.make(directories);
        Ok(true)
    }

    pub(crate) fn remove(&mut self, path: &WorkspacePath, options: &RemoveOptions) -> Result<()> {
        let path = self.find_own(path, &options.filter)?;
        let parent = parent_of(&path)?;
        open_for_change(self.tree, &parent)?;
        if !self.tree.is_empty(&path) {
            if !options.recursive {
                return Err(error::not_empty());
            }
            for (below, _) in self.tree.below(&path) {
                options.filter.check(below, Access::Write)?;
                open_for_change(self.tree, &parent_of(below)?)?;
            }
        }
        Arc::make_mut(self.tree).take(&path);
        self.touch(&parent);
        Ok(())
    }

    /// Its error names the path that it is about.
    pub(crate) fn rename(
        &mut self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        options: &RenameOptions,
    ) -> Result<()> {
        let source = self.find_own(from, &options.filter).map_err(|error| error.at(from))?;
        let target = self.plan_target(&source, to, options).map_err(|error| error.at(to))?;
        if source == target {
            return Ok(());
        }
        self.check_move(&source, &target, &options.filter).map_err(|error| error.at(from))?;
        let tree = Arc::make_mut(self.tree);
        let moved = tree.take(&source);
        for (path, node) in moved {
            let inside = path.strip_prefix(&source).unwrap_or_default();
            tree.put(inside.under(&target), node);
        }
        for path in [source, target] {
            if let Some(parent) = path.parent() {
                self.touch(&parent);
            }
        }
        Ok(())
    }

    /// Where a renamed node will stand.
    fn plan_target(
        &self,
        source: &WorkspacePath,
        to: &WorkspacePath,
        options: &RenameOptions,
    ) -> Result<WorkspacePath> {
        if to.is_root() {
            return Err(root_stays());
        }
        let place = self.tree.resolve(to, Leaf::Keep, self.rules)?;
        let target = place.path();
        options.filter.check(target, Access::Write)?;
        if target != source && target.starts_with(source) {
            return Err(error::invalid("a directory cannot be moved into itself")
                .hint("choose a new path outside of it"));
        }
        match &place {
            Place::Dangling(_) => return Err(error::dangling_write()),
            Place::Free { path, directory } => {
                if path.parent().as_ref() != Some(directory) {
                    return Err(error::parent_not_found());
                }
                open_for_change(self.tree, directory)?;
            }
            Place::There(path) => {
                let is_dir = |path| self.tree.get(path).is_some_and(Node::is_dir);
                if !options.replace || (path != source && (is_dir(path) || is_dir(source))) {
                    return Err(error::already_exists());
                }
                open_for_change(self.tree, &parent_of(path)?)?;
            }
        }
        Ok(target.clone())
    }

    /// All that moves may leave the old path and stand at the new one.
    fn check_move(&self, source: &WorkspacePath, target: &WorkspacePath, filter: &PathFilter) -> Result<()> {
        open_for_change(self.tree, &parent_of(source)?)?;
        for (below, _) in self.tree.below(source) {
            filter.check(below, Access::Write)?;
            let new = below.strip_prefix(source).unwrap_or_default().under(target);
            filter.check(&new, Access::Write)?;
            if new.as_str().len() > MAX_PATH_BYTES {
                return Err(error::invalid("a path below it would be too long at the new place"));
            }
        }
        Ok(())
    }

    /// What stands at the path itself and is to be taken away; a link is not followed.
    fn find_own(&self, path: &WorkspacePath, filter: &PathFilter) -> Result<WorkspacePath> {
        if path.is_root() {
            return Err(root_stays());
        }
        let place = self.tree.resolve(path, Leaf::Keep, self.rules)?;
        filter.check(place.path(), Access::Write)?;
        match place {
            // A link in the middle of the path may lead back to the root.
            Place::There(path) if path.is_root() => Err(root_stays()),
            Place::There(path) => Ok(path),
            Place::Free { .. } => Err(error::not_found()),
            Place::Dangling(_) => Err(error::dangling_read()),
        }
    }

    /// Puts something new at a path, with the directories that it needs.
    pub(crate) fn plant(&mut self, path: &WorkspacePath, content: Content) -> Result<()> {
        let place = self.tree.resolve(path, Leaf::Keep, self.rules)?;
        let Place::Free { path, directory } = place else { return Err(error::already_exists()) };
        let directories = plan_parents(self.tree, &path, &directory, &PathFilter::default())?;
        let node = self.node(content);
        self.make(directories);
        self.put(path, node);
        Ok(())
    }

    pub(crate) fn set_mode(&mut self, path: &WorkspacePath, mode: u32) -> Result<()> {
        let place = self.tree.resolve(path, Leaf::Follow, self.rules)?;
        let node = Arc::make_mut(self.tree).get_mut(place.path()).ok_or_else(error::not_found)?;
        node.mode = mode & 0o7777;
        Ok(())
    }

    fn node(&mut self, content: Content) -> Node {
        *self.versions += 1;
        Node::new(content, self.now, *self.versions)
    }

    fn make(&mut self, directories: Vec<WorkspacePath>) {
        for path in directories {
            let node = self.node(Content::Dir);
            self.put(path, node);
        }
    }

    fn put(&mut self, path: WorkspacePath, node: Node) {
        let parent = path.parent();
        let is_new = self.tree.get(&path).is_none();
        Arc::make_mut(self.tree).put(path, node);
        if let (true, Some(parent)) = (is_new, parent) {
            self.touch(&parent);
        }
    }

    /// The entries of a directory have changed.
    fn touch(&mut self, directory: &WorkspacePath) {
        *self.versions += 1;
        if let Some(node) = Arc::make_mut(self.tree).get_mut(directory) {
            node.modified = self.now;
            node.version = *self.versions;
        }
    }
}

fn parent_of(path: &WorkspacePath) -> Result<WorkspacePath> {
    path.parent().ok_or_else(root_stays)
}

fn root_stays() -> workspace_core::Error {
    error::invalid("the root of the workspace stays where it is").hint("name an entry inside the workspace")
}
