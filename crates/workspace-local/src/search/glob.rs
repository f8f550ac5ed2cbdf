//! Files by name.

use std::ops::ControlFlow;
use std::time::SystemTime;

use rustix::fs::AtFlags;
use workspace_core::{
    Error, FileKind, GlobAnswer, GlobQuery, GlobSort, PathFilter, Result, StatOptions, WorkspacePath,
};
use workspace_search::{Course, Failure, GlobFound, Pattern, Sought};

use super::batch::{Met, Seek};
use super::stop::Stop;
use super::walk::Walk;
use crate::attributes;
use crate::files::stat;
use crate::local::Inner;

pub(super) fn glob(inner: &Inner, query: &GlobQuery, stop: &Stop) -> Result<GlobAnswer> {
    let Sought { pattern, refusal, deeper } =
        Sought::by_name(query, &inner.rules).map_err(|error| error.during("glob"))?;
    let mut found = GlobFound::new(query.sort, query.limits.max_results);
    let mut answer = GlobAnswer::default();

    let course = walk(inner, query, &pattern, query.sort, stop, |path, modified| {
        found.push(path, modified);
        // By path, whatever the walk still meets comes after those it has met.
        found.is_truncated() && query.sort == GlobSort::Path
    })?;
    answer.tally = course.tally;
    answer.tally.files = course.names();
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
        let mut count = 0;
        let course = walk(inner, query, &pattern, GlobSort::Path, stop, |_, _| {
            count += 1;
            false
        })?;
        answer.deeper = Some(count);
        answer.tally.file_limit = course.tally.file_limit;
        answer.tally.time_limit = course.tally.time_limit;
    }
    Ok(answer)
}

/// Tells the files that a pattern means until it is `enough`.
fn walk(
    inner: &Inner,
    query: &GlobQuery,
    pattern: &Pattern,
    sort: GlobSort,
    stop: &Stop,
    mut enough: impl FnMut(WorkspacePath, Option<SystemTime>) -> bool,
) -> Result<Course> {
    let seek = Files { inner, filter: &query.filter, sort };
    let mut course = Course::new(query.limits.max_files, &query.progress);
    Walk::new(inner, &query.scope, &query.filter, pattern, &seek, stop).run(
        &mut course,
        |found, course| {
            match found {
                Found::File(path, modified) if enough(path.clone(), modified) => {
                    return Ok(ControlFlow::Break(()));
                }
                Found::File(..) | Found::Failed(Failure::Absent) => {}
                Found::Failed(Failure::Unreadable) => course.tally.skipped.unreadable += 1,
                Found::Lost(error) => return Err(error),
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    Ok(course)
}

/// What becomes of a name that the pattern matches.
enum Found {
    File(WorkspacePath, Option<SystemTime>),
    Failed(Failure),
    Lost(Error),
}

struct Files<'q> {
    inner: &'q Inner,
    filter: &'q PathFilter,
    sort: GlobSort,
}

impl Seek for Files<'_> {
    type Hands = ();
    type Found = Found;

    const LINKS: bool = true;
    // Names cost so little that a thread takes all of a directory.
    const BATCH: usize = usize::MAX;

    fn hands(&self) {}

    fn find(&self, (): &mut (), met: &Met<'_>) -> Found {
        match self.look(met) {
            Ok(Some((path, modified))) => Found::File(path, modified),
            Ok(None) => Found::Failed(Failure::Absent),
            Err(error) => match Failure::of(error) {
                Ok(failure) => Found::Failed(failure),
                Err(error) => Found::Lost(error),
            },
        }
    }

    fn weight(_: &Found) -> usize {
        1
    }
}

impl Files<'_> {
    /// A regular file, or a link that resolves to one.
    fn look(&self, met: &Met<'_>) -> Result<Option<(WorkspacePath, Option<SystemTime>)>> {
        let path = met.path()?;
        if met.kind() == FileKind::File {
            if self.sort != GlobSort::Modified {
                return Ok(Some((path, None)));
            }
            if let Ok(hand) = met.hand
                && let Ok(raw) = rustix::fs::statat(
                    hand,
                    met.directory.names.for_system(met.name),
                    AtFlags::SYMLINK_NOFOLLOW,
                )
                && let Some(modified) = attributes::modified(&raw)
            {
                return Ok(Some((path, Some(modified))));
            }
        }
        let options = StatOptions::default().with_filter(self.filter.clone());
        let stat = stat(self.inner, &path, &options).map_err(|fault| fault.tell("stat", &path))?;
        Ok((stat.kind == FileKind::File).then_some((path, stat.modified)))
    }
}
