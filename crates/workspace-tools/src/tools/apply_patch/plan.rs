//! What a patch would do with each file, found out before anything is written.

use workspace_core::{Access, ErrorKind, FileKind, FsProvider, StatOptions, WorkspacePath};

use super::super::content::{FileBytes, hash_of};
use super::super::failure::too_large;
use super::PatchAction;
use super::failure::{no_place, not_a_plain_file, same_file, taken};
use crate::approval::DIFF_BYTES;
use crate::edit;
use crate::patch::{self, Hunk, Patch, SectionAction};
use crate::workspace::WriteLocks;
use crate::{ProposedFile, Result, ToolError, ToolErrorKind, Workspace};

/// One file of a patch, checked, with its new content.
pub(super) struct Planned {
    pub(super) path: WorkspacePath,
    /// Where it lies in the whole workspace.
    pub(super) key: WorkspacePath,
    /// Where it goes, and where that lies in the whole workspace.
    pub(super) move_to: Option<(WorkspacePath, WorkspacePath)>,
    /// The file as it was read; `None` for a new one.
    pub(super) old: Option<FileBytes>,
    /// What it is to hold; `None` where that stays, or the file goes.
    pub(super) new: Option<String>,
    pub(super) action: PatchAction,
    /// Lines that matched only without the blanks at their ends.
    pub(super) tolerated: usize,
}

impl Planned {
    /// What is done with it, in a few words.
    pub(super) fn subject(&self) -> String {
        match (&self.action, &self.move_to) {
            (_, Some((to, _))) => format!("move {} -> {to}", self.path),
            (PatchAction::Add, _) => format!("add {}", self.path),
            (PatchAction::Delete, _) => format!("delete {}", self.path),
            _ => format!("update {}", self.path),
        }
    }

    /// SHA-256 of the file as it will be.
    pub(super) fn hash(&self) -> Option<String> {
        match (&self.new, self.action) {
            (Some(text), _) => Some(hash_of(text.as_bytes())),
            (None, PatchAction::Delete) => None,
            (None, _) => self.previous_hash(),
        }
    }

    /// SHA-256 of the file as it was.
    pub(super) fn previous_hash(&self) -> Option<String> {
        self.old.as_ref().map(FileBytes::hash)
    }

    /// The change as a unified diff of at most so many bytes.
    pub(super) fn diff(&self, max_bytes: usize) -> String {
        let old = self.old.as_ref().map_or(Some(""), |old| old.text(&self.path).ok());
        let new = match self.action {
            PatchAction::Delete => Some(""),
            _ => self.new.as_deref(),
        };
        let path = self.move_to.as_ref().map_or(&self.path, |(to, _)| to);
        match (old, new) {
            (Some(old), Some(new)) => edit::unified(path.as_str(), old, new, max_bytes),
            _ => String::new(),
        }
    }

    /// What the owner is shown.
    pub(super) fn proposed(&self) -> ProposedFile {
        let max_bytes = if self.action == PatchAction::Delete { DIFF_BYTES } else { usize::MAX };
        ProposedFile {
            path: self.path.to_string(),
            action: self.action,
            moved_to: self.move_to.as_ref().map(|(to, _)| to.to_string()),
            previous_hash: self.previous_hash(),
            hash: self.hash(),
            diff: self.diff(max_bytes),
        }
    }
}

impl Workspace {
    /// Reads and checks every file of a patch and makes its changes in memory.
    pub(super) async fn plan(
        &self,
        patch: &Patch,
        named: &[(WorkspacePath, &str)],
        locks: &WriteLocks,
    ) -> Result<Vec<Planned>> {
        let mut places = named.iter().map(|(path, _)| path).zip(&locks.keys);
        let mut seen: Vec<(&WorkspacePath, &WorkspacePath)> = Vec::new();
        let mut plan = Vec::with_capacity(patch.sections.len());
        for section in &patch.sections {
            let Some(place) = places.next() else { break };
            let to = match &section.action {
                SectionAction::Update { move_to: Some(_), .. } => places.next(),
                _ => None,
            };
            for (path, key) in [Some(place), to].into_iter().flatten() {
                // By another spelling or through a link it may be one that was named before.
                if let Some((other, _)) = seen.iter().find(|(_, other)| *other == key) {
                    return Err(same_file(path, other, section.line));
                }
                seen.push((path, key));
                self.check_place(path, key, Access::Write).await?;
            }
            let planned = self.plan_section(&section.action, place, to).await;
            plan.push(planned.map_err(|error| error.with("patch_line", section.line as u64))?);
        }
        Ok(plan)
    }

