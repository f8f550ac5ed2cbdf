//! A command that runs: its events and the hand on it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{Error, ErrorKind, Feed, KillReach, Result};

/// Which output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What a running command tells.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Bytes that it printed, cut anywhere.
    Output(Stream, Vec<u8>),
    /// It is over. Nothing follows.
    Exit(Exit),
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExitStatus {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl ExitStatus {
    /// The exit code as shells give it: 128 + n for signal n.
    pub const fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// Why a command is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Cause {
    /// Its program ended.
    #[default]
    Exited,
    /// It took longer than it may and was killed.
    TimedOut,
    /// The caller killed it.
    Killed,
    /// Memory ran out.
    OutOfMemory,
}

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exit {
    /// How the program ended.
    pub status: ExitStatus,
    /// Why it is over.
    pub cause: Cause,
    /// How many processes that outlived the program were killed, as far as they could be seen.
    pub leftovers_killed: u32,
    /// How far a kill reaches for this command, where the backend knows better than its capability.
    pub kill_reach: Option<KillReach>,
}

impl Exit {
    /// An end by itself.
    pub const fn new(status: ExitStatus) -> Self {
        Self { status, cause: Cause::Exited, leftovers_killed: 0, kill_reach: None }
    }

    /// Sets why it is over.
    #[must_use]
    pub const fn with_cause(mut self, cause: Cause) -> Self {
        self.cause = cause;
        self
    }

    /// Sets how many processes were left and killed.
    #[must_use]
    pub const fn with_leftovers_killed(mut self, count: u32) -> Self {
        self.leftovers_killed = count;
        self
    }

    /// Sets how far a kill reaches.
    #[must_use]
    pub const fn with_kill_reach(mut self, reach: KillReach) -> Self {
        self.kill_reach = Some(reach);
        self
    }
}

/// The hand on a running command, as a backend implements it.
pub trait Control: Send + Sync + 'static {
    /// Kills the command with its tree, politely first. The exit follows as an
    /// event. A command that is over is no error.
    fn kill(&self) -> impl Future<Output = Result<()>> + Send;

    /// Sends bytes to its standard input. By default it is [`Unsupported`](ErrorKind::Unsupported).
    fn write_stdin(&self, bytes: Vec<u8>) -> impl Future<Output = Result<()>> + Send {
        drop(bytes);
        async { Err(no_stdin()) }
    }

    /// Ends its standard input. By default it is [`Unsupported`](ErrorKind::Unsupported).
    fn close_stdin(&self) -> impl Future<Output = Result<()>> + Send {
        async { Err(no_stdin()) }
    }
}

fn no_stdin() -> Error {
    Error::new(ErrorKind::Unsupported, "the standard input of this command is closed")
}

type BoxFuture<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

trait ErasedControl: Send + Sync {
    fn kill(&self) -> BoxFuture<'_>;
    fn write_stdin(&self, bytes: Vec<u8>) -> BoxFuture<'_>;
    fn close_stdin(&self) -> BoxFuture<'_>;
}

impl<T: Control> ErasedControl for T {
    fn kill(&self) -> BoxFuture<'_> {
        Box::pin(Control::kill(self))
    }

    fn write_stdin(&self, bytes: Vec<u8>) -> BoxFuture<'_> {
        Box::pin(Control::write_stdin(self, bytes))
    }

    fn close_stdin(&self) -> BoxFuture<'_> {
        Box::pin(Control::close_stdin(self))
    }
}

/// Any [`Control`], shared: cheap to clone. Dropping it does nothing; dropping the events kills.
#[derive(Clone)]
pub struct ProcessControl(Arc<dyn ErasedControl>);

impl ProcessControl {
    /// Shares a control.
    pub fn new(control: impl Control) -> Self {
        Self(Arc::new(control))
    }

    /// Kills the command with its tree, politely first; the exit follows as an event.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) where the backend cannot be reached.
    pub async fn kill(&self) -> Result<()> {
        self.0.kill().await
    }

    /// Sends bytes to its standard input.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) where it is closed.
    pub async fn write_stdin(&self, bytes: Vec<u8>) -> Result<()> {
        self.0.write_stdin(bytes).await
    }

    /// Ends its standard input.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) where it was never open.
    pub async fn close_stdin(&self) -> Result<()> {
        self.0.close_stdin().await
    }
}

impl fmt::Debug for ProcessControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProcessControl")
    }
}

/// A running command. Dropping its events kills it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Process {
    /// What it tells, up to its [`Exit`].
    pub events: Feed<Event>,
    /// The hand on it.
    pub control: ProcessControl,
}

impl Process {
    /// A command of these events, under this control.
    pub fn new(events: Feed<Event>, control: impl Control) -> Self {
        Self { events, control: ProcessControl::new(control) }
    }
}
