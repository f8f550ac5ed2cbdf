//! Following links, inside the root.

use workspace_core::{PathRules, Result, WorkspacePath};

use super::tree::{Content, Tree};
use crate::error;

/// How many links may follow each other.
const MAX_LINKS: usize = 40;

/// What to do with a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    Follow,
    Keep,
}

/// Where a path leads when each link on it is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Something stands there.
    There(WorkspacePath),
    /// Nothing stands there; `directory` is the deepest directory on the way that exists.
    Free { path: WorkspacePath, directory: WorkspacePath },
    /// A link on the way has no target: this one.
    Dangling(WorkspacePath),
}

impl Place {
    pub(crate) const fn path(&self) -> &WorkspacePath {
        match self {
            Self::There(path) | Self::Free { path, .. } | Self::Dangling(path) => path,
        }
    }
}

/// A component still to be walked: a name, or `..` of a link's text.
struct Ahead {
    name: String,
    /// It comes from the text of a link, not from the caller.
    from_link: bool,
}

impl Tree {
    /// Walks a path from the root down. `rules` say where absolute links lie.
    pub(crate) fn resolve(&self, path: &WorkspacePath, leaf: Leaf, rules: &PathRules) -> Result<Place> {
        let mut at = WorkspacePath::root();
        // The next one last.
        let mut ahead: Vec<Ahead> = ahead(path.components(), false);
        let mut links = 0;
        while let Some(Ahead { name, from_link }) = ahead.pop() {
            let directory = self.get(&at).ok_or_else(error::not_found)?;
            if !directory.is_dir() {
                return Err(error::not_a_directory());
            }
            if !directory.can_enter() {
                return Err(error::permission());
            }
            if name == ".." {
                // What stands at `at` is no link, so this is where the directory really lies.
                at = at.parent().ok_or_else(error::leaves_root)?;
                continue;
            }
            let next = at.child(&name)?;
            match self.get(&next).map(|node| &node.content) {
                None => {
                    let dangling = from_link || ahead.iter().any(|ahead| ahead.from_link);
                    let path = rest(next, &ahead)?;
                    return Ok(if dangling {
                        Place::Dangling(path)
                    } else {
                        Place::Free { path, directory: at }
                    });
                }
                Some(Content::Link(text)) if !(ahead.is_empty() && leaf == Leaf::Keep) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(error::too_many_links(MAX_LINKS));
                    }
                    let mut inside: &str = text;
                    if text.starts_with('/') {
                        inside = below_root(text, rules).ok_or_else(error::leaves_root)?;
                        at = WorkspacePath::root();
                    }
                    let names = inside.split('/').filter(|name| !name.is_empty() && *name != ".");
                    ahead.extend(self::ahead(names, true));
                }
                Some(_) => at = next,
            }
        }
        Ok(Place::There(at))
    }
}

fn ahead<'a>(names: impl DoubleEndedIterator<Item = &'a str>, from_link: bool) -> Vec<Ahead> {
    names.rev().map(|name| Ahead { name: name.to_owned(), from_link }).collect()
}

/// The path of what is missing, as far as it goes down.
fn rest(missing: WorkspacePath, ahead: &[Ahead]) -> Result<WorkspacePath> {
    let names = ahead.iter().rev().map(|ahead| ahead.name.as_str());
    names.take_while(|name| *name != "..").try_fold(missing, |path, name| path.child(name))
}

/// What of an absolute link lies below the root, or `None` where it does not begin with it.
fn below_root<'a>(text: &'a str, rules: &PathRules) -> Option<&'a str> {
    rules.roots.iter().find_map(|root| {
        let mut inside = text;
        for name in root.split('/').filter(|name| !name.is_empty()) {
            inside = inside.trim_start_matches('/').strip_prefix(name)?;
            if !(inside.is_empty() || inside.starts_with('/')) {
                return None;
            }
        }
        Some(inside)
    })
}
