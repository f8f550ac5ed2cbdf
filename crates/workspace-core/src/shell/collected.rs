//! The smallest sandbox API there is, as a [`ShellProvider`].

use std::future::Future;
use std::sync::Arc;

use crate::{
    Cancel, Command, Control, Event, Exit, ExitStatus, Feed, Process, Result, ShellCapabilities,
    ShellProvider, Stream,
};

/// What a command left when it had ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Finished {
    /// The exit code, as the vendor gives it.
    pub exit_code: i32,
    /// All of its standard output.
    pub stdout: Vec<u8>,
    /// All of its standard error.
    pub stderr: Vec<u8>,
}

impl Finished {
    /// An exit code without output.
    pub fn new(exit_code: i32) -> Self {
        Self { exit_code, ..Self::default() }
    }

    /// Sets the standard output.
    #[must_use]
    pub fn with_stdout(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdout = bytes.into();
        self
    }

    /// Sets the standard error.
    #[must_use]
    pub fn with_stderr(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stderr = bytes.into();
        self
    }
}

/// A vendor that can run a command and hand back what it printed, once it has ended.
pub trait RunOnce: Send + Sync + 'static {
    /// Runs a command to its end. The timeout is the vendor's to keep.
    ///
    /// # Errors
    /// Those of [`ShellProvider::spawn`].
    fn run(&self, command: Command) -> impl Future<Output = Result<Finished>> + Send;
}

/// Makes a [`ShellProvider`] of a [`RunOnce`].
///
/// Output arrives at the end, nothing runs in the background, and a
/// cancellation abandons the request: [`Cancel::Detach`].
#[derive(Debug)]
pub struct Collected<T>(Arc<T>);

impl<T: RunOnce> Collected<T> {
    /// Wraps a vendor.
    pub fn new(vendor: T) -> Self {
        Self(Arc::new(vendor))
    }
}

impl<T: RunOnce> ShellProvider for Collected<T> {
    fn capabilities(&self) -> ShellCapabilities {
        ShellCapabilities::default().with_argv(true).with_sh(true).with_real(true).with_cancel(Cancel::Detach)
    }

    async fn spawn(&self, command: Command) -> Result<Process> {
        let finished = self.0.run(command).await?;
        let exit = Exit::new(ExitStatus::Code(finished.exit_code));
        let outputs = [(Stream::Stdout, finished.stdout), (Stream::Stderr, finished.stderr)];
        let events = outputs
            .into_iter()
            .filter(|(_, bytes)| !bytes.is_empty())
            .map(|(stream, bytes)| Event::Output(stream, bytes))
            .chain([Event::Exit(exit)])
            .map(Ok);
        Ok(Process::new(Feed::from_items(events), Ended))
    }
}

/// The hand on a command that is over already.
struct Ended;

impl Control for Ended {
    async fn kill(&self) -> Result<()> {
        Ok(())
    }
}
