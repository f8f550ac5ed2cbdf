//! The methods that are tools only where they are picked: `exists`, `stat`, `mkdir`, `remove`, `move`, `copy`.

use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use workspace_core::{
    Access, CreateDirOptions, Error, ErrorKind, FileKind, FsProvider, Precondition, ReadOptions,
    RemoveOptions, RenameOptions, StatOptions, WriteMode, WriteOptions,
};

use super::answer::Answer;
use super::names::ToolName;
use crate::approval::ApprovalRequest;
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, ToolError, ToolErrorKind, Workspace};

const PATH: Field = Field::new("path", Shape::Text, "Where, relative to the root of the workspace.")
    .required()
    .aliases(&["file_path", "filePath"]);
const FROM: Field = Field::new("from", Shape::Text, "The path as it is.").required().aliases(&["source"]);
const TO: Field =
    Field::new("to", Shape::Text, "The path as it is to be.").required().aliases(&["destination"]);
const SAID_PATH: Field = Field::new("path", Shape::Text, "The path.").required();
const SAID_FROM: Field = Field::new("from", Shape::Text, "The path as it was.").required();
const SAID_TO: Field = Field::new("to", Shape::Text, "The path as it is now.").required();

pub(crate) const EXISTS_SPEC: ToolSpec = ToolSpec {
    name: "exists",
    title: "Does it exist",
    description: "Tells whether a file or directory exists, links followed.",
    input: &[PATH],
    output: &[SAID_PATH, Field::new("exists", Shape::Boolean, "Whether it exists.").required()],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

pub(crate) const STAT_SPEC: ToolSpec = ToolSpec {
    name: "stat",
    title: "What is there",
    description: "Tells what stands at a path: its type, size, permission bits and time of change, links followed.",
    input: &[PATH],
    output: &[
        SAID_PATH,
        Field::new("type", Shape::Choice(&["file", "dir", "symlink", "other"]), "What it is.").required(),
        Field::new("size", Shape::COUNT, "Bytes of a file.").required(),
        Field::new("mode", Shape::Text, "Permission bits in octal."),
        Field::new("modified_ms", Shape::COUNT, "Time of the last change, in milliseconds since 1970."),
    ],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

pub(crate) const MKDIR_SPEC: ToolSpec = ToolSpec {
    name: "mkdir",
    title: "Make a directory",
    description: "Makes a directory, and the directories above it where they are missing.",
    input: &[PATH],
    output: &[SAID_PATH, Field::new("created", Shape::Boolean, "Whether it is new.").required()],
    read_only: false,
    destructive: false,
    idempotent: true,
    open_world: false,
};

pub(crate) const REMOVE_SPEC: ToolSpec = ToolSpec {
    name: "remove",
    title: "Remove",
    description: "Removes a file, a link (never its target), or an empty directory; with `recursive` a directory with \
                  all that it holds.",
    input: &[
        PATH,
        Field::new("recursive", Shape::Boolean, "Remove a directory with all that it holds. Default false."),
    ],
    output: &[SAID_PATH],
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: false,
};

pub(crate) const MOVE_SPEC: ToolSpec = ToolSpec {
    name: "move",
    title: "Move",
    description: "Moves or renames a file, a link or a directory. Fails if something is at the new path.",
    input: &[FROM, TO],
    output: &[SAID_FROM, SAID_TO],
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: false,
};

pub(crate) const COPY_SPEC: ToolSpec = ToolSpec {
    name: "copy",
    title: "Copy a file",
    description: "Copies a file with its permission bits. Fails if something is at the new path.",
    input: &[FROM, TO],
    output: &[SAID_FROM, SAID_TO, Field::new("bytes_written", Shape::COUNT, "Bytes copied.").required()],
    read_only: false,
    destructive: false,
    idempotent: false,
    open_world: false,
};

/// Declares the input of a method that takes one path.
macro_rules! path_input {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
        #[serde(default)]
        pub struct $name {
            /// Where, relative to the root.
            pub path: String,
        }

        impl $name {
            /// About a path.
            pub fn new(path: impl Into<String>) -> Self {
                Self { path: path.into() }
            }
        }
    };
}

path_input!(
    /// What `exists` takes.
    ExistsInput
);
path_input!(
    /// What `stat` takes.
    StatInput
);
path_input!(
    /// What `mkdir` takes.
    MkdirInput
);

/// What `exists` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExistsOutput {
    /// The path.
    pub path: String,
    /// Whether it exists.
    pub exists: bool,
}

/// What `stat` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatOutput {
    /// The path.
    pub path: String,
    /// `file`, `dir`, `symlink` or `other`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Bytes of a file.
    pub size: u64,
    /// Permission bits in octal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Time of the last change, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_ms: Option<u64>,
}

/// What `mkdir` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MkdirOutput {
    /// The directory.
    pub path: String,
    /// Whether it is new.
    pub created: bool,
}

