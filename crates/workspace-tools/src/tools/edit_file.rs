//! `edit_file`: one exact replacement, or an insertion at a line.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::Poll;

use serde::{Deserialize, Serialize};
use workspace_core::{Access, Body, ErrorKind, FsProvider, Visible, WorkspacePath, WriteOptions};

use super::answer::{Answer, with_notice};
use super::content::{Content, hash_of};
use super::names::ToolName;
use super::write_file::atomicity_notice;
use crate::approval::{ApprovalRequest, Previous, ProposedChange};
use crate::edit::{self, Cause, Change, EditFailure, Insertion, Region, Replacement, Rules};
use crate::spec::{Field, Shape, ToolSpec};
use crate::workspace::WriteLock;
use crate::{Guard, Result, ToolError, ToolErrorKind, Workspace};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "edit_file",
    title: "Edit a file",
    description: "Replaces one exact piece of text in a file, or inserts lines. `old_string` must stand in the file \
                  exactly once, spaces and tabs included; add lines around it until it does, or set `replace_all`. Do \
                  not put line numbers into it. Both texts are literal. Line endings are adapted to the file. To \
                  insert, give `insert_line` and `new_string` alone: 0 inserts before the first line, N after line N.",
    input: &[
        Field::new("path", Shape::Text, "File to edit, relative to the root of the workspace.")
            .required()
            .aliases(&["file_path", "filePath"]),
        Field::new("old_string", Shape::Text, "The text to replace, exactly as the file has it.")
            .aliases(&["oldString"]),
        Field::new("new_string", Shape::Text, "The text to put in its place, or to insert.")
            .required()
            .aliases(&["newString"]),
        Field::new("replace_all", Shape::Boolean, "Replace every occurrence. Default false.")
            .aliases(&["replaceAll"]),
        Field::new(
            "insert_line",
            Shape::COUNT,
            "Insert after this line instead of replacing; 0 is before the first line.",
        )
        .aliases(&["insertLine"]),
        Field::new(
            "expect_hash",
            Shape::Text,
            "Edit only if the file still has this SHA-256, as an earlier answer gave it.",
        )
        .aliases(&["expectHash"]),
    ],
    output: &[
        Field::new("path", Shape::Text, "The file.").required(),
        Field::new("replacements", Shape::COUNT, "How many places were changed.").required(),
        Field::new("hash", Shape::Text, "SHA-256 of the file as it is now.").required(),
        Field::new("previous_hash", Shape::Text, "SHA-256 of the file as it was.").required(),
        Field::new("lines", Shape::List(&Shape::COUNT), "The first line of each change, at most 20.")
            .required(),
        Field::new("eol_adapted", Shape::Boolean, "Whether line endings were adapted to the file."),
        Field::new("diff", Shape::Text, "The change as a unified diff."),
        Field::new("notice", Shape::Text, "What to know about this answer."),
    ],
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: false,
};

/// The most that a diff in an answer has, in bytes.
pub(super) const DIFF_BYTES: usize = 4 << 10;

/// What `edit_file` takes: a replacement, or an insertion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct EditFileInput {
    /// The file, relative to the root.
    pub path: String,
    /// The text to replace.
    pub old_string: Option<String>,
    /// The text to put in its place, or to insert.
    pub new_string: String,
    /// Whether every occurrence is replaced.
    pub replace_all: bool,
    /// Where to insert: 0 before the first line, N after line N.
    pub insert_line: Option<u64>,
    /// The SHA-256 that the file must have.
    pub expect_hash: Option<String>,
}

impl EditFileInput {
    /// Replaces a text that stands in the file once.
    pub fn replace(path: impl Into<String>, old: impl Into<String>, new: impl Into<String>) -> Self {
        Self { path: path.into(), old_string: Some(old.into()), new_string: new.into(), ..Self::default() }
    }

    /// Inserts lines after a line; 0 is before the first.
    pub fn insert(path: impl Into<String>, line: u64, new: impl Into<String>) -> Self {
        Self { path: path.into(), insert_line: Some(line), new_string: new.into(), ..Self::default() }
    }

    /// Replaces every occurrence.
    #[must_use]
    pub fn all(mut self) -> Self {
        self.replace_all = true;
        self
    }

