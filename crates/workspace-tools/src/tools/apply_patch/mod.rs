//! `apply_patch`: changes of several files in one call, all or none.

mod commit;
mod failure;
mod plan;
mod undo;

use serde::{Deserialize, Serialize};
use workspace_core::{Access, WorkspacePath};

pub(crate) use self::failure::no_patch;
use self::failure::{changed_meanwhile, named_twice};
use self::plan::Planned;
use super::answer::{Answer, with_notice};
use super::edit_file::DIFF_BYTES;
use super::names::ToolName;
use crate::approval::ApprovalRequest;
use crate::patch::{self, Patch, SectionAction};
use crate::spec::{Field, Shape, ToolSpec};
use crate::workspace::WriteLocks;
use crate::{Result, ToolError, ToolErrorKind, Workspace};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "apply_patch",
    title: "Apply a patch",
    description: "Changes several files at once, all or none. The patch stands between `*** Begin Patch` and \
                  `*** End Patch` and has a section for each file: `*** Add File: path` with each line of the new \
                  file behind a `+`; `*** Delete File: path`; or `*** Update File: path`, perhaps with \
                  `*** Move to: path` below it, and hunks. A hunk begins with `@@`, or with `@@ ` and a whole line of \
                  the file that stands above the change; then come lines with a space (stays), `-` (goes) or `+` \
                  (comes) before them. Give about three lines that stay before and after each change, exactly as \
                  the file has them, and hunks from top to bottom. `*** End of File` after a hunk says that it ends \
                  with the last line. There are no line numbers in a patch.",
    input: &[Field::new("patch", Shape::Text, "The whole patch.").required().aliases(&["input"])],
    output: &[
        Field::new("files", Shape::List(&FILE), "What became of each file, in the order of the patch.")
            .required(),
        Field::new("diff", Shape::Text, "The change as unified diffs."),
        Field::new("notice", Shape::Text, "What to know about this answer."),
    ],
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: false,
};

const FILE: Shape = Shape::Object(&[
    Field::new("path", Shape::Text, "The file, as it was named before.").required(),
    Field::new("action", Shape::Choice(&["add", "update", "delete", "move"]), "What was done with it.")
        .required(),
    Field::new("hash", Shape::Text, "SHA-256 of the file as it is now."),
    Field::new("previous_hash", Shape::Text, "SHA-256 of the file as it was."),
    Field::new("moved_to", Shape::Text, "Its path now, if it was moved."),
]);

/// What `apply_patch` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ApplyPatchInput {
    /// The whole patch, at most `write.max_bytes`, 10 MiB by default.
    pub patch: String,
}

impl ApplyPatchInput {
    /// Applies a patch.
    pub fn new(patch: impl Into<String>) -> Self {
        Self { patch: patch.into() }
    }
}

/// What a patch does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PatchAction {
    /// It is made.
    Add,
    /// It is changed where it is.
    Update,
    /// It is removed.
    Delete,
    /// It gets another path, and is perhaps changed.
    Move,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatchedFile {
    /// The file, relative to the root, as it was named before.
    pub path: String,
    /// What was done with it.
    pub action: PatchAction,
    /// SHA-256 of the file as it is now, lower-case hex; `None` where it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// SHA-256 of the file as it was; `None` where it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_hash: Option<String>,
    /// Its path now, where it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

/// What `apply_patch` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApplyPatchOutput {
    /// What became of each file, in the order of the patch.
    pub files: Vec<PatchedFile>,
    /// The change as unified diffs, where the policy's `edit.diff` asks for it; at most 4 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Answer for ApplyPatchOutput {
    fn text(&self) -> String {
        let lines = self.files.iter().map(|file| {
            let PatchedFile { path, action, hash, moved_to, .. } = file;
            let hash = hash.as_ref().map(|hash| format!(" (hash {hash})")).unwrap_or_default();
            match (action, moved_to) {
                (_, Some(to)) => format!("moved {path} to {to}{hash}"),
                (PatchAction::Add, _) => format!("added {path}{hash}"),
                (PatchAction::Delete, _) => format!("deleted {path}"),
                _ => format!("updated {path}{hash}"),
            }
        });
        let mut text = lines.collect::<Vec<_>>().join("\n");
        if let Some(diff) = &self.diff {
            text.push('\n');
            text.push_str(diff);
        }
        with_notice(text, self.notice.as_deref())
    }
}

