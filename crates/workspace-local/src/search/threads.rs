//! How many threads a search takes.

use std::sync::OnceLock;
use std::thread::available_parallelism;

/// The most threads of one search. Several searches of several callers run side by side.
const MOST: usize = 8;

/// As many as may run at a time here, found out at the first search that is large enough to share.
#[derive(Debug, Default)]
pub(crate) struct Threads(OnceLock<usize>);

impl Threads {
    /// How many threads may help the one that tells the answer.
    pub(super) fn helpers(&self) -> usize {
        let threads = *self.0.get_or_init(|| available_parallelism().map_or(1, Into::into));
        threads.min(MOST) - 1
    }
}
