//! `multi_edit`: several exact replacements in one file, all or none.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, with_notice};
use super::content::Content;
use super::edit_file::{Target, edit_failure};
use super::names::ToolName;
use crate::edit::{self, Replacement, SeveralFailure};
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, ToolError, ToolErrorKind, Workspace};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "multi_edit",
    title: "Edit a file in several places",
    description: "Makes several exact replacements in one file, in order, each on the result of the one before. All \
                  of them are made or none. The rules for each are those of a single edit.",
    input: &[
        Field::new("path", Shape::Text, "File to edit, relative to the root of the workspace.")
            .required()
            .aliases(&["file_path", "filePath"]),
        Field::new(
            "edits",
            Shape::List(&Shape::Object(&[
                Field::new(
                    "old_string",
                    Shape::Text,
                    "The text to replace, exactly as the file then has it.",
                )
                .required()
                .aliases(&["oldString"]),
                Field::new("new_string", Shape::Text, "The text to put in its place.")
                    .required()
                    .aliases(&["newString"]),
                Field::new("replace_all", Shape::Boolean, "Replace every occurrence. Default false.")
                    .aliases(&["replaceAll"]),
            ])),
            "The replacements in order, 1 to 100.",
        )
        .required(),
        Field::new(
            "expect_hash",
            Shape::Text,
            "Edit only if the file still has this SHA-256, as an earlier answer gave it.",
        )
        .aliases(&["expectHash"]),
    ],
    output: &[
        Field::new("path", Shape::Text, "The file.").required(),
        Field::new("edits", Shape::COUNT, "How many edits were made.").required(),
        Field::new("replacements", Shape::COUNT, "How many places were changed.").required(),
        Field::new("hash", Shape::Text, "SHA-256 of the file as it is now.").required(),
        Field::new("previous_hash", Shape::Text, "SHA-256 of the file as it was.").required(),
        Field::new(
            "per_edit",
            Shape::List(&Shape::Object(&[
                Field::new("replacements", Shape::COUNT, "How many places it changed.").required(),
                Field::new(
                    "lines",
                    Shape::List(&Shape::COUNT),
                    "The first line of each in the new text, at most 20.",
                )
                .required(),
            ])),
            "What each edit did.",
        )
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

/// The most edits of one call.
const MAX_EDITS: usize = 100;

/// One replacement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TextEdit {
    /// The text to replace.
    pub old_string: String,
    /// The text to put in its place.
    pub new_string: String,
    /// Whether every occurrence is replaced.
    pub replace_all: bool,
}

impl TextEdit {
    /// Replaces a text that stands in the file once.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self { old_string: old.into(), new_string: new.into(), replace_all: false }
    }

    /// Replaces every occurrence.
    #[must_use]
    pub fn all(mut self) -> Self {
        self.replace_all = true;
        self
    }
}

/// What `multi_edit` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct MultiEditInput {
    /// The file, relative to the root.
    pub path: String,
    /// The replacements in order, 1 to 100.
    pub edits: Vec<TextEdit>,
    /// The SHA-256 that the file must have.
    pub expect_hash: Option<String>,
}

impl MultiEditInput {
    /// Makes edits in a file.
    pub fn new(path: impl Into<String>, edits: impl Into<Vec<TextEdit>>) -> Self {
        Self { path: path.into(), edits: edits.into(), expect_hash: None }
    }

    /// Demands a SHA-256 of the file as it is.
    #[must_use]
    pub fn expecting(mut self, hash: impl Into<String>) -> Self {
        self.expect_hash = Some(hash.into());
        self
    }
}

/// What one edit did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditCount {
    /// How many places it changed.
    pub replacements: u64,
    /// The first line of each in the new text, at most 20.
    pub lines: Vec<u64>,
}

/// What `multi_edit` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MultiEditOutput {
    /// The file, relative to the root.
    pub path: String,
    /// How many edits were made.
    pub edits: u64,
    /// How many places were changed.
    pub replacements: u64,
    /// SHA-256 of the file as it is now, lower-case hex.
    pub hash: String,
    /// SHA-256 of the file as it was.
    pub previous_hash: String,
    /// What each edit did.
    pub per_edit: Vec<EditCount>,
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

