//! `shell_kill`: the end of a background command.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::answer::{Answer, with_notice};
use super::jobs::{EXIT_CODE, ID, LEFTOVERS_KILLED, NOTE, STATUS, standing};
use super::names::ToolName;
use crate::exec::{JobStatus, LAST_WORDS};
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, ToolError, Workspace};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "shell_kill",
    title: "End a background command",
    description: "Kills a background command with all the processes that it started, and tells how it ended. One that \
                  has ended already is left as it is.",
    input: &[ID],
    output: &[
        Field::new("id", Shape::Text, "The id of the command.").required(),
        STATUS,
        EXIT_CODE,
        LEFTOVERS_KILLED,
        NOTE,
    ],
    read_only: false,
    destructive: true,
    idempotent: true,
    open_world: false,
};

/// What `shell_kill` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ShellKillInput {
    /// The id of the command.
    pub id: String,
}

impl ShellKillInput {
    /// Ends the command of this id.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into() }
    }
}

/// What `shell_kill` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShellKillOutput {
    /// The id of the command.
    pub id: String,
    /// How it ended.
    pub status: JobStatus,
    /// The exit code: 128 + n where signal n ended it.
    pub exit_code: Option<i32>,
    /// Processes that it left behind and that were killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leftovers_killed: Option<u32>,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Answer for ShellKillOutput {
    fn text(&self) -> String {
        with_notice(format!("{}: {}", self.id, standing(self.status, self.exit_code)), self.note.as_deref())
    }
}

impl Workspace {
    /// Kills a background command with its tree, and tells how it ended.
    ///
    /// A second call changes nothing and gives the same. Where the end is not told within 5
    /// seconds after the kill, the answer is `running` with a `note`. A cancellation ends the
    /// wait and not the kill.
    ///
    /// # Errors
    /// `job-not-found`; `read-only`; `background-disabled`; `backend-unavailable`; `cancelled`
    /// where nothing was done.
    pub async fn shell_kill(&self, input: ShellKillInput) -> Result<ShellKillOutput> {
        self.check_cancelled()?;
        let job = self.job(ToolName::ShellKill, &input.id, || input.id.clone()).await?;
        let grace = Duration::from_millis(self.shell_policy()?.kill_grace_ms);
        let was_cancelled = match self.or_cancelled(job.kill(grace.saturating_add(LAST_WORDS))).await {
            Ok(killed) => {
                killed.map_err(|error| ToolError::from(error).with("id", input.id.as_str()))?;
                false
            }
            Err(_) => true,
        };
        let end = job.end();
        let note = match &end {
            Some(end) => end.note.clone(),
            None if was_cancelled => {
                Some("the call was cancelled while the command was being killed; the kill goes on".to_owned())
            }
            None => Some(format!("it was killed; that it has ended was not told within {LAST_WORDS:?}")),
        };
        Ok(ShellKillOutput {
            id: input.id,
            status: end.as_ref().map_or(JobStatus::Running, |end| end.status),
            exit_code: end.as_ref().and_then(|end| end.exit_code),
            leftovers_killed: end.map(|end| end.leftovers_killed).filter(|&count| count > 0),
            note,
        })
    }
}
