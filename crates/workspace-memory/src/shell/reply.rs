//! What a scripted command does.

use std::time::Duration;

use workspace_core::{ExitStatus, Finished, Stream};

/// What a scripted command prints, when, and how it ends.
///
/// By default it prints nothing and ends at once with exit code 0. A
/// [`Finished`] is a reply too.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use workspace_memory::Reply;
///
/// let build = Reply::new()
///     .with_stdout("compiling\n")
///     .with_delay(Duration::from_secs(3))
///     .with_stderr("warning: unused\n")
///     .with_exit_code(1);
/// let server = Reply::new().with_stdout("listening\n").without_end();
/// # let _ = (build, server);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// What it prints, each with the time from the start.
    pub(super) output: Vec<(Duration, Stream, Vec<u8>)>,
    /// How long it runs.
    pub(super) length: Duration,
    /// How it ends by itself; `None` where it does not.
    pub(super) end: Option<ExitStatus>,
}

impl Reply {
    /// A command that prints nothing and ends at once with exit code 0.
    pub const fn new() -> Self {
        Self { output: Vec::new(), length: Duration::ZERO, end: Some(ExitStatus::Code(0)) }
    }

    /// Then it prints this to standard output.
    #[must_use]
    pub fn with_stdout(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.with_output(Stream::Stdout, bytes.into())
    }

    /// Then it prints this to standard error.
    #[must_use]
    pub fn with_stderr(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.with_output(Stream::Stderr, bytes.into())
    }

    /// Then this much time passes on the clock of the [`Memory`](crate::Memory).
    #[must_use]
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.length = self.length.saturating_add(delay);
        self
    }

    /// In the end it exits with this code.
    #[must_use]
    pub fn with_exit_code(mut self, code: i32) -> Self {
        self.end = Some(ExitStatus::Code(code));
        self
    }

    /// In the end this signal ends it.
    #[must_use]
    pub fn with_signal(mut self, signal: i32) -> Self {
        self.end = Some(ExitStatus::Signal(signal));
        self
    }

    /// It does not end: it runs until it is killed or its time is up.
    #[must_use]
    pub fn without_end(mut self) -> Self {
        self.end = None;
        self
    }

    fn with_output(mut self, stream: Stream, bytes: Vec<u8>) -> Self {
        if !bytes.is_empty() {
            self.output.push((self.length, stream, bytes));
        }
        self
    }
}

impl Default for Reply {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Finished> for Reply {
    fn from(finished: Finished) -> Self {
        Self::new()
            .with_stdout(finished.stdout)
            .with_stderr(finished.stderr)
            .with_exit_code(finished.exit_code)
    }
}
