//! How a workspace is put together.

use std::sync::Arc;
use std::time::Duration;

use workspace_core::{
    FsProvider, Guarded, PathRules, Progress, ReadOnly, SharedFs, SharedShell, ShellProvider, WorkspacePath,
};

use workspace_shell_policy::{CommandContext, CommandDecision, ShellPolicy as Rules, Word};

use super::{Shared, View, Workspace};
use crate::approval::{ApprovalRule, Approvals, Approver, Consent};
use crate::exec::{Jobs, Judge, Lifetime};
use crate::guard::path_filter;
use crate::spill::{self, Outputs};
use crate::state::{Locks, Stamps};
use crate::tools::{TodoList, ToolName};
use crate::{Policy, Result, ToolError, ToolErrorKind};

/// A workspace in the making: [`Workspace::builder`].
#[derive(Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct WorkspaceBuilder {
    files: SharedFs,
    shell: Option<SharedShell>,
    policy: Policy,
    /// Rules of commands that are code and so no part of a policy.
    rules: Rules,
    approvals: Approvals,
}

impl WorkspaceBuilder {
    pub(super) fn new(files: SharedFs) -> Self {
        Self {
            files,
            shell: None,
            policy: Policy::default(),
            rules: Rules::new(),
            approvals: Approvals::default(),
        }
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

    /// Decides about commands in code.
    ///
    /// The predicate is asked about every command that a line would start, wrapped and nested
    /// ones included, after the lists and patterns of [`Policy::shell`] have let the line pass
    /// and before approval: it narrows them and opens nothing. Its reason for a denial reaches
    /// the model, with `denied-command` and the `reason` `not-allowed`; a panic in it is a
    /// denial. While it is set, commands that hide others (`sh`, `python -c`) run only where
    /// `allow` names them. It must be quick, and is not asked a second time after an approval.
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use workspace_memory::Memory;
    /// use workspace_tools::{CommandDecision, Policy, ShellPolicy, Workspace};
    ///
    /// let policy = Policy { shell: Some(ShellPolicy::allowing(["git", "cargo"])), ..Policy::default() };
    /// let workspace = Workspace::builder(Memory::new())
    ///     .policy(policy)
    ///     .allow_command(|words, context| {
    ///         if context.background && words.iter().any(|word| word.text() == "commit") {
    ///             return CommandDecision::Deny("commit in the foreground".into());
    ///         }
    ///         CommandDecision::Allow
    ///     })
    ///     .build()?;
    /// assert!(workspace.check_command("git commit -m x").await.runs());
    /// # Ok(())
    /// # }
    /// ```
    pub fn allow_command(
        mut self,
        predicate: impl Fn(&[Word], &CommandContext<'_>) -> CommandDecision + Send + Sync + 'static,
    ) -> Self {
        self.rules = self.rules.allow_command(predicate);
        self
    }

    /// Puts the policy's rules for commands on top of these.
    pub(crate) fn command_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets who is asked about calls that need approval. Without one, such a call is refused.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approvals.approver = Some(Arc::new(approver));
        self
    }

    /// Sets how long the approver may take; without this, as long as it likes. One that takes
    /// longer has denied.
    pub fn approval_timeout(mut self, patience: Duration) -> Self {
        self.approvals.patience = Some(patience);
        self
    }

    /// Decides in code which calls of a tool the owner is asked about. For this tool, that takes
    /// the place of what the policy says.
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use workspace_memory::Memory;
    /// use workspace_tools::{ApprovalRequest, ToolName, Workspace, WriteFileInput};
    ///
    /// let workspace = Workspace::builder(Memory::new())
    ///     .approval_rule(ToolName::WriteFile, |request: &ApprovalRequest| {
    ///         request.subject.starts_with("migrations/")
    ///     })
    ///     .build()?;
    /// workspace.write_file(WriteFileInput::new("notes.txt", "x")).await?;
    /// let asked = workspace.write_file(WriteFileInput::new("migrations/1.sql", "x")).await;
    /// assert_eq!(asked.unwrap_err().kind().as_str(), "approval-required");
    /// # Ok(())
    /// # }
    /// ```
    pub fn approval_rule(mut self, tool: ToolName, rule: impl ApprovalRule + 'static) -> Self {
        self.approvals.rules.insert(tool, Arc::new(rule));
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
        let judge = self.policy.shell.as_ref().map(|shell| Judge::new(shell, self.rules)).transpose()?;
        let shared = Arc::new(Shared {
            judge,
            filter,
            approvals: self.approvals,
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
        Ok(Workspace {
            view: Arc::new(view),
            cancel: None,
            consent: Consent::default(),
            progress: Progress::default(),
        })
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
