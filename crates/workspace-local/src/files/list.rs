//! One directory.

use std::sync::Arc;

use rustix::fs::AtFlags;
use workspace_core::{Entry, FileKind, ListOptions, PathFilter, WorkspacePath};

use super::entries::{Which, entries};
use crate::attributes;
use crate::beneath::LISTING;
use crate::error::Outcome;
use crate::jail::{Ask, Jail};
use crate::local::Inner;
use crate::roots::Spot;

pub(super) fn list(inner: &Inner, path: &WorkspacePath, options: &ListOptions) -> Outcome<Vec<Entry>> {
    let jail = &inner.jail;
    let (dir, spot) =
        jail.settle(Ask::read(path, &options.filter), |spot| Ok((jail.open(spot, LISTING)?, spot.clone())))?;
    let mut listed = Vec::new();
    for found in entries(&dir, Which::Visible)? {
        let shown = path.child(&found.shown)?;
        let here = Spot { root: Arc::clone(&spot.root), rel: spot.rel.child(&found.shown)? };
        if !jail.shows(&options.filter, &shown, &here) {
            continue;
        }
        let mut entry = Entry::new(shown, found.kind).with_non_utf8(!found.is_utf8());
        if found.kind == FileKind::File
            && let Ok(raw) = rustix::fs::statat(&dir, &found.name, AtFlags::SYMLINK_NOFOLLOW)
        {
            entry.size = Some(attributes::size(&raw));
            entry.modified = attributes::modified(&raw);
        }
        listed.push(entry);
    }
    Ok(listed)
}

impl Jail {
    /// Whether rules let an entry be seen under every name that it has: the one
    /// it is shown by, the one where it really is, and the one in a root of its own.
    pub(crate) fn shows(&self, filter: &PathFilter, shown: &WorkspacePath, here: &Spot) -> bool {
        if filter.is_empty() {
            return true;
        }
        let real = here.path();
        filter.shows(&real)
            && (real == *shown || filter.shows(shown))
            && self.roots.innermost(&here.root, &here.rel).is_none_or(|spot| filter.shows(&spot.path()))
    }
}
