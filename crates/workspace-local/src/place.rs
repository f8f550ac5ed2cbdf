//! A name in an opened directory: where files are looked at, made, moved and removed.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;
use workspace_core::{Access, FileKind, PathFilter, WorkspacePath};

use crate::attributes::{self, Raw};
use crate::beneath::{DIRECTORY, open_name};
use crate::error::Outcome;
use crate::jail::{Ask, Jail};
use crate::resolve::Last;
use crate::roots::Spot;

/// What a path means, held fast: whatever becomes of the directories above,
/// the name is looked up in the directory that was judged.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) spot: Spot,
    /// The directory that holds it.
    pub(crate) dir: OwnedFd,
    /// Its name there; `.` for a root.
    pub(crate) name: String,
    /// What stood there when it was looked at.
    pub(crate) raw: Option<Raw>,
}

impl Place {
    pub(crate) fn kind(&self) -> Option<FileKind> {
        self.raw.as_ref().map(attributes::kind)
    }
}

impl Jail {
    /// The place that a path means. Its directory exists; the name need not.
    pub(crate) fn place(&self, ask: Ask<'_>) -> Outcome<Place> {
        self.settle(ask, |spot| self.look(spot, ask.last))
    }

    /// Looks at a spot that has been judged, without following a link.
    pub(crate) fn look(&self, spot: &Spot, last: Last) -> Outcome<Place> {
        let parent = spot.rel.parent().unwrap_or_default();
        let dir = self.beneath.open(spot.root.fd(), &parent, DIRECTORY)?;
        let name = spot.rel.name().unwrap_or(".").to_owned();
        let raw = look_at(&dir, &name)?;
        if last == Last::Follow && raw.as_ref().map(attributes::kind) == Some(FileKind::Link) {
            return Err(Errno::LOOP.into());
        }
        Ok(Place { spot: spot.clone(), dir, name, raw })
    }

    /// Makes a directory and those above it that are missing, once all of them have passed the rules.
    ///
    /// Gives the directory and whether it is new. [`Errno::LOOP`] means that a link stands on the way.
    pub(crate) fn make_dirs(&self, spot: &Spot, filter: &PathFilter) -> Outcome<(OwnedFd, bool)> {
        let mut here = self.beneath.open(spot.root.fd(), &WorkspacePath::root(), DIRECTORY)?;
        let mut path = spot.root.base.clone();
        let mut missing = spot.rel.components().peekable();
        while let Some(name) = missing.peek() {
            match open_name(here.as_fd(), *name, DIRECTORY) {
                Ok(dir) => here = dir,
                Err(Errno::NOENT) => break,
                Err(errno) => return Err(errno.into()),
            }
            path = path.child(name)?;
            missing.next();
        }
        for name in missing.clone() {
            path = path.child(name)?;
            filter.check(&path, Access::Write)?;
        }
        let is_new = missing.peek().is_some();
        for name in missing {
            // Someone else may have been faster: that is as good.
            match rustix::fs::mkdirat(&here, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
            here = open_name(here.as_fd(), name, DIRECTORY)?;
        }
        Ok((here, is_new))
    }
}

/// What stands at a name in a directory. A link is not followed.
pub(crate) fn look_at(dir: impl AsFd, name: &str) -> Result<Option<Raw>, Errno> {
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(raw) => Ok(Some(raw)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}
