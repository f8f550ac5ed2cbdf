//! Removing a name, and all that lies below it.

use std::ffi::CString;
use std::os::fd::{AsFd, OwnedFd};
use std::vec;

use rustix::fs::AtFlags;
use rustix::io::Errno;
use workspace_core::{Access, Error, ErrorKind, FileKind, PathFilter, RemoveOptions, WorkspacePath};

use super::descent::Descent;
use super::entries::{Found, Which, entries};
use super::leftovers::sweep;
use crate::beneath::{LISTING, open_name};
use crate::error::{Fault, Outcome};
use crate::jail::Ask;
use crate::local::Inner;
use crate::place::Place;

pub(super) fn remove(inner: &Inner, path: &WorkspacePath, options: &RemoveOptions) -> Outcome<()> {
    let place = inner.jail.place(Ask::write(path, &options.filter).keep_last())?;
    if place.spot.holds_a_root() {
        return Err(stays("a root of the workspace stays where it is"));
    }
    match place.kind().ok_or(Errno::NOENT)? {
        FileKind::Dir if options.recursive => remove_tree(inner, &place, &options.filter),
        FileKind::Dir => remove_empty(&place),
        _ => Ok(rustix::fs::unlinkat(&place.dir, &place.name, AtFlags::empty())?),
    }
}

/// The refusal to move or remove a root.
pub(super) fn stays(message: &'static str) -> Fault {
    Error::new(ErrorKind::InvalidInput, message).hint("name an entry inside the workspace").into()
}

fn remove_empty(place: &Place) -> Outcome<()> {
    match rustix::fs::unlinkat(&place.dir, &place.name, AtFlags::REMOVEDIR) {
        Err(Errno::NOTEMPTY | Errno::EXIST) => {}
        done => return Ok(done?),
    }
    // What keeps it may be what a killed write has left, which no one can see.
    let opened = open_name(place.dir.as_fd(), place.name.as_str(), LISTING)?;
    sweep(opened.as_fd());
    match rustix::fs::unlinkat(&place.dir, &place.name, AtFlags::REMOVEDIR) {
        Err(Errno::EXIST) => Err(Errno::NOTEMPTY.into()),
        done => Ok(done?),
    }
}

fn remove_tree(inner: &Inner, place: &Place, filter: &PathFilter) -> Outcome<()> {
    let open = || open_name(place.dir.as_fd(), place.name.as_str(), LISTING);
    let path = place.spot.path();
    if !filter.is_empty() {
        judge_below(inner, open()?, &path, |path| Ok(filter.check(path, Access::Write)?))?;
    }
    empty(inner, open()?, path, filter)?;
    Ok(rustix::fs::unlinkat(&place.dir, &place.name, AtFlags::REMOVEDIR)?)
}

/// Asks about everything below a directory, hidden names too.
pub(super) fn judge_below(
    inner: &Inner,
    dir: OwnedFd,
    path: &WorkspacePath,
    judge: impl Fn(&WorkspacePath) -> Outcome<()>,
) -> Outcome<()> {
    let mut levels = vec![Level::read(&dir, path.clone(), CString::default())?];
    let mut descent = Descent::new(dir, inner.jail.beneath);
    while let Some(level) = levels.last_mut() {
        let Some(found) = level.left.next() else {
            levels.pop();
            descent.leave()?;
            continue;
        };
        let path = level.path.child(&found.shown)?;
        judge(&path)?;
        if found.kind == FileKind::Dir {
            descent.enter(&found.name)?;
            levels.push(Level::read(descent.here(), path, found.name)?);
        }
    }
    Ok(())
}

/// Removes everything below a directory. Each name is judged once more right
/// before it goes, since the tree may have grown.
fn empty(inner: &Inner, dir: OwnedFd, path: WorkspacePath, filter: &PathFilter) -> Outcome<()> {
    let mut levels = vec![Level::read(&dir, path, CString::default())?];
    let mut descent = Descent::new(dir, inner.jail.beneath);
    while let Some(level) = levels.last_mut() {
        let Some(found) = level.left.next() else {
            let emptied = levels.pop().map(|level| level.name).unwrap_or_default();
            if levels.is_empty() {
                break;
            }
            descent.leave()?;
            gone(rustix::fs::unlinkat(descent.here(), &emptied, AtFlags::REMOVEDIR))?;
            continue;
        };
        let path = level.path.child(&found.shown)?;
        filter.check(&path, Access::Write)?;
        let entered = match found.kind {
            FileKind::Dir => descent.enter_same_device(&found.name),
            // Not a directory, so there is nothing to enter.
            _ => Err(Errno::NOTDIR),
        };
        match entered {
            Ok(()) => levels.push(Level::read(descent.here(), path, found.name)?),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                gone(rustix::fs::unlinkat(descent.here(), &found.name, AtFlags::empty()))?;
            }
            Err(Errno::NOENT) => {}
            Err(Errno::XDEV) => return Err(mounted()),
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// A directory on the way down, with what is left of it.
struct Level {
    path: WorkspacePath,
    name: CString,
    left: vec::IntoIter<Found>,
}

impl Level {
    fn read(dir: impl AsFd, path: WorkspacePath, name: CString) -> Outcome<Self> {
        Ok(Self { path, name, left: entries(dir, Which::All)?.into_iter() })
    }
}

/// That someone else was faster is no failure.
fn gone(removed: Result<(), Errno>) -> Result<(), Errno> {
    match removed {
        Err(Errno::NOENT) => Ok(()),
        removed => removed,
    }
}

fn mounted() -> Fault {
    Error::new(ErrorKind::Unsupported, "another file system is mounted below it, and what that holds stays")
        .hint("remove what lies beside the mount, entry by entry")
        .into()
}
