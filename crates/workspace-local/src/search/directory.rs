//! A directory of the tree that is searched: how it is reached, and what it holds.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;
use workspace_core::{Access, MAX_PATH_BYTES, PathFilter, WorkspacePath};

use super::names::{Name, Names};
use super::stop::Stop;
use crate::beneath::{DIRECTORY, LISTING};
use crate::error::{Outcome, escape};
use crate::jail::{Ask, Jail};
use crate::roots::{Root, Spot};

/// How many directories a search holds open. One over that is opened again for
/// each use, beneath its root and without following links.
const HELD: usize = 64;

/// A directory that has been read. What it holds is reached through it.
#[derive(Debug)]
pub(super) struct Directory {
    /// The path by which the answer shows it.
    pub(super) shown: WorkspacePath,
    /// Where it really is, for the rules.
    pub(super) spot: Spot,
    /// The root that the shown path means.
    asked: Arc<Root>,
    /// Whether a link leads to it, so that the shown path is not the real one.
    linked: bool,
    held: Option<Held>,
    pub(super) names: Names,
}

/// The directories that a search holds open.
#[derive(Debug, Clone, Default)]
pub(super) struct Holding(Arc<AtomicUsize>);

#[derive(Debug)]
struct Held {
    dir: OwnedFd,
    holding: Holding,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.holding.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Holding {
    fn hold(&self, dir: OwnedFd) -> Option<Held> {
        if self.0.fetch_add(1, Ordering::Relaxed) < HELD {
            return Some(Held { dir, holding: self.clone() });
        }
        self.0.fetch_sub(1, Ordering::Relaxed);
        None
    }
}

/// A handle of a directory, to reach what it holds.
#[derive(Debug)]
pub(super) enum Hand<'d> {
    Held(BorrowedFd<'d>),
    Opened(OwnedFd),
}

impl AsFd for Hand<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Held(dir) => *dir,
            Self::Opened(dir) => dir.as_fd(),
        }
    }
}

/// A directory that has been opened and not yet read.
#[derive(Debug)]
pub(super) struct Opened {
    dir: OwnedFd,
    shown: WorkspacePath,
    spot: Spot,
    asked: Arc<Root>,
    linked: bool,
}

impl Opened {
    /// Opens the directory at which a search begins. Links that lead to it are followed.
    pub(super) fn base(jail: &Jail, path: &WorkspacePath, filter: &PathFilter) -> Outcome<Self> {
        let asked = jail.roots.locate(path)?;
        let (dir, spot) =
            jail.settle(Ask::read(path, filter), |spot| Ok((jail.open(spot, LISTING)?, spot.clone())))?;
        let linked = spot.rel != asked.rel;
        Ok(Self { dir, shown: path.clone(), spot, asked: asked.root, linked })
    }

    /// Opens a directory that another one holds. A link in its place is not followed.
    pub(super) fn inside(jail: &Jail, above: &Directory, name: Name, filter: &PathFilter) -> Outcome<Self> {
        let text = above.names.shown(name);
        let shown = above.shown.child(text)?;
        let asked = jail.roots.locate(&shown)?;
        if !Arc::ptr_eq(&asked.root, &above.asked) {
            // Here another root begins, with a handle of its own.
            filter.check(&asked.path(), Access::Read)?;
            let dir = jail.open(&asked, LISTING)?;
            return Ok(Self { dir, shown, asked: Arc::clone(&asked.root), spot: asked, linked: false });
        }
        let spot = above.spot_of(text)?;
        if above.linked && jail.roots.innermost(&spot.root, &spot.rel).is_some() {
            return Err(escape("a link on the way leads into another root").into());
        }
        filter.check(&spot.path(), Access::Read)?;
        if spot.rel.as_str().len() > MAX_PATH_BYTES {
            return Err(Errno::NAMETOOLONG.into());
        }
        let hand = above.hand(jail)?;
        let dir = jail.beneath.open_dir_name(hand.as_fd(), above.names.for_system(name), LISTING, false)?;
        Ok(Self { dir, shown, spot, asked: asked.root, linked: above.linked })
    }

    /// Reads what it holds, but for what rules hide.
    pub(super) fn read(
        self,
        jail: &Jail,
        filter: &PathFilter,
        holding: &Holding,
        stop: &Stop,
    ) -> Outcome<Directory> {
        let mut names = Names::read(self.dir.as_fd(), stop)?;
        if !filter.is_empty() {
            names.retain(|name| {
                let (shown, rel) = (self.shown.child(name), self.spot.rel.child(name));
                let (Ok(shown), Ok(rel)) = (shown, rel) else { return false };
                jail.shows(filter, &shown, &Spot { root: Arc::clone(&self.spot.root), rel })
            });
        }
        let Self { dir, shown, spot, asked, linked } = self;
        Ok(Directory { shown, spot, asked, linked, held: holding.hold(dir), names })
    }
}

impl Directory {
    /// A handle to reach what it holds.
    pub(super) fn hand(&self, jail: &Jail) -> Result<Hand<'_>, Errno> {
        match &self.held {
            Some(held) => Ok(Hand::Held(held.dir.as_fd())),
            None => jail.beneath.open(self.spot.root.fd(), &self.spot.rel, DIRECTORY).map(Hand::Opened),
        }
    }

    /// Where an entry really is.
    pub(super) fn spot_of(&self, name: &str) -> Outcome<Spot> {
        Ok(Spot { root: Arc::clone(&self.spot.root), rel: self.spot.rel.child(name)? })
    }
}