/// What `remove` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RemoveInput {
    /// Where, relative to the root.
    pub path: String,
    /// Whether a directory is removed with all that it holds.
    pub recursive: bool,
}

impl RemoveInput {
    /// Removes a file, a link or an empty directory.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), recursive: false }
    }

    /// Removes a directory with all that it holds.
    #[must_use]
    pub fn recursive(mut self) -> Self {
        self.recursive = true;
        self
    }
}

/// What `remove` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemoveOutput {
    /// What was removed.
    pub path: String,
}

/// What `move` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct MoveInput {
    /// The path as it is.
    pub from: String,
    /// The path as it is to be.
    pub to: String,
}

impl MoveInput {
    /// Moves from one path to another.
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { from: from.into(), to: to.into() }
    }
}

/// What `move` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MoveOutput {
    /// The path as it was.
    pub from: String,
    /// The path as it is now.
    pub to: String,
}

/// What `copy` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CopyInput {
    /// The file to copy.
    pub from: String,
    /// Where the copy is to be.
    pub to: String,
}

impl CopyInput {
    /// Copies from one path to another.
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { from: from.into(), to: to.into() }
    }
}

/// What `copy` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopyOutput {
    /// The file copied.
    pub from: String,
    /// The copy.
    pub to: String,
    /// Bytes copied.
    pub bytes_written: u64,
}

impl Answer for ExistsOutput {
    fn text(&self) -> String {
        format!("{} {}", self.path, if self.exists { "exists" } else { "does not exist" })
    }
}

impl Answer for StatOutput {
    fn text(&self) -> String {
        let mode = self.mode.as_ref().map(|mode| format!(", mode {mode}")).unwrap_or_default();
        format!("{}: {}, {} bytes{mode}", self.path, self.kind, self.size)
    }
}

impl Answer for MkdirOutput {
    fn text(&self) -> String {
        format!("{} {}", if self.created { "made" } else { "it is there already:" }, self.path)
    }
}

impl Answer for RemoveOutput {
    fn text(&self) -> String {
        format!("removed {}", self.path)
    }
}

impl Answer for MoveOutput {
    fn text(&self) -> String {
        format!("moved {} to {}", self.from, self.to)
    }
}

impl Answer for CopyOutput {
    fn text(&self) -> String {
        format!("copied {} to {} ({} bytes)", self.from, self.to, self.bytes_written)
    }
}

impl Workspace {
    /// Tells whether something exists, links followed.
    ///
    /// # Errors
    /// Those of the path rules and of the policy; a missing file is an answer.
    pub async fn exists(&self, input: ExistsInput) -> Result<ExistsOutput> {
        let path = self.parse("path", &input.path)?;
        match self.approve_path(ToolName::Exists, &path).await {
            // A path that the owner hides is one that is not there.
            Err(error) if error.kind() == ToolErrorKind::NotFound => {
                return Ok(ExistsOutput { path: path.to_string(), exists: false });
            }
            approved => approved?,
        }
        let exists = match self.or_cancelled(self.files().stat(&path, StatOptions::default())).await? {
            Ok(_) => true,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
            Err(error) => return Err(self.explain(error, &path).await),
        };
        Ok(ExistsOutput { path: path.to_string(), exists })
    }

    /// Tells what stands at a path, links followed.
    ///
    /// # Errors
    /// `not-found`, `not-a-directory`, `permission`, and those of the path rules.
    pub async fn stat(&self, input: StatInput) -> Result<StatOutput> {
        let path = self.parse("path", &input.path)?;
        self.approve_path(ToolName::Stat, &path).await?;
        let stat = match self.or_cancelled(self.files().stat(&path, StatOptions::default())).await? {
            Ok(stat) => stat,
            Err(error) => return Err(self.explain(error, &path).await),
        };
        let since = stat.modified.and_then(|modified| modified.duration_since(UNIX_EPOCH).ok());
        Ok(StatOutput {
            path: path.to_string(),
            kind: match stat.kind {
                FileKind::File => "file",
                FileKind::Dir => "dir",
                FileKind::Link => "symlink",
                _ => "other",
            },
            size: stat.size,
            mode: stat.mode.map(|mode| format!("{mode:04o}")),
            modified_ms: since.and_then(|since| u64::try_from(since.as_millis()).ok()),
        })
    }

    /// Makes a directory and those above it that are missing.
    ///
    /// # Errors
    /// `already-exists` where something else stands there, `not-a-directory`
    /// where a file stands on the way, `read-only`, and those of the path rules.
    pub async fn mkdir(&self, input: MkdirInput) -> Result<MkdirOutput> {
        self.check_cancelled()?;
        self.check_writable(ToolName::Mkdir)?;
        let path = self.parse_entry("path", &input.path)?;
        self.approve_path(ToolName::Mkdir, &path).await?;
        let _lock = self.lock_target(&path, &input.path).await?;
        let options = CreateDirOptions::default().with_parents(true);
        match self.files().create_dir(&path, options).await {
            Ok(created) => Ok(MkdirOutput { path: path.to_string(), created }),
            Err(error) => Err(self.explain(error, &path).await),
        }
    }

