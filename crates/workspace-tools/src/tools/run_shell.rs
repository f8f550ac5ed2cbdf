//! `run_shell`: a command, to its end or in the background.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use workspace_core::Stdin;

use super::answer::{Answer, with_notice};
use super::command::{Asked, never_started};
use super::names::ToolName;
use crate::exec::JobStatus;
use crate::spec::{Field, Shape, ToolSpec, joined, optional};
use crate::{Result, ToolErrorKind, Workspace, timestamp};

pub(super) const TIMEOUT: Field = Field::new(
    "timeout_ms",
    Shape::Integer { min: 1, max: i64::MAX },
    "How long it may run, in milliseconds. Default 120000.",
)
.aliases(&["timeoutMs", "timeout"]);

const INPUT: [Field; 3] = [
    Field::new("command", Shape::Text, "The command line.").required(),
    TIMEOUT,
    Field::new("cwd", Shape::Text, "Directory to run in, relative to the root of the workspace."),
];

const BACKGROUND: Field = Field::new(
    "background",
    Shape::Boolean,
    "Let it run on and answer at once with an `id`, for a server or a long build. Default false; no timeout but one that is given.",
);

const STATUS: Shape = Shape::Choice(&["running", "exited", "killed", "timed-out"]);

/// What is told of a command that ended.
pub(super) const ENDED: [Field; 12] = [
    Field::new(
        "exit_code",
        Shape::Integer { min: i64::MIN, max: i64::MAX },
        "The exit code; 124 after a timeout, 130 after a cancellation.",
    )
    .required(),
    Field::new("stdout", Shape::Text, "What it printed.").required(),
    Field::new("stderr", Shape::Text, "What it printed to standard error.").required(),
    Field::new("timed_out", Shape::Boolean, "Whether it took too long and was killed.").required(),
    Field::new("cancelled", Shape::Boolean, "Whether the call was cancelled and it was killed.").required(),
    Field::new("truncated", Shape::Boolean, "Whether output was left out.").required(),
    Field::new(
        "omitted",
        Shape::Object(&[
            Field::new("stdout", Shape::COUNT, "Bytes of stdout.").required(),
            Field::new("stderr", Shape::COUNT, "Bytes of stderr.").required(),
        ]),
        "How many bytes were left out.",
    )
    .required(),
    Field::new("duration_ms", Shape::COUNT, "How long it ran.").required(),
    Field::new("timeout_clamped", Shape::COUNT, "The timeout that held, where more was asked than may be."),
    Field::new("leftovers_killed", Shape::COUNT, "Processes that it left behind and that were killed."),
    Field::new("note", Shape::Text, "What to know about this answer."),
    Field::new("output_file", Shape::Text, "Where all of the output can be read, if it was too long."),
];

/// What is told of a command that goes on. Its `timeout_clamped` is that of the other form.
const STARTED: [Field; 4] = [
    Field::new("id", Shape::Text, "The id of the command that goes on, with `background`."),
    Field::new("command", Shape::Text, "The command line."),
    Field::new("status", STATUS, "How it stands."),
    Field::new("started_at", Shape::Text, "When it started."),
];

const DESCRIPTION: &str = "Runs a command in the workspace and gives its exit code and output. Each call starts anew in the root \
                           of the workspace, or in `cwd`: a `cd` does not last. There is no input to answer prompts with. \
                           A non-zero exit code is an answer, not an error of the tool.";

/// With commands that go on.
pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "run_shell",
    title: "Run a command",
    description: DESCRIPTION,
    input: &joined::<4>(&INPUT, &[BACKGROUND]),
    output: &joined::<16>(&optional(ENDED), &STARTED),
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
};

/// Where every command runs to its end.
pub(crate) const FOREGROUND_SPEC: ToolSpec = ToolSpec { input: &INPUT, output: &ENDED, ..SPEC };

/// What `run_shell` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RunShellInput {
    /// The command line.
    pub command: String,
    /// How long it may run, in milliseconds; lowered to the policy's ceiling.
    pub timeout_ms: Option<u64>,
    /// Where it starts, relative to the root; the root by default.
    pub cwd: Option<String>,
    /// Whether no timeout holds, whatever the policy says. A model cannot ask for it.
    #[serde(skip)]
    pub no_timeout: bool,
    /// Whether its standard input stays open for [`Workspace::shell_input`], where it goes on in
    /// the background. A model gets it by being given that tool.
    #[serde(skip)]
    pub open_stdin: bool,
}

impl RunShellInput {
    /// Runs a command in the root.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }

    /// Runs it in a directory.
    #[must_use]
    pub fn within(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Gives it so many milliseconds.
    #[must_use]
    pub fn timeout_ms(mut self, milliseconds: u64) -> Self {
        self.timeout_ms = Some(milliseconds);
        self
    }

    /// Lets it take as long as it takes.
    #[must_use]
    pub fn without_timeout(mut self) -> Self {
        self.no_timeout = true;
        self
    }

    /// Leaves its standard input open for [`Workspace::shell_input`].
    #[must_use]
    pub fn with_open_stdin(mut self) -> Self {
        self.open_stdin = true;
        self
    }
}

/// Bytes of output that were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct OmittedBytes {
    /// Of standard output.
    pub stdout: u64,
    /// Of standard error.
    pub stderr: u64,
}

