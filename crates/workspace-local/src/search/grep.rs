//! Lines by content.

use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, SeekFrom};
use rustix::io::Errno;
use workspace_core::{
    Access, Error, ErrorKind, FileKind, GrepAnswer, GrepMode, GrepQuery, MAX_PATH_BYTES, Result, SearchTally,
    StatOptions, WorkspacePath,
};
use workspace_search::{
    Course, Failure, FileFound, FileSearch, FileText, Goal, GrepFound, LineMatcher, Sought,
};

use super::batch::{Met, Seek};
use super::content::{Filled, fill};
use super::stop::Stop;
use super::sweep::{Swept, sweep};
use super::walk::Walk;
use crate::attributes::{self, Raw};
use crate::beneath::{READING, open_name};
use crate::error::Outcome;
use crate::files::{must_be_file, stat};
use crate::jail::Ask;
use crate::local::Inner;

/// Memory for content that is kept from file to file, in bytes at most.
const KEPT: usize = 1 << 20;
/// Files over this size in bytes are swept for a first line that matches before they are
/// read as a whole: most have none, and memory that is new for each file costs more than the look.
const SWEPT: u64 = 512 << 10;

pub(super) fn grep(inner: &Inner, query: &GrepQuery, stop: &Stop) -> Result<GrepAnswer> {
    let sought = Sought::to_read(query, &inner.rules).map_err(|error| error.during("grep"))?;
    let matcher = LineMatcher::of(query).map_err(|error| error.during("grep"))?;
    let mut found = GrepFound::new(query).map_err(|error| error.during("grep"))?;
    let seek =
        Lines { inner, query, stop, matcher: Mutex::new(matcher), room: AtomicUsize::new(found.room()) };
    let base = &query.scope.base;
    let tally = match base_kind(inner, query)? {
        FileKind::Dir => seek.below(sought, &mut found)?,
        FileKind::File => seek.alone(base, sought, &mut found)?,
        _ => {
            return Err(Error::new(ErrorKind::NotAFile, "it is neither a regular file nor a directory")
                .during("grep")
                .at(base)
                .hint("name a file or a directory"));
        }
    };
    Ok(found.into_answer(tally))
}

fn base_kind(inner: &Inner, query: &GrepQuery) -> Result<FileKind> {
    let base = &query.scope.base;
    if base.is_root() {
        return Ok(FileKind::Dir);
    }
    let options = StatOptions::default().with_filter(query.filter.clone());
    Ok(stat(inner, base, &options).map_err(|fault| fault.tell("stat", base))?.kind)
}

/// What a file gives to a grep.
enum Searched {
    /// Its lines were searched; whether to the end.
    Text(FileFound, bool),
    Binary,
    TooLarge,
    Failed(Failure),
    Lost(Error),
    /// The search ended before the file was read.
    Stopped,
}

struct Lines<'q> {
    inner: &'q Inner,
    query: &'q GrepQuery,
    stop: &'q Stop,
    /// Which each thread takes a copy of.
    matcher: Mutex<LineMatcher>,
    /// How many more results the answer takes, or more where the other thread has just added some.
    room: AtomicUsize,
}

/// What a thread has at hand: a matcher of its own, and memory for content.
struct Hands {
    matcher: LineMatcher,
    bytes: Vec<u8>,
    /// For the parts of large files.
    part: Vec<u8>,
}

