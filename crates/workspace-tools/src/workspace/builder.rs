//! How a workspace is put together.

use std::sync::Arc;

use workspace_core::{
    FsProvider, Guarded, PathRules, ReadOnly, SharedFs, SharedShell, ShellProvider, WorkspacePath,
};

use super::{Shared, View, Workspace};
use crate::approval::{Approvals, Approver};
use crate::exec::{Jobs, Judge, Lifetime};
use crate::guard::path_filter;
use crate::spill::{self, Outputs};
use crate::state::{Locks, Stamps};
use crate::tools::TodoList;
use crate::{Policy, Result, ToolError, ToolErrorKind};

/// A workspace in the making: [`Workspace::builder`].
#[derive(Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct WorkspaceBuilder {
    files: SharedFs,
    shell: Option<SharedShell>,
    policy: Policy,
    approver: Option<Arc<dyn Approver>>,
}

impl WorkspaceBuilder {
    pub(super) fn new(files: SharedFs) -> Self {
        Self { files, shell: None, policy: Policy::default(), approver: None }
    }

    /// Adds commands. They run where [`Policy::shell`] allows it.
    pub fn shell(mut self, shell: impl ShellProvider) -> Self {
        self.shell = Some(SharedShell::new(shell));
        self
    }

    /// Sets the policy.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets who is asked about calls that need approval. Without one, such a call is refused.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Puts the workspace together. Nothing is read or started.
    ///
    /// # Errors
    /// `invalid-pattern` and `invalid-input` for a policy that cannot be applied, naming the field.
    pub fn build(self) -> Result<Workspace> {
        let filter = path_filter(&self.policy.paths, self.files.capabilities().case_insensitive)?;
        let rules = self.policy.paths.apply(self.files.path_rules());
        let mut files = self.files;
        if !filter.is_empty() {
            files = SharedFs::new(Guarded::new(files, filter.clone()));
        }
        let read_only = self.policy.paths.read_only;
        if read_only {
            files = SharedFs::new(ReadOnly::new(files));
        }
        let outputs = match &self.policy.shell {
            Some(shell) if shell.spill => Some(outputs(&files.path_rules())?),
            _ => None,
        };
        let judge = self.policy.shell.as_ref().map(Judge::new).transpose()?;
        let shared = Arc::new(Shared {
            judge,
            filter,
            approvals: Approvals::new(self.approver),
            policy: self.policy,
            locks: Locks::default(),
            stamps: Stamps::default(),
            todos: TodoList::default(),
            jobs: Jobs::default(),
            lifetime: Lifetime::default(),
            outputs,
        });
        let view = View {
            files: shared.with_outputs(files.clone()),
            tree: files,
            shell: self.shell,
            rules,
            scope: WorkspacePath::root(),
            read_only,
            picked: None,
            shared,
        };
        Ok(Workspace { view: Arc::new(view), cancel: None })
    }
}

/// The outputs that are kept, unless a further root has their name.
fn outputs(rules: &PathRules) -> Result<Arc<Outputs>> {
    if rules.mounts.iter().any(|mount| mount.component() == spill::DIRECTORY) {
        let message = format!(
            "a further root and the outputs of commands cannot both be `{}`: \
             `paths.extra_roots` names it, and `shell.spill` is on",
            spill::DIRECTORY
        );
        return Err(ToolError::new(ToolErrorKind::InvalidInput, message)
            .with("field", "paths.extra_roots")
            .hint("give the root another name"));
    }
    Ok(Arc::default())
}
