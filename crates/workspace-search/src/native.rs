//! The search that a backend has, or the portable one.

use workspace_core::{FsProvider, GlobAnswer, GlobQuery, GrepAnswer, GrepQuery, Result};

/// Finds files by name as fast as the backend can: with its own
/// [`glob`](FsProvider::glob) where it has one, else with [`glob`](crate::glob).
///
/// # Errors
/// Those of [`glob`](crate::glob).
pub async fn glob_any<P: FsProvider>(fs: &P, query: GlobQuery) -> Result<GlobAnswer> {
    if fs.capabilities().glob { fs.glob(query).await } else { crate::glob(fs, &query).await }
}

/// Finds lines by content as fast as the backend can: with its own
/// [`grep`](FsProvider::grep) where it has one, else with [`grep`](crate::grep).
///
/// # Errors
/// Those of [`grep`](crate::grep).
pub async fn grep_any<P: FsProvider>(fs: &P, query: GrepQuery) -> Result<GrepAnswer> {
    if fs.capabilities().grep { fs.grep(query).await } else { crate::grep(fs, &query).await }
}
