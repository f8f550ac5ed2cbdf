//! How each step of a patch is taken back.

use sha2::{Digest, Sha256};
use workspace_core::{
    Body, Error, ErrorKind, FsProvider, Precondition, RemoveOptions, RenameOptions, WorkspacePath, WriteMode,
    WriteOptions,
};

use super::super::content::FileBytes;
use crate::Workspace;

/// A step that was made, and what it takes to unmake it.
pub(super) enum Undo {
    /// A directory was missing; it may have been made.
    MadeDirectory(WorkspacePath),
    /// A file was made with this content.
    Added { path: WorkspacePath, now: [u8; 32] },
    /// A file got another content.
    Written { path: WorkspacePath, before: Vec<u8>, now: [u8; 32] },
    /// A file got another path.
    Moved { from: WorkspacePath, to: WorkspacePath },
    /// A file was removed.
    Removed { path: WorkspacePath, before: Vec<u8>, mode: Option<u32> },
}

impl Undo {
    pub(super) fn added(path: &WorkspacePath, text: &str) -> Self {
        Self::Added { path: path.clone(), now: Sha256::digest(text).into() }
    }

    pub(super) fn written(path: &WorkspacePath, old: &FileBytes, text: &str) -> Self {
        Self::Written { path: path.clone(), before: old.bytes.clone(), now: Sha256::digest(text).into() }
    }

    pub(super) fn removed(path: &WorkspacePath, old: &FileBytes) -> Self {
        Self::Removed { path: path.clone(), before: old.bytes.clone(), mode: old.stat.mode }
    }

    fn path(&self) -> &WorkspacePath {
        match self {
            Self::MadeDirectory(path)
            | Self::Added { path, .. }
            | Self::Written { path, .. }
            | Self::Removed { path, .. }
            | Self::Moved { from: path, .. } => path,
        }
    }
}

/// A file that could not be put back, and why.
pub(super) struct Lost {
    pub(super) path: String,
    pub(super) why: String,
}

impl Workspace {
    /// Takes steps back, the last one first, and tells what could not be. A file that another
    /// program has written since is left as that made it.
    pub(super) async fn undo(&self, steps: Vec<Undo>) -> Vec<Lost> {
        let mut lost = Vec::new();
        for step in steps.into_iter().rev() {
            let path = step.path().clone();
            if let Err(error) = self.undo_one(step).await {
                let why = match error.kind() {
                    ErrorKind::Conflict => "another program has written it meanwhile".to_owned(),
                    _ => error.message().to_owned(),
                };
                lost.push(Lost { path: path.to_string(), why });
            }
        }
        lost
    }

    async fn undo_one(&self, step: Undo) -> Result<(), Error> {
        let policy = &self.policy().write;
        let options = WriteOptions::default()
            .with_durability(policy.durability.into())
            .with_atomicity(policy.atomic.into());
        match step {
            Undo::MadeDirectory(path) => {
                match self.files().remove(&path, RemoveOptions::default()).await {
                    // Another has put something there, or it was never made.
                    Err(error) if matches!(error.kind(), ErrorKind::NotEmpty | ErrorKind::NotFound) => Ok(()),
                    removed => removed,
                }
            }
            Undo::Added { path, now } => {
                let file = self.files().read(&path, workspace_core::ReadOptions::default()).await?;
                let bytes = file.body.collect(u64::MAX).await?;
                if <[u8; 32]>::from(Sha256::digest(&bytes)) != now {
                    return Err(Error::new(ErrorKind::Conflict, "it has changed"));
                }
                self.files().remove(&path, RemoveOptions::default()).await
            }
            Undo::Written { path, before, now } => {
                let options = options.with_if_match(Precondition::Sha256(now));
                self.files().write(&path, Body::from(before), options).await.map(drop)
            }
            Undo::Moved { from, to } => self.files().rename(&to, &from, RenameOptions::default()).await,
            Undo::Removed { path, before, mode } => {
                let options = options
                    .with_if_match(Precondition::Absent)
                    .with_mode(mode.map_or(WriteMode::Keep, WriteMode::Set));
                self.files().write(&path, Body::from(before), options).await.map(drop)
            }
        }
    }
}
