//! What an owner may set.

use std::time::Duration;

/// Where the files lie and how the shells are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PosixConfig {
    pub(crate) root: String,
    pub(crate) shells: usize,
    pub(crate) deadline: Duration,
    pub(crate) durable: bool,
    pub(crate) answer: usize,
}

impl PosixConfig {
    /// A root, by its absolute path on the other side.
    pub fn new(root: impl Into<String>) -> Self {
        Self {
            root: root.into(),
            shells: 4,
            deadline: Duration::from_secs(30),
            durable: true,
            answer: 256 << 20,
        }
    }

    /// Sets how many shells stay open for files; 4 by default, at least 1.
    #[must_use]
    pub fn with_shells(mut self, shells: usize) -> Self {
        self.shells = shells.max(1);
        self
    }

    /// Sets how long a shell may stay silent during a call before it is given up; 30 seconds by default.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Says whether [`Durability`](workspace_core::Durability) is honoured with `sync`;
    /// true by default. A sandbox that is thrown away needs none of it.
    #[must_use]
    pub fn with_durable_writes(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Sets how many bytes one answer may hold; 256 MiB by default. File bodies
    /// are streamed and do not count, but for vendors that only collect output.
    #[must_use]
    pub fn with_largest_answer(mut self, bytes: usize) -> Self {
        self.answer = bytes.max(4096);
        self
    }
}
