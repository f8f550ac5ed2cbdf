//! Commands on systems other than Linux: there are none.
//!
//! What this crate promises about the end of a command stands on process
//! descriptors and on `/proc`. Without them a kill is a guess at a number.

use workspace_core::{Command, Error, ErrorKind, Process, Result, ShellCapabilities, ShellProvider};

use super::kill_level::KillLevel;
use crate::Local;

/// The commands of a [`Local`] workspace.
///
/// On this system there are none: its capabilities are empty, and each command is
/// [`Unsupported`](ErrorKind::Unsupported).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LocalShell {}

impl Local {
    /// The commands of this workspace: on this system, none.
    pub fn shell(&self) -> LocalShell {
        LocalShell {}
    }
}

impl LocalShell {
    /// Sets how surely commands are ended.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for any level that is named.
    pub fn with_kill_level(self, level: KillLevel) -> Result<Self> {
        if level == KillLevel::Auto { Ok(self) } else { Err(unsupported()) }
    }
}

impl ShellProvider for LocalShell {
    fn capabilities(&self) -> ShellCapabilities {
        ShellCapabilities::default()
    }

    async fn spawn(&self, _: Command) -> Result<Process> {
        Err(unsupported())
    }
}

fn unsupported() -> Error {
    Error::new(ErrorKind::Unsupported, "local commands are not available on this system")
        .hint("use a container, or Linux")
}
