//! Search over the handles of the roots: many directories and files at a time,
//! and one answer, the same as a search one after the other would give.
//!
//! - Each directory is opened by its name in the directory that holds it, without
//!   following a link, and each file likewise. No path is resolved twice, so a
//!   directory that is swapped for a link meanwhile leads nowhere.
//! - What an entry is to the search is decided by `workspace-search`, as it is
//!   for every other backend; here it is only read.
//! - The walk is told in the order of paths by one thread, which counts and
//!   limits. The others work ahead of it, so what they do first decides nothing.

mod batch;
mod board;
mod content;
mod directory;
mod glob;
mod grep;
mod ignore_files;
mod level;
mod names;
mod slot;
mod stop;
mod sweep;
mod threads;
mod walk;

use std::sync::Arc;

use workspace_core::{GlobAnswer, GlobQuery, GrepAnswer, GrepQuery, Result};

pub(crate) use threads::Threads;

use crate::blocking::off_thread;
use crate::local::Local;

impl Local {
    /// Finds files by name. Dropping the future ends the search.
    pub(crate) async fn find_files(&self, query: GlobQuery) -> Result<GlobAnswer> {
        let files = Arc::clone(&self.0);
        let (_caller, stop) = stop::begin(query.limits.max_time);
        off_thread(move || glob::glob(&files, &query, &stop)).await.map_err(|error| error.during("glob"))?
    }

    /// Finds lines by content. Dropping the future ends the search.
    pub(crate) async fn find_lines(&self, query: GrepQuery) -> Result<GrepAnswer> {
        let files = Arc::clone(&self.0);
        let (_caller, stop) = stop::begin(query.limits.max_time);
        off_thread(move || grep::grep(&files, &query, &stop)).await.map_err(|error| error.during("grep"))?
    }
}
