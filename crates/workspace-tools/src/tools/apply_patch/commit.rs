//! Writes a planned patch, and takes it back where a part of it fails.

use workspace_core::{
    Body, CreateDirOptions, ErrorKind, FsProvider, Precondition, RemoveOptions, RenameOptions, StatOptions,
    WorkspacePath, WriteOptions, Written,
};

use super::super::write_file::atomicity_notice;
use super::failure::taken_back;
use super::plan::Planned;
use super::undo::Undo;
use super::{PatchAction, PatchedFile};
use crate::{Result, Workspace};

/// What became of the files, and what to say about it.
type Committed = (Vec<PatchedFile>, Vec<String>);

impl Workspace {
    /// Makes all changes of a plan, or none.
    pub(super) async fn commit(&self, plan: Vec<Planned>) -> Result<Committed> {
        let mut undo = Vec::new();
        let mut notices = Vec::new();
        // What cannot fail for want of space goes last: a patch that is taken back has then seldom
        // removed anything.
        let (gone, kept): (Vec<&Planned>, Vec<&Planned>) =
            plan.iter().partition(|planned| planned.action == PatchAction::Delete);
        for planned in kept.into_iter().chain(gone) {
            if let Err(error) = self.commit_one(planned, &mut undo, &mut notices).await {
                let lost = self.undo(undo).await;
                return Err(taken_back(&error, &lost));
            }
        }
        for planned in &plan {
            self.note_patched(planned);
        }
        let tolerated: usize = plan.iter().map(|planned| planned.tolerated).sum();
        if tolerated > 0 {
            let (lines, differ) = if tolerated == 1 { ("line", "differs") } else { ("lines", "differ") };
            notices.push(format!(
                "{tolerated} {lines} of the patch {differ} from the file in blanks at the end; those that stay are as the file had them"
            ));
        }
        notices.dedup();
        let files = plan.iter().map(|planned| PatchedFile {
            path: planned.path.to_string(),
            action: planned.action,
            hash: planned.hash(),
            previous_hash: planned.previous_hash(),
            moved_to: planned.move_to.as_ref().map(|(to, _)| to.to_string()),
        });
        Ok((files.collect(), notices))
    }

    async fn commit_one(
        &self,
        planned: &Planned,
        undo: &mut Vec<Undo>,
        notices: &mut Vec<String>,
    ) -> Result<()> {
        let path = &planned.path;
        let written = match (&planned.old, &planned.move_to, &planned.new) {
            (None, _, new) => {
                self.expect_directories(path, undo).await;
                let text = new.as_deref().unwrap_or_default();
                let written = self.put(path, text, Precondition::Absent).await?;
                undo.push(Undo::added(path, text));
                Some(written)
            }
            (Some(old), Some((to, _)), new) => {
                self.expect_directories(to, undo).await;
                self.make_parents(to).await?;
                self.check_unchanged(path, old.sha256).await?;
                if let Err(error) = self.files().rename(path, to, RenameOptions::default()).await {
                    return Err(self.explain(error, to).await);
                }
                undo.push(Undo::Moved { from: path.clone(), to: to.clone() });
                match new {
                    Some(text) => {
                        let written = self.put(to, text, Precondition::Sha256(old.sha256)).await?;
                        undo.push(Undo::written(to, old, text));
                        Some(written)
                    }
                    None => None,
                }
            }
            (Some(old), None, Some(text)) => {
                let written = self.put(path, text, old.state()).await?;
                undo.push(Undo::written(path, old, text));
                Some(written)
            }
            (Some(old), None, None) => {
                self.check_unchanged(path, old.sha256).await?;
                if let Err(error) = self.files().remove(path, RemoveOptions::default()).await {
                    return Err(self.explain(error, path).await);
                }
                undo.push(Undo::removed(path, old));
                None
            }
        };
        notices.extend(written.as_ref().and_then(atomicity_notice));
        Ok(())
    }

    /// Writes one file as a whole, if it is in the state that was seen.
    async fn put(&self, path: &WorkspacePath, text: &str, state: Precondition) -> Result<Written> {
        let policy = &self.policy().write;
        let options = WriteOptions::default()
            .with_if_match(state)
            .with_create_parents(policy.create_parents)
            .with_durability(policy.durability.into())
            .with_atomicity(policy.atomic.into());
        match self.files().write(path, Body::from(text.as_bytes().to_vec()), options).await {
            Ok(written) => Ok(written),
            Err(error) if error.kind() == ErrorKind::Conflict => Err(self.overtaken(path)),
            Err(error) => Err(self.explain(error, path).await),
        }
    }

    /// Refuses where another program has written a file since it was read. It is a point check.
    async fn check_unchanged(&self, path: &WorkspacePath, sha256: [u8; 32]) -> Result<()> {
        let now = self.read_bytes(path, self.policy().edit.max_file_bytes).await?;
        if now.sha256 == sha256 { Ok(()) } else { Err(self.overtaken(path)) }
    }

    async fn make_parents(&self, path: &WorkspacePath) -> Result<()> {
        let Some(parent) = path.parent().filter(|parent| !parent.is_root()) else { return Ok(()) };
        if !self.policy().write.create_parents {
            return Ok(());
        }
        let options = CreateDirOptions::default().with_parents(true);
        match self.files().create_dir(&parent, options).await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.explain(error, &parent).await),
        }
    }

    /// Notes the directories that a new file will bring with it.
    async fn expect_directories(&self, path: &WorkspacePath, undo: &mut Vec<Undo>) {
        let mut missing = Vec::new();
        let mut above = path.parent();
        while let Some(directory) = above.filter(|directory| !directory.is_root()) {
            match self.files().stat(&directory, StatOptions::default()).await {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                _ => break,
            }
            above = directory.parent();
            missing.push(Undo::MadeDirectory(directory));
        }
        // Taken back from the end, so the deepest goes first.
        undo.extend(missing.into_iter().rev());
    }

    /// Notes what this workspace knows to be in the files.
    fn note_patched(&self, planned: &Planned) {
        let stamps = &self.shared().stamps;
        let now = planned.move_to.as_ref().map_or(&planned.key, |(_, key)| key);
        match planned.hash() {
            Some(hash) => self.note_written(now, &hash),
            None => stamps.forget(now),
        }
        if planned.move_to.is_some() {
            stamps.forget(&planned.key);
        }
    }
}
