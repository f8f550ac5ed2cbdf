//! The trait of a backend's commands.

use std::future::Future;

use crate::{Command, Process, Result};

/// What becomes of a command when its caller gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Cancel {
    /// It is killed.
    #[default]
    Kill,
    /// The backend cannot reach it: it ends by itself or at its timeout.
    Detach,
}

/// How far a kill reaches into the tree of processes that a command left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum KillReach {
    /// No process is promised to end.
    #[default]
    Nothing,
    /// The group and the descendants that still hang on it. What left the group
    /// and lost its parent before the kill may survive.
    Group,
    /// Every process that the command started, however it hides.
    Tree,
}

impl KillReach {
    /// The stable name, in kebab case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Group => "group",
            Self::Tree => "tree",
        }
    }
}

/// What the commands of a workspace can do. By default: nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a question of its own with yes or no for an answer.
pub struct ShellCapabilities {
    /// A program is started with its arguments, without a shell.
    pub argv: bool,
    /// A line is given to `/bin/sh`.
    pub sh: bool,
    /// Output arrives while the command runs.
    pub streaming: bool,
    /// Bytes can be sent to a running command.
    pub stdin: bool,
    /// A command may run on while other calls are made.
    pub background: bool,
    /// Commands are real processes that see the files of the same workspace;
    /// false for scripted ones.
    pub real: bool,
    /// What a cancellation does.
    pub cancel: Cancel,
    /// How far a kill reaches.
    pub kill_reach: KillReach,
}

impl ShellCapabilities {
    /// Sets [`argv`](Self::argv).
    #[must_use]
    pub const fn with_argv(mut self, yes: bool) -> Self {
        self.argv = yes;
        self
    }

    /// Sets [`sh`](Self::sh).
    #[must_use]
    pub const fn with_sh(mut self, yes: bool) -> Self {
        self.sh = yes;
        self
    }

    /// Sets [`streaming`](Self::streaming).
    #[must_use]
    pub const fn with_streaming(mut self, yes: bool) -> Self {
        self.streaming = yes;
        self
    }

    /// Sets [`stdin`](Self::stdin).
    #[must_use]
    pub const fn with_stdin(mut self, yes: bool) -> Self {
        self.stdin = yes;
        self
    }

    /// Sets [`background`](Self::background).
    #[must_use]
    pub const fn with_background(mut self, yes: bool) -> Self {
        self.background = yes;
        self
    }

    /// Sets [`real`](Self::real).
    #[must_use]
    pub const fn with_real(mut self, yes: bool) -> Self {
        self.real = yes;
        self
    }

    /// Sets [`cancel`](Self::cancel).
    #[must_use]
    pub const fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Sets [`kill_reach`](Self::kill_reach).
    #[must_use]
    pub const fn with_kill_reach(mut self, reach: KillReach) -> Self {
        self.kill_reach = reach;
        self
    }
}

/// The commands of a workspace.
///
/// # Contract
/// - The working directory is judged like any path: it must be a directory
///   inside the root and pass the command's filter, else nothing starts.
/// - The environment is what the command says, never the host's own.
/// - The events end with [`Event::Exit`](crate::Event::Exit). A feed that ends
///   without one means that the backend was lost: the caller must not take it for success.
/// - The command is over when its program has exited, whatever holds its pipes.
/// - The timeout is the backend's to keep; output so far is given before the exit.
/// - Dropping the process kills it, as far as
///   [`kill_reach`](ShellCapabilities::kill_reach) says.
///
/// # Implementing
/// Write `async fn`. A vendor that can only run a command and collect its
/// output implements [`RunOnce`](crate::RunOnce) and wraps it in
/// [`Collected`](crate::Collected). Holders use [`SharedShell`](crate::SharedShell).
pub trait ShellProvider: Send + Sync + 'static {
    /// What these commands can do.
    fn capabilities(&self) -> ShellCapabilities;

    /// Starts a command.
    ///
    /// # Errors
    /// [`SpawnFailed`](crate::ErrorKind::SpawnFailed) where the program cannot be started,
    /// [`NotFound`](crate::ErrorKind::NotFound), [`NotADirectory`](crate::ErrorKind::NotADirectory)
    /// and [`PathEscape`](crate::ErrorKind::PathEscape) for the working directory,
    /// [`Unsupported`](crate::ErrorKind::Unsupported), [`Unavailable`](crate::ErrorKind::Unavailable).
    fn spawn(&self, command: Command) -> impl Future<Output = Result<Process>> + Send;
}