    /// Demands a SHA-256 of the file as it is.
    #[must_use]
    pub fn expecting(mut self, hash: impl Into<String>) -> Self {
        self.expect_hash = Some(hash.into());
        self
    }

    fn change(&self) -> Result<Change<'_>> {
        let wrong = |field: &str, message: &str| {
            Err(ToolError::new(ToolErrorKind::InvalidInput, message).with("field", field).hint(
                "give `old_string` and `new_string` to replace, or `insert_line` and `new_string` to insert",
            ))
        };
        match (&self.old_string, self.insert_line) {
            (Some(old), None) => {
                Ok(Change::Replace(Replacement { old, new: &self.new_string, replace_all: self.replace_all }))
            }
            (None, Some(_)) if self.replace_all => {
                wrong("replace_all", "`replace_all` has no meaning for an insertion")
            }
            (None, Some(line)) => Ok(Change::Insert(Insertion { line, new: &self.new_string })),
            (Some(_), Some(_)) => wrong("insert_line", "`insert_line` and `old_string` are both given"),
            (None, None) => wrong("old_string", "`old_string` is missing"),
        }
    }
}

/// What `edit_file` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditFileOutput {
    /// The file, relative to the root.
    pub path: String,
    /// How many places were changed.
    pub replacements: u64,
    /// SHA-256 of the file as it is now, lower-case hex.
    pub hash: String,
    /// SHA-256 of the file as it was.
    pub previous_hash: String,
    /// The first line of each change in the new text, at most 20.
    pub lines: Vec<u64>,
    /// Whether line endings were adapted to the file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub eol_adapted: bool,
    /// The change as a unified diff, where the policy asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Answer for EditFileOutput {
    fn text(&self) -> String {
        let lines: Vec<_> = self.lines.iter().map(u64::to_string).collect();
        let places = if self.replacements == 1 { "place" } else { "places" };
        let mut text = format!(
            "edited {} in {} {places}, at line {} (hash {})",
            self.path,
            self.replacements,
            lines.join(", "),
            self.hash
        );
        if let Some(diff) = &self.diff {
            text.push('\n');
            text.push_str(diff);
        }
        with_notice(text, self.notice.as_deref())
    }
}

impl Workspace {
    /// Replaces one exact piece of text, or inserts lines.
    ///
    /// The bytes that matched change and no other. A match that is only near is
    /// never applied; the error names what kept the text from matching.
    ///
    /// # Errors
    /// `empty-old-string`, `no-change`, `no-match`, `not-unique`,
    /// `out-of-range`, `stale-hash`, `changed-during-edit`, `binary`,
    /// `not-utf8`, `too-large` over `edit.max_file_bytes`, and those of a write.
    pub async fn edit_file(&self, input: EditFileInput) -> Result<EditFileOutput> {
        self.check_cancelled()?;
        self.check_writable(ToolName::EditFile)?;
        let change = input.change()?;
        change.check().map_err(|failure| edit_failure(failure, &input.path))?;
        let path = self.parse_entry("path", &input.path)?;
        let make = |content: &Content| {
            edit::edit(&content.text, &change, &self.edit_rules())
                .map_err(|failure| edit_failure(failure, &path.to_string()))
        };
        let target = Target { path: &path, given: &input.path, expect_hash: input.expect_hash.as_deref() };
        let approved = self
            .approve_edit(ToolName::EditFile, &target, |content| make(content).map(|outcome| outcome.text))
            .await?;
        let lock = self.lock_target(&path, &input.path).await?;
        let content = self.read_for_edit(&path, input.expect_hash.as_deref(), &lock).await?;
        self.check_approved(&path, approved.as_ref(), Some(&content.hash))?;
        let outcome = make(&content)?;
        let saved = self.save_edit(&path, &content, &outcome.text, &lock).await?;
        Ok(EditFileOutput {
            path: path.to_string(),
            replacements: outcome.replacements as u64,
            hash: saved.hash,
            previous_hash: content.hash,
            lines: outcome.lines,
            eol_adapted: outcome.eol_adapted,
            diff: saved.diff,
            notice: saved.notice,
        })
    }

