//! From a path to a handle: the only way in which an operation reaches a file.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::OFlags;
use rustix::io::Errno;
use workspace_core::{Access, Error, ErrorKind, PathFilter, WorkspacePath};

use crate::beneath::Beneath;
use crate::config::LinkPolicy;
use crate::error::{Fault, Outcome, escape};
use crate::resolve::{Last, resolve};
use crate::roots::{Roots, Spot};

/// How often a path is resolved anew when the tree changes under it.
const ATTEMPTS: usize = 16;

/// The roots, and how paths are walked in them.
#[derive(Debug)]
pub(crate) struct Jail {
    pub(crate) roots: Roots,
    pub(crate) beneath: Beneath,
    pub(crate) links: LinkPolicy,
}

/// A path that someone asks for, and the rules that it must pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) path: &'a WorkspacePath,
    pub(crate) last: Last,
    pub(crate) access: Access,
    pub(crate) filter: &'a PathFilter,
}

impl<'a> Ask<'a> {
    /// To look at what stands there, links followed.
    pub(crate) fn read(path: &'a WorkspacePath, filter: &'a PathFilter) -> Self {
        Self { path, last: Last::Follow, access: Access::Read, filter }
    }

    /// To change what stands there, links followed.
    pub(crate) fn write(path: &'a WorkspacePath, filter: &'a PathFilter) -> Self {
        Self { path, last: Last::Follow, access: Access::Write, filter }
    }

    /// A link at the end is itself meant.
    pub(crate) fn keep_last(self) -> Self {
        Self { last: Last::Keep, ..self }
    }
}

impl Jail {
    /// Lets `act` do its work at the place that a path means.
    ///
    /// `act` gets a spot that has passed the rules and must open it without
    /// following any link. Where it meets one it gives [`Errno::LOOP`] and is
    /// asked again with the links followed. So the first try, for the many paths
    /// without links, costs nothing, and what was judged is what is opened,
    /// whatever happens to the tree in between.
    pub(crate) fn settle<T>(&self, ask: Ask<'_>, mut act: impl FnMut(&Spot) -> Outcome<T>) -> Outcome<T> {
        let start = self.roots.locate(ask.path)?;
        if ask.access == Access::Write && !start.root.writable {
            return Err(read_only().into());
        }
        if ask.filter.check(&start.path(), ask.access).is_ok() {
            match act(&start) {
                Err(Fault::Os(Errno::LOOP | Errno::AGAIN)) => {}
                done => return done,
            }
        }
        for _ in 0..ATTEMPTS {
            let spot = match self.follow(&start, ask.last, ask.access) {
                Err(Fault::Os(Errno::AGAIN)) => continue,
                spot => spot?,
            };
            ask.filter.check(&spot.path(), ask.access)?;
            match act(&spot) {
                Err(Fault::Os(Errno::LOOP | Errno::AGAIN)) => {}
                done => return done,
            }
        }
        // It is this path, not the backend: a search that meets it goes on and counts it.
        Err(Error::new(ErrorKind::Io, "the links on the path keep changing")
            .hint("try again when nothing else works on these directories")
            .into())
    }

    /// The spot with its links followed.
    pub(crate) fn follow(&self, start: &Spot, last: Last, access: Access) -> Outcome<Spot> {
        let resolution = resolve(&self.roots, start, last, self.beneath, self.links)?;
        match (resolution.dangling, access) {
            (false, _) => Ok(Spot { root: Arc::clone(&start.root), rel: resolution.rel }),
            (true, Access::Read) => {
                Err(Error::new(ErrorKind::NotFound, "a link on the way points to nothing")
                    .hint("the link is there; what it names is not")
                    .into())
            }
            (true, _) => {
                Err(escape("a link on the way points to nothing, and nothing is created through it").into())
            }
        }
    }

    /// Opens what stands at a spot that has been judged. [`Errno::LOOP`] means a link.
    pub(crate) fn open(&self, spot: &Spot, flags: OFlags) -> Outcome<OwnedFd> {
        Ok(self.beneath.open(spot.root.fd(), &spot.rel, flags)?)
    }
}

fn read_only() -> Error {
    Error::new(ErrorKind::ReadOnly, "this root is read-only, nothing has changed")
        .hint("write in the workspace itself, or ask its owner to make this root writable")
}
