//! Asking the owner before a call runs.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde::Serialize;

use workspace_core::{Access, WorkspacePath};

use crate::tools::ToolName;
use crate::{ApprovalMode, Result, ToolError, ToolErrorKind, Workspace};

/// What the owner is asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The tool.
    pub tool: &'static str,
    /// The command as it will run, or the path as it was resolved lexically; for a background
    /// command its id, with the text where that is sent to it.
    pub subject: String,
    /// Where a command starts, relative to the root.
    pub cwd: Option<String>,
    /// Names of the variables that a command gets beyond the base.
    pub environment: Vec<String>,
    /// How long a command may run, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Whether a command is to run on while other calls are made.
    pub background: bool,
}

/// What the owner says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Yes, this once.
    Allow,
    /// Yes, and so for each equal call of this workspace: the same tool with
    /// the same command or path, not one that begins with it.
    AllowSession,
    /// No. The message reaches the model.
    Deny(String),
}

/// Who is asked about calls that need approval.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decides about a call. Nothing has happened yet, and no file is locked meanwhile.
    async fn decide(&self, request: &ApprovalRequest) -> Decision;
}

/// The approver of a workspace and what it allowed for good.
pub(crate) struct Approvals {
    approver: Option<Arc<dyn Approver>>,
    session: Mutex<HashSet<ApprovalRequest>>,
}

impl Approvals {
    pub(crate) fn new(approver: Option<Arc<dyn Approver>>) -> Self {
        Self { approver, session: Mutex::default() }
    }
}

impl fmt::Debug for dyn Approver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approver")
    }
}

impl Workspace {
    /// Asks about a call on a path. A path that the owner has closed is refused
    /// before anybody is asked.
    pub(crate) async fn approve_path(&self, tool: ToolName, path: &WorkspacePath) -> Result<()> {
        let access = if tool.changes_files() { Access::Write } else { Access::Read };
        self.check_path(path, access)?;
        self.approve(tool, || ApprovalRequest::path(tool, path)).await
    }

    /// Refuses a path that the owner has closed, as it is spelled. Where it
    /// leads is judged by the backend.
    pub(crate) fn check_path(&self, path: &WorkspacePath, access: Access) -> Result<()> {
        let spelled = path.under(self.scope_path());
        self.shared().filter.check(&spelled, access).map_err(|error| ToolError::from(error.at(path)))
    }

    /// Asks about a call where the policy says so.
    pub(crate) async fn approve(
        &self,
        tool: ToolName,
        request: impl FnOnce() -> ApprovalRequest,
    ) -> Result<()> {
        if self.policy().approval.mode(tool.as_str()) == ApprovalMode::Never {
            return Ok(());
        }
        let request = request();
        let approvals = &self.shared().approvals;
        if approvals.session.lock().unwrap_or_else(PoisonError::into_inner).contains(&request) {
            return Ok(());
        }
        let refused = |kind, message: String| {
            ToolError::new(kind, message).with(tool.subject_field(), request.subject.as_str())
        };
        let Some(approver) = approvals.approver.clone() else {
            return Err(refused(
                ToolErrorKind::ApprovalRequired,
                format!(
                    "`{}` needs the owner's approval and nobody can be asked; nothing has run",
                    tool.as_str()
                ),
            )
            .hint("go on without it, and tell the owner what you wanted to run and why"));
        };
        let asked = request.clone();
        // In a task of its own: an approver that panics must deny, not end the agent's run.
        let decision = self
            .or_cancelled(tokio::spawn(async move { approver.decide(&asked).await }))
            .await?
            .unwrap_or_else(|_| Decision::Deny("the approver failed".into()));
        match decision {
            Decision::Allow => Ok(()),
            Decision::AllowSession => {
                approvals.session.lock().unwrap_or_else(PoisonError::into_inner).insert(request);
                Ok(())
            }
            Decision::Deny(message) => Err(refused(
                ToolErrorKind::ApprovalDenied,
                format!("the owner did not approve `{}`: {message}; nothing has run", tool.as_str()),
            )
            .hint("do not try the same again; choose another way or ask what is wanted")),
        }
    }
}

impl ApprovalRequest {
    /// A request about a path.
    pub(crate) fn path(tool: ToolName, path: &WorkspacePath) -> Self {
        Self {
            tool: tool.as_str(),
            subject: path.to_string(),
            cwd: None,
            environment: Vec::new(),
            timeout_ms: None,
            background: false,
        }
    }
}