    pub(super) fn edit_rules(&self) -> Rules {
        let policy = &self.policy().edit;
        Rules { eol: policy.eol.into(), max_bytes: policy.max_file_bytes.as_usize().unwrap_or(usize::MAX) }
    }

    /// Asks about an edit where the owner is to be asked, with the change that it would make: the
    /// edit is tried first, so that nobody is asked about one that cannot be made. Gives the hash
    /// of the file as it was then.
    pub(super) async fn approve_edit(
        &self,
        tool: ToolName,
        target: &Target<'_>,
        make: impl Fn(&Content) -> Result<String>,
    ) -> Result<Option<Approved>> {
        self.check_path(target.path, Access::Write).await?;
        if !self.may_ask(tool) {
            return Ok(None);
        }
        let lock = self.lock_target(target.path, target.given).await?;
        let content = self.read_for_edit(target.path, target.expect_hash, &lock).await?;
        // Others may write while the owner thinks.
        drop(lock);
        let after = make(&content)?;
        let previous = Previous::Text { text: &content.text, hash: &content.hash };
        let change = ProposedChange::new(target.path, previous, after.as_bytes());
        let request =
            ApprovalRequest { change: Some(change), ..ApprovalRequest::new(tool, target.path.to_string()) };
        self.approve(tool, || request).await?;
        Ok(Some(Approved(Some(content.hash))))
    }

    /// Refuses where the file is not the one whose change was approved.
    pub(super) fn check_approved(
        &self,
        path: &WorkspacePath,
        approved: Option<&Approved>,
        current: Option<&str>,
    ) -> Result<()> {
        match approved {
            Some(Approved(then)) if then.as_deref() != current => Err(ToolError::new(
                ToolErrorKind::ChangedDuringEdit,
                format!("`{path}` was changed while the owner was asked; that version was kept"),
            )
            .with("path", path.to_string())
            .hint(self.read_again())),
            _ => Ok(()),
        }
    }

    /// Reads a file for an edit and holds it against the hash that the call, or the guard, demands.
    pub(super) async fn read_for_edit(
        &self,
        path: &WorkspacePath,
        expect_hash: Option<&str>,
        lock: &WriteLock,
    ) -> Result<Content> {
        let content = self.read_text(path, self.policy().edit.max_file_bytes).await?;
        self.check_guard(path, &lock.key, expect_hash, &content.hash)?;
        Ok(content)
    }

    /// Holds a file against the hash that the call, or the guard, demands.
    pub(super) fn check_guard(
        &self,
        path: &WorkspacePath,
        key: &WorkspacePath,
        expect_hash: Option<&str>,
        current: &str,
    ) -> Result<()> {
        let seen = match (self.policy().edit.guard, expect_hash) {
            (Guard::ReadFirst, None) => Some(self.shared().stamps.seen(key).ok_or_else(|| {
                ToolError::new(
                    ToolErrorKind::StaleHash,
                    format!("`{path}` has not been read here yet; it was left as it is"),
                )
                .with("path", path.to_string())
                .with("current_hash", current)
                .hint(self.read_again())
            })?),
            _ => None,
        };
        self.check_hash(path, expect_hash.or(seen.as_deref()), Some(current))
    }

    /// Writes an edited text, if the file is still the one that was read.
    pub(super) async fn save_edit(
        &self,
        path: &WorkspacePath,
        content: &Content,
        text: &str,
        lock: &WriteLock,
    ) -> Result<Saved> {
        let policy = self.policy();
        let options = WriteOptions::default()
            .with_if_match(content.state.clone())
            .with_durability(policy.write.durability.into())
            .with_atomicity(policy.write.atomic.into());
        let mut writing = pin!(self.files().write(path, Body::from(text.as_bytes().to_vec()), options));
        let begun = poll_fn(|cx| Poll::Ready(writing.as_mut().poll(cx))).await;
        // While the disk takes the bytes in.
        let hash = hash_of(text.as_bytes());
        let written = match begun {
            Poll::Ready(written) => written,
            Poll::Pending => writing.await,
        };
        let written = match written {
            Ok(written) => written,
            Err(error) if error.kind() == ErrorKind::Conflict => {
                return Err(self.overtaken(path));
            }
            Err(error) => return Err(self.explain(error, path).await),
        };
        self.note_written(&lock.key, &hash);
        let diff = policy.edit.diff.then(|| edit::unified(path.as_str(), &content.text, text, DIFF_BYTES));
        Ok(Saved { hash, diff, notice: atomicity_notice(&written) })
    }
}

