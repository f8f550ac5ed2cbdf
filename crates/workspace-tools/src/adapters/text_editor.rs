//! Anthropic's `text_editor_20250728`.

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::commands::{TextCommand, in_vendors_words, read};
use super::view::View;
use super::{VendorAnswer, VendorTool};
use crate::tools::Answer;
use crate::{EditFileInput, Result, ToolError, ToolErrorKind, Workspace, WriteFileInput};

const NAME: &str = "str_replace_based_edit_tool";

/// Anthropic's text editor, `text_editor_20250728`, over a workspace.
///
/// `view` is `read_file` or `list_dir`, `create` is `write_file` (a file that is there is
/// replaced), `str_replace` and `insert` are `edit_file`: an approval is asked of the owner under
/// those names. Paths are those of the workspace.
#[derive(Debug, Clone)]
pub struct TextEditorTool {
    workspace: Workspace,
    max_characters: Option<usize>,
}

impl TextEditorTool {
    /// The editor over a workspace.
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, max_characters: None }
    }

    /// Shows at most so many characters of a file, to the end of a line, and declares it.
    #[must_use]
    pub fn max_characters(mut self, characters: usize) -> Self {
        self.max_characters = Some(characters);
        self
    }

    async fn run(&self, input: Value, workspace: &Workspace) -> Result<String> {
        match read(NAME, input)? {
            TextCommand::View { path, range } => {
                let path = if path == "." || path == "/" { "" } else { path.as_str() };
                let view = View { workspace, path, range, max_characters: self.max_characters };
                view.text(|path| if path.is_empty() { ".".to_owned() } else { path.to_owned() }).await
            }
            TextCommand::Create { path, text } => {
                Ok(workspace.write_file(WriteFileInput::new(path, text)).await?.text())
            }
            TextCommand::StrReplace { path, old, new } => {
                Ok(workspace.edit_file(EditFileInput::replace(path, old, new)).await?.text())
            }
            TextCommand::Insert { path, line, text } => {
                Ok(workspace.edit_file(EditFileInput::insert(path, line, text)).await?.text())
            }
            TextCommand::Delete { .. } | TextCommand::Rename { .. } => {
                Err(ToolError::new(ToolErrorKind::InvalidInput, "this tool neither removes nor renames")
                    .with("field", "command")
                    .hint("use `view`, `create`, `str_replace` or `insert`"))
            }
        }
    }
}

#[async_trait]
impl VendorTool for TextEditorTool {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> Value {
        let mut declaration = json!({"type": "text_editor_20250728", "name": NAME});
        if let Some(characters) = self.max_characters {
            declaration["max_characters"] = characters.into();
        }
        declaration
    }

    async fn call(&self, input: Value, cancel: &CancellationToken) -> VendorAnswer {
        let workspace = self.workspace.with_cancel(cancel.clone());
        Box::pin(self.run(input, &workspace)).await.map_err(in_vendors_words).into()
    }
}
