//! Failures as data: what a tool answers when it did not do it.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};
use workspace_core::Visible;

/// The result of every operation of a [`Workspace`](crate::Workspace).
pub type Result<T, E = ToolError> = std::result::Result<T, E>;

/// What kind of failure it is. The names that models see are in kebab case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// The path leads outside the workspace, or could.
    PathEscape,
    /// A rule of the owner closes this path.
    DeniedPath,
    /// This workspace, or this projection of it, does not change files.
    ReadOnly,
    /// A pattern is too costly.
    UnsafePattern,
    /// The shell policy refuses the command.
    DeniedCommand,
    /// The owner must be asked and nobody can be.
    ApprovalRequired,
    /// The owner said no.
    ApprovalDenied,
    /// Nothing is there.
    NotFound,
    /// A directory stands where a file is needed.
    IsADirectory,
    /// A file stands where a directory is needed.
    NotADirectory,
    /// It is neither a file nor a directory.
    NotAFile,
    /// Something is there already.
    AlreadyExists,
    /// A directory that must be empty is not.
    NotEmpty,
    /// It is over a limit.
    TooLarge,
    /// The file holds binary data.
    Binary,
    /// The file is no UTF-8 text.
    NotUtf8,
    /// The system refuses access.
    Permission,
    /// The disk or the quota is full.
    NoSpace,
    /// Any other failure of input or output.
    Io,
    /// The text to replace is not in the file.
    NoMatch,
    /// The text to replace is in the file more than once.
    NotUnique,
    /// The file is not the one whose hash was given.
    StaleHash,
    /// Somebody else changed the file during the call.
    ChangedDuringEdit,
    /// The text to replace is empty.
    EmptyOldString,
    /// The edit changes nothing.
    NoChange,
    /// No background command has this id.
    JobNotFound,
    /// As many background commands run as may.
    TooManyJobs,
    /// Background commands are not enabled.
    BackgroundDisabled,
    /// The program could not be started.
    SpawnFailed,
    /// The workspace has ended.
    Disposed,
    /// The input of the call is wrong.
    InvalidInput,
    /// A pattern cannot be read.
    InvalidPattern,
    /// A number points past the end.
    OutOfRange,
    /// This backend cannot do it.
    Unsupported,
    /// The backend is not reachable.
    BackendUnavailable,
    /// The caller gave up.
    Cancelled,
}