impl Answer for MultiEditOutput {
    fn text(&self) -> String {
        let mut text = format!(
            "edited {} in {} places by {} edits (hash {})",
            self.path, self.replacements, self.edits, self.hash
        );
        if let Some(diff) = &self.diff {
            text.push('\n');
            text.push_str(diff);
        }
        with_notice(text, self.notice.as_deref())
    }
}

impl Workspace {
    /// Makes several exact replacements in one file: all or none, in one write.
    ///
    /// # Errors
    /// Those of [`edit_file`](Self::edit_file), with `edit_index`, counted from 0.
    pub async fn multi_edit(&self, input: MultiEditInput) -> Result<MultiEditOutput> {
        self.check_cancelled()?;
        self.check_writable(ToolName::MultiEdit)?;
        if input.edits.is_empty() || input.edits.len() > MAX_EDITS {
            return Err(ToolError::new(
                ToolErrorKind::InvalidInput,
                format!("`edits` has {} edits; it must have 1 to {MAX_EDITS}", input.edits.len()),
            )
            .with("field", "edits")
            .hint("give each replacement as an item of `edits`, or more than that in several calls"));
        }
        let edits: Vec<_> = input
            .edits
            .iter()
            .map(|edit| Replacement {
                old: &edit.old_string,
                new: &edit.new_string,
                replace_all: edit.replace_all,
            })
            .collect();
        edit::check_all(&edits).map_err(|failure| several_failure(failure, &input.path))?;
        let path = self.parse_entry("path", &input.path)?;
        let make = |content: &Content| {
            edit::edit_all(&content.text, &edits, &self.edit_rules())
                .map_err(|failure| several_failure(failure, &path.to_string()))
        };
        let target = Target { path: &path, given: &input.path, expect_hash: input.expect_hash.as_deref() };
        let approved = self
            .approve_edit(ToolName::MultiEdit, &target, |content| make(content).map(|outcome| outcome.text))
            .await?;
        let lock = self.lock_target(&path, &input.path).await?;
        let content = self.read_for_edit(&path, input.expect_hash.as_deref(), &lock).await?;
        self.check_approved(&path, approved.as_ref(), Some(&content.hash))?;
        let outcome = make(&content)?;
        let saved = self.save_edit(&path, &content, &outcome.text, &lock).await?;
        let replacements = outcome.replacements() as u64;
        let per_edit = outcome.per_edit.into_iter();
        Ok(MultiEditOutput {
            path: path.to_string(),
            edits: edits.len() as u64,
            replacements,
            hash: saved.hash,
            previous_hash: content.hash,
            per_edit: per_edit
                .map(|edit| EditCount { replacements: edit.replacements as u64, lines: edit.lines })
                .collect(),
            eol_adapted: outcome.eol_adapted,
            diff: saved.diff,
            notice: saved.notice,
        })
    }
}

/// The error of edits none of which was made, naming the one at fault.
fn several_failure(failure: SeveralFailure, path: &str) -> ToolError {
    let SeveralFailure { edit_index, failure, removed_by } = failure;
    let Some(index) = edit_index else {
        return ToolError::new(
            ToolErrorKind::NoChange,
            format!("together the edits would leave `{path}` as it is; nothing was written"),
        )
        .with("path", path)
        .hint("leave out edits that undo each other");
    };
    let inner = edit_failure(failure, path);
    let was_there = removed_by.map(|earlier| format!(" (the text was there, and edit {earlier} changed it)"));
    let message = format!("edit {index}: {}{}", inner.message(), was_there.unwrap_or_default());
    let mut error = ToolError::new(inner.kind(), message);
    for (name, value) in inner.fields() {
        error = error.with(name, value.clone());
    }
    if let Some(earlier) = removed_by {
        error = error.with("removed_by", earlier as u64);
    }
    let hint = match (removed_by, inner.next_step()) {
        (Some(earlier), _) => {
            format!(
                "edits apply in order: match the text as edit {earlier} leaves it, or put this edit before it"
            )
        }
        (None, Some(hint)) => hint.to_owned(),
        (None, None) => "correct this edit and send all of them again".to_owned(),
    };
    error.with("edit_index", index as u64).hint(hint)
}
