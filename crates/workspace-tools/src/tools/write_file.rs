//! `write_file`: a whole file.

use serde::{Deserialize, Serialize};
use workspace_core::{
    Access, Body, ErrorKind, FsProvider, Precondition, WorkspacePath, WriteOptions, Written,
};

use super::answer::{Answer, with_notice};
use super::content::{OldContent, hash_of};
use super::edit_file::Approved;
use super::failure::too_large;
use super::names::ToolName;
use crate::approval::{ApprovalRequest, Previous, ProposedChange};
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Guard, Result, ToolError, ToolErrorKind, Workspace, WriteEol};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "write_file",
    title: "Write a file",
    description: "Writes a whole text file, making it and its directories where they are missing, or replacing all \
                  that it holds. The content is written exactly as it is sent: no newline is added or converted. To \
                  change a part of a file, edit it instead.",
    input: &[
        Field::new("path", Shape::Text, "File to write, relative to the root of the workspace.")
            .required()
            .aliases(&["file_path", "filePath"]),
        Field::new("content", Shape::Text, "All that the file is to hold.").required(),
        Field::new(
            "expect_hash",
            Shape::Text,
            "Write only if the file still has this SHA-256, as an earlier answer gave it; \"absent\" if there must be no such file.",
        )
        .aliases(&["expectHash"]),
        Field::new("if_exists", Shape::Choice(&["overwrite", "fail"]), "What to do with a file that is there. Default overwrite.")
            .aliases(&["ifExists"]),
    ],
    output: &[
        Field::new("path", Shape::Text, "The file.").required(),
        Field::new("bytes_written", Shape::COUNT, "Bytes that the file has now.").required(),
        Field::new("hash", Shape::Text, "SHA-256 of the file as it is now.").required(),
        Field::new("created", Shape::Boolean, "Whether the file is new.").required(),
        Field::new("previous_hash", Shape::Text, "SHA-256 of what it held before."),
        Field::new("notice", Shape::Text, "What to know about this answer."),
    ],
    read_only: false,
    destructive: true,
    idempotent: true,
    open_world: false,
};

/// How often a plain overwrite is tried anew where another program writes the same file meanwhile.
const TRIES: usize = 4;

/// What `write_file` does with a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IfExists {
    /// It is replaced.
    #[default]
    Overwrite,
    /// The call fails.
    Fail,
}

/// What `write_file` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WriteFileInput {
    /// The file, relative to the root.
    pub path: String,
    /// All that it is to hold; at most `write.max_bytes`, 10 MiB by default.
    pub content: String,
    /// The SHA-256 that it must have, or `absent`.
    pub expect_hash: Option<String>,
    /// What to do with a file that is there.
    pub if_exists: IfExists,
}

impl WriteFileInput {
    /// Writes a content to a file.
    pub fn new(path: impl Into<String>, content: impl Into<String>) -> Self {
        Self { path: path.into(), content: content.into(), ..Self::default() }
    }

    /// Demands a SHA-256 of the file as it is, or that it be `absent`.
    #[must_use]
    pub fn expecting(mut self, hash: impl Into<String>) -> Self {
        self.expect_hash = Some(hash.into());
        self
    }
}

/// What `write_file` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WriteFileOutput {
    /// The file, relative to the root.
    pub path: String,
    /// Bytes that the file has now.
    pub bytes_written: u64,
    /// SHA-256 of the file as it is now, lower-case hex.
    pub hash: String,
    /// Whether the file is new.
    pub created: bool,
    /// SHA-256 of what it held before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_hash: Option<String>,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Answer for WriteFileOutput {
    fn text(&self) -> String {
        let verb = if self.created { "created" } else { "replaced" };
        let text = format!("{verb} {} ({} bytes, hash {})", self.path, self.bytes_written, self.hash);
        with_notice(text, self.notice.as_deref())
    }
}

impl Workspace {
    /// Writes a whole file.
    ///
    /// Readers see the old or the new content. A byte order mark of the old
    /// file is kept, since `read_file` does not show it; otherwise the content
    /// is written byte for byte.
    ///
    /// # Errors
    /// `stale-hash`, `already-exists`, `is-a-directory`, `not-a-file`,
    /// `permission`, `no-space`, `too-large` over `write.max_bytes`,
    /// `not-found` for a missing parent where the policy does not make it,
    /// `read-only`, and those of the path rules.
    pub async fn write_file(&self, input: WriteFileInput) -> Result<WriteFileOutput> {
        self.check_cancelled()?;
        self.check_writable(ToolName::WriteFile)?;
        let path = self.parse_entry("path", &input.path)?;
        let limit = self.policy().write.max_bytes;
        if limit.is_exceeded_by(input.content.len() as u64) {
            return Err(too_large(&path, input.content.len() as u64, limit)
                .hint("write it in parts, or leave it out"));
        }
        let approved = self.approve_write(&input, &path).await?;
        let lock = self.lock_target(&path, &input.path).await?;
        for _ in 1..TRIES {
            match self.write_once(&input, &path, approved.as_ref()).await? {
                Attempt::Done(output) => {
                    self.note_written(&lock.key, &output.hash);
                    return Ok(output);
                }
                Attempt::Overtaken => {}
            }
        }
        Err(ToolError::new(
            ToolErrorKind::ChangedDuringEdit,
            format!("another program keeps changing `{path}`; it was left as it is"),
        )
        .with("path", path.to_string())
        .hint("wait until the other program is done, then call again"))
    }