impl ToolErrorKind {
    /// The stable name, in kebab case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PathEscape => "path-escape",
            Self::DeniedPath => "denied-path",
            Self::ReadOnly => "read-only",
            Self::UnsafePattern => "unsafe-pattern",
            Self::DeniedCommand => "denied-command",
            Self::ApprovalRequired => "approval-required",
            Self::ApprovalDenied => "approval-denied",
            Self::NotFound => "not-found",
            Self::IsADirectory => "is-a-directory",
            Self::NotADirectory => "not-a-directory",
            Self::NotAFile => "not-a-file",
            Self::AlreadyExists => "already-exists",
            Self::NotEmpty => "not-empty",
            Self::TooLarge => "too-large",
            Self::Binary => "binary",
            Self::NotUtf8 => "not-utf8",
            Self::Permission => "permission",
            Self::NoSpace => "no-space",
            Self::Io => "io",
            Self::NoMatch => "no-match",
            Self::NotUnique => "not-unique",
            Self::StaleHash => "stale-hash",
            Self::ChangedDuringEdit => "changed-during-edit",
            Self::EmptyOldString => "empty-old-string",
            Self::NoChange => "no-change",
            Self::JobNotFound => "job-not-found",
            Self::TooManyJobs => "too-many-jobs",
            Self::BackgroundDisabled => "background-disabled",
            Self::SpawnFailed => "spawn-failed",
            Self::Disposed => "disposed",
            Self::InvalidInput => "invalid-input",
            Self::InvalidPattern => "invalid-pattern",
            Self::OutOfRange => "out-of-range",
            Self::Unsupported => "unsupported",
            Self::BackendUnavailable => "backend-unavailable",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<workspace_core::ErrorKind> for ToolErrorKind {
    fn from(kind: workspace_core::ErrorKind) -> Self {
        use workspace_core::ErrorKind as Core;
        match kind {
            Core::PathEscape => Self::PathEscape,
            Core::DeniedPath => Self::DeniedPath,
            Core::ReadOnly => Self::ReadOnly,
            Core::NotFound => Self::NotFound,
            Core::IsADirectory => Self::IsADirectory,
            Core::NotADirectory => Self::NotADirectory,
            Core::NotAFile => Self::NotAFile,
            Core::AlreadyExists => Self::AlreadyExists,
            Core::NotEmpty => Self::NotEmpty,
            Core::TooLarge => Self::TooLarge,
            Core::Permission => Self::Permission,
            Core::NoSpace => Self::NoSpace,
            Core::Conflict => Self::ChangedDuringEdit,
            Core::InvalidInput => Self::InvalidInput,
            Core::InvalidPattern => Self::InvalidPattern,
            Core::UnsafePattern => Self::UnsafePattern,
            Core::SpawnFailed => Self::SpawnFailed,
            Core::Unsupported => Self::Unsupported,
            Core::Cancelled => Self::Cancelled,
            Core::Unavailable | Core::TimedOut => Self::BackendUnavailable,
            _ => Self::Io,
        }
    }
}

/// Why a tool did not do what it was asked: kind, message, next step, and fields of the kind.
///
/// It is data for a model: [`to_value`](Self::to_value) gives the object that
/// stands for it in an answer. Nothing in it holds a path of the host.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct ToolError(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    kind: ToolErrorKind,
    message: String,
    hint: Option<String>,
    fields: Map<String, Value>,
}

impl ToolError {
    /// Makes an error of a kind. The message is lower case and has no full stop.
    pub fn new(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), hint: None, fields: Map::new() }))
    }

    /// The same with a word of its message and its hint replaced.
    pub(crate) fn with_word_replaced(mut self, word: &str, by: &str) -> Self {
        self.0.message = self.0.message.replace(word, by);
        self.0.hint = self.0.hint.map(|hint| hint.replace(word, by));
        self
    }

    /// Says what to do next. An earlier hint is replaced.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds a field of its kind: `path`, `size`, `total_lines`.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.fields.insert(field.to_owned(), value.into());
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> ToolErrorKind {
        self.0.kind
    }

    /// What happened, in one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do next, where it is known.
    pub fn next_step(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The further fields of its kind.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0.fields
    }

    /// The object that stands for it in an answer: `kind`, `tool`, `message`, `hint`, and its fields.
    pub fn to_value(&self, tool: &str) -> Value {
        let mut object = Map::new();
        object.insert("kind".into(), self.0.kind.as_str().into());
        object.insert("tool".into(), tool.into());
        object.insert("message".into(), self.0.message.as_str().into());
        if let Some(hint) = &self.0.hint {
            object.insert("hint".into(), hint.as_str().into());
        }
        for (name, value) in &self.0.fields {
            object.entry(name.as_str()).or_insert_with(|| value.clone());
        }
        Value::Object(object)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError")
            .field("kind", &self.0.kind.as_str())
            .field("message", &self.0.message)
            .field("hint", &self.0.hint)
            .field("fields", &self.0.fields)
            .finish()
    }
}

impl From<workspace_core::Error> for ToolError {
    fn from(error: workspace_core::Error) -> Self {
        let message = match error.path() {
            Some(path) => format!("`{}`: {}", Visible(path), error.message()),
            None => error.message().to_owned(),
        };
        let mut ours = Self::new(error.kind().into(), message);
        if let Some(path) = error.path() {
            ours = ours.with("path", path);
        }
        if let Some(rule) = error.rule_name() {
            ours = ours.with("rule", rule);
        }
        match error.next_step() {
            Some(hint) => ours.hint(hint),
            None => ours,
        }
    }
}
