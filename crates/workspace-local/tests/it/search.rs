//! Search: equal to the portable one, confined, bounded, and over when it is given up.

mod bounds;
mod changing;
mod equal;
mod given_up;
mod large;
mod odd;
mod ripgrep;
mod swapped;

use workspace_core::{ErrorKind, GlobAnswer, GlobQuery, GrepAnswer, GrepQuery, Result, SearchLimits};

use crate::support::path;

pub(crate) fn unlimited() -> SearchLimits {
    let mut limits = SearchLimits::default();
    (limits.max_results, limits.max_files, limits.max_time) = (None, None, None);
    limits
}

/// A glob without limits and without ignore rules.
pub(crate) fn glob_query(base: &str, pattern: &str) -> GlobQuery {
    let mut query = GlobQuery::default();
    (query.scope.base, query.pattern, query.limits) = (path(base), pattern.into(), unlimited());
    query.scope.gitignore = false;
    query
}

/// A grep without limits and without ignore rules.
pub(crate) fn grep_query(base: &str, pattern: &str) -> GrepQuery {
    let mut query = GrepQuery::default();
    (query.scope.base, query.pattern, query.limits) = (path(base), pattern.into(), unlimited());
    query.scope.gitignore = false;
    query
}

pub(crate) fn files(answer: &GlobAnswer) -> Vec<&str> {
    answer.files.iter().map(|(path, _)| path.as_str()).collect()
}

/// The lines found as `path:line`.
pub(crate) fn places(answer: &GrepAnswer) -> Vec<String> {
    answer.lines.iter().map(|at| format!("{}:{}", at.path, at.line)).collect()
}

/// Answers are compared whole, refusals by their kind and all that they say.
pub(crate) fn told<T>(answer: Result<T>) -> Result<T, (ErrorKind, String)> {
    answer.map_err(|error| (error.kind(), error.to_string()))
}
