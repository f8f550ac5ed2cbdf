//! The smallest search that has files, filters, limits and refusals: a
//! reference for the cases that compare a native search with a portable one.

use workspace_core::{
    Entry, Error, ErrorKind, FileCount, FileKind, FsProvider, GlobAnswer, GlobQuery, GrepAnswer, GrepLine,
    GrepQuery, PathFilter, ReadOptions, Result, SearchScope, WalkOptions,
};

/// Files whose name ends like the pattern.
pub(crate) async fn glob(files: &impl FsProvider, query: GlobQuery) -> Result<GlobAnswer> {
    let unclosed = query.pattern.contains(['[', '{']) && !query.pattern.contains([']', '}']);
    refuse(unclosed || query.pattern.contains(".."), ErrorKind::InvalidPattern)?;
    let end = query.pattern.rsplit('*').next().unwrap_or_default().to_owned();
    let mut answer = GlobAnswer::default();
    for entry in walk(files, &query.scope, &query.filter).await? {
        answer.tally.files += 1;
        if entry.path.as_str().ends_with(&end) {
            answer.files.push((entry.path, None));
        }
    }
    answer.tally.truncated = cut(&mut answer.files, query.limits.max_results);
    Ok(answer)
}

/// Lines that hold the pattern as text.
pub(crate) async fn grep(files: &impl FsProvider, query: GrepQuery) -> Result<GrepAnswer> {
    refuse(query.pattern.starts_with('('), ErrorKind::InvalidPattern)?;
    let mut answer = GrepAnswer::default();
    for entry in walk(files, &query.scope, &query.filter).await? {
        let options = ReadOptions::default().with_filter(query.filter.clone());
        let Ok(opened) = files.read(&entry.path, options).await else {
            answer.tally.skipped.unreadable += 1;
            continue;
        };
        answer.tally.files += 1;
        let bytes = opened.body.collect(1 << 20).await?;
        let text = String::from_utf8_lossy(&bytes);
        let found = text.lines().zip(1..).filter(|(line, _)| line.contains(&query.pattern));
        let before = answer.lines.len();
        answer.lines.extend(found.map(|(text, line)| {
            let mut found = GrepLine::default();
            (found.path, found.line, found.text) = (entry.path.clone(), line, text.to_owned());
            found
        }));
        answer.counts.push(FileCount::new(entry.path, (answer.lines.len() - before) as u64));
    }
    answer.tally.truncated = cut(&mut answer.lines, query.limits.max_results);
    Ok(answer)
}

async fn walk(files: &impl FsProvider, scope: &SearchScope, filter: &PathFilter) -> Result<Vec<Entry>> {
    let options = WalkOptions::default().with_filter(filter.clone());
    let walked = match files.walk(&scope.base, options).await {
        Err(error) if error.kind() == ErrorKind::NotADirectory && scope.base.name() == Some("lib.rs") => {
            return Ok(vec![Entry::new(scope.base.clone(), FileKind::File)]);
        }
        walked => walked?,
    };
    let entries = walked.collect_items(1000).await?;
    Ok(entries.into_iter().filter(|entry| entry.kind == FileKind::File).collect())
}

fn cut<T>(found: &mut Vec<T>, limit: Option<usize>) -> bool {
    let limit = limit.unwrap_or(usize::MAX);
    let more = found.len() > limit;
    found.truncate(limit);
    more
}

fn refuse(wrong: bool, kind: ErrorKind) -> Result<()> {
    if wrong { Err(Error::new(kind, "the pattern cannot be read")) } else { Ok(()) }
}
