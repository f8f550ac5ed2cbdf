//! Which content of a file this workspace has seen.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use workspace_core::WorkspacePath;

/// The hash of each file as it was last read or written here, by resolved path.
#[derive(Debug, Default)]
pub(crate) struct Stamps(Mutex<HashMap<WorkspacePath, String>>);

impl Stamps {
    /// Notes the hash of a file.
    pub(crate) fn note(&self, path: WorkspacePath, hash: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path, hash.to_owned());
    }

    /// The hash that was noted, if any.
    pub(crate) fn seen(&self, path: &WorkspacePath) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// Forgets a file, and all below it.
    pub(crate) fn forget(&self, path: &WorkspacePath) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|seen, _| !seen.starts_with(path));
    }
}
