//! How far a call has come, for whoever waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A count that a call raises while it runs and that others may look at.
///
/// Clones share one count. By default nobody looks, and nothing is counted.
///
/// # Examples
/// ```
/// use workspace_core::Progress;
///
/// let (progress, unwatched) = (Progress::counted(), Progress::default());
/// progress.clone().add(3);
/// unwatched.add(3);
/// assert_eq!((progress.count(), unwatched.count()), (3, 0));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Progress(Option<Arc<AtomicU64>>);

impl Progress {
    /// A count that begins at 0.
    pub fn counted() -> Self {
        Self(Some(Arc::default()))
    }

    /// Raises the count.
    pub fn add(&self, more: u64) {
        if let Some(count) = &self.0 {
            count.fetch_add(more, Ordering::Relaxed);
        }
    }

    /// How much has been counted so far.
    pub fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, |count| count.load(Ordering::Relaxed))
    }
}
