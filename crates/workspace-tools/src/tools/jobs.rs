//! What the tools of background commands share.

use std::sync::Arc;
use std::time::SystemTime;

use serde::Serialize;

use super::command::Allowed;
use super::names::ToolName;
use super::run_shell::StartedShell;
use crate::approval::ApprovalRequest;
use crate::exec::{Job, JobStatus, Start};
use crate::output::Log;
use crate::spec::{Field, Shape};
use crate::{Limit, Result, ToolError, ToolErrorKind, Workspace, timestamp};

pub(super) const ID: Field =
    Field::new("id", Shape::Text, "The id that `run_shell` gave: job-1.").required().aliases(&["job_id"]);

pub(super) const STATUS: Field = Field::new(
    "status",
    Shape::Choice(&["running", "exited", "killed", "timed-out"]),
    "How the command stands.",
)
.required();

pub(super) const EXIT_CODE: Field = Field::new(
    "exit_code",
    Shape::Nullable(&Shape::Integer { min: i64::MIN, max: i64::MAX }),
    "The exit code; null while it runs, and where nobody knows.",
)
.required();

pub(super) const LEFTOVERS_KILLED: Field =
    Field::new("leftovers_killed", Shape::COUNT, "Processes that it left behind and that were killed.");

pub(super) const NOTE: Field = Field::new("note", Shape::Text, "What to know about this answer.");

/// A background command, as [`Workspace::list_shells`] tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShellJob {
    /// Its id.
    pub id: String,
    /// The command line.
    pub command: String,
    /// Where it started, relative to the root of the whole workspace.
    pub cwd: String,
    /// When it started; in JSON as RFC 3339, in UTC.
    #[serde(serialize_with = "timestamp::serialize")]
    pub started_at: SystemTime,
    /// How it stands.
    pub status: JobStatus,
    /// The exit code: the program's own; 128 + n for signal n; 124 after a timeout. `None`
    /// while it runs, and where the backend was lost.
    pub exit_code: Option<i32>,
}

impl Workspace {
    /// The background commands of this workspace, in the order in which they started.
    ///
    /// Of those that ended the newest 16 are in the list. All projections share it.
    pub fn list_shells(&self) -> Vec<ShellJob> {
        let jobs = self.shared().jobs.all();
        let shells = jobs.iter().map(|job| {
            let end = job.end();
            ShellJob {
                id: job.id.clone(),
                command: job.start.command.clone(),
                cwd: job.start.cwd.clone(),
                started_at: job.start.at,
                status: end.as_ref().map_or(JobStatus::Running, |end| end.status),
                exit_code: end.and_then(|end| end.exit_code),
            }
        });
        shells.collect()
    }

    /// Starts a command that may start, as a job.
    pub(super) async fn start(&self, allowed: Allowed, line: String) -> Result<StartedShell> {
        let policy = self.shell_policy()?;
        let shared = self.shared();
        let stay = shared.lifetime.enter()?;
        self.check_cancelled()?;
        let slot = shared.jobs.reserve(self.max_jobs()).map_err(|error| self.too_many(error))?;
        let start = Start {
            command: line,
            cwd: allowed.cwd.under(self.scope_path()).to_string(),
            at: SystemTime::now(),
        };
        let Some(process) = self.spawn(allowed.command, &allowed.cwd).await? else {
            shared.lifetime.check()?;
            return Err(ToolError::new(
                ToolErrorKind::Cancelled,
                "the call was cancelled while the command was starting",
            ));
        };
        // From here on it is the table's: a cancellation of the call does not reach it.
        let log = Log::new(policy.max_output_bytes.as_usize().unwrap_or(usize::MAX), policy.plain_output);
        let job = shared.jobs.follow(slot, process, start, log);
        drop(stay);
        Ok(StartedShell {
            id: job.id.clone(),
            command: job.start.command.clone(),
            status: JobStatus::Running,
            started_at: job.start.at,
            timeout_clamped: allowed.timeout_clamped,
        })
    }

    /// Refuses a job before anybody is asked about it, where there is no place for it.
    pub(super) fn check_jobs(&self) -> Result<()> {
        self.shared().jobs.reserve(self.max_jobs()).map(drop).map_err(|error| self.too_many(error))
    }

    /// The job that a call is about, once the owner has agreed to the call, where it is to be asked.
    pub(super) async fn job(
        &self,
        tool: ToolName,
        id: &str,
        subject: impl FnOnce() -> String,
    ) -> Result<Arc<Job>> {
        self.check_command_tool(tool)?;
        let job = self.shared().jobs.find(id)?;
        self.approve(tool, || ApprovalRequest { background: true, ..ApprovalRequest::new(tool, subject()) })
            .await?;
        Ok(job)
    }

    fn max_jobs(&self) -> Limit {
        let background = self.policy().shell.as_ref().and_then(|shell| shell.background.as_ref());
        background.map_or(Limit::of(0), |background| background.max_jobs)
    }

    fn too_many(&self, error: ToolError) -> ToolError {
        error.hint(if self.vends(ToolName::ShellKill) {
            "end one with `shell_kill`, or wait until one has ended"
        } else {
            "wait until one has ended"
        })
    }
}

/// How a job stands, in words.
pub(super) fn standing(status: JobStatus, exit_code: Option<i32>) -> String {
    match (status, exit_code) {
        (JobStatus::Running, _) => "running".to_owned(),
        (status, Some(code)) => format!("{}, exit code {code}", status.as_str()),
        (status, None) => format!("{}, exit code unknown", status.as_str()),
    }
}
