//! The right to change a file, shared by all spellings and projections.

use workspace_core::{FsProvider, ResolveOptions, WorkspacePath};

use super::Workspace;
use crate::Result;
use crate::state::PathLock;

/// The right to change what stands at one place, or at two; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct WriteLock {
    /// Where it is in the whole workspace, links resolved.
    pub(crate) key: WorkspacePath,
    _held: Vec<PathLock>,
}

/// The right to change what stands at several places; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct WriteLocks {
    /// Where each path leads in the whole workspace, links resolved.
    pub(crate) keys: Vec<WorkspacePath>,
    _held: Vec<PathLock>,
}

impl Workspace {
    /// Waits for the right to change what a path leads to, through links.
    pub(crate) async fn lock_target(&self, path: &WorkspacePath, given: &str) -> Result<WriteLock> {
        self.or_cancelled(async {
            let spelled = self.shared().locks.spelled(self.key(path)).await;
            let key = self.key(&self.resolved(path, given).await?);
            let resolved = self.shared().locks.resolved(key.clone()).await;
            Ok(WriteLock { key, _held: vec![resolved, spelled] })
        })
        .await?
    }

    /// Waits for the right to change the entry of this very name: a link stays itself.
    pub(crate) async fn lock_entry(&self, path: &WorkspacePath, given: &str) -> Result<WriteLock> {
        self.or_cancelled(async {
            let key = self.entry_key(path, given).await?;
            let resolved = self.shared().locks.resolved(key.clone()).await;
            Ok(WriteLock { key, _held: vec![resolved] })
        })
        .await?
    }

    /// Waits for the right to change two entries; the key is that of the first one given.
    ///
    /// Both are resolved before either is taken, and the lesser is taken first:
    /// two moves in opposite directions cannot wait for each other.
    pub(crate) async fn lock_entries(
        &self,
        (from, from_given): (&WorkspacePath, &str),
        (to, to_given): (&WorkspacePath, &str),
    ) -> Result<WriteLock> {
        self.or_cancelled(async {
            let key = self.entry_key(from, from_given).await?;
            let mut keys = vec![key.clone(), self.entry_key(to, to_given).await?];
            keys.sort();
            keys.dedup();
            let mut held = Vec::with_capacity(keys.len());
            for key in keys {
                held.push(self.shared().locks.resolved(key).await);
            }
            Ok(WriteLock { key, _held: held })
        })
        .await?
    }

    /// Waits for the right to change what several paths lead to; the keys are in their order.
    ///
    /// All are taken in the order of their names, first as spelled and then as resolved: two
    /// calls with some files in common cannot wait for each other.
    pub(crate) async fn lock_targets(&self, paths: &[(&WorkspacePath, &str)]) -> Result<WriteLocks> {
        self.or_cancelled(async {
            let locks = &self.shared().locks;
            let mut spelled: Vec<_> = paths.iter().map(|(path, _)| self.key(path)).collect();
            spelled.sort();
            spelled.dedup();
            let mut held = Vec::with_capacity(2 * spelled.len());
            for path in spelled {
                held.push(locks.spelled(path).await);
            }
            let mut keys = Vec::with_capacity(paths.len());
            for (path, given) in paths {
                keys.push(self.key(&self.resolved(path, given).await?));
            }
            let mut resolved = keys.clone();
            resolved.sort();
            resolved.dedup();
            for path in resolved {
                held.push(locks.resolved(path).await);
            }
            Ok(WriteLocks { keys, _held: held })
        })
        .await?
    }

    /// The path with its links followed.
    pub(crate) async fn resolved(&self, path: &WorkspacePath, given: &str) -> Result<WorkspacePath> {
        match self.files().resolve(path, ResolveOptions::default()).await {
            Ok(resolved) => Ok(resolved),
            Err(error) => Err(self.explain(error.at(given), path).await),
        }
    }

    /// Where an entry lies in the whole workspace: the links of its directory followed, itself not.
    async fn entry_key(&self, path: &WorkspacePath, given: &str) -> Result<WorkspacePath> {
        match (path.parent(), path.name()) {
            (Some(parent), Some(name)) => Ok(self.key(&self.resolved(&parent, given).await?.child(name)?)),
            _ => Ok(self.key(path)),
        }
    }

    /// Where a path of this projection lies in the whole workspace. Where names
    /// differ in case alone they are one file, and one lock.
    pub(crate) fn key(&self, path: &WorkspacePath) -> WorkspacePath {
        let path = path.under(&self.view.scope);
        if !self.capabilities().case_insensitive {
            return path;
        }
        let folded = path
            .components()
            .try_fold(WorkspacePath::root(), |folded, name| folded.child(&name.to_lowercase()));
        folded.unwrap_or(path)
    }
}
