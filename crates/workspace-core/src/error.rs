//! One error type for every layer: what failed, where, why, and what to do next.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

/// The result of every workspace operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of failure it is: the part that programs decide on.
///
/// Each kind has a different next step for the caller. [`as_str`](Self::as_str)
/// gives the stable name that tools show to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The path leads outside the workspace, or its spelling could.
    PathEscape,
    /// A rule of the owner closes this path.
    DeniedPath,
    /// This workspace does not change files.
    ReadOnly,
    /// Nothing is there.
    NotFound,
    /// A directory stands where a file is needed.
    IsADirectory,
    /// A file stands where a directory is needed.
    NotADirectory,
    /// It is neither a regular file nor a directory: a pipe, a socket, a device.
    NotAFile,
    /// Something is there already.
    AlreadyExists,
    /// A directory that must be empty is not.
    NotEmpty,
    /// It is over a limit.
    TooLarge,
    /// The operating system refuses access.
    Permission,
    /// The disk or the quota is full.
    NoSpace,
    /// The file is not in the state that the caller demanded.
    Conflict,
    /// The request itself is wrong.
    InvalidInput,
    /// A pattern cannot be read.
    InvalidPattern,
    /// A pattern is too costly.
    UnsafePattern,
    /// The program could not be started.
    SpawnFailed,
    /// This backend cannot do it.
    Unsupported,
    /// It took longer than it may.
    TimedOut,
    /// The caller gave up.
    Cancelled,
    /// The backend is not reachable or has ended.
    Unavailable,
    /// Any other failure of input or output.
    Io,
}

impl ErrorKind {
    /// The stable name, in kebab case: `not-found`, `path-escape`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PathEscape => "path-escape",
            Self::DeniedPath => "denied-path",
            Self::ReadOnly => "read-only",
            Self::NotFound => "not-found",
            Self::IsADirectory => "is-a-directory",
            Self::NotADirectory => "not-a-directory",
            Self::NotAFile => "not-a-file",
            Self::AlreadyExists => "already-exists",
            Self::NotEmpty => "not-empty",
            Self::TooLarge => "too-large",
            Self::Permission => "permission",
            Self::NoSpace => "no-space",
            Self::Conflict => "conflict",
            Self::InvalidInput => "invalid-input",
            Self::InvalidPattern => "invalid-pattern",
            Self::UnsafePattern => "unsafe-pattern",
            Self::SpawnFailed => "spawn-failed",
            Self::Unsupported => "unsupported",
            Self::TimedOut => "timed-out",
            Self::Cancelled => "cancelled",
            Self::Unavailable => "backend-unavailable",
            Self::Io => "io",
        }
    }

    /// Whether the same call may succeed later without any change by the caller.
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::TimedOut | Self::Unavailable)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failure: kind, operation, path, message, hint and source.
///
/// It is one word wide. The message and the path never hold a path of the host
/// outside the workspace. [`Display`](fmt::Display) does not print the source:
/// who wants the chain walks [`source`](StdError::source).
///
/// # Examples
/// ```
/// use workspace_core::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::ReadOnly, "this workspace is read-only")
///     .during("write")
///     .at("src/a.rs");
/// assert_eq!(error.to_string(), "write `src/a.rs`: this workspace is read-only");
/// assert_eq!(error.kind(), ErrorKind::ReadOnly);
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    operation: Option<&'static str>,
    path: Option<String>,
    message: Cow<'static, str>,
    hint: Option<Cow<'static, str>>,
    rule: Option<Cow<'static, str>>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Makes an error of a kind. The message is lower case and has no full stop.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            operation: None,
            path: None,
            message: message.into(),
            hint: None,
            rule: None,
            source: None,
        }))
    }

    /// Names the operation that failed: `read`, `write`, `list`. The first one named stays.
    #[must_use]
    pub fn during(mut self, operation: &'static str) -> Self {
        self.0.operation.get_or_insert(operation);
        self
    }

    /// Names the path, as the caller gave it or relative to the workspace.
    #[must_use]
    pub fn at(mut self, path: impl fmt::Display) -> Self {
        self.0.path = Some(path.to_string());
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Names the rule that refused.
    #[must_use]
    pub fn rule(mut self, rule: impl Into<Cow<'static, str>>) -> Self {
        self.0.rule = Some(rule.into());
        self
    }

    /// Keeps the cause. It is for logs and is never shown to a model.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The operation that failed, where it was named.
    pub fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// The path, where one was named.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// The message alone, without operation and path.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do next, where it is known.
    pub fn next_step(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The rule that refused, where one did.
    pub fn rule_name(&self) -> Option<&str> {
        self.0.rule.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.operation, &self.0.path) {
            (Some(operation), Some(path)) => write!(f, "{operation} `{}`: ", Visible(path))?,
            (Some(operation), None) => write!(f, "{operation}: ")?,
            (None, Some(path)) => write!(f, "`{}`: ", Visible(path))?,
            (None, None) => {}
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Error");
        out.field("kind", &self.0.kind)
            .field("operation", &self.0.operation)
            .field("path", &self.0.path)
            .field("message", &self.0.message);
        if let Some(hint) = &self.0.hint {
            out.field("hint", hint);
        }
        if let Some(rule) = &self.0.rule {
            out.field("rule", rule);
        }
        if let Some(source) = &self.0.source {
            out.field("source", source);
        }
        out.finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// A text with its control characters escaped, so that a name cannot forge a
/// line of a message or move a terminal's cursor.
///
/// # Examples
/// ```
/// assert_eq!(workspace_core::Visible("a\nb").to_string(), "a\\nb");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Visible<'a>(pub &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(char::is_control) {
            f.write_str(&rest[..at])?;
            let Some(control) = rest[at..].chars().next() else {
                break;
            };
            write!(f, "{}", control.escape_default())?;
            rest = &rest[at + control.len_utf8()..];
        }
        f.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_word_wide() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }

    #[test]
    fn display_names_operation_and_path_and_not_the_source() {
        let error =
            Error::new(ErrorKind::Io, "the disk failed").during("read").at("a\tb").because("secret cause");
        assert_eq!(error.to_string(), "read `a\\tb`: the disk failed");
        assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("secret cause"));
    }

    #[test]
    fn the_first_operation_named_stays() {
        let error = Error::new(ErrorKind::Io, "x").during("write").during("read");
        assert_eq!(error.operation(), Some("write"));
    }
}
