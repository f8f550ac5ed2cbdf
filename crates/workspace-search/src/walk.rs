//! The way through a tree: one `list` a directory, in the order of paths.

use std::vec;

use workspace_core::{
    Entry, Error, FileKind, FsProvider, ListOptions, PathFilter, ReadOptions, Result, SearchScope,
    WorkspacePath,
};

use crate::clock::Clock;
use crate::{Course, Failure, IgnoreFiles, MAX_IGNORE_FILE, Pattern, Place, Selection, Step};

/// A walk that gives the files of a selection, the first in order first.
///
/// The order is that of paths because a directory is listed bytewise and its
/// content is told where its name stands.
pub(crate) struct Walk<'a, P> {
    fs: &'a P,
    filter: &'a PathFilter,
    selection: Selection<'a>,
    /// Whether links are files that may be sought.
    links: bool,
    /// Directories that are being told, the innermost last.
    open: Vec<Directory>,
    pub(crate) course: Course,
}

struct Directory {
    place: Place,
    entries: vec::IntoIter<Entry>,
}

impl<'a, P: FsProvider> Walk<'a, P> {
    pub(crate) fn new(
        fs: &'a P,
        scope: &'a SearchScope,
        pattern: &'a Pattern,
        filter: &'a PathFilter,
        course: Course,
    ) -> Self {
        let selection = Selection::new(pattern, scope);
        Self { fs, filter, selection, links: true, open: Vec::new(), course }
    }

    /// Passes links by: a walk for content does not follow them.
    pub(crate) fn pass_links_by(&mut self) {
        self.links = false;
    }

    /// Begins at a directory, which is listed whatever any rule says of it.
    ///
    /// # Errors
    /// Those of [`list`](FsProvider::list).
    pub(crate) async fn begin(&mut self, base: &WorkspacePath) -> Result<()> {
        let entries = self.list(base).await?;
        let place = self.selection.start();
        self.open(base, place, entries).await
    }

    /// The next file, or `None` at the end or at a limit.
    ///
    /// # Errors
    /// Those that say that the backend is lost.
    pub(crate) async fn next(&mut self, clock: &mut Clock) -> Result<Option<Entry>> {
        while let Some(directory) = self.open.last_mut() {
            let Some(entry) = directory.entries.next() else {
                self.open.pop();
                continue;
            };
            if !clock.step().await {
                self.course.tally.time_limit = true;
                break;
            }
            let (step, inside) = if entry.non_utf8 {
                (Step::NonUtf8, None)
            } else {
                self.selection.judge(&directory.place, &entry.path, entry.kind, self.links)
            };
            if !self.course.count(step) {
                break;
            }
            if step == Step::Take {
                return Ok(Some(entry));
            }
            if let Some(inside) = inside {
                if !clock.breathe().await {
                    self.course.tally.time_limit = true;
                    break;
                }
                self.enter(&entry.path, inside).await?;
            }
        }
        self.open.clear();
        Ok(None)
    }

    async fn enter(&mut self, path: &WorkspacePath, place: Place) -> Result<()> {
        match self.list(path).await {
            Ok(entries) => self.open(path, place, entries).await,
            Err(error) => self.survive(error),
        }
    }

    async fn open(&mut self, path: &WorkspacePath, place: Place, entries: Vec<Entry>) -> Result<()> {
        let files = if self.selection.wants_ignore_files() {
            self.ignore_files(&entries).await?
        } else {
            IgnoreFiles::default()
        };
        let place = place.with_files(path, &files);
        self.open.push(Directory { place, entries: entries.into_iter() });
        Ok(())
    }

    async fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>> {
        self.fs.list(path, ListOptions::default().with_filter(self.filter.clone())).await
    }

    /// Reads the ignore files among the entries of a directory.
    async fn ignore_files(&mut self, entries: &[Entry]) -> Result<IgnoreFiles> {
        let mut files = IgnoreFiles::default();
        for entry in entries.iter().filter(|entry| !entry.non_utf8) {
            match (entry.path.name(), entry.kind) {
                (Some(".ignore"), FileKind::File | FileKind::Link) => {
                    files.ignore = self.ignore_file(&entry.path).await?;
                }
                (Some(".gitignore"), FileKind::File | FileKind::Link) => {
                    files.gitignore = self.ignore_file(&entry.path).await?;
                }
                (Some(".git"), FileKind::Dir) => {
                    let exclude = entry.path.child("info").and_then(|info| info.child("exclude"))?;
                    files.exclude = self.ignore_file(&exclude).await?;
                }
                _ => {}
            }
        }
        Ok(files)
    }

    async fn ignore_file(&mut self, path: &WorkspacePath) -> Result<Option<Vec<u8>>> {
        let options = ReadOptions::default().with_filter(self.filter.clone());
        let read = match self.fs.read(path, options).await {
            Ok(file) => file.body.collect(MAX_IGNORE_FILE).await,
            Err(error) => Err(error),
        };
        match read {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) => self.survive(error).map(|()| None),
        }
    }

    /// Goes on after a failure about one entry, and counts it where the entry could not be read.
    ///
    /// # Errors
    /// The failure itself where it says that the backend is lost.
    pub(crate) fn survive(&mut self, error: Error) -> Result<()> {
        if Failure::of(error)? == Failure::Unreadable {
            self.course.tally.skipped.unreadable += 1;
        }
        Ok(())
    }
}