impl Lines<'_> {
    /// Searches a file that is named, ignored or not.
    fn alone(&self, base: &WorkspacePath, sought: Sought, found: &mut GrepFound<'_>) -> Result<SearchTally> {
        if let Some(refusal) = sought.refusal {
            return Err(refusal.during("grep"));
        }
        let mut course = Course::new(None, &self.query.progress);
        self.stop.must_be_wanted()?;
        if self.stop.is_over() {
            course.tally.time_limit = true;
            return Ok(course.tally);
        }
        let jail = &self.inner.jail;
        let opened = jail
            .settle(Ask::read(base, &self.query.filter), |spot| jail.open(spot, READING))
            .and_then(|file| self.look(file));
        let (file, raw) = opened.map_err(|fault| fault.tell("read", base))?;
        let searched = match self.search(&mut self.hands(), file.as_fd(), &raw, base) {
            Ok(searched) => searched,
            Err(fault) => return Err(fault.tell("read", base)),
        };
        // One file is all there is to tell.
        let _ = self.take(searched, found, &mut course)?;
        Ok(course.tally)
    }

    /// Searches the files below a directory.
    fn below(&self, sought: Sought, found: &mut GrepFound<'_>) -> Result<SearchTally> {
        let Sought { pattern, mut refusal, .. } = sought;
        let query = self.query;
        let mut course = Course::new(query.limits.max_files, &query.progress);
        let walk = Walk::new(self.inner, &query.scope, &query.filter, &pattern, self, self.stop);
        walk.run(&mut course, |searched, course| {
            // The glob is some file's path, so it need not be a pattern.
            refusal = None;
            self.take(searched, found, course)
        })?;
        match refusal {
            Some(refusal) => Err(refusal.during("grep")),
            None => Ok(course.tally),
        }
    }

    /// Adds what a file gave to the answer, in the order of the answer.
    fn take(
        &self,
        searched: Searched,
        found: &mut GrepFound<'_>,
        course: &mut Course,
    ) -> Result<ControlFlow<()>> {
        let tally = &mut course.tally;
        match searched {
            Searched::Text(file, whole) => {
                tally.files += 1;
                // The count of half a file would be taken for the file's.
                tally.skipped.long_lines += if whole || self.query.mode != GrepMode::Count {
                    found.add(file)
                } else {
                    file.long_lines()
                };
                self.room.store(found.room(), Ordering::Relaxed);
                if !whole {
                    self.stop.must_be_wanted()?;
                    tally.time_limit = true;
                }
                if !whole || found.is_truncated() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Searched::Binary => tally.skipped.binary += 1,
            Searched::TooLarge => tally.skipped.too_large += 1,
            Searched::Failed(Failure::Unreadable) => tally.skipped.unreadable += 1,
            Searched::Failed(Failure::Absent) => {}
            Searched::Lost(error) => return Err(error),
            Searched::Stopped => {
                self.stop.must_be_wanted()?;
                tally.time_limit = true;
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Opens a file by its name in the directory that holds it. A link in its place is not followed.
    fn open(&self, met: &Met<'_>) -> Outcome<(OwnedFd, Raw)> {
        let directory = met.directory;
        let text = directory.names.shown(met.name);
        if !self.query.filter.is_empty() {
            self.query.filter.check(&directory.spot_of(text)?.path(), Access::Read)?;
        }
        if directory.spot.rel.as_str().len() + 1 + text.len() > MAX_PATH_BYTES {
            return Err(Errno::NAMETOOLONG.into());
        }
        self.look(open_name(met.hand?.as_fd(), directory.names.for_system(met.name), READING)?)
    }

    /// Looks at what was opened: it may be something else than was listed.
    fn look(&self, file: OwnedFd) -> Outcome<(OwnedFd, Raw)> {
        let raw = rustix::fs::fstat(&file)?;
        must_be_file(&raw)?;
        self.inner.hard_links.must_allow(&raw)?;
        Ok((file, raw))
    }

    fn is_over(&self, raw: &Raw) -> bool {
        self.query.file_limit().is_some_and(|limit| attributes::size(raw) > limit)
    }

    /// Reads and searches a file that has been opened.
    fn search(
        &self,
        hands: &mut Hands,
        file: BorrowedFd<'_>,
        raw: &Raw,
        path: &WorkspacePath,
    ) -> Outcome<Searched> {
        if self.is_over(raw) {
            return Ok(Searched::TooLarge);
        }
        if attributes::size(raw) > SWEPT && !self.query.multiline && !self.query.skip_long_lines {
            let Hands { matcher, part, .. } = hands;
            match sweep(file, attributes::size(raw), self.query.file_limit(), part, matcher, self.stop)? {
                Swept::Found => {
                    rustix::fs::seek(file, SeekFrom::Start(0))?;
                }
                Swept::Nothing => {
                    let nothing = FileSearch::new(FileText::from_part(Vec::new(), true), self.goal());
                    let found = FileFound::new(path, &nothing, &hands.matcher, self.query, 0);
                    return Ok(Searched::Text(found, true));
                }
                Swept::Binary => return Ok(Searched::Binary),
                Swept::TooLarge => return Ok(Searched::TooLarge),
                Swept::Stopped => return Ok(Searched::Stopped),
                Swept::Lost(error) => return Ok(Searched::Lost(error)),
            }
        }
        let mut bytes = std::mem::take(&mut hands.bytes);
        let filled = fill(file, attributes::size(raw), self.query.file_limit(), &mut bytes, self.stop)?;
        let searched = match filled {
            Filled::Whole => match FileText::from_bytes(bytes) {
                Some(text) => return Ok(self.search_text(hands, text, path)),
                None => return Ok(Searched::Binary),
            },
            Filled::Binary => Searched::Binary,
            Filled::TooLarge => Searched::TooLarge,
            Filled::Stopped => Searched::Stopped,
        };
        hands.keep(bytes);
        Ok(searched)
    }

    fn goal(&self) -> Goal {
        Goal::new(self.query, self.room.load(Ordering::Relaxed))
    }

    fn search_text(&self, hands: &mut Hands, text: FileText, path: &WorkspacePath) -> Searched {
        let room = self.room.load(Ordering::Relaxed);
        let mut search = FileSearch::new(text, Goal::new(self.query, room));
        let mut whole = true;
        loop {
            match search.step(&mut hands.matcher) {
                Ok(true) if self.stop.is_over() => {
                    whole = false;
                    break;
                }
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Searched::Lost(error),
            }
        }
        let found = FileFound::new(path, &search, &hands.matcher, self.query, room);
        hands.keep(search.into_text().into_bytes());
        Searched::Text(found, whole)
    }

    /// What a file that could not be opened is to the search.
    fn failed(&self, met: &Met<'_>, error: Error) -> Searched {
        // One that is too large is so first of all, whether or not it may be read.
        if self.query.file_limit().is_some()
            && let Ok(hand) = met.hand
            && let Ok(raw) =
                rustix::fs::statat(hand, met.directory.names.for_system(met.name), AtFlags::SYMLINK_NOFOLLOW)
            && attributes::kind(&raw) == FileKind::File
            && self.is_over(&raw)
        {
            return Searched::TooLarge;
        }
        match Failure::of(error) {
            Ok(failure) => Searched::Failed(failure),
            Err(error) => Searched::Lost(error),
        }
    }
}

impl Seek for Lines<'_> {
    type Hands = Hands;
    type Found = Searched;

    const LINKS: bool = false;
    const BATCH: usize = 16;

    fn hands(&self) -> Hands {
        let matcher = self.matcher.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Hands { matcher, bytes: Vec::new(), part: Vec::new() }
    }

    fn find(&self, hands: &mut Hands, met: &Met<'_>) -> Searched {
        let path = match met.path() {
            Ok(path) => path,
            Err(error) => return Searched::Lost(error),
        };
        let searched = self.open(met).and_then(|(file, raw)| self.search(hands, file.as_fd(), &raw, &path));
        searched.unwrap_or_else(|fault| self.failed(met, fault.tell("read", &path)))
    }

    fn weight(searched: &Searched) -> usize {
        match searched {
            // A line in the answer takes about as much as four names.
            Searched::Text(found, _) => 1 + 4 * found.results(),
            _ => 1,
        }
    }
}

impl Hands {
    /// Keeps memory for the next file, unless it is much.
    fn keep(&mut self, bytes: Vec<u8>) {
        if bytes.capacity() <= KEPT {
            self.bytes = bytes;
        }
    }
}
