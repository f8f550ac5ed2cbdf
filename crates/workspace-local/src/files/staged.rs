//! One write: a temporary file, filled, made safe, and moved over the target.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use workspace_core::{
    Durability, Error, ErrorKind, FileKind, WorkspacePath, WriteMode, WriteOptions, Written,
};

use super::precondition::{self, conflict};
use super::read::must_be_file;
use super::temporary::Temporary;
use super::{in_place, keep};
use crate::attributes::{self, Identity, Raw};
use crate::error::{Fault, Outcome};
use crate::jail::Ask;
use crate::local::Inner;
use crate::place::look_at;
use crate::resolve::Last;
use crate::roots::{Root, Spot};

/// How often the end of a write is tried when others write to the same name.
const ATTEMPTS: usize = 8;

/// A write whose bytes come in.
pub(super) struct Staged {
    /// The root that the target is in.
    root: Arc<Root>,
    dir: Arc<OwnedFd>,
    name: String,
    /// What stood there at the beginning.
    seen: Option<Raw>,
    temporary: Temporary,
    options: WriteOptions,
}

impl Staged {
    /// Finds the place, judges what stands there, and makes the temporary file.
    pub(super) fn begin(files: &Inner, path: &WorkspacePath, options: WriteOptions) -> Outcome<Self> {
        let jail = &files.jail;
        let (root, place) = jail.settle(Ask::write(path, &options.filter), |spot| {
            let place = match jail.look(spot, Last::Follow) {
                Err(Fault::Os(Errno::NOENT)) if options.create_parents => {
                    // Where the write cannot be, no directory is made for it.
                    precondition::check_missing(&options.if_match)?;
                    let parent =
                        Spot { root: Arc::clone(&spot.root), rel: spot.rel.parent().unwrap_or_default() };
                    jail.make_dirs(&parent, &options.filter)?;
                    jail.look(spot, Last::Follow)
                }
                place => place,
            }?;
            Ok((Arc::clone(&spot.root), place))
        })?;
        let (dir, name, seen) = (Arc::new(place.dir), place.name, place.raw);
        check_target(files, (dir.as_fd(), &name, seen.as_ref()), &options)?;
        files.swept.once(dir.as_fd(), Identity::of(&rustix::fs::fstat(&dir)?));

        // Whoever may not read the old file must not read the new one in the making.
        let is_plain = seen.is_none() && options.mode == WriteMode::Keep;
        let mode = Mode::from_raw_mode(if is_plain { 0o666 } else { 0o600 });
        let temporary = match (Temporary::make(&dir, &name, mode, files.unnamed), &seen) {
            (Err(Errno::ACCESS | Errno::PERM | Errno::ROFS), Some(seen)) => {
                // Better to learn now that it cannot be rewritten either.
                in_place::open(dir.as_fd(), &name, seen, &options)?;
                Temporary::scratch()?
            }
            (temporary, _) => temporary?,
        };
        Ok(Self { root, dir, name, seen, temporary, options })
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        self.temporary.append(bytes)
    }

    /// Puts the content in place.
    pub(super) fn commit(mut self, files: &Inner) -> Outcome<Written> {
        if self.temporary.is_scratch() {
            synchronise(self.temporary.file(), self.options.durability)?;
            let _turn = files.turns.take(&self.dir, &self.name)?;
            let now = self.look_again(files)?.ok_or(Errno::NOENT)?;
            return self.rewrite(&now);
        }
        self.keep_attributes()?;
        synchronise(self.temporary.file(), self.options.durability)?;

        // Opened beforehand: once the file is in place it is too late to fail.
        let listing = match self.options.durability {
            Durability::Full => {
                Some(rustix::fs::openat(&self.dir, ".", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
            }
            _ => None,
        };
        let _turn = files.turns.take(&self.dir, &self.name)?;
        for _ in 0..ATTEMPTS {
            let now = self.look_again(files)?;
            if let Some(now) = now
                && self.seen.is_none_or(|seen| !same_attributes(&seen, &now))
            {
                self.seen = Some(now);
                self.keep_attributes()?;
            }
            let moved = match now {
                Some(_) => self.temporary.replace(&self.root, &self.dir, &self.name),
                None => self.temporary.occupy(&self.dir, &self.name),
            };
            match (moved, now) {
                (Ok(()), _) => return self.finish(listing, now.is_none()),
                // Someone was faster, and has a say by the precondition.
                (Err(Errno::EXIST), None) => {}
                (Err(Errno::BUSY | Errno::PERM | Errno::ACCESS), Some(now)) => return self.rewrite(&now),
                (Err(errno), _) => return Err(errno.into()),
            }
        }
        Err(conflict("others keep changing the file"))
    }

    fn finish(self, listing: Option<OwnedFd>, is_new: bool) -> Outcome<Written> {
        if let Some(dir) = listing {
            rustix::fs::fsync(&dir)?;
        }
        let raw = rustix::fs::fstat(self.temporary.file())?;
        Ok(Written::new(is_new, attributes::stat(&raw)))
    }

    /// The way for names that cannot be given to another file.
    fn rewrite(self, now: &Raw) -> Outcome<Written> {
        let file = in_place::open(self.dir.as_fd(), &self.name, now, &self.options)?;
        in_place::rewrite(file.as_fd(), self.temporary.file(), &self.options)?;
        if let WriteMode::Set(_) = self.options.mode {
            keep::keep(file.as_fd(), (self.dir.as_fd(), &self.name, None), self.options.mode)?;
        }
        let raw = rustix::fs::fstat(&file)?;
        Ok(Written::new(false, attributes::stat(&raw)).with_atomic(false))
    }

    /// What stands there now, if it may still be replaced.
    fn look_again(&self, files: &Inner) -> Outcome<Option<Raw>> {
        let now = look_at(&self.dir, &self.name)?;
        if now.as_ref().map(attributes::kind) == Some(FileKind::Link) {
            return Err(conflict("a link has taken its place"));
        }
        check_target(files, (self.dir.as_fd(), &self.name, now.as_ref()), &self.options)?;
        Ok(now)
    }

    fn keep_attributes(&self) -> Result<(), Errno> {
        let old = (self.dir.as_fd(), self.name.as_str(), self.seen.as_ref());
        keep::keep(self.temporary.file(), old, self.options.mode)
    }
}

fn check_target(
    files: &Inner,
    target: (BorrowedFd<'_>, &str, Option<&Raw>),
    options: &WriteOptions,
) -> Outcome<()> {
    if let Some(now) = target.2 {
        must_be_file(now)?;
        if attributes::mode(now) & 0o200 == 0 {
            return Err(Error::new(
                ErrorKind::Permission,
                "the file is read-only: its own owner may not write it",
            )
            .hint("its permissions must be changed first")
            .into());
        }
        files.hard_links.must_allow(now)?;
    }
    precondition::check(&options.if_match, target)
}

fn same_attributes(one: &Raw, other: &Raw) -> bool {
    Identity::of(one) == Identity::of(other)
        && (one.st_mode, one.st_uid, one.st_gid) == (other.st_mode, other.st_uid, other.st_gid)
}

/// Makes the bytes of a file safe from a loss of power, as far as is asked.
pub(super) fn synchronise(file: BorrowedFd<'_>, durability: Durability) -> Result<(), Errno> {
    match durability {
        Durability::None => Ok(()),
        #[cfg(not(target_vendor = "apple"))]
        Durability::Data => rustix::fs::fdatasync(file),
        _ => rustix::fs::fsync(file),
    }
}