    /// Asks about a write where the owner is to be asked, with the change that it would make.
    async fn approve_write(&self, input: &WriteFileInput, path: &WorkspacePath) -> Result<Option<Approved>> {
        self.check_path(path, Access::Write).await?;
        if !self.may_ask(ToolName::WriteFile) {
            return Ok(None);
        }
        let old = self.read_old(path).await?;
        self.check_old(input, path, old.as_ref())?;
        let (content, _) = self.fit(&input.content, old.as_ref());
        let text = match &old {
            Some(_) => self.read_text(path, self.policy().edit.max_file_bytes).await.ok(),
            None => None,
        };
        let previous = match (&old, &text) {
            (None, _) => Previous::Absent,
            (Some(old), Some(text)) if text.hash == old.hash => {
                Previous::Text { text: &text.text, hash: &old.hash }
            }
            (Some(old), _) => Previous::Bytes { hash: &old.hash },
        };
        let request = ApprovalRequest {
            change: Some(ProposedChange::new(path, previous, &content)),
            ..ApprovalRequest::new(ToolName::WriteFile, path.to_string())
        };
        self.approve(ToolName::WriteFile, || request).await?;
        Ok(Some(Approved(old.map(|old| old.hash))))
    }

    async fn write_once(
        &self,
        input: &WriteFileInput,
        path: &WorkspacePath,
        approved: Option<&Approved>,
    ) -> Result<Attempt> {
        let old = self.read_old(path).await?;
        self.check_approved(path, approved, old.as_ref().map(|old| old.hash.as_str()))?;
        self.check_old(input, path, old.as_ref())?;
        let (content, mut notices) = self.fit(&input.content, old.as_ref());
        let policy = &self.policy().write;
        let (bytes_written, hash) = (content.len() as u64, hash_of(&content));
        let state = old.as_ref().map_or(Precondition::Absent, |old| old.state.clone());
        let options = WriteOptions::default()
            .with_if_match(state)
            .with_create_parents(policy.create_parents)
            .with_durability(policy.durability.into())
            .with_atomicity(policy.atomic.into());
        let written = match self.files().write(path, Body::from(content), options).await {
            Ok(written) => written,
            // With a hash the caller decides about the new state; without one the last writer wins.
            Err(error) if error.kind() == ErrorKind::Conflict && input.expect_hash.is_none() => {
                return Ok(Attempt::Overtaken);
            }
            Err(error) => return Err(self.explain(error, path).await),
        };
        notices.extend(atomicity_notice(&written));
        Ok(Attempt::Done(WriteFileOutput {
            path: path.to_string(),
            bytes_written,
            hash,
            created: written.created,
            previous_hash: old.map(|old| old.hash),
            notice: (!notices.is_empty()).then(|| notices.join("; ")),
        }))
    }

    fn check_old(
        &self,
        input: &WriteFileInput,
        path: &WorkspacePath,
        old: Option<&OldContent>,
    ) -> Result<()> {
        match input.expect_hash.as_deref() {
            Some("absent") => {
                if let Some(old) = old {
                    return Err(ToolError::new(
                        ToolErrorKind::StaleHash,
                        format!("`{path}` exists already; it was left as it is"),
                    )
                    .with("path", path.to_string())
                    .with("current_hash", old.hash.as_str())
                    .hint(self.read_again()));
                }
            }
            expected => self.check_hash(path, expected, old.map(|old| old.hash.as_str()))?,
        }
        if input.if_exists == IfExists::Fail && old.is_some() {
            return Err(ToolError::new(
                ToolErrorKind::AlreadyExists,
                format!("`{path}` exists already; it was left as it is"),
            )
            .with("path", path.to_string())
            .hint("choose another name, or replace it with `if_exists` set to \"overwrite\""));
        }
        Ok(())
    }

    /// The bytes to write in the place of the old content, and what to say about them.
    fn fit(&self, content: &str, old: Option<&OldContent>) -> (Vec<u8>, Vec<String>) {
        const BOM: &str = "\u{feff}";
        let mut notices = Vec::new();
        let Some(old) = old else { return (content.as_bytes().to_vec(), notices) };
        let has_lf_alone = content.replace("\r\n", "").contains('\n');
        let mut text = content.to_owned();
        if old.all_crlf && has_lf_alone && !content.contains("\r\n") {
            if self.policy().write.write_eol == WriteEol::Keep {
                text = text.replace('\n', "\r\n");
                notices.push("its lines ended with CRLF, and so do the new ones".to_owned());
            } else {
                notices
                    .push("its lines ended with CRLF, the new ones end with LF as they were sent".to_owned());
            }
        }
        if old.bom && !text.starts_with(BOM) {
            text.insert_str(0, BOM);
            notices.push("the byte order mark at its start was kept".to_owned());
        }
        (text.into_bytes(), notices)
    }

    /// Notes what this workspace knows to be in a file.
    pub(super) fn note_written(&self, key: &WorkspacePath, hash: &str) {
        if self.policy().edit.guard == Guard::ReadFirst {
            self.shared().stamps.note(key.clone(), hash);
        }
    }
}

enum Attempt {
    Done(WriteFileOutput),
    /// Another program wrote the file between our look and our write.
    Overtaken,
}

/// What to say of a write that readers could see half done.
pub(super) fn atomicity_notice(written: &Written) -> Option<String> {
    (!written.atomic).then(|| {
        "the file could not be replaced as a whole and was rewritten in place: a reader may have seen a part".to_owned()
    })
}
