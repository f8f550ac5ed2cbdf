//! Asking the owner before a call runs.

mod consent;
mod prepared;
mod request;

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use workspace_core::{Access, ErrorKind, WorkspacePath};

use crate::tools::ToolName;
use crate::{ApprovalMode, Result, ToolError, ToolErrorKind, Workspace};

pub(crate) use consent::{Consent, Rehearsal};
pub use prepared::PreparedCall;
pub use request::{ApprovalRequest, ApprovalRule, Approver, Decision, ProposedChange, ProposedFile};
pub(crate) use request::{DIFF_BYTES, Previous};

/// Who is asked about what, and what was allowed for good.
#[derive(Default)]
pub(crate) struct Approvals {
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) rules: BTreeMap<ToolName, Arc<dyn ApprovalRule>>,
    /// How long the approver may take.
    pub(crate) patience: Option<Duration>,
    session: Mutex<HashSet<ApprovalRequest>>,
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals")
            .field("approver", &self.approver.is_some())
            .field("rules", &self.rules.keys())
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

impl Approvals {
    fn is_allowed_for_good(&self, request: &ApprovalRequest) -> bool {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.contains(&request.for_session())
    }

    fn allow_for_good(&self, request: &ApprovalRequest) {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).insert(request.for_session());
    }

    /// In a task of its own: an approver that panics must deny, not end the agent's run.
    async fn ask(&self, approver: Arc<dyn Approver>, request: &ApprovalRequest) -> Decision {
        let request = request.clone();
        let mut asking = tokio::spawn(async move { approver.decide(&request).await });
        let decided = match self.patience {
            None => asking.await,
            Some(patience) => {
                let Ok(decided) = tokio::time::timeout(patience, &mut asking).await else {
                    asking.abort();
                    return Decision::Deny(format!("nobody answered within {} ms", patience.as_millis()));
                };
                decided
            }
        };
        decided.unwrap_or_else(|_| Decision::Deny("the approver failed".into()))
    }
}

impl Workspace {
    /// Asks about a call on a path. A path that the owner has closed is refused
    /// before anybody is asked.
    pub(crate) async fn approve_path(&self, tool: ToolName, path: &WorkspacePath) -> Result<()> {
        let access = if tool.changes_files() { Access::Write } else { Access::Read };
        self.check_path(path, access).await?;
        self.approve(tool, || ApprovalRequest::new(tool, path.to_string())).await
    }

    /// Refuses a path that the owner has closed, as it is spelled. Where it
    /// leads is judged by the backend.
    pub(crate) async fn check_path(&self, path: &WorkspacePath, access: Access) -> Result<()> {
        self.check_place(path, &path.under(self.scope_path()), access).await
    }

    /// Refuses a path that leads to a place, named from the root of the whole workspace, that the
    /// owner has closed.
    pub(crate) async fn check_place(
        &self,
        path: &WorkspacePath,
        place: &WorkspacePath,
        access: Access,
    ) -> Result<()> {
        match self.shared().filter.check(place, access) {
            Ok(()) => Ok(()),
            // What is hidden must look like what is missing, to the last word.
            Err(error) if error.kind() == ErrorKind::NotFound => Err(self.explain(error, path).await),
            Err(error) => Err(ToolError::from(error.at(path))),
        }
    }

    /// Whether the owner may have to be asked about calls of a tool, so that it is worth while to
    /// find out what is asked.
    pub(crate) fn may_ask(&self, tool: ToolName) -> bool {
        !matches!(self.consent(), Consent::Asked)
            || self.shared().approvals.rules.contains_key(&tool)
            || self.policy().approval.mode(tool.as_str()) == ApprovalMode::Always
    }

    /// Asks about a call where the policy, or the rule of the tool, says so.
    pub(crate) async fn approve(
        &self,
        tool: ToolName,
        request: impl FnOnce() -> ApprovalRequest,
    ) -> Result<()> {
        if !self.may_ask(tool) {
            return Ok(());
        }
        let request = request();
        let approvals = &self.shared().approvals;
        let needed = self.is_needed(&request).await? && !approvals.is_allowed_for_good(&request);
        match self.consent() {
            Consent::Rehearsed(rehearsal) => {
                rehearsal.note(request, needed);
                return Err(rehearsed());
            }
            _ if !needed => return Ok(()),
            Consent::Given(given) if **given == request => return Ok(()),
            Consent::Given(given) => return Err(another_call(given, &request)),
            Consent::Asked => {}
        }
        let Some(approver) = approvals.approver.clone() else {
            return Err(refused(
                &request,
                ToolErrorKind::ApprovalRequired,
                format!(
                    "`{}` needs the owner's approval and nobody can be asked; nothing has run",
                    tool.as_str()
                ),
            )
            .hint("go on without it, and tell the owner what you wanted to run and why"));
        };
        match self.or_cancelled(approvals.ask(approver, &request)).await? {
            Decision::Allow => Ok(()),
            Decision::AllowSession => {
                approvals.allow_for_good(&request);
                Ok(())
            }
            Decision::Deny(message) => Err(refused(
                &request,
                ToolErrorKind::ApprovalDenied,
                format!("the owner did not approve `{}`: {message}; nothing has run", tool.as_str()),
            )
            .hint("do not try the same again; choose another way or ask what is wanted")),
        }
    }

    async fn is_needed(&self, request: &ApprovalRequest) -> Result<bool> {
        let Some(rule) = self.shared().approvals.rules.get(&request.tool).cloned() else {
            return Ok(self.policy().approval.mode(request.tool.as_str()) == ApprovalMode::Always);
        };
        let asked = request.clone();
        let asking = tokio::spawn(async move { rule.needs_approval(&asked).await });
        // Where it fails, a person decides.
        Ok(self.or_cancelled(asking).await?.unwrap_or(true))
    }
}

fn refused(request: &ApprovalRequest, kind: ToolErrorKind, message: String) -> ToolError {
    ToolError::new(kind, message).with(request.tool.subject_field(), request.subject.as_str())
}

/// The call would now do something else than what was approved.
fn another_call(given: &ApprovalRequest, request: &ApprovalRequest) -> ToolError {
    let what = if given.for_session() == request.for_session() {
        "the file has changed since this call was approved"
    } else {
        "this is not the call that was approved"
    };
    refused(request, ToolErrorKind::ApprovalRequired, format!("{what}; nothing has run"))
        .hint("prepare the call again, and have it approved as it is now")
}

/// The end of a rehearsal. It reaches nobody.
fn rehearsed() -> ToolError {
    ToolError::new(ToolErrorKind::ApprovalRequired, "this call was only rehearsed; nothing has run")
}
