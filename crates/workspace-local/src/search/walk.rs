//! The way through a tree: read by many threads, told by one in the order of paths.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;

use workspace_core::{Error, ErrorKind, PathFilter, Result, SearchScope};
use workspace_search::{Course, Failure, Pattern, Place, Selection, Step};

use super::batch::{Batch, Met, Seek};
use super::board::Board;
use super::directory::{Directory, Holding, Opened};
use super::ignore_files::ignore_files;
use super::level::{Entering, Level, Listed, Reading, Searching};
use super::slot::{Look, Slot};
use super::stop::{Steps, Stop};
use crate::error::Outcome;
use crate::local::Inner;

/// How many jobs must wait before threads are started to help. Most searches are over before.
const WORTH_HELP: usize = 8;

/// A walk through the tree below a base, for the files that a pattern means.
pub(super) struct Walk<'w, S: Seek> {
    inner: &'w Inner,
    scope: &'w SearchScope,
    filter: &'w PathFilter,
    selection: Selection<'w>,
    seek: &'w S,
    stop: &'w Stop,
    board: Board<Job<S::Found>>,
    holding: Holding,
}

/// What a thread can do for the walk.
enum Job<F> {
    Read(Arc<Reading<F>>),
    Search(Arc<Searching<F>>),
}

impl<'w, S: Seek> Walk<'w, S> {
    pub(super) fn new(
        inner: &'w Inner,
        scope: &'w SearchScope,
        filter: &'w PathFilter,
        pattern: &'w Pattern,
        seek: &'w S,
        stop: &'w Stop,
    ) -> Self {
        let selection = Selection::new(pattern, scope);
        let (board, holding) = (Board::new(), Holding::default());
        Self { inner, scope, filter, selection, seek, stop, board, holding }
    }

    /// Walks, and tells each file that is sought in the order of paths, until
    /// `tell` breaks or `course` is at its limit.
    ///
    /// # Errors
    /// Those of the base, and those that say that the file system is lost.
    pub(super) fn run(
        &self,
        course: &mut Course,
        mut tell: impl FnMut(S::Found, &mut Course) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut hands = self.seek.hands();
        let base = match self.base(&mut hands)? {
            Listed::Level(level) => level,
            Listed::Lost(error) => return Err(error),
            Listed::Failed(_) | Listed::Stopped => return self.ended(course),
        };
        thread::scope(|scope| {
            let _closing = Closing(&self.board);
            let mut help_is_here = false;
            let mut steps = Steps::at_once();
            course.tally.skipped.unreadable += base.unreadable;
            let mut levels = vec![base];
            while let Some(level) = levels.last_mut() {
                let Some(step) = level.steps.next() else {
                    if level.cut {
                        return self.ended(course);
                    }
                    levels.pop();
                    continue;
                };
                if steps.is_over(self.stop) {
                    return self.ended(course);
                }
                if !course.count(step) {
                    return Ok(());
                }
                match step {
                    Step::Take => {
                        let Some(found) = self.next_found(level, &mut hands)? else {
                            return self.ended(course);
                        };
                        if tell(found, course)?.is_break() {
                            return Ok(());
                        }
                    }
                    Step::Enter => {
                        if self.stop.is_over() {
                            return self.ended(course);
                        }
                        match self.next_listed(level, &mut hands)? {
                            Listed::Level(level) => {
                                course.tally.skipped.unreadable += level.unreadable;
                                levels.push(level);
                            }
                            Listed::Failed(Failure::Unreadable) => course.tally.skipped.unreadable += 1,
                            Listed::Failed(_) => {}
                            Listed::Lost(error) => return Err(error),
                            Listed::Stopped => return self.ended(course),
                        }
                    }
                    _ => {}
                }
                if !help_is_here && self.board.waiting() >= WORTH_HELP {
                    help_is_here = true;
                    for _ in 0..self.inner.threads.helpers() {
                        // Without help the walk takes longer, and that is all.
                        let _ = thread::Builder::new().spawn_scoped(scope, || self.help());
                    }
                }
            }
            Ok(())
        })
    }

    /// The end of a walk that was stopped.
    fn ended(&self, course: &mut Course) -> Result<()> {
        self.stop.must_be_wanted()?;
        course.tally.time_limit = true;
        Ok(())
    }

    /// The directory at which the walk begins, whatever any rule says of it.
    fn base(&self, hands: &mut S::Hands) -> Result<Listed<S::Found>> {
        let base = &self.scope.base;
        let read = Opened::base(&self.inner.jail, base, self.filter)
            .and_then(|opened| opened.read(&self.inner.jail, self.filter, &self.holding, self.stop));
        let directory = read.map_err(|fault| fault.tell("list", base))?;
        Ok(self.survey(directory, self.selection.start(), hands))
    }

    fn help(&self) {
        let mut hands = self.seek.hands();
        while let Some(job) = self.board.next() {
            self.work(job, &mut hands);
        }
    }

    /// Does a job, unless it has been done.
    fn work(&self, job: Job<S::Found>, hands: &mut S::Hands) {
        match job {
            Job::Read(slot) => {
                if let Some((entering, filling)) = slot.claim() {
                    let listed = self.list(entering, hands);
                    let weight = match &listed {
                        Listed::Level(level) => level.steps.len() + weight::<S>(level.found.as_slice()),
                        _ => 1,
                    };
                    self.board.fill(filling, listed, weight);
                }
            }
            Job::Search(slot) => {
                if let Some((batch, filling)) = slot.claim() {
                    let found = self.search(&batch, hands);
                    let weight = weight::<S>(&found);
                    self.board.fill(filling, found, weight);
                }
            }
        }
    }

