//! Why the program could not begin: bad usage, a bad policy file, a missing root.

use std::io;

use workspace_tools::ToolError;

/// A failure before any call. It ends the program with status 2 and one message on standard error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{message}\n  {hint}")]
    Usage { message: String, hint: String },
    #[error("{0}")]
    Workspace(String),
    #[error("standard output could not be written: {0}")]
    Output(#[source] io::Error),
    #[error("the program could not start: {0}")]
    Start(#[source] io::Error),
    #[error("the MCP connection failed: {0}")]
    Mcp(String),
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    pub(crate) fn start(error: io::Error) -> Self {
        Self::Start(error)
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        match error.next_step() {
            Some(hint) => Self::Workspace(format!("{}\n  {hint}", error.message())),
            None => Self::Workspace(error.message().to_owned()),
        }
    }
}
