//! `shell_output`: what a background command printed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::answer::{Answer, with_notice};
use super::jobs::{EXIT_CODE, ID, LEFTOVERS_KILLED, NOTE, STATUS, standing};
use super::names::ToolName;
use super::run_shell::printed;
use crate::exec::{JobEnd, JobStatus};
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, ToolError, ToolErrorKind, Workspace};

/// The longest wait, in milliseconds.
const LONGEST_WAIT: u64 = 30_000;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "shell_output",
    title: "Read a background command",
    description: "Gives what a background command has printed, and how it stands. Give the `cursor` of the answer as \
                  `since` to get only what is new; reading takes nothing away. The newest output is kept; \
                  `dropped_bytes` tells what is lost. With `wait_ms` it waits for new output or the end.",
    input: &[
        ID,
        Field::new(
            "since",
            Shape::COUNT,
            "Give only what came after this cursor. Default 0: all that is kept.",
        ),
        Field::new(
            "wait_ms",
            Shape::Integer { min: 0, max: 30_000 },
            "How long to wait for something new, in milliseconds, at most 30000. Default 0.",
        )
        .aliases(&["waitMs"]),
    ],
    output: &[
        Field::new("stdout", Shape::Text, "What it printed.").required(),
        Field::new("stderr", Shape::Text, "What it printed to standard error.").required(),
        Field::new("cursor", Shape::COUNT, "Where to go on: the `since` of the next call.").required(),
        Field::new("dropped_bytes", Shape::COUNT, "Bytes after `since` that are not kept any more.")
            .required(),
        Field::new("truncated", Shape::Boolean, "Whether there are such bytes.").required(),
        STATUS,
        EXIT_CODE,
        LEFTOVERS_KILLED,
        NOTE,
    ],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

/// What `shell_output` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ShellOutputInput {
    /// The id of the command.
    pub id: String,
    /// Only what came after this cursor; by default all that is kept.
    pub since: Option<u64>,
    /// How long to wait for something new, in milliseconds; at most 30,000, by default not at all.
    pub wait_ms: Option<u64>,
}

impl ShellOutputInput {
    /// All that is kept of what a command has printed.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Only what came after a cursor.
    #[must_use]
    pub fn since(mut self, cursor: u64) -> Self {
        self.since = Some(cursor);
        self
    }

    /// Waits so many milliseconds for something new, or the end.
    #[must_use]
    pub fn wait_ms(mut self, milliseconds: u64) -> Self {
        self.wait_ms = Some(milliseconds);
        self
    }
}

/// What `shell_output` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShellOutputOutput {
    /// What it printed after `since`, as far as it is kept.
    pub stdout: String,
    /// What it printed to standard error, likewise.
    pub stderr: String,
    /// Where to go on.
    pub cursor: u64,
    /// Bytes after `since` that are not kept any more.
    pub dropped_bytes: u64,
    /// Whether there are such bytes.
    pub truncated: bool,
    /// How the command stands.
    pub status: JobStatus,
    /// The exit code: the program's own; 128 + n for signal n; 124 after a timeout. `None`
    /// while it runs, and where the backend was lost.
    pub exit_code: Option<i32>,
    /// Processes that it left behind and that were killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leftovers_killed: Option<u32>,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Answer for ShellOutputOutput {
    fn text(&self) -> String {
        let mut text = printed(&self.stdout, &self.stderr);
        if text.is_empty() {
            text.push_str("nothing new\n");
        }
        if self.truncated {
            text += "earlier output is not kept any more: ";
            text += &self.dropped_bytes.to_string();
            text += " bytes\n";
        }
        text += &standing(self.status, self.exit_code);
        text += "; cursor ";
        text += &self.cursor.to_string();
        with_notice(text, self.note.as_deref())
    }
}

impl Workspace {
    /// Gives what a background command has printed, and how it stands.
    ///
    /// A cursor is a number of bytes of text, of both streams together; no character is ever
    /// divided between two answers, and equal cursors give equal answers as long as what they
    /// point at is kept: the newest `shell.max_output_bytes` of each command. Ended commands
    /// can be read until 16 others have ended after them, also after
    /// [`dispose`](Self::dispose).
    ///
    /// # Errors
    /// `job-not-found`; `out-of-range` for a cursor that was never given; `invalid-input` for
    /// a wait over 30,000; `background-disabled`; `unsupported`; `cancelled`.
    pub async fn shell_output(&self, input: ShellOutputInput) -> Result<ShellOutputOutput> {
        self.or_cancelled(self.read_job(&input)).await?
    }

    async fn read_job(&self, input: &ShellOutputInput) -> Result<ShellOutputOutput> {
        let wait = input.wait_ms.unwrap_or(0);
        if wait > LONGEST_WAIT {
            return Err(ToolError::new(
                ToolErrorKind::InvalidInput,
                format!("`wait_ms` is the number {wait}; it must be a whole number from 0 to {LONGEST_WAIT}"),
            )
            .with("field", "wait_ms")
            .hint("wait for less, and call again"));
        }
        let job = self.job(ToolName::ShellOutput, &input.id, || input.id.clone()).await?;
        let since = input.since.unwrap_or(0);
        let newest = job.cursor();
        if since > newest {
            return Err(ToolError::new(
                ToolErrorKind::OutOfRange,
                format!("`since` is {since}, and `{}` has printed up to the cursor {newest}", job.id),
            )
            .with("field", "since")
            .with("position", since)
            .with("cursor", newest)
            .hint("give the `cursor` of an earlier answer for this id, or leave `since` out"));
        }
        if wait > 0 {
            job.news(since, Duration::from_millis(wait)).await;
        }
        let (printed, end) = job.since(since);
        let JobEnd { status, exit_code, leftovers_killed, note } = end.unwrap_or(JobEnd {
            status: JobStatus::Running,
            exit_code: None,
            leftovers_killed: 0,
            note: None,
        });
        Ok(ShellOutputOutput {
            stdout: printed.stdout,
            stderr: printed.stderr,
            cursor: printed.cursor,
            dropped_bytes: printed.dropped,
            truncated: printed.dropped > 0,
            status,
            exit_code,
            leftovers_killed: Some(leftovers_killed).filter(|&count| count > 0),
            note,
        })
    }
}