impl Workspace {
    /// Another program wrote a file between our look and our write.
    pub(super) fn overtaken(&self, path: &WorkspacePath) -> ToolError {
        ToolError::new(
            ToolErrorKind::ChangedDuringEdit,
            format!("another program changed `{path}` during the edit; its version was kept"),
        )
        .with("path", path.to_string())
        .hint(self.read_again())
    }
}

/// The file of an edit.
pub(super) struct Target<'a> {
    pub(super) path: &'a WorkspacePath,
    /// As the call gave it.
    pub(super) given: &'a str,
    pub(super) expect_hash: Option<&'a str>,
}

/// The hash of a file whose change was approved, as it was then; `None` where there was none.
pub(super) struct Approved(pub(super) Option<String>);

/// What is told of an edit that was written.
pub(super) struct Saved {
    pub(super) hash: String,
    pub(super) diff: Option<String>,
    pub(super) notice: Option<String>,
}

/// The error of an edit that was not made.
pub(super) fn edit_failure(failure: EditFailure, path: &str) -> ToolError {
    let shown = Visible(path);
    let error = match failure {
        EditFailure::EmptyOld => ToolError::new(
            ToolErrorKind::EmptyOldString,
            "`old_string` is empty; it must be the text to replace",
        )
        .with("field", "old_string")
        .hint("give the text to replace; to add lines, give `insert_line` instead, or write the whole file"),
        EditFailure::NoChange => ToolError::new(
            ToolErrorKind::NoChange,
            format!("the edit would leave `{shown}` as it is; nothing was written"),
        )
        .hint("`new_string` must differ from `old_string` in more than its line endings"),
        EditFailure::NoMatch { causes, closest } => no_match(shown, &causes, closest.as_ref()),
        EditFailure::NotUnique { count, lines } => {
            let places: Vec<_> = lines.iter().map(u64::to_string).collect();
            let more = if count > lines.len() { ", …" } else { "" };
            ToolError::new(
                ToolErrorKind::NotUnique,
                format!(
                    "`old_string` stands in `{shown}` {count} times, at lines {}{more}; nothing was changed",
                    places.join(", ")
                ),
            )
            .with("count", count as u64)
            .with("lines", lines)
            .hint(
                "add lines around it until it stands there once, or set `replace_all` to change every place",
            )
        }
        EditFailure::OutOfRange { total_lines } => ToolError::new(
            ToolErrorKind::OutOfRange,
            format!("`{shown}` has {total_lines} lines; nothing was inserted"),
        )
        .with("total_lines", total_lines)
        .with("field", "insert_line")
        .hint(format!("give an `insert_line` from 0 to {total_lines}")),
        EditFailure::TooLarge { limit } => ToolError::new(
            ToolErrorKind::TooLarge,
            format!("the edit would make `{shown}` larger than {limit} bytes; nothing was changed"),
        )
        .with("limit", limit as u64)
        .hint("make a smaller change"),
    };
    error.with("path", path)
}

fn no_match(shown: Visible<'_>, causes: &[Cause], closest: Option<&Region>) -> ToolError {
    let mut message = format!("`old_string` is not in `{shown}`; nothing was changed");
    if let Some(region) = closest {
        message.push_str("\nclosest lines:\n");
        message.push_str(&region.to_string());
    }
    let names: Vec<_> = causes.iter().map(|cause| cause.kind.as_str()).collect();
    let hints: Vec<_> = causes.iter().map(|cause| cause.hint.as_str()).collect();
    let hint = match (hints.is_empty(), closest.is_some()) {
        (false, _) => hints.join("; "),
        (true, true) => "copy the text from the lines above, or read the file again".to_owned(),
        (true, false) => "read the file again and copy the text from it".to_owned(),
    };
    ToolError::new(ToolErrorKind::NoMatch, message).with("causes", names).hint(hint)
}
