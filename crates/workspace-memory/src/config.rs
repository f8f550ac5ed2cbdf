//! What a tree in memory is made with.

use std::fmt;
use std::sync::Arc;

use workspace_core::{PathRules, Result, WorkspacePath};

use crate::error;
use crate::{Clock, Memory, SystemClock};

/// The settings of a [`Memory`].
///
/// # Examples
/// ```
/// use workspace_memory::MemoryConfig;
///
/// let small = MemoryConfig::new().with_max_bytes(1 << 20).build()?;
/// # Ok::<(), workspace_core::Error>(())
/// ```
#[derive(Clone)]
pub struct MemoryConfig {
    root: String,
    max_bytes: Option<u64>,
    clock: Arc<dyn Clock>,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self { root: "/workspace".into(), max_bytes: None, clock: Arc::new(SystemClock) }
    }
}

impl MemoryConfig {
    /// The defaults: the root is known as `/workspace`, there is no limit, and
    /// the time is that of the machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the absolute path under which the root is known, `/workspace` by
    /// default. Absolute paths and links that begin with it lie in the root.
    #[must_use]
    pub fn with_root(mut self, root: impl Into<String>) -> Self {
        self.root = root.into();
        self
    }

    /// Sets how many bytes all files may hold together. By default there is no limit.
    ///
    /// A write that would go beyond it is [`NoSpace`](workspace_core::ErrorKind::NoSpace).
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Sets where the time comes from: a [`ManualClock`](crate::ManualClock), a closure, any [`Clock`].
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// An empty tree with these settings.
    ///
    /// # Errors
    /// [`InvalidInput`](workspace_core::ErrorKind::InvalidInput) where the root
    /// is no absolute path of at least one component.
    pub fn build(self) -> Result<Memory> {
        let names = self.root.split('/').filter(|name| !name.is_empty());
        let folded = names.clone().try_fold(WorkspacePath::root(), |path, name| path.child(name))?;
        if !self.root.starts_with('/') || folded.is_root() {
            return Err(error::invalid(
                "the root of a workspace in memory is an absolute path such as `/workspace`",
            )
            .at(&self.root));
        }
        let rules = PathRules::default().with_root(format!("/{folded}"));
        Ok(Memory::with_parts(rules, self.max_bytes, self.clock))
    }
}

impl fmt::Debug for MemoryConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryConfig")
            .field("root", &self.root)
            .field("max_bytes", &self.max_bytes)
            .finish_non_exhaustive()
    }
}
