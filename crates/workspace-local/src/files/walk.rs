//! A whole tree, told as it is found.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::vec;

use rustix::io::Errno;
use workspace_core::{Entry, Feed, FileKind, MAX_PATH_BYTES, Result, WalkOptions, WorkspacePath};

use super::descent::Descent;
use super::entries::{Found, Which, entries};
use crate::beneath::LISTING;
use crate::blocking::{OffThread, off_thread};
use crate::error::{Fault, Outcome};
use crate::jail::Ask;
use crate::local::Inner;
use crate::roots::Spot;

/// How many entries are found in one hop. While they are consumed the next ones
/// are found; no more than that is done in advance.
const BATCH: usize = 512;

pub(super) fn walk(files: Arc<Inner>, path: &WorkspacePath, options: WalkOptions) -> Outcome<Feed<Entry>> {
    if options.max_depth == Some(0) {
        return Ok(Feed::empty());
    }
    let (first, rest) = Walk::begin(files, path, options)?.batch();
    let mut told = Told { found: first.into_iter(), running: rest.map(go_on) };
    Ok(Feed::from_poll_fn(move |cx| told.poll(cx)))
}

/// Entries, and the walk where it is not over.
type Batch = (Vec<Result<Entry>>, Option<Walk>);

fn go_on(walk: Walk) -> OffThread<Batch> {
    off_thread(move || walk.batch())
}

/// What has been found, and the walk that goes on. Dropping it ends the walk with its present batch.
struct Told {
    found: vec::IntoIter<Result<Entry>>,
    running: Option<OffThread<Batch>>,
}

impl Told {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Entry>>> {
        loop {
            if let Some(entry) = self.found.next() {
                return Poll::Ready(Some(entry));
            }
            let Some(running) = &mut self.running else { return Poll::Ready(None) };
            let (found, rest) = match ready!(Pin::new(running).poll(cx)) {
                Ok(batch) => batch,
                Err(error) => return Poll::Ready(Some(Err(error.during("walk")))),
            };
            self.found = found.into_iter();
            self.running = rest.map(go_on);
        }
    }
}

/// A walk between two entries.
struct Walk {
    files: Arc<Inner>,
    options: WalkOptions,
    descent: Descent,
    /// The directories that the descent has passed through and reached.
    levels: Vec<Level>,
}

struct Level {
    /// The directory as it is shown.
    shown: WorkspacePath,
    /// The directory as it really is, for the rules.
    spot: Spot,
    left: vec::IntoIter<Found>,
}

impl Walk {
    fn begin(files: Arc<Inner>, path: &WorkspacePath, options: WalkOptions) -> Outcome<Self> {
        let jail = &files.jail;
        let (dir, spot) = jail
            .settle(Ask::read(path, &options.filter), |spot| Ok((jail.open(spot, LISTING)?, spot.clone())))?;
        let left = entries(&dir, Which::Visible)?.into_iter();
        let descent = Descent::new(dir, jail.beneath);
        let levels = vec![Level { shown: path.clone(), spot, left }];
        Ok(Self { files, options, descent, levels })
    }

    fn batch(mut self) -> Batch {
        let mut found = Vec::new();
        while found.len() < BATCH {
            match self.next() {
                Some(entry) => found.push(entry),
                None => return (found, None),
            }
        }
        (found, Some(self))
    }

    fn next(&mut self) -> Option<Result<Entry>> {
        loop {
            let level = self.levels.last_mut()?;
            let Some(found) = level.left.next() else {
                let left = self.levels.pop()?;
                if let Err(errno) = self.descent.leave() {
                    // Without the directory above there is nothing to go on from.
                    self.levels.clear();
                    return Some(Err(Fault::from(errno).tell("walk", &left.shown)));
                }
                continue;
            };
            match self.tell(&found) {
                Ok(None) => {}
                Ok(Some(entry)) => return Some(Ok(entry)),
                Err(fault) => return Some(Err(fault)),
            }
        }
    }

    /// The entry, unless rules hide it. A directory is entered before it is told.
    fn tell(&mut self, found: &Found) -> Result<Option<Entry>> {
        let Some(level) = self.levels.last() else { return Ok(None) };
        let shown = level.shown.child(&found.shown)?;
        let is_entered = found.kind == FileKind::Dir
            && found.is_utf8()
            && self.options.max_depth.is_none_or(|depth| self.levels.len() < depth);
        let mut entry = Entry::new(shown, found.kind).with_non_utf8(!found.is_utf8());
        if !is_entered && self.options.filter.is_empty() {
            return Ok(Some(entry));
        }
        let spot = Spot { root: Arc::clone(&level.spot.root), rel: level.spot.rel.child(&found.shown)? };
        if !self.files.jail.shows(&self.options.filter, &entry.path, &spot) {
            return Ok(None);
        }
        if is_entered {
            entry.unreadable = self.enter(found, entry.path.clone(), spot).is_err();
        }
        Ok(Some(entry))
    }

    fn enter(&mut self, found: &Found, shown: WorkspacePath, spot: Spot) -> Result<(), Errno> {
        if shown.as_str().len() > MAX_PATH_BYTES {
            return Err(Errno::NAMETOOLONG);
        }
        self.descent.enter(&found.name)?;
        match entries(self.descent.here(), Which::Visible) {
            Ok(found) => {
                self.levels.push(Level { shown, spot, left: found.into_iter() });
                Ok(())
            }
            Err(errno) => {
                self.descent.leave()?;
                Err(errno)
            }
        }
    }
}
