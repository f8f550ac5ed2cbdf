//! Following links inside a root.
//!
//! What comes out is only a proposal: the caller judges it and opens it in a
//! way that refuses links, so a tree that changes meanwhile gains nothing.

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::AtFlags;
use rustix::io::Errno;
use workspace_core::{FileKind, WorkspacePath};

use crate::attributes;
use crate::beneath::{Beneath, DIRECTORY, open_name};
use crate::config::LinkPolicy;
use crate::error::{Outcome, escape};
use crate::roots::{Roots, Spot, names_of};

/// How many links a path may pass through.
const MAX_LINKS: usize = 40;

/// What is done with a link at the very end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    /// It is followed.
    Follow,
    /// It is what is meant.
    Keep,
}

/// A path without links, as far as it exists.
#[derive(Debug)]
pub(crate) struct Resolution {
    /// Relative to the root. Names that do not exist yet stand at its end as they were asked.
    pub(crate) rel: WorkspacePath,
    /// A link on the way points to nothing.
    pub(crate) dangling: bool,
}

/// Follows the links on a path.
///
/// # Errors
/// [`PathEscape`](workspace_core::ErrorKind::PathEscape) where a link leads out
/// of the root or links go round in a circle; [`Errno::AGAIN`] where the tree changed under the walk.
pub(crate) fn resolve(
    roots: &Roots,
    start: &Spot,
    last: Last,
    beneath: Beneath,
    links: LinkPolicy,
) -> Outcome<Resolution> {
    let root = start.root.as_ref();
    // The directory reached so far: its name, and its handle unless it is the root.
    let mut rel = WorkspacePath::root();
    let mut dir: Option<OwnedFd> = None;
    // Names from the texts of links, the next one last. They come before the rest of what was asked.
    let mut linked: Vec<Vec<u8>> = Vec::new();
    let mut asked = start.rel.components();
    let mut followed = 0;

    loop {
        let (name, from_link) = match linked.pop() {
            Some(name) => (name, true),
            None => match asked.next() {
                Some(name) => (name.as_bytes().to_vec(), false),
                None => break,
            },
        };
        if name == b"." {
            // At the end of a text it demands a directory, and one has been entered.
            continue;
        }
        if name == b".." {
            rel = rel.parent().ok_or_else(|| escape("a link on the way leads outside the workspace"))?;
            dir = Some(beneath.open(root.fd(), &rel, DIRECTORY).map_err(disturbed)?);
            continue;
        }
        let is_last = linked.is_empty() && asked.clone().next().is_none();
        let here = dir.as_ref().map_or(root.fd(), AsFd::as_fd);
        let raw = match rustix::fs::statat(here, name.as_slice(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(raw) => raw,
            Err(Errno::NOENT) => {
                rel = child(&rel, &name)?;
                for name in asked {
                    rel = rel.child(name)?;
                }
                return Ok(Resolution { rel, dangling: from_link });
            }
            Err(errno) => return Err(errno.into()),
        };
        match attributes::kind(&raw) {
            FileKind::Link if is_last && last == Last::Keep => rel = child(&rel, &name)?,
            FileKind::Link => {
                if links == LinkPolicy::Never {
                    return Err(escape("a link stands on the path, and this workspace follows none").into());
                }
                followed += 1;
                if followed > MAX_LINKS {
                    return Err(escape("the links on the way lead in a circle").into());
                }
                let text = rustix::fs::readlinkat(here, name.as_slice(), Vec::new()).map_err(disturbed)?;
                let text = text.as_bytes();
                let names = if text.starts_with(b"/") {
                    rel = WorkspacePath::root();
                    dir = None;
                    roots
                        .reanchor(root, text)
                        .ok_or_else(|| escape("a link on the way leads outside the workspace"))?
                } else {
                    names_of(text).collect()
                };
                if text.ends_with(b"/") || text.ends_with(b"/.") {
                    linked.push(b".".to_vec());
                }
                linked.extend(names.into_iter().rev().map(<[u8]>::to_vec));
            }
            FileKind::Dir => {
                if !is_last {
                    dir = Some(open_name(here, name.as_slice(), DIRECTORY).map_err(disturbed)?);
                }
                rel = child(&rel, &name)?;
            }
            _ if is_last => rel = child(&rel, &name)?,
            _ => return Err(Errno::NOTDIR.into()),
        }
    }
    if followed > 0 && roots.innermost(root, &rel).is_some() {
        return Err(escape("a link on the way leads into another root").into());
    }
    Ok(Resolution { rel, dangling: false })
}

fn child(rel: &WorkspacePath, name: &[u8]) -> Outcome<WorkspacePath> {
    // Rules judge text: what they cannot read they cannot allow.
    let name = std::str::from_utf8(name)
        .map_err(|_| escape("a link on the way leads to a name that is not UTF-8"))?;
    Ok(rel.child(name)?)
}

/// What was seen a moment ago is something else now.
fn disturbed(errno: Errno) -> Errno {
    match errno {
        Errno::NOENT | Errno::NOTDIR | Errno::INVAL | Errno::LOOP => Errno::AGAIN,
        other => other,
    }
}
