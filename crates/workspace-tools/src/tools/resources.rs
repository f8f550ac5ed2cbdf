//! Files for a program that shows them to people: which there are, and one as a whole.

use workspace_core::{ErrorKind, FsProvider, GlobQuery, ReadOptions, WorkspacePath};

use super::failure::too_large;
use super::names::ToolName;
use crate::{Limit, Result, Workspace};

/// The first files of a workspace in the order of their paths.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileNames {
    /// Relative to the root.
    pub paths: Vec<String>,
    /// Whether there are more.
    pub truncated: bool,
}

impl Workspace {
    /// The first `most` files by path: what `glob` finds of `**`, and the owner's rules hide the same.
    ///
    /// Where `search.max_files_scanned` or `search.max_ms` ended the search, the answer is
    /// truncated as well.
    ///
    /// # Errors
    /// `approval-required` and `approval-denied` where the owner is asked about `glob`;
    /// `cancelled`, and those of a backend that was lost.
    pub async fn file_names(&self, most: usize) -> Result<FileNames> {
        self.or_cancelled(self.find_names(most)).await?
    }

    async fn find_names(&self, most: usize) -> Result<FileNames> {
        let root = WorkspacePath::root();
        self.approve_path(ToolName::Glob, &root).await?;
        let mut query = GlobQuery::default();
        query.scope = self.search_scope(&root, false);
        "**".clone_into(&mut query.pattern);
        query.limits = self.search_limits();
        query.limits.max_results = Some(most);
        query.progress = self.progress().clone();
        let answer = match workspace_search::glob_any(self.files(), query).await {
            Ok(answer) => answer,
            Err(error) => return Err(self.explain_search(error, &root, "pattern", "**").await),
        };
        let tally = answer.tally;
        Ok(FileNames {
            paths: answer.files.iter().map(|(path, _)| path.to_string()).collect(),
            truncated: tally.truncated || tally.file_limit || tally.time_limit,
        })
    }

    /// The bytes of a file, text or not, where they are no more than `read_file` shows at once:
    /// `read.max_bytes`, 64 KiB by default.
    ///
    /// # Errors
    /// `too-large` over that; `not-found`, `is-a-directory`, `not-a-file`, those of the path
    /// rules; `approval-required` and `approval-denied` where the owner is asked about `read_file`.
    pub async fn file_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.or_cancelled(self.resource_bytes(path)).await?
    }

    async fn resource_bytes(&self, given: &str) -> Result<Vec<u8>> {
        let path = self.parse_entry("path", given)?;
        self.approve_path(ToolName::ReadFile, &path).await?;
        let file = match self.files().read(&path, ReadOptions::default()).await {
            Ok(file) => file,
            Err(error) => return Err(self.explain(error, &path).await),
        };
        let (policy, size) = (&self.policy().read, file.stat.size);
        let limit = match (policy.max_bytes.0, policy.max_file_bytes.0) {
            (Some(page), Some(file)) => Limit(Some(page.min(file))),
            (page, file) => Limit(page.or(file)),
        };
        let over = |size| {
            too_large(&path, size, limit).hint("read it in pages with `read_file`, or search it with `grep`")
        };
        if limit.is_exceeded_by(size) {
            return Err(over(size));
        }
        match file.body.collect(limit.0.unwrap_or(u64::MAX)).await {
            Ok(bytes) => Ok(bytes),
            // It has grown since it was opened.
            Err(error) if error.kind() == ErrorKind::TooLarge => Err(over(size)),
            Err(error) => Err(self.explain(error, &path).await),
        }
    }
}
