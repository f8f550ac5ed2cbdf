//! What is put to the test.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use workspace_core::{
    FsProvider, GlobAnswer, GlobQuery, GrepAnswer, GrepQuery, Result, SharedFs, SharedShell, ShellProvider,
};

use crate::plant::ErasedPlant;
use crate::{Commands, Plant};

/// A backend, or a stack of layers, made fresh for one case: its root is an empty directory.
///
/// # Examples
/// ```
/// use workspace_core::{ReadOnly, SharedFs};
/// use workspace_testkit::Subject;
///
/// /// Files that cannot be changed are filled through the provider below.
/// fn read_only(files: SharedFs) -> Subject {
///     Subject::new(ReadOnly::new(files.clone())).with_seed(files)
/// }
/// ```
pub struct Subject {
    pub(crate) fs: SharedFs,
    pub(crate) seed: SharedFs,
    pub(crate) shell: Option<SharedShell>,
    pub(crate) commands: Commands,
    pub(crate) plant: Option<Arc<dyn ErasedPlant>>,
    pub(crate) search: Option<Portable>,
    pub(crate) forbidden: Vec<String>,
    pub(crate) effort: u32,
    pub(crate) patience: Duration,
    #[allow(dead_code)] // Held, never looked at.
    guard: Option<Box<dyn Any + Send + Sync>>,
}

impl Subject {
    /// Files to test. The cases write through them what they read.
    pub fn new(files: impl FsProvider) -> Self {
        let fs = SharedFs::new(files);
        Self {
            seed: fs.clone(),
            fs,
            shell: None,
            commands: Commands::none(),
            plant: None,
            search: None,
            forbidden: Vec::new(),
            effort: 64,
            patience: Duration::from_mins(2),
            guard: None,
        }
    }

    /// A provider of the same root that can write: the cases set up through it
    /// what they need. By default it is the subject itself.
    #[must_use]
    pub fn with_seed(mut self, files: impl FsProvider) -> Self {
        self.seed = SharedFs::new(files);
        self
    }

    /// Commands to test, and what to run for each case.
    #[must_use]
    pub fn with_shell(mut self, shell: impl ShellProvider, commands: Commands) -> Self {
        self.shell = Some(SharedShell::new(shell));
        self.commands = commands;
        self
    }

    /// The back door to the storage. By default there is none, and the cases that need it are skipped.
    #[must_use]
    pub fn with_plant(mut self, plant: impl Plant) -> Self {
        self.plant = Some(Arc::new(plant));
        self
    }

    /// A search over any provider that a native glob and grep must equal.
    #[must_use]
    pub fn with_portable_search<G, GFut, R, RFut>(mut self, glob: G, grep: R) -> Self
    where
        G: Fn(SharedFs, GlobQuery) -> GFut + Send + Sync + 'static,
        GFut: Future<Output = Result<GlobAnswer>> + Send + 'static,
        R: Fn(SharedFs, GrepQuery) -> RFut + Send + Sync + 'static,
        RFut: Future<Output = Result<GrepAnswer>> + Send + 'static,
    {
        self.search = Some(Portable {
            glob: Box::new(move |files, query| Box::pin(glob(files, query))),
            grep: Box::new(move |files, query| Box::pin(grep(files, query))),
        });
        self
    }

    /// A text that no error may show, such as a directory of the host. The
    /// spellings of the root are such texts already.
    #[must_use]
    pub fn with_forbidden_text(mut self, text: impl Into<String>) -> Self {
        self.forbidden.push(text.into());
        self
    }

    /// How often the cases that repeat themselves do so; 64 by default. So many
    /// random sequences of operations are compared with the model, and as much
    /// more is read beside writers and opened and dropped. A backend with slow
    /// calls takes less.
    #[must_use]
    pub fn with_effort(mut self, effort: u32) -> Self {
        self.effort = effort;
        self
    }

    /// How long one case may take before it counts as failed; 2 minutes by default.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Keeps a value alive as long as the subject: the guard of a temporary directory.
    #[must_use]
    pub fn with_guard(mut self, guard: impl Any + Send + Sync) -> Self {
        self.guard = Some(Box::new(guard));
        self
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("fs", &self.fs).field("shell", &self.shell).finish_non_exhaustive()
    }
}

/// So that a factory may give a subject, or say why it has none.
impl From<Subject> for Result<Subject> {
    fn from(subject: Subject) -> Self {
        Ok(subject)
    }
}

type Answer<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// The reference that native search is compared with.
pub(crate) struct Portable {
    pub(crate) glob: Box<dyn Fn(SharedFs, GlobQuery) -> Answer<GlobAnswer> + Send + Sync>,
    pub(crate) grep: Box<dyn Fn(SharedFs, GrepQuery) -> Answer<GrepAnswer> + Send + Sync>,
}
