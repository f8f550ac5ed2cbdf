//! `glob`: files by name.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use workspace_core::{
    GlobAnswer, GlobQuery, GlobSort, SearchLimits, SearchScope, SearchTally, Visible, WorkspacePath,
};

use super::answer::{Answer, with_notice};
use super::names::ToolName;
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, Workspace};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "glob",
    title: "Find files by name",
    description: "Finds files by a pattern on their path: `*` and `?` within one component, `**` over any number of \
                  them, `[a-z]`, `[!a]`, `{a,b}`. `*.rs` finds files in the base directory alone, `**/*.rs` at any \
                  depth. Files that .gitignore hides are passed by, unless the pattern or `path` names their directory.",
    input: &[
        Field::new("pattern", Shape::Text, "The pattern, relative to path.").required(),
        Field::new("path", Shape::Text, "Directory to search in. Default: the root of the workspace.")
            .aliases(&["file_path", "filePath"]),
        Field::new(
            "sort",
            Shape::Choice(&["path", "mtime"]),
            "path (default), or mtime for the newest first.",
        ),
        Field::new("no_ignore", Shape::Boolean, "Search files that .gitignore hides, too. Default false.")
            .aliases(&["noIgnore"]),
    ],
    output: &[
        Field::new("paths", Shape::TEXTS, "The files found.").required(),
        Field::new("truncated", Shape::Boolean, "Whether files were left out.").required(),
        Field::new("scanned", Shape::COUNT, "How many files were looked at.").required(),
        Field::new("scan_capped", Shape::Boolean, "Whether a cap on files or time ended the search.")
            .required(),
        Field::new("notice", Shape::Text, "What to know about this answer."),
    ],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

/// How the answer of `glob` is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GlobOrder {
    /// Component by component, bytewise.
    #[default]
    Path,
    /// The newest first.
    Mtime,
}

/// What `glob` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct GlobInput {
    /// The pattern, anchored at `path`.
    pub pattern: String,
    /// The directory; empty for the root.
    pub path: String,
    /// The order.
    pub sort: GlobOrder,
    /// Whether ignore files are passed over.
    pub no_ignore: bool,
}

impl GlobInput {
    /// Finds files of the whole workspace.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }

    /// Searches in a directory.
    #[must_use]
    pub fn within(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }
}

/// What `glob` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GlobOutput {
    /// The files found, relative to the root.
    pub paths: Vec<String>,
    /// Whether files were left out.
    pub truncated: bool,
    /// How many files were looked at.
    pub scanned: u64,
    /// Whether a cap on files or time ended the search.
    pub scan_capped: bool,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Answer for GlobOutput {
    fn text(&self) -> String {
        let paths: Vec<_> = self.paths.iter().map(|path| Visible(path).to_string()).collect();
        with_notice(paths.join("\n"), self.notice.as_deref())
    }
}

impl Workspace {
    /// Finds files by name.
    ///
    /// At most `search.max_results` of `search.max_files_scanned` files within
    /// `search.max_ms`; each cap is told. The order never depends on timing.
    ///
    /// # Errors
    /// `invalid-pattern`; `path-escape` for a pattern with `..`; `not-found` and
    /// `not-a-directory` for the base; those of the path rules.
    pub async fn glob(&self, input: GlobInput) -> Result<GlobOutput> {
        self.or_cancelled(self.find_files(&input)).await?
    }

    async fn find_files(&self, input: &GlobInput) -> Result<GlobOutput> {
        let base = self.parse("path", &input.path)?;
        self.approve_path(ToolName::Glob, &base).await?;
        let mut query = GlobQuery::default();
        query.scope = self.search_scope(&base, input.no_ignore);
        query.pattern.clone_from(&input.pattern);
        query.bare_any_depth = self.policy().search.bare_any_depth;
        query.sort = match input.sort {
            GlobOrder::Path => GlobSort::Path,
            GlobOrder::Mtime => GlobSort::Modified,
        };
        query.limits = self.search_limits();
        query.progress = self.progress().clone();
        // A listing's cap on entries bounds this list of names as well.
        query.limits.max_results =
            smaller(query.limits.max_results, self.policy().list.max_entries.as_usize());
        let answer = match workspace_search::glob_any(self.files(), query).await {
            Ok(answer) => answer,
            Err(error) => return Err(self.explain_search(error, &base, "pattern", &input.pattern).await),
        };
        Ok(output(&answer, input))
    }

    pub(super) fn search_scope(&self, base: &WorkspacePath, no_ignore: bool) -> SearchScope {
        let mut scope = SearchScope::default();
        scope.base = base.clone();
        scope.gitignore = self.policy().search.gitignore && !no_ignore;
        scope.skip_dirs.clone_from(&self.policy().list.ignore);
        scope
    }

    pub(super) fn search_limits(&self) -> SearchLimits {
        let policy = &self.policy().search;
        let mut limits = SearchLimits::default();
        limits.max_results = policy.max_results.as_usize();
        limits.max_files = policy.max_files_scanned.as_usize();
        limits.max_time = policy.max_ms.0.map(Duration::from_millis);
        limits
    }
}

fn smaller(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn output(answer: &GlobAnswer, input: &GlobInput) -> GlobOutput {
    let tally = answer.tally;
    let mut notices = Vec::new();
    if let Some(deeper) = answer.deeper.filter(|&deeper| deeper > 0) {
        notices.push(format!(
            "`{}` matches in the base directory alone; `**/{}` finds {deeper} file(s)",
            input.pattern, input.pattern
        ));
    }
    if tally.truncated {
        notices.push(format!(
            "the first {} files are shown and there are more; narrow the pattern or the path",
            answer.files.len()
        ));
    }
    notices.extend(cap_notice(&tally));
    if answer.files.is_empty() {
        notices.extend(skip_notice(&tally));
    }
    GlobOutput {
        paths: answer.files.iter().map(|(path, _)| path.to_string()).collect(),
        truncated: tally.truncated,
        scanned: tally.files,
        scan_capped: tally.file_limit || tally.time_limit,
        notice: (!notices.is_empty()).then(|| notices.join("; ")),
    }
}

/// What to say where a cap ended a search.
pub(super) fn cap_notice(tally: &SearchTally) -> Option<String> {
    match (tally.file_limit, tally.time_limit) {
        (true, _) => {
            Some(format!("the search ended after {} files; search in a directory below", tally.files))
        }
        (_, true) => Some(format!(
            "the search ran out of time after {} files; search in a directory below",
            tally.files
        )),
        _ => None,
    }
}

/// What to say where nothing was found and something was passed by.
pub(super) fn skip_notice(tally: &SearchTally) -> Option<String> {
    let mut parts = Vec::new();
    if tally.skipped.ignored > 0 {
        parts.push(format!(
            "{} entries that ignore files hide (`no_ignore: true` includes them)",
            tally.skipped.ignored
        ));
    }
    if tally.skipped.skip_dirs > 0 {
        parts.push(format!(
            "{} directories such as node_modules (name one as `path` to search it)",
            tally.skipped.skip_dirs
        ));
    }
    (!parts.is_empty()).then(|| format!("passed by: {}", parts.join(", ")))
}
