//! The handle on a tree.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use workspace_core::PathRules;

use crate::clock::{Clock, lock};
use crate::files::Tree;
use crate::{MemoryConfig, MemoryShell, Script, SystemClock};

/// Files in memory. A clone is the same tree.
///
/// It is an [`FsProvider`](workspace_core::FsProvider). For tests and scripts
/// there are calls that need no `await` and take paths as text: `with_…` to
/// fill a new tree, `…_now` to look at it and to change it.
///
/// # Examples
/// ```
/// use workspace_memory::Memory;
///
/// let memory = Memory::new().with_file("src/main.rs", "fn main() {}\n").with_link("main", "src/main.rs");
/// assert_eq!(memory.read_now("main")?, b"fn main() {}\n");
/// # Ok::<(), workspace_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Memory(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) rules: PathRules,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) state: Mutex<State>,
}

pub(crate) struct State {
    pub(crate) tree: Arc<Tree>,
    /// Not part of the tree: a version is never given twice, whatever is restored.
    pub(crate) versions: u64,
}

/// A tree as it was at one moment. It shares what has not changed since.
#[derive(Clone)]
pub struct Snapshot(Arc<Tree>);

impl Memory {
    /// An empty tree with the settings of [`MemoryConfig::new`].
    pub fn new() -> Self {
        Self::with_parts(PathRules::default().with_root("/workspace"), None, Arc::new(SystemClock))
    }

    /// The settings of a tree, to change them before it is made.
    pub fn configure() -> MemoryConfig {
        MemoryConfig::new()
    }

    pub(crate) fn with_parts(rules: PathRules, max_bytes: Option<u64>, clock: Arc<dyn Clock>) -> Self {
        let tree = Arc::new(Tree::new(clock.now()));
        Self(Arc::new(Shared { rules, max_bytes, clock, state: Mutex::new(State { tree, versions: 0 }) }))
    }

    /// The tree as it is now: cheap, whatever the size.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.tree())
    }

    /// Puts the tree back as it was. Readers keep what they have opened.
    pub fn restore(&self, snapshot: &Snapshot) {
        lock(&self.0.state).tree = Arc::clone(&snapshot.0);
    }

    /// How many bytes all files hold together.
    pub fn used_bytes(&self) -> u64 {
        self.tree().bytes()
    }

    /// Commands that a script answers and that can read and change this tree.
    pub fn shell(&self, script: Script) -> MemoryShell {
        MemoryShell::new(self.clone(), script)
    }

    pub(crate) fn tree(&self) -> Arc<Tree> {
        Arc::clone(&lock(&self.0.state).tree)
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.0.clock.now()
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memory").field(&*self.tree()).finish()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Snapshot").field(&*self.0).finish()
    }
}
