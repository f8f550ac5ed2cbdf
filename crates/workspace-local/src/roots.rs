//! The roots of a workspace, each held open, and which of them a path means.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use cap_std::fs::Dir;
use workspace_core::{Error, ErrorKind, WorkspacePath};

use crate::attributes::Identity;

/// A directory that the workspace may reach, opened once.
#[derive(Debug)]
pub(crate) struct Root {
    /// Where it stands in the workspace: the root, or `@name`.
    pub(crate) base: WorkspacePath,
    /// The handle that every operation starts from.
    pub(crate) dir: Dir,
    pub(crate) identity: Identity,
    pub(crate) writable: bool,
    /// The absolute paths under which it is known, in order: as given, as resolved.
    pub(crate) spellings: Vec<String>,
    /// Other roots that lie inside this one, by their place here.
    inner: Vec<(WorkspacePath, usize)>,
}

impl Root {
    pub(crate) fn new(
        base: WorkspacePath,
        dir: Dir,
        identity: Identity,
        writable: bool,
        spellings: Vec<String>,
    ) -> Self {
        Self { base, dir, identity, writable, spellings, inner: Vec::new() }
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }
}

/// A path of one root. Whether links stand on it is not known yet.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub(crate) root: Arc<Root>,
    /// Relative to the root.
    pub(crate) rel: WorkspacePath,
}

impl Spot {
    /// Its name in the workspace, for rules and answers.
    pub(crate) fn path(&self) -> WorkspacePath {
        self.rel.under(&self.root.base)
    }

    /// Whether a root lies here or below: such a directory neither moves nor goes.
    pub(crate) fn holds_a_root(&self) -> bool {
        self.rel.is_root() || self.root.inner.iter().any(|(at, _)| at.starts_with(&self.rel))
    }
}

/// All roots, the primary one first.
#[derive(Debug)]
pub(crate) struct Roots(Vec<Arc<Root>>);

impl Roots {
    /// Joins roots and notes which lies inside which, as their spellings tell.
    pub(crate) fn new(mut roots: Vec<Root>) -> Self {
        for index in 0..roots.len() {
            let found = inner_of(&roots, index);
            if let Some(root) = roots.get_mut(index) {
                root.inner = found;
            }
        }
        Self(roots.into_iter().map(Arc::new).collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Root> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// The root that a path means, and the path in it. Of nested roots the innermost decides.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) where there is no root at all, which construction excludes.
    pub(crate) fn locate(&self, path: &WorkspacePath) -> Result<Spot, Error> {
        let named = self.0.iter().skip(1).find_map(|root| Some((root, path.strip_prefix(&root.base)?)));
        let (root, rel) = match (named, self.0.first()) {
            (Some(named), _) => named,
            (None, Some(primary)) => (primary, path.clone()),
            (None, None) => return Err(Error::new(ErrorKind::NotFound, "the workspace has no root")),
        };
        Ok(match self.innermost(root, &rel) {
            Some(spot) => spot,
            None => Spot { root: Arc::clone(root), rel },
        })
    }

    /// The place of a path in another root, where one that lies inside this root holds it.
    pub(crate) fn innermost(&self, root: &Root, rel: &WorkspacePath) -> Option<Spot> {
        root.inner
            .iter()
            .filter_map(|(at, index)| Some((at.depth(), self.0.get(*index)?, rel.strip_prefix(at)?)))
            .max_by_key(|(depth, ..)| *depth)
            .map(|(_, root, rel)| Spot { root: Arc::clone(root), rel })
    }

    /// The names that an absolute link's text means inside `root`, or `None`
    /// where it points elsewhere, be it into another root.
    pub(crate) fn reanchor<'t>(&self, root: &Root, text: &'t [u8]) -> Option<Vec<&'t [u8]>> {
        let names: Vec<&[u8]> = names_of(text).collect();
        let (length, owner) = self
            .0
            .iter()
            .flat_map(|owner| owner.spellings.iter().map(move |spelling| (owner, spelling)))
            .filter_map(|(owner, spelling)| {
                let prefix: Vec<&[u8]> = names_of(spelling.as_bytes()).collect();
                names.starts_with(&prefix).then_some((prefix.len(), owner))
            })
            .max_by_key(|(length, _)| *length)?;
        (owner.identity == root.identity).then(|| names.into_iter().skip(length).collect())
    }
}

/// The parts of a host path or of a link's text, without those that mean nothing.
pub(crate) fn names_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'/').filter(|name| !name.is_empty() && *name != b".")
}

fn inner_of(roots: &[Root], index: usize) -> Vec<(WorkspacePath, usize)> {
    let Some(outer) = roots.get(index) else { return Vec::new() };
    let mut found: Vec<(WorkspacePath, usize)> = Vec::new();
    for (other, root) in roots.iter().enumerate().filter(|(other, _)| *other != index) {
        for spelling in &root.spellings {
            let place = outer.spellings.iter().find_map(|outer| place_below(outer, spelling));
            if let Some(place) = place
                && !found.contains(&(place.clone(), other))
            {
                found.push((place, other));
            }
        }
    }
    found
}

/// The path of `inner` as seen from `outer`, where it lies below it.
fn place_below(outer: &str, inner: &str) -> Option<WorkspacePath> {
    let outer: Vec<&[u8]> = names_of(outer.as_bytes()).collect();
    let inner: Vec<&[u8]> = names_of(inner.as_bytes()).collect();
    let rest = inner.strip_prefix(outer.as_slice()).filter(|rest| !rest.is_empty())?;
    rest.iter().try_fold(WorkspacePath::root(), |path, name| path.child(std::str::from_utf8(name).ok()?).ok())
}
