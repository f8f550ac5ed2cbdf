//! A workspace: files, commands and a policy, with what all its projections share.

mod builder;
mod commands;
mod explain;
mod paths;
mod projection;
mod write_lock;

pub(crate) use write_lock::{WriteLock, WriteLocks};

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use workspace_core::{
    Capabilities, FsProvider, PathFilter, PathRules, Progress, SharedFs, SharedShell, WorkspacePath,
};

use crate::approval::{Approvals, Consent};
use crate::exec::{Jobs, Judge, Lifetime};
use crate::spill::{Mounted, Outputs};
use crate::state::{Locks, Stamps};
use crate::tools::{TodoList, ToolName};
use crate::{Policy, Result, ToolError, ToolErrorKind};

pub use builder::WorkspaceBuilder;

/// Files and commands under a policy, for an agent.
///
/// Each tool is a method. A clone is cheap and is the same workspace: locks,
/// todo list, background commands and what was read are shared, also by the
/// projections [`readonly`](Self::readonly), [`scope`](Self::scope) and
/// [`pick`](Self::pick), which only narrow. Background commands end with the
/// last of them, or with [`dispose`](Self::dispose).
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use workspace_memory::Memory;
/// use workspace_tools::{EditFileInput, Policy, ReadFileInput, Workspace};
///
/// let files = Memory::new().with_file("src/main.rs", "fn main() {}\n");
/// let workspace = Workspace::builder(files).policy(Policy::default()).build()?;
///
/// let page = workspace.read_file(ReadFileInput::new("src/main.rs")).await?;
/// assert_eq!(page.content, "     1\tfn main() {}");
///
/// let edit = EditFileInput::replace("src/main.rs", "fn main() {}", "fn main() {\n    run();\n}")
///     .expecting(page.hash);
/// assert_eq!(workspace.edit_file(edit).await?.replacements, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Workspace {
    view: Arc<View>,
    cancel: Option<CancellationToken>,
    consent: Consent,
    progress: Progress,
}

/// One projection: what it may, over what all share.
#[derive(Clone)]
struct View {
    /// The files of the backend as this projection sees them: guarded, scoped, closed to changes.
    tree: SharedFs,
    /// The same with what commands printed beside them, where the policy keeps that.
    files: SharedFs,
    shell: Option<SharedShell>,
    rules: PathRules,
    /// Where its root lies in the root of the whole workspace.
    scope: WorkspacePath,
    read_only: bool,
    /// The tools it vends; `None` for all that it has.
    picked: Option<BTreeSet<ToolName>>,
    shared: Arc<Shared>,
}

/// What all projections share.
pub(crate) struct Shared {
    pub(crate) policy: Policy,
    /// The owner's globs, over paths of the whole workspace.
    pub(crate) filter: PathFilter,
    /// The rules of commands, compiled; `None` where no command runs.
    pub(crate) judge: Option<Judge>,
    pub(crate) approvals: Approvals,
    pub(crate) locks: Locks,
    pub(crate) stamps: Stamps,
    pub(crate) todos: TodoList,
    pub(crate) jobs: Jobs,
    pub(crate) lifetime: Lifetime,
    /// Outputs that are kept whole; `None` where the policy keeps none.
    pub(crate) outputs: Option<Arc<Outputs>>,
}

impl View {
    /// Puts a layer over the files.
    fn narrow(&mut self, layer: impl FnOnce(SharedFs) -> SharedFs) {
        self.tree = layer(self.tree.clone());
        self.files = self.shared.with_outputs(self.tree.clone());
    }
}

impl Shared {
    /// A tree with the outputs that are kept beside it.
    fn with_outputs(&self, tree: SharedFs) -> SharedFs {
        match &self.outputs {
            Some(outputs) => SharedFs::new(Mounted::new(tree, Arc::clone(outputs))),
            None => tree,
        }
    }
}

impl Workspace {
    /// Begins a workspace over any provider of files.
    pub fn builder(files: impl FsProvider) -> WorkspaceBuilder {
        WorkspaceBuilder::new(SharedFs::new(files))
    }

    /// The policy that holds.
    pub fn policy(&self) -> &Policy {
        &self.view.shared.policy
    }

    /// What the files can do here.
    pub fn capabilities(&self) -> Capabilities {
        self.view.files.capabilities()
    }

    /// This workspace for one call that can be cancelled by a token.
    #[must_use]
    pub fn with_cancel(&self, cancel: CancellationToken) -> Self {
        Self { cancel: Some(cancel), ..self.clone() }
    }

    /// This workspace for one call, which counts what it has done so far: names that a search
    /// looked at, bytes that a command printed. Other calls are over too soon to count anything.
    #[must_use]
    pub fn with_progress(&self, progress: Progress) -> Self {
        Self { progress, ..self.clone() }
    }

    /// This workspace for one call whose approval comes from elsewhere.
    pub(crate) fn with_consent(&self, consent: Consent) -> Self {
        Self { consent, ..self.clone() }
    }

    /// The same rights to another view.
    fn with_view(&self, view: View) -> Self {
        Self { view: Arc::new(view), ..self.clone() }
    }

    pub(crate) fn consent(&self) -> &Consent {
        &self.consent
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.view.shared
    }

    pub(crate) fn files(&self) -> &SharedFs {
        &self.view.files
    }

    /// Where the root of this projection lies in the whole workspace.
    pub(crate) fn scope_path(&self) -> &WorkspacePath {
        &self.view.scope
    }

    /// Fails where the caller has given up already.
    pub(crate) fn check_cancelled(&self) -> Result<()> {
        match &self.cancel {
            Some(cancel) if cancel.is_cancelled() => Err(cancelled()),
            _ => Ok(()),
        }
    }

    /// Waits for something that may be given up without a trace.
    pub(crate) async fn or_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        match &self.cancel {
            None => Ok(work.await),
            Some(cancel) => tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled()),
                done = work => Ok(done),
            },
        }
    }
}

fn cancelled() -> ToolError {
    ToolError::new(ToolErrorKind::Cancelled, "the call was cancelled; nothing has changed")
        .hint("call again if it is still wanted")
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace")
            .field("files", &self.view.files)
            .field("shell", &self.view.shell)
            .field("scope", &self.view.scope.to_string())
            .field("read_only", &self.view.read_only)
            .finish_non_exhaustive()
    }
}
