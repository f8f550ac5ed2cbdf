//! The directory of a session on this machine, from its making to its removal.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use workspace_core::{Cancel, Command, ErrorKind, FsProvider, RemoveOptions, ShellProvider, WorkspacePath};
use workspace_local::Local;

use crate::exec::drain;
use crate::{Result, ToolError, ToolErrorKind};

/// The name of the root in the directory that is made for it.
const ROOT: &str = "root";
/// How often the removal is tried: a process that was killed may still end a write.
const TRIES: u32 = 4;
/// How long the bits of a tree may take to be opened.
const OPENING: Duration = Duration::from_secs(10);

/// A directory for the user alone, and the root in it.
///
/// The root lies one level down: whatever a command does to it, the directory
/// above is as it was, and from there the root can be taken away.
#[derive(Debug)]
pub(super) struct Place {
    above: TempDir,
    root: PathBuf,
}

impl Place {
    /// Makes a new one among the temporary files of the system.
    pub(super) fn new() -> Result<Self> {
        let failed = |error: io::Error| told("no temporary directory could be made for the session", &error);
        let above = tempfile::Builder::new().prefix("workspace-").tempdir().map_err(failed)?;
        let root = tempfile::Builder::new().prefix(ROOT).rand_bytes(0).tempdir_in(&above).map_err(failed)?;
        // Above goes with all that is in it.
        let root = root.keep();
        Ok(Self { above, root })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Takes the directory away, also what a command has closed to its own user.
    ///
    /// # Errors
    /// `io` where something could not be removed.
    pub(super) async fn remove(self) -> Result<()> {
        for _ in 1..TRIES {
            match self.remove_root().await {
                Ok(()) => break,
                Err(error) => {
                    tracing::debug!(%error, "the root of a session could not be removed yet");
                    if let Err(error) = self.open_up().await {
                        tracing::debug!(%error, "nor could it be opened");
                    }
                }
            }
        }
        let removed = tokio::task::spawn_blocking(move || self.above.close()).await;
        removed
            .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
            .map_err(|error| told("the directory of the session could not be removed", &error))
    }

    async fn remove_root(&self) -> workspace_core::Result<()> {
        let local = Local::open(self.above.path())?;
        let root = WorkspacePath::root().child(ROOT)?;
        match local.remove(&root, RemoveOptions::default().with_recursive(true)).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Gives the user the bits back that it needs to look into each directory and empty it.
    async fn open_up(&self) -> workspace_core::Result<()> {
        let shell = Local::open(self.above.path())?.shell();
        let command = Command::argv(["chmod", "-R", "u+rwX", ROOT]).with_timeout(Some(OPENING));
        let process = shell.spawn(command).await?;
        drain(process, Cancel::Kill, |_, _| {}, std::future::pending()).await.map(|_| ())
    }
}

/// What the system said. Its own text has the path of the host in it.
fn told(what: &str, error: &io::Error) -> ToolError {
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied => ToolErrorKind::Permission,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ToolErrorKind::NoSpace,
        _ => ToolErrorKind::Io,
    };
    ToolError::new(kind, format!("{what}: {}", error.kind()))
}