    async fn plan_section(
        &self,
        action: &SectionAction,
        (path, key): (&WorkspacePath, &WorkspacePath),
        to: Option<(&WorkspacePath, &WorkspacePath)>,
    ) -> Result<Planned> {
        let mut planned = Planned {
            path: path.clone(),
            key: key.clone(),
            move_to: None,
            old: None,
            new: None,
            action: PatchAction::Update,
            tolerated: 0,
        };
        match action {
            SectionAction::Add(content) => {
                let limit = self.policy().write.max_bytes;
                if limit.is_exceeded_by(content.len() as u64) {
                    return Err(too_large(path, content.len() as u64, limit)
                        .hint("write it in parts, or leave it out"));
                }
                self.check_free(path).await?;
                planned.action = PatchAction::Add;
                planned.new = Some(content.clone());
            }
            SectionAction::Delete => {
                self.check_plain(path, "removed").await?;
                planned.action = PatchAction::Delete;
                planned.old = Some(self.read_planned(path, key).await?);
            }
            SectionAction::Update { hunks, .. } => {
                if let Some((to, to_key)) = to {
                    self.check_plain(path, "moved").await?;
                    self.check_free(to).await?;
                    planned.action = PatchAction::Move;
                    planned.move_to = Some((to.clone(), to_key.clone()));
                }
                let old = self.read_planned(path, key).await?;
                if !hunks.is_empty() {
                    let (text, tolerated) = self.patched(path, old.text(path)?, hunks)?;
                    planned.new = (text.as_bytes() != old.bytes).then_some(text);
                    planned.tolerated = tolerated;
                }
                if planned.new.is_none() && to.is_none() {
                    return Err(ToolError::new(
                        ToolErrorKind::NoChange,
                        format!("the patch would leave `{path}` as it is; nothing was changed"),
                    )
                    .with("path", path.to_string())
                    .hint("leave out its section, or write lines that differ from those that go"));
                }
                planned.old = Some(old);
            }
        }
        Ok(planned)
    }

    /// Reads a file that is to change and holds it against what was read here before, if it must be.
    async fn read_planned(&self, path: &WorkspacePath, key: &WorkspacePath) -> Result<FileBytes> {
        let file = self.read_bytes(path, self.policy().edit.max_file_bytes).await?;
        self.check_guard(path, key, None, &file.hash())?;
        Ok(file)
    }

    fn patched(&self, path: &WorkspacePath, text: &str, hunks: &[Hunk]) -> Result<(String, usize)> {
        let applied = patch::apply(text, hunks)
            .map_err(|failure| no_place(path, text, hunks, failure, &self.edit_rules()))?;
        let limit = self.policy().edit.max_file_bytes;
        if limit.is_exceeded_by(applied.text.len() as u64) {
            return Err(too_large(path, applied.text.len() as u64, limit).hint("make a smaller change"));
        }
        Ok((applied.text, applied.tolerated))
    }

    /// Refuses where something stands at the path of a file that is to be made, or where it cannot be made.
    async fn check_free(&self, path: &WorkspacePath) -> Result<()> {
        let itself = StatOptions::default().with_follow(false);
        match self.files().stat(path, itself).await {
            Ok(_) => return Err(taken(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(self.explain(error, path).await),
        }
        if self.policy().write.create_parents {
            return Ok(());
        }
        let Some(parent) = path.parent() else { return Ok(()) };
        match self.files().stat(&parent, StatOptions::default()).await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.explain(error, path).await),
        }
    }

    /// Refuses a link: it can't be told from its file in a patch.
    async fn check_plain(&self, path: &WorkspacePath, how: &str) -> Result<()> {
        match self.files().stat(path, StatOptions::default().with_follow(false)).await {
            Ok(stat) if stat.kind == FileKind::Link => Err(not_a_plain_file(path, how)),
            Ok(_) => Ok(()),
            Err(error) => Err(self.explain(error, path).await),
        }
    }
}
