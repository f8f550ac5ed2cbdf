//! `shell_input`: text for the standard input of a background command. Off by default.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::answer::{Answer, with_notice};
use super::jobs::{ID, NOTE, STATUS, standing};
use super::names::ToolName;
use crate::exec::JobStatus;
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, ToolError, ToolErrorKind, Workspace};

/// The longest text, in bytes.
const LONGEST: usize = 64 << 10;
/// How long a call waits for a program to take the text.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "shell_input",
    title: "Answer a background command",
    description: "Sends text to the standard input of a background command, such as the answer to a prompt. The text is \
                  sent as it is: end it with a newline to enter a line. With `close` the input ends after it.",
    input: &[
        ID,
        Field::new("text", Shape::Text, "The text, at most 65536 bytes.").required(),
        Field::new("close", Shape::Boolean, "End the input after the text. Default false."),
    ],
    output: &[
        Field::new("id", Shape::Text, "The id of the command.").required(),
        Field::new("sent_bytes", Shape::COUNT, "How many bytes were sent.").required(),
        Field::new("taken", Shape::Boolean, "Whether the command has taken all of it by now.").required(),
        STATUS,
        NOTE,
    ],
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
};

/// What `shell_input` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ShellInputInput {
    /// The id of the command.
    pub id: String,
    /// The text, sent as it is; at most 65,536 bytes.
    pub text: String,
    /// Whether the input ends after the text.
    pub close: bool,
}

impl ShellInputInput {
    /// Sends a text to a command.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), close: false }
    }

    /// Ends the input after the text.
    #[must_use]
    pub fn close(mut self) -> Self {
        self.close = true;
        self
    }
}

/// What `shell_input` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShellInputOutput {
    /// The id of the command.
    pub id: String,
    /// How many bytes were sent.
    pub sent_bytes: u64,
    /// Whether the command, or the pipe to it, has taken all of it by now.
    pub taken: bool,
    /// How the command stands.
    pub status: JobStatus,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Answer for ShellInputOutput {
    fn text(&self) -> String {
        let text =
            format!("sent {} bytes to {}, which is {}", self.sent_bytes, self.id, self.status.as_str());
        with_notice(text, self.note.as_deref())
    }
}

impl Workspace {
    /// Sends a text to the standard input of a background command.
    ///
    /// The input is open where the command was started with
    /// [`with_open_stdin`](crate::RunShellInput::with_open_stdin), or by a projection that vends this tool. Texts
    /// of several calls arrive in the order of the calls. A program that does not read holds
    /// the call up for 5 seconds; then the answer says so, and the text is still delivered. So
    /// it is after a cancellation.
    ///
    /// # Errors
    /// `job-not-found`; `invalid-input` for a command that has ended, and for a text over
    /// 65,536 bytes; `unsupported` where its input is closed; `read-only`; `background-disabled`; `cancelled`.
    pub async fn shell_input(&self, input: ShellInputInput) -> Result<ShellInputOutput> {
        self.check_cancelled()?;
        let length = input.text.len();
        if length > LONGEST {
            return Err(ToolError::new(
                ToolErrorKind::InvalidInput,
                format!("`text` has {length} bytes; it must have at most {LONGEST}"),
            )
            .with("field", "text")
            .hint("send it in parts, or write it to a file that the command reads"));
        }
        let subject = || format!("{}: {}", input.id, input.text);
        let job = self.job(ToolName::ShellInput, &input.id, subject).await?;
        if let Some(end) = job.end() {
            let message =
                format!("`{}` has ended ({}); nothing was sent", job.id, standing(end.status, end.exit_code));
            return Err(ToolError::new(ToolErrorKind::InvalidInput, message)
                .with("field", "id")
                .with("id", input.id)
                .hint("start it again if it is still needed"));
        }
        let sending = {
            let job = Arc::clone(&job);
            tokio::spawn(async move { job.send(input.text.into_bytes(), input.close).await })
        };
        let taken = match self.or_cancelled(tokio::time::timeout(PATIENCE, sending)).await? {
            Ok(Ok(sent)) => {
                sent.map_err(|error| ToolError::from(error).with("id", input.id.as_str()))?;
                true
            }
            // A panic of the backend: whether it was sent is unknown.
            Ok(Err(_)) => {
                return Err(ToolError::new(
                    ToolErrorKind::BackendUnavailable,
                    "the backend failed while the text was being sent; whether it arrived is unknown",
                )
                .with("id", input.id));
            }
            Err(_) => false,
        };
        Ok(ShellInputOutput {
            id: input.id,
            sent_bytes: length as u64,
            taken,
            status: job.status(),
            note: (!taken).then(|| {
                format!(
                    "the command has not read all of it within {PATIENCE:?}; it is delivered when it does"
                )
            }),
        })
    }
}
