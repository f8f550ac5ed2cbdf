//! From the text of a call to a path: the lexical rules, before any I/O.

use workspace_core::{Visible, WorkspacePath};

use super::Workspace;
use crate::{Result, ToolError, ToolErrorKind};

impl Workspace {
    /// Reads a path; the empty text is the root.
    pub(crate) fn parse(&self, field: &str, text: &str) -> Result<WorkspacePath> {
        WorkspacePath::parse(text, &self.view.rules)
            .map_err(|error| ToolError::from(error).with("field", field))
    }

    /// Reads the path of a file or of a directory that must be named.
    pub(crate) fn parse_entry(&self, field: &str, text: &str) -> Result<WorkspacePath> {
        if text.is_empty() {
            return Err(ToolError::new(ToolErrorKind::InvalidInput, format!("`{field}` is empty"))
                .with("field", field)
                .hint("name a file relative to the root of the workspace, such as `src/main.rs`"));
        }
        self.parse(field, text)
    }
}

/// A path as messages show it.
pub(crate) fn shown(path: &WorkspacePath) -> String {
    Visible(&path.to_string()).to_string()
}
