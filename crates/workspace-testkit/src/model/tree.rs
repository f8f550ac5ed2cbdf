//! What the contract says about a tree.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use sha2::{Digest, Sha256};
use workspace_core::ErrorKind::{
    self, AlreadyExists, Conflict, InvalidInput, IsADirectory, NotADirectory, NotEmpty, NotFound,
};
use workspace_core::{FileKind, Precondition, WorkspacePath};

use super::{Operation, State};

/// What a call answers with, as far as the model knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is done.
    Done,
    /// It is done; whether something new was made.
    Made(bool),
    /// The bytes of a file.
    Bytes(Vec<u8>),
    /// Kind and size in bytes.
    Kind(FileKind, u64),
    /// The entries of a directory, in their order.
    Entries(Vec<(WorkspacePath, FileKind)>),
}

/// What a provider may answer: this, or a refusal of one of these kinds.
pub type Expected = Result<Answer, Vec<ErrorKind>>;

/// A tree of files and directories. The root is always there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Model {
    /// The bytes of a file, or `None` for a directory.
    nodes: BTreeMap<WorkspacePath, Option<Vec<u8>>>,
}

impl Model {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// All paths with the bytes of a file, or `None` for a directory, in their order.
    pub fn nodes(&self) -> impl Iterator<Item = (&WorkspacePath, Option<&[u8]>)> {
        self.nodes.iter().map(|(path, node)| (path, node.as_deref()))
    }

    /// The precondition that stands for a state.
    pub fn precondition(&self, path: &WorkspacePath, state: State) -> Precondition {
        let now = self.file(path).unwrap_or_default();
        match state {
            State::Any => Precondition::Any,
            State::Absent => Precondition::Absent,
            State::AsItIs => Precondition::Sha256(Sha256::digest(now).into()),
            State::Other => Precondition::Sha256(Sha256::digest([now, b"other"].concat()).into()),
        }
    }

    /// Does an operation and tells what a provider must answer. Where several
    /// rules are broken at once, the refusal may be that of any of them.
    pub fn apply(&mut self, operation: &Operation) -> Expected {
        match operation {
            Operation::Write { path, bytes, parents, state } => self.write(path, bytes, *parents, *state),
            Operation::Read { path } => match self.kind(path) {
                Some(FileKind::File) => Ok(Answer::Bytes(self.file(path).unwrap_or_default().to_vec())),
                Some(_) => Err(vec![IsADirectory]),
                None => Err(self.absence(path)),
            },
            Operation::Stat { path } => match self.kind(path) {
                Some(kind) => Ok(Answer::Kind(kind, self.file(path).map_or(0, <[u8]>::len) as u64)),
                None => Err(self.absence(path)),
            },
            Operation::List { path } => match self.kind(path) {
                Some(FileKind::Dir) => Ok(Answer::Entries(self.entries(path))),
                Some(_) => Err(vec![NotADirectory]),
                None => Err(self.absence(path)),
            },
            Operation::CreateDir { path, parents } => self.create_dir(path, *parents),
            Operation::Remove { path, recursive } => self.remove(path, *recursive),
            Operation::Rename { from, to, replace } => self.rename(from, to, *replace),
        }
    }

    fn write(&mut self, path: &WorkspacePath, bytes: &[u8], parents: bool, state: State) -> Expected {
        let kind = self.kind(path);
        let mut broken = Vec::new();
        if kind == Some(FileKind::Dir) {
            broken.push(IsADirectory);
        }
        let holds = match state {
            State::Any => true,
            State::Absent => kind.is_none(),
            State::AsItIs => kind == Some(FileKind::File),
            State::Other => false,
        };
        if !holds {
            broken.push(Conflict);
        }
        broken.extend(self.broken_parent(path, parents));
        if !broken.is_empty() {
            return Err(broken);
        }
        self.make_parents(path);
        self.nodes.insert(path.clone(), Some(bytes.to_vec()));
        Ok(Answer::Made(kind.is_none()))
    }