    fn next_listed(&self, level: &mut Level<S::Found>, hands: &mut S::Hands) -> Result<Listed<S::Found>> {
        let Some(slot) = level.below.next() else { return Ok(Listed::Stopped) };
        match self.board.next_result(&slot, |job| self.work(job, hands)) {
            Look::Claimed(entering) => Ok(self.list(entering, hands)),
            Look::Done(listed, _) => Ok(listed),
            Look::Running | Look::Gone => Err(broken()),
        }
    }

    /// What the next file gave, or `None` where the search ended before it.
    fn next_found(&self, level: &mut Level<S::Found>, hands: &mut S::Hands) -> Result<Option<S::Found>> {
        if let Some(found) = level.found.next() {
            return Ok(Some(found));
        }
        let Some(slot) = level.batches.next() else { return Ok(None) };
        let found = match self.board.next_result(&slot, |job| self.work(job, hands)) {
            Look::Claimed(batch) => self.search(&batch, hands),
            Look::Done(found, _) => found,
            Look::Running | Look::Gone => return Err(broken()),
        };
        level.found = found.into_iter();
        Ok(level.found.next())
    }

    /// Reads a directory.
    fn list(&self, entering: Entering, hands: &mut S::Hands) -> Listed<S::Found> {
        if self.stop.is_over() {
            return Listed::Stopped;
        }
        let Entering { above, name, place } = entering;
        let jail = &self.inner.jail;
        let read: Outcome<Directory> = Opened::inside(jail, &above, name, self.filter)
            .and_then(|opened| opened.read(jail, self.filter, &self.holding, self.stop));
        match read {
            Ok(directory) => self.survey(directory, place, hands),
            Err(fault) => {
                let path = above.shown.child(above.names.shown(name));
                match path.map(|path| fault.tell("list", &path)).and_then(Failure::of) {
                    Ok(failure) => Listed::Failed(failure),
                    Err(error) => Listed::Lost(error),
                }
            }
        }
    }

    /// Judges what a directory holds, and puts on the board what is to be done with it.
    fn survey(&self, directory: Directory, place: Place, hands: &mut S::Hands) -> Listed<S::Found> {
        let mut unreadable = 0;
        let mut place = place;
        if self.selection.wants_ignore_files() {
            match ignore_files(self.inner, &directory, self.filter) {
                Ok((files, failed)) => {
                    unreadable = failed;
                    place = place.with_files(&directory.shown, &files);
                }
                Err(error) => return Listed::Lost(error),
            }
        }
        let directory = Arc::new(directory);
        let mut steps = Vec::with_capacity(directory.names.iter().len());
        let (mut files, mut below) = (Vec::new(), Vec::new());
        let mut clock = Steps::later();
        let mut cut = directory.names.cut;
        for name in directory.names.iter() {
            if clock.is_over(self.stop) {
                cut = true;
                break;
            }
            let judged = if name.non_utf8 {
                (Step::NonUtf8, None)
            } else {
                match directory.shown.child(directory.names.shown(name)) {
                    Ok(path) => self.selection.judge(&place, &path, name.kind, S::LINKS),
                    Err(error) => return Listed::Lost(error),
                }
            };
            if let (_, Some(place)) = judged {
                let above = Arc::clone(&directory);
                below.push(Arc::new(Slot::new(Entering { above, name, place })));
            } else if judged.0 == Step::Take {
                files.push(name);
            }
            steps.push(judged.0);
        }
        self.board.put(below.iter().rev().cloned().map(Job::Read));

        let (mut found, mut batches) = (Vec::new(), Vec::new());
        if files.len() <= S::BATCH {
            found = self.search(&Batch { directory, files }, hands);
        } else {
            batches.extend(files.chunks(S::BATCH).map(|files| {
                Arc::new(Slot::new(Batch { directory: Arc::clone(&directory), files: files.to_vec() }))
            }));
            self.board.put(batches.iter().rev().cloned().map(Job::Search));
        }
        Listed::Level(Level {
            unreadable,
            steps: steps.into_iter(),
            cut,
            found: found.into_iter(),
            batches: batches.into_iter(),
            below: below.into_iter(),
        })
    }

    /// Searches files; fewer than there are where the search ends meanwhile.
    fn search(&self, batch: &Batch, hands: &mut S::Hands) -> Vec<S::Found> {
        let directory = batch.directory.as_ref();
        if batch.files.is_empty() {
            return Vec::new();
        }
        let hand = directory.hand(&self.inner.jail);
        let mut found = Vec::with_capacity(batch.files.len());
        for &name in &batch.files {
            if self.stop.is_over() {
                break;
            }
            let met = Met { directory, hand: hand.as_ref().map_err(|errno| *errno), name };
            found.push(self.seek.find(hands, &met));
        }
        found
    }
}

/// Lets the helpers go whatever ends the walk: they would wait for ever.
struct Closing<'b, J>(&'b Board<J>);

impl<J> Drop for Closing<'_, J> {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn weight<S: Seek>(found: &[S::Found]) -> usize {
    found.iter().map(S::weight).sum()
}

/// A helper panicked, and so will the whole search.
fn broken() -> Error {
    Error::new(ErrorKind::Io, "a thread of the search failed")
}
