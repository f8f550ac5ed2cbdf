//! What a vendor gives: shells that can be talked to.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use workspace_core::{Command, Process, Result, SharedShell, ShellProvider, Stdin};

/// A vendor that can start `sh` and stream its standard input and output.
///
/// # Examples
/// ```
/// use workspace_core::{Process, Result};
/// use workspace_posix::Sessions;
///
/// struct Vendor;
///
/// impl Sessions for Vendor {
///     async fn open(&self) -> Result<Process> {
///         // Start `sh` without arguments and without a terminal; its output as
///         // events, its input by `Control::write_stdin`.
///         # Err(workspace_core::Error::new(workspace_core::ErrorKind::Unavailable, "an example"))
///     }
/// }
/// ```
pub trait Sessions: Send + Sync + 'static {
    /// Starts `sh` without arguments, in any directory, as the user whose files they are.
    ///
    /// It reads commands from its standard input. There is no terminal. Dropping
    /// the events ends it.
    ///
    /// # Errors
    /// Those of [`ShellProvider::spawn`].
    fn open(&self) -> impl Future<Output = Result<Process>> + Send;
}

/// The commands of a backend as [`Sessions`]: each shell is one more command, `sh`.
///
/// They must be real, stream their output and take input.
#[derive(Debug, Clone)]
pub struct ShellSessions(SharedShell);

impl ShellSessions {
    /// Shells of these commands.
    pub fn new(shell: impl ShellProvider) -> Self {
        Self(SharedShell::new(shell))
    }
}

impl Sessions for ShellSessions {
    async fn open(&self) -> Result<Process> {
        self.0.spawn(Command::argv(["sh"]).with_stdin(Stdin::Open)).await
    }
}

/// The dispatchable twin of [`Sessions`].
trait ErasedSessions: Send + Sync {
    fn open(&self) -> Pin<Box<dyn Future<Output = Result<Process>> + Send + '_>>;
}

impl<T: Sessions> ErasedSessions for T {
    fn open(&self) -> Pin<Box<dyn Future<Output = Result<Process>> + Send + '_>> {
        Box::pin(Sessions::open(self))
    }
}

/// Any [`Sessions`], shared.
#[derive(Clone)]
pub(crate) struct SharedSessions(Arc<dyn ErasedSessions>);

impl SharedSessions {
    pub(crate) fn new(sessions: impl Sessions) -> Self {
        Self(Arc::new(sessions))
    }

    pub(crate) async fn open(&self) -> Result<Process> {
        self.0.open().await
    }
}
