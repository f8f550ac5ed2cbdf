//! Search: names and bytes are fetched in bulk, and decided by the portable search.

mod contents;
mod snapshot;

use std::time::Instant;

use workspace_core::{
    FsProvider, GlobAnswer, GlobQuery, GrepAnswer, GrepQuery, Result, SearchLimits, SearchScope,
};

use crate::PosixFiles;
use snapshot::Snapshot;

impl PosixFiles {
    pub(crate) async fn find_names(&self, mut query: GlobQuery) -> Result<GlobAnswer> {
        let begun = Instant::now();
        let snapshot = self.snapshot(&query.scope, &query.filter, &query.pattern).await;
        match snapshot {
            Some(snapshot) => {
                spend(&mut query.limits, begun);
                workspace_search::glob(&snapshot, &query).await
            }
            None => workspace_search::glob(self, &query).await,
        }
    }

    pub(crate) async fn find_lines(&self, mut query: GrepQuery) -> Result<GrepAnswer> {
        let begun = Instant::now();
        let glob = query.glob.clone().unwrap_or_default();
        let Some(snapshot) = self.snapshot(&query.scope, &query.filter, &glob).await else {
            return workspace_search::grep(self, &query).await;
        };
        // Which files will be read? Those that a glob finds by the same rules.
        let mut names = GlobQuery::default();
        names.scope = query.scope.clone();
        names.pattern = query.glob.clone().unwrap_or_else(|| "**".to_owned());
        names.bare_any_depth = true;
        names.filter = query.filter.clone();
        names.limits.max_results = None;
        (names.limits.max_files, names.limits.max_time) = (query.limits.max_files, query.limits.max_time);
        if let Ok(found) = workspace_search::glob(&snapshot, &names).await {
            snapshot.expect(found.files.into_iter().map(|(path, _)| path), query.file_limit());
        }
        spend(&mut query.limits, begun);
        workspace_search::grep(&snapshot, &query).await
    }

    /// A tree fetched at once, or `None` where the base is no directory that can
    /// be: what the search then meets, it meets itself.
    async fn snapshot(
        &self,
        scope: &SearchScope,
        filter: &workspace_core::PathFilter,
        pattern: &str,
    ) -> Option<Snapshot> {
        if !self.capabilities().glob {
            return None;
        }
        // A directory that the pattern names is searched, so it is fetched.
        let skipped = scope.skip_dirs.iter().map(String::as_str).chain([".git"]);
        let pruned: Vec<&str> = skipped
            .filter(|name| !name.is_empty() && !name.contains('/') && !pattern.contains(name))
            .collect();
        let (real, found) = self.found_below(&scope.base, filter, None, &pruned).await.ok()?;
        let mut snapshot = Snapshot::new(self.clone(), scope.base.clone(), real, found, &pruned).ok()?;
        if scope.gitignore {
            snapshot.fetch_ignore_files().await;
        }
        Some(snapshot)
    }
}

/// Takes the time that fetching took from what the search may take.
fn spend(limits: &mut SearchLimits, begun: Instant) {
    limits.max_time = limits.max_time.map(|most| most.saturating_sub(begun.elapsed()));
}
