//! Files by name, over any provider.

mod found;

use std::time::SystemTime;

use workspace_core::{Entry, FileKind, FsProvider, GlobAnswer, GlobQuery, GlobSort, Result, StatOptions};

use crate::clock::Clock;
use crate::sought::Sought;
use crate::walk::Walk;
use crate::{Course, Pattern};

pub use found::GlobFound;

/// Finds files by name, over nothing but [`list`](FsProvider::list),
/// [`stat`](FsProvider::stat) of links, and [`read`](FsProvider::read) of ignore files.
///
/// The answer holds regular files, and links that resolve to one inside the
/// root; a link is never entered. `tally.files` counts the files and links whose
/// names were looked at, which is what
/// [`max_files`](workspace_core::SearchLimits::max_files) limits. `truncated`
/// tells that a further match was met; what a limit of files or time cut off is
/// told by its own flag.
///
/// A pattern without `/` that finds nothing is counted at any depth as well
/// ([`deeper`](GlobAnswer::deeper)); where a limit ended that count, its flag is set.
///
/// Cancel it by dropping the future: it gives way at every directory.
///
/// # Errors
/// Those of [`Pattern::parse`], but a pattern that cannot be read still finds
/// the file that has it for its path; those of [`list`](FsProvider::list) for the
/// base, so [`NotADirectory`](workspace_core::ErrorKind::NotADirectory) for a file;
/// and what tells that the backend is lost. Anything else that cannot be read is
/// counted in [`Skipped`](workspace_core::Skipped).
///
/// # Examples
/// ```
/// use workspace_core::{FsProvider, GlobQuery, Result};
///
/// async fn rust_files(fs: &impl FsProvider) -> Result<Vec<String>> {
///     let mut query = GlobQuery::default();
///     query.pattern = "src/**/*.rs".into();
///     let answer = workspace_search::glob(fs, &query).await?;
///     Ok(answer.files.into_iter().map(|(path, _)| path.to_string()).collect())
/// }
/// # let _ = |fs: workspace_core::SharedFs| async move { rust_files(&fs).await };
/// ```
pub async fn glob<P: FsProvider>(fs: &P, query: &GlobQuery) -> Result<GlobAnswer> {
    let Sought { pattern, refusal, deeper } =
        Sought::by_name(query, &fs.path_rules()).map_err(|error| error.during("glob"))?;
    let mut clock = Clock::new(query.limits.max_time);
    let mut found = GlobFound::new(query.sort, query.limits.max_results);
    let mut answer = GlobAnswer::default();

    let mut names = Names::begin(fs, query, &pattern).await?;
    while let Some((entry, modified)) = names.next(&mut clock, query.sort).await? {
        found.push(entry.path, modified);
        // By path, whatever the walk still meets comes after those it has met.
        if found.is_truncated() && query.sort == GlobSort::Path {
            break;
        }
    }
    answer.tally = names.walk.course.tally;
    answer.tally.files = names.walk.course.names();
    answer.tally.truncated = found.is_truncated();
    answer.files = found.into_files();
    if answer.files.is_empty()
        && let Some(refusal) = refusal
    {
        return Err(refusal.during("glob"));
    }

    let ended_early = answer.tally.truncated || answer.tally.file_limit || answer.tally.time_limit;
    if answer.files.is_empty()
        && !ended_early
        && let Some(pattern) = deeper
    {
        let mut names = Names::begin(fs, query, &pattern).await?;
        let mut deeper = 0;
        while names.next(&mut clock, GlobSort::Path).await?.is_some() {
            deeper += 1;
        }
        answer.deeper = Some(deeper);
        answer.tally.file_limit = names.walk.course.tally.file_limit;
        answer.tally.time_limit = names.walk.course.tally.time_limit;
    }
    Ok(answer)
}

/// The walk of a glob: it gives what resolves to a regular file.
struct Names<'a, P> {
    fs: &'a P,
    query: &'a GlobQuery,
    walk: Walk<'a, P>,
}

impl<'a, P: FsProvider> Names<'a, P> {
    async fn begin(fs: &'a P, query: &'a GlobQuery, pattern: &'a Pattern) -> Result<Self> {
        let course = Course::new(query.limits.max_files, &query.progress);
        let mut walk = Walk::new(fs, &query.scope, pattern, &query.filter, course);
        walk.begin(&query.scope.base).await?;
        Ok(Self { fs, query, walk })
    }

    /// The next file, with its time of change where the order asks for it.
    async fn next(
        &mut self,
        clock: &mut Clock,
        sort: GlobSort,
    ) -> Result<Option<(Entry, Option<SystemTime>)>> {
        while let Some(entry) = self.walk.next(clock).await? {
            let known = entry.modified.filter(|_| entry.kind == FileKind::File);
            if entry.kind == FileKind::File && (known.is_some() || sort != GlobSort::Modified) {
                return Ok(Some((entry, known)));
            }
            let options = StatOptions::default().with_filter(self.query.filter.clone());
            match self.fs.stat(&entry.path, options).await {
                Ok(stat) if stat.kind == FileKind::File => return Ok(Some((entry, stat.modified))),
                Ok(_) => {}
                Err(error) => self.walk.survive(error)?,
            }
        }
        Ok(None)
    }
}
