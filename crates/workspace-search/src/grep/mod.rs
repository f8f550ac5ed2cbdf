//! Lines by content, over any provider.

mod backtracking;
mod content;
mod file;
mod found;
mod lines;
mod matcher;
mod syntax;
mod text;

use workspace_core::{Error, ErrorKind, FileKind, FsProvider, GrepAnswer, GrepQuery, Result, StatOptions};

use crate::Sought;

use lines::Lines;

pub use backtracking::check_backtracking;
pub use file::{FileSearch, Goal};
pub use found::{FileFound, GrepFound};
pub use matcher::LineMatcher;
pub use text::{BINARY_PROBE, FileText, is_binary};

/// Finds lines by content, over nothing but [`list`](FsProvider::list),
/// [`read`](FsProvider::read) and one [`stat`](FsProvider::stat) of the base.
///
/// A base that is a file is searched alone, whatever the ignore rules and the
/// glob say of it. Below a directory links are not followed. Each file is read
/// once, and not at all where its name or its size rules it out.
///
/// `tally.files` counts the files whose lines were searched; those passed by are
/// counted in [`Skipped`](workspace_core::Skipped).
/// [`max_files`](workspace_core::SearchLimits::max_files) limits the names that the walk looks
/// at, as in [`glob`](crate::glob). `truncated` tells that a further result was
/// met; what a limit of files or time cut off is told by its own flag.
///
/// Cancel it by dropping the future: it gives way at every directory, at every
/// file and within large files.
///
/// # Errors
/// Those of [`LineMatcher::new`], those of [`Pattern::parse`](crate::Pattern::parse) for the glob, but a
/// glob that cannot be read still finds the file that has it for its path;
/// [`InvalidInput`](ErrorKind::InvalidInput) for more than 10 lines of context;
/// those of [`stat`](FsProvider::stat) and [`read`](FsProvider::read) for the base;
/// and what tells that the backend is lost. Anything else that cannot be read is
/// counted.
///
/// # Examples
/// ```
/// use workspace_core::{FsProvider, GrepQuery, Result};
///
/// async fn notes(fs: &impl FsProvider) -> Result<Vec<String>> {
///     let mut query = GrepQuery::default();
///     query.pattern = r"\bNOTE\b".into();
///     query.glob = Some("*.rs".into());
///     let answer = workspace_search::grep(fs, &query).await?;
///     Ok(answer.lines.iter().map(|at| format!("{}:{}: {}", at.path, at.line, at.text)).collect())
/// }
/// # let _ = |fs: workspace_core::SharedFs| async move { notes(&fs).await };
/// ```
pub async fn grep<P: FsProvider>(fs: &P, query: &GrepQuery) -> Result<GrepAnswer> {
    let sought = Sought::to_read(query, &fs.path_rules()).map_err(|error| error.during("grep"))?;
    let mut lines = Lines::new(fs, query).map_err(|error| error.during("grep"))?;
    let base = &query.scope.base;
    let tally = match base_kind(fs, query).await? {
        FileKind::Dir => lines.below(base, sought).await?,
        FileKind::File => lines.alone(base, sought).await?,
        _ => {
            return Err(Error::new(ErrorKind::NotAFile, "it is neither a regular file nor a directory")
                .during("grep")
                .at(base)
                .hint("name a file or a directory"));
        }
    };
    Ok(lines.into_answer(tally))
}

async fn base_kind<P: FsProvider>(fs: &P, query: &GrepQuery) -> Result<FileKind> {
    if query.scope.base.is_root() {
        return Ok(FileKind::Dir);
    }
    let options = StatOptions::default().with_filter(query.filter.clone());
    Ok(fs.stat(&query.scope.base, options).await?.kind)
}