/// What `run_shell` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunShellOutput {
    /// The exit code: the program's own; 128 + n for signal n; 124 after a timeout; 130 after a cancellation.
    pub exit_code: i32,
    /// What it printed, within the budget.
    pub stdout: String,
    /// What it printed to standard error, within the budget.
    pub stderr: String,
    /// Whether it took too long and was killed.
    pub timed_out: bool,
    /// Whether the call was cancelled and it was killed.
    pub cancelled: bool,
    /// Whether output was left out.
    pub truncated: bool,
    /// How many bytes were left out.
    pub omitted: OmittedBytes,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
    /// The timeout that held, in milliseconds, where more was asked than may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_clamped: Option<u64>,
    /// Processes that it left behind and that were killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leftovers_killed: Option<u32>,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Where all of the output can be read, if it was cut and the policy keeps it: `@output/3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
}

impl Answer for RunShellOutput {
    fn text(&self) -> String {
        let end = match (self.timed_out, self.cancelled) {
            (true, _) => format!("timed out after {} ms", self.duration_ms),
            (_, true) => format!("cancelled after {} ms", self.duration_ms),
            _ => format!("exit code {}", self.exit_code),
        };
        let mut text = printed(&self.stdout, &self.stderr);
        if text.is_empty() {
            text.push_str("no output\n");
        }
        text.push_str(&end);
        with_notice(text, self.note.as_deref())
    }
}

/// What was printed to either stream, for a model.
pub(super) fn printed(stdout: &str, stderr: &str) -> String {
    let mut text = String::new();
    for (name, output) in [("stdout", stdout), ("stderr", stderr)] {
        if !output.is_empty() {
            let end = if output.ends_with('\n') { "" } else { "\n" };
            text.extend(["<", name, ">\n", output, end, "</", name, ">\n"]);
        }
    }
    text
}

/// A command that goes on in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StartedShell {
    /// The id by which the other calls name it: `job-1`.
    pub id: String,
    /// The command line.
    pub command: String,
    /// How it stands: it runs.
    pub status: JobStatus,
    /// When it started; in JSON as RFC 3339, in UTC.
    #[serde(serialize_with = "timestamp::serialize")]
    pub started_at: SystemTime,
    /// The timeout that holds, in milliseconds, where more was asked than may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_clamped: Option<u64>,
}

impl Answer for StartedShell {
    fn text(&self) -> String {
        format!("{} runs in the background: {}", self.id, self.command)
    }
}

impl Workspace {
    /// Runs a command to its end.
    ///
    /// A non-zero exit code, a timeout and a cancellation are answers, with the
    /// output so far. The call is over when the program has exited, whatever it
    /// left in the background.
    ///
    /// # Errors
    /// `denied-command` where the policy refuses it; `approval-required` and
    /// `approval-denied`; `not-found`, `not-a-directory` and `path-escape` for
    /// `cwd`; `spawn-failed`; `disposed`; `unsupported`; `backend-unavailable`.
    /// Nothing has started then, but for the last one, which says so.
    pub async fn run_shell(&self, input: RunShellInput) -> Result<RunShellOutput> {
        match self.allow(asked(&input, false, Stdin::Empty)).await {
            Ok(allowed) => self.run(allowed, &mut |_, _| {}).await,
            Err(error) if error.kind() == ToolErrorKind::Cancelled => Ok(never_started()),
            Err(error) => Err(error),
        }
    }

    /// Starts a command that goes on while other calls are made.
    ///
    /// It passes the same gates as one that runs to its end. It outlives this call and its
    /// cancellation, and ends by itself, by [`shell_kill`](Self::shell_kill), with
    /// [`dispose`](Self::dispose), with the last handle of the workspace, or after
    /// `timeout_ms`; without one after the policy's `shell.background.timeout_ms`, by default
    /// never. What it prints is read by [`shell_output`](Self::shell_output).
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use workspace_memory::{Memory, Reply, Script};
    /// use workspace_tools::{
    ///     ApprovalPolicy, BackgroundPolicy, Policy, RunShellInput, ShellOutputInput, ShellPolicy, Workspace,
    /// };
    ///
    /// let memory = Memory::new();
    /// let serve = Reply::new().with_stdout("listening\n").without_end();
    /// let shell = memory.shell(Script::new().with_argv(["serve"], serve));
    /// let mut policy = Policy { approval: ApprovalPolicy::never(), ..Policy::default() };
    /// let background = Some(BackgroundPolicy::default());
    /// policy.shell = Some(ShellPolicy { background, ..ShellPolicy::allowing(["serve"]) });
    /// let workspace = Workspace::builder(memory).shell(shell).policy(policy).build()?;
    ///
    /// let server = workspace.start_shell(RunShellInput::new("serve")).await?;
    /// let output = workspace.shell_output(ShellOutputInput::new(&server.id).wait_ms(5_000)).await?;
    /// assert_eq!(output.stdout, "listening\n");
    /// workspace.dispose().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`run_shell`](Self::run_shell); `background-disabled`; `too-many-jobs` where
    /// `shell.background.max_jobs` run; `cancelled`.
    pub async fn start_shell(&self, input: RunShellInput) -> Result<StartedShell> {
        self.shell()?;
        self.check_writable(ToolName::RunShell)?;
        self.check_command_tool(ToolName::ShellOutput)?;
        if input.open_stdin {
            self.check_command_tool(ToolName::ShellInput)?;
        }
        let stdin =
            if input.open_stdin || self.vends(ToolName::ShellInput) { Stdin::Open } else { Stdin::Empty };
        self.check_jobs()?;
        let allowed = self.allow(asked(&input, true, stdin)).await?;
        self.start(allowed, input.command).await
    }
}

fn asked(input: &RunShellInput, background: bool, stdin: Stdin) -> Asked<'_> {
    Asked {
        tool: ToolName::RunShell,
        line: &input.command,
        cwd: input.cwd.as_deref(),
        timeout_ms: input.timeout_ms,
        no_timeout: input.no_timeout,
        background,
        stdin,
    }
}