    /// Removes a file, a link (never its target) or a directory; never the root.
    ///
    /// # Errors
    /// `not-found`; `not-empty` without `recursive`; `denied-path` where the
    /// policy closes anything below, and then nothing is removed; `read-only`;
    /// those of the path rules.
    pub async fn remove(&self, input: RemoveInput) -> Result<RemoveOutput> {
        self.check_cancelled()?;
        self.check_writable(ToolName::Remove)?;
        let path = self.parse_entry("path", &input.path)?;
        self.approve_path(ToolName::Remove, &path).await?;
        let lock = self.lock_entry(&path, &input.path).await?;
        match self.files().remove(&path, RemoveOptions::default().with_recursive(input.recursive)).await {
            Ok(()) => {
                self.shared().stamps.forget(&lock.key);
                Ok(RemoveOutput { path: path.to_string() })
            }
            Err(error) if error.kind() == ErrorKind::NotEmpty => {
                Err(ToolError::from(error).hint("set `recursive` to remove it with all that it holds"))
            }
            Err(error) => Err(self.explain(error, &path).await),
        }
    }

    /// Moves or renames a file, a link (never its target) or a directory.
    ///
    /// # Errors
    /// `not-found`; `already-exists`; `invalid-input` for a root or into
    /// itself; `denied-path` where the policy closes anything below either
    /// path; `read-only`; those of the path rules.
    pub async fn r#move(&self, input: MoveInput) -> Result<MoveOutput> {
        self.check_cancelled()?;
        self.check_writable(ToolName::Move)?;
        let from = self.parse_entry("from", &input.from)?;
        let to = self.parse_entry("to", &input.to)?;
        self.check_path(&from, Access::Write).await?;
        self.check_path(&to, Access::Write).await?;
        self.approve(ToolName::Move, || ApprovalRequest::new(ToolName::Move, format!("{from} -> {to}")))
            .await?;
        if to != from && to.starts_with(&from) {
            return Err(ToolError::new(
                ToolErrorKind::InvalidInput,
                format!("`{from}` cannot be moved into itself; nothing was changed"),
            )
            .with("field", "to")
            .hint("choose a path outside of it"));
        }
        let lock = self.lock_entries((&from, &input.from), (&to, &input.to)).await?;
        match self.files().rename(&from, &to, RenameOptions::default()).await {
            Ok(()) => {
                self.shared().stamps.forget(&lock.key);
                Ok(MoveOutput { from: from.to_string(), to: to.to_string() })
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(exists_already(error, &to)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                // It does not say at which end.
                let link = StatOptions::default().with_follow(false);
                match self.files().stat(&from, link).await {
                    Ok(_) => Err(self.explain(error, &to).await),
                    Err(error) => Err(self.explain(error, &from).await),
                }
            }
            Err(error) => Err(self.explain(error, &from).await),
        }
    }

    /// Copies a file with its permission bits.
    ///
    /// # Errors
    /// Those of reading the one and of making the other; `already-exists`.
    pub async fn copy(&self, input: CopyInput) -> Result<CopyOutput> {
        self.check_cancelled()?;
        self.check_writable(ToolName::Copy)?;
        let from = self.parse_entry("from", &input.from)?;
        let to = self.parse_entry("to", &input.to)?;
        self.check_path(&from, Access::Read).await?;
        self.check_path(&to, Access::Write).await?;
        self.approve(ToolName::Copy, || ApprovalRequest::new(ToolName::Copy, format!("{from} -> {to}")))
            .await?;
        let _lock = self.lock_target(&to, &input.to).await?;
        let file = match self.files().read(&from, ReadOptions::default()).await {
            Ok(file) => file,
            Err(error) => return Err(self.explain(error, &from).await),
        };
        let policy = &self.policy().write;
        let mut options = WriteOptions::default()
            .with_if_match(Precondition::Absent)
            .with_create_parents(policy.create_parents)
            .with_durability(policy.durability.into());
        if let Some(mode) = file.stat.mode {
            options = options.with_mode(WriteMode::Set(mode));
        }
        match self.files().write(&to, file.body, options).await {
            Ok(written) => Ok(CopyOutput {
                from: from.to_string(),
                to: to.to_string(),
                bytes_written: written.stat.size,
            }),
            Err(error) if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::AlreadyExists) => {
                Err(exists_already(error, &to))
            }
            Err(error) => Err(self.explain(error, &to).await),
        }
    }
}

fn exists_already(error: Error, to: &workspace_core::WorkspacePath) -> ToolError {
    drop(error);
    ToolError::new(ToolErrorKind::AlreadyExists, format!("`{to}` exists already; nothing was changed"))
        .with("path", to.to_string())
        .hint("choose another path, or remove what is there first")
}