    fn create_dir(&mut self, path: &WorkspacePath, parents: bool) -> Expected {
        match self.kind(path) {
            Some(FileKind::Dir) => return Ok(Answer::Made(false)),
            Some(_) => return Err(vec![AlreadyExists]),
            None => {}
        }
        if let Some(kind) = self.broken_parent(path, parents) {
            return Err(vec![kind]);
        }
        self.make_parents(path);
        self.nodes.insert(path.clone(), None);
        Ok(Answer::Made(true))
    }

    fn remove(&mut self, path: &WorkspacePath, recursive: bool) -> Expected {
        if path.is_root() {
            return Err(vec![InvalidInput]);
        }
        if self.kind(path).is_none() {
            return Err(self.absence(path));
        }
        if !recursive && !self.entries(path).is_empty() {
            return Err(vec![NotEmpty]);
        }
        self.nodes.retain(|at, _| !at.starts_with(path));
        Ok(Answer::Done)
    }

    fn rename(&mut self, from: &WorkspacePath, to: &WorkspacePath, replace: bool) -> Expected {
        let mut broken = Vec::new();
        if from.is_root() || to.is_root() || to.starts_with(from) {
            broken.push(InvalidInput);
        }
        let old = self.kind(from);
        if old.is_none() {
            broken.extend(self.absence(from));
        }
        broken.extend(self.broken_parent(to, false));
        match (self.kind(to), old) {
            (None, _) => {}
            (Some(FileKind::File), Some(FileKind::File)) if replace => {}
            (Some(FileKind::File), _) if replace => broken.extend([AlreadyExists, NotADirectory]),
            (Some(_), _) if replace => broken.extend([AlreadyExists, IsADirectory, NotEmpty]),
            (Some(_), _) => broken.push(AlreadyExists),
        }
        if !broken.is_empty() {
            return Err(broken);
        }
        let moved: Vec<_> = self.nodes.extract_if(.., |path, _| path.starts_with(from)).collect();
        for (path, node) in moved {
            let inside = path.strip_prefix(from).unwrap_or_default();
            self.nodes.insert(inside.under(to), node);
        }
        Ok(Answer::Done)
    }

    fn kind(&self, path: &WorkspacePath) -> Option<FileKind> {
        if path.is_root() {
            return Some(FileKind::Dir);
        }
        self.nodes.get(path).map(|node| if node.is_some() { FileKind::File } else { FileKind::Dir })
    }

    fn file(&self, path: &WorkspacePath) -> Option<&[u8]> {
        self.nodes.get(path)?.as_deref()
    }

    fn entries(&self, directory: &WorkspacePath) -> Vec<(WorkspacePath, FileKind)> {
        let entries = self.nodes.keys().filter(|path| path.parent().as_ref() == Some(directory));
        entries.filter_map(|path| Some((path.clone(), self.kind(path)?))).collect()
    }

    /// Why nothing stands at a path.
    fn absence(&self, path: &WorkspacePath) -> Vec<ErrorKind> {
        let mut above = std::iter::successors(path.parent(), WorkspacePath::parent);
        let through_a_file = above.any(|parent| self.kind(&parent) == Some(FileKind::File));
        vec![if through_a_file { NotADirectory } else { NotFound }]
    }

    /// Why nothing can be made at a path.
    fn broken_parent(&self, path: &WorkspacePath, make: bool) -> Option<ErrorKind> {
        let parent = path.parent()?;
        match self.kind(&parent) {
            Some(FileKind::Dir) => None,
            Some(_) => Some(NotADirectory),
            None => match self.absence(&parent)[..] {
                [NotFound] if make => None,
                [kind] => Some(kind),
                _ => None,
            },
        }
    }

    fn make_parents(&mut self, path: &WorkspacePath) {
        for parent in std::iter::successors(path.parent(), WorkspacePath::parent) {
            if !parent.is_root()
                && let Entry::Vacant(free) = self.nodes.entry(parent)
            {
                free.insert(None);
            }
        }
    }
}
