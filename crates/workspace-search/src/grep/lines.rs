//! The search for lines in one file after the other.

use workspace_core::{FsProvider, GrepAnswer, GrepMode, GrepQuery, Result, SearchTally, WorkspacePath};

use crate::clock::Clock;
use crate::walk::Walk;
use crate::{Course, Sought};

use super::content::{self, Content};
use super::file::FileSearch;
use super::found::{FileFound, GrepFound};
use super::matcher::LineMatcher;

/// A grep under way.
pub(super) struct Lines<'a, P> {
    fs: &'a P,
    query: &'a GrepQuery,
    matcher: LineMatcher,
    found: GrepFound<'a>,
    clock: Clock,
}

impl<'a, P: FsProvider> Lines<'a, P> {
    pub(super) fn new(fs: &'a P, query: &'a GrepQuery) -> Result<Self> {
        let matcher = LineMatcher::of(query)?;
        Ok(Self {
            fs,
            query,
            matcher,
            found: GrepFound::new(query)?,
            clock: Clock::new(query.limits.max_time),
        })
    }

    /// Searches a file that is named.
    pub(super) async fn alone(&mut self, base: &WorkspacePath, sought: Sought) -> Result<SearchTally> {
        if let Some(refusal) = sought.refusal {
            return Err(refusal.during("grep"));
        }
        let mut tally = SearchTally::default();
        if self.clock.breathe().await {
            let content = content::read(self.fs, base, self.query).await?;
            self.search(base, content, &mut tally).await?;
        } else {
            tally.time_limit = true;
        }
        Ok(tally)
    }

    /// Searches the files below a directory.
    pub(super) async fn below(&mut self, base: &WorkspacePath, sought: Sought) -> Result<SearchTally> {
        let query = self.query;
        let Sought { pattern, mut refusal, .. } = sought;
        let course = Course::new(query.limits.max_files, &query.progress);
        let mut walk = Walk::new(self.fs, &query.scope, &pattern, &query.filter, course);
        walk.pass_links_by();
        walk.begin(base).await?;
        while let Some(entry) = walk.next(&mut self.clock).await? {
            // The glob is some file's path, so it need not be a pattern.
            refusal = None;
            if !self.clock.breathe().await {
                walk.course.tally.time_limit = true;
                break;
            }
            match content::of_entry(self.fs, &entry, query).await {
                Ok(content) => self.search(&entry.path, content, &mut walk.course.tally).await?,
                Err(error) => walk.survive(error)?,
            }
            if self.found.is_truncated() || walk.course.tally.time_limit {
                break;
            }
        }
        match refusal {
            Some(refusal) => Err(refusal.during("grep")),
            None => Ok(walk.course.tally),
        }
    }

    /// Searches one file and counts it.
    async fn search(
        &mut self,
        path: &WorkspacePath,
        content: Content,
        tally: &mut SearchTally,
    ) -> Result<()> {
        let text = match content {
            Content::Text(text) => text,
            Content::Binary => {
                tally.skipped.binary += 1;
                return Ok(());
            }
            Content::TooLarge => {
                tally.skipped.too_large += 1;
                return Ok(());
            }
        };
        let mut search = FileSearch::new(text, self.found.goal());
        while search.step(&mut self.matcher)? {
            if !self.clock.breathe().await {
                tally.time_limit = true;
                break;
            }
        }
        tally.files += 1;
        // The count of half a file would be taken for the file's.
        let half = tally.time_limit && self.query.mode == GrepMode::Count;
        let room = if half { 0 } else { self.found.room() };
        let found = FileFound::new(path, &search, &self.matcher, self.query, room);
        tally.skipped.long_lines += if half { found.long_lines() } else { self.found.add(found) };
        Ok(())
    }

    pub(super) fn into_answer(self, tally: SearchTally) -> GrepAnswer {
        self.found.into_answer(tally)
    }
}