impl Workspace {
    /// Changes several files by one patch in the format of OpenAI's `apply_patch`: all or none.
    ///
    /// Every file is read, checked and changed in memory first; only then is anything written,
    /// each file as a whole and only if it is still the one that was read. If a write fails, those
    /// before it are taken back, and the error says whether that succeeded. A dropped call is
    /// either not begun or finished. Other programs can see some files changed before others.
    ///
    /// The lines of a hunk must stand in the file as they are, or, where they do not, without
    /// spaces and tabs at their ends; nothing else is tolerated. Lines that stay, line endings and
    /// a byte order mark are those of the file.
    ///
    /// # Errors
    /// `invalid-input` with `patch_line` for a text that is no patch; `no-match` and `not-unique`
    /// for a hunk without one place; `no-change`; `already-exists` for a new path that is taken;
    /// `not-a-file` for a link that would be removed or moved; `approval-required`,
    /// `approval-denied`; and those of [`edit_file`](Self::edit_file).
    pub async fn apply_patch(&self, input: ApplyPatchInput) -> Result<ApplyPatchOutput> {
        self.check_cancelled()?;
        self.check_writable(ToolName::ApplyPatch)?;
        let limit = self.policy().write.max_bytes;
        if limit.is_exceeded_by(input.patch.len() as u64) {
            return Err(ToolError::new(
                ToolErrorKind::TooLarge,
                format!(
                    "the patch has {} bytes; the limit is {}",
                    input.patch.len(),
                    limit.0.unwrap_or(u64::MAX)
                ),
            )
            .with("size", input.patch.len() as u64)
            .with("limit", limit.0.unwrap_or(u64::MAX))
            .hint("send it as several patches"));
        }
        let patch = patch::parse(&input.patch).map_err(|failure| no_patch(&failure))?;
        self.apply_sections(&patch).await
    }

    /// Applies a patch that was read.
    pub(crate) async fn apply_sections(&self, patch: &Patch) -> Result<ApplyPatchOutput> {
        self.check_cancelled()?;
        self.check_writable(ToolName::ApplyPatch)?;
        let named = self.names(patch)?;
        for (path, _) in &named {
            self.check_path(path, Access::Write).await?;
        }
        let targets: Vec<_> = named.iter().map(|(path, given)| (path, *given)).collect();
        let asked = self.approve_patch(patch, &named, &targets).await?;
        let locks = self.lock_targets(&targets).await?;
        let plan = self.plan(patch, &named, &locks).await?;
        if let Some(asked) = asked {
            let now = plan.iter().map(Planned::proposed);
            if let Some((then, _)) = asked.iter().zip(now).find(|(then, now)| *then != now) {
                return Err(changed_meanwhile(&then.path).hint(self.read_again()));
            }
        }
        self.commit_whole(plan, locks).await
    }

    /// The paths of a patch: of each section its file, and where it goes.
    fn names<'p>(&self, patch: &'p Patch) -> Result<Vec<(WorkspacePath, &'p str)>> {
        let mut named: Vec<(WorkspacePath, &str)> = Vec::new();
        for section in &patch.sections {
            let to = match &section.action {
                SectionAction::Update { move_to, .. } => move_to.as_deref(),
                _ => None,
            };
            for given in [Some(section.path.as_str()), to].into_iter().flatten() {
                let entry = self
                    .parse_entry("patch", given)
                    .map_err(|error| error.with("patch_line", section.line as u64))?;
                if named.iter().any(|(other, _)| *other == entry) {
                    return Err(named_twice(&entry, section.line));
                }
                named.push((entry, given));
            }
        }
        Ok(named)
    }

    /// Asks about a patch where the owner is to be asked, with all that it would change: it is
    /// tried first, so that nobody is asked about one that cannot be applied.
    async fn approve_patch(
        &self,
        patch: &Patch,
        named: &[(WorkspacePath, &str)],
        targets: &[(&WorkspacePath, &str)],
    ) -> Result<Option<Vec<crate::ProposedFile>>> {
        if !self.may_ask(ToolName::ApplyPatch) {
            return Ok(None);
        }
        let locks = self.lock_targets(targets).await?;
        let plan = self.plan(patch, named, &locks).await?;
        // Others may write while the owner thinks.
        drop(locks);
        let subject = plan.iter().map(Planned::subject).collect::<Vec<_>>().join(", ");
        let files: Vec<_> = plan.iter().map(Planned::proposed).collect();
        let request =
            ApprovalRequest { files: files.clone(), ..ApprovalRequest::new(ToolName::ApplyPatch, subject) };
        self.approve(ToolName::ApplyPatch, || request).await?;
        Ok(Some(files))
    }

    /// Writes what was planned. It runs on where the caller gives up: a patch is not left half done.
    async fn commit_whole(&self, plan: Vec<Planned>, locks: WriteLocks) -> Result<ApplyPatchOutput> {
        let diff = self.policy().edit.diff.then(|| diff(&plan));
        let workspace = self.clone();
        let writing = tokio::spawn(async move {
            let done = workspace.commit(plan).await;
            drop(locks);
            done
        });
        let (files, notices) = writing.await.map_err(|_| {
            ToolError::new(ToolErrorKind::Io, "the patch was broken off; some of its files may be written")
                .hint("look at each file of the patch before going on")
        })??;
        let notice = (!notices.is_empty()).then(|| notices.join("; "));
        Ok(ApplyPatchOutput { files, diff, notice })
    }
}

/// The change of all files within the size that a diff in an answer may have.
fn diff(plan: &[Planned]) -> String {
    plan.iter().fold(String::new(), |mut diff, planned| {
        let room = DIFF_BYTES.saturating_sub(diff.len());
        diff.push_str(&planned.diff(room));
        diff
    })
}
