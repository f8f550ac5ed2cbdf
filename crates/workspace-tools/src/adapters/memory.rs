//! Anthropic's `memory_20250818`.

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::commands::{TextCommand, in_vendors_words, read};
use super::view::View;
use super::{VendorAnswer, VendorTool};
use crate::tools::Answer;
use crate::{
    EditFileInput, ExistsInput, IfExists, MkdirInput, MoveInput, RemoveInput, Result, ToolError,
    ToolErrorKind, Workspace, WriteFileInput,
};

const NAME: &str = "memory";

/// The root that models know.
const ROOT: &str = "/memories";

/// Anthropic's memory, `memory_20250818`, in a directory of a workspace.
///
/// Models name files under `/memories`, which stands for that directory; nothing outside of it
/// can be reached, by `..` or through links. `create` does not replace a file, `rename` does
/// not either, and `delete` removes a directory with all that it holds, but never the root.
#[derive(Debug, Clone)]
pub struct MemoryTool {
    workspace: Workspace,
}

impl MemoryTool {
    /// The memory in a directory, which is made where it is missing.
    ///
    /// # Errors
    /// Those of making a directory, and of [`Workspace::scope`].
    pub async fn open(workspace: &Workspace, directory: &str) -> Result<Self> {
        if !workspace.exists(ExistsInput::new(directory)).await?.exists {
            workspace.mkdir(MkdirInput::new(directory)).await?;
        }
        Ok(Self { workspace: workspace.scope(directory).await? })
    }

    async fn run(&self, input: Value, workspace: &Workspace) -> Result<String> {
        match read(NAME, input)? {
            TextCommand::View { path, range } => {
                let path = inside(&path)?;
                View { workspace, path: &path, range, max_characters: None }
                    .text(outside)
                    .await
                    .map_err(|error| spelled(error, &path))
            }
            TextCommand::Create { path, text } => {
                let file = named(&path)?;
                let input = WriteFileInput { if_exists: IfExists::Fail, ..WriteFileInput::new(&file, text) };
                let written = workspace.write_file(input).await.map_err(|error| match error.kind() {
                    ToolErrorKind::AlreadyExists => {
                        spelled(error, &file).hint("change it by `str_replace`, or choose another path")
                    }
                    _ => spelled(error, &file),
                })?;
                Ok(format!("created {path} ({} bytes)", written.bytes_written))
            }
            TextCommand::StrReplace { path, old, new } => {
                self.edit(workspace, &path, |file| EditFileInput::replace(file, old, new)).await
            }
            TextCommand::Insert { path, line, text } => {
                self.edit(workspace, &path, |file| EditFileInput::insert(file, line, text)).await
            }
            TextCommand::Delete { path } => {
                let file = named(&path)?;
                let removed = workspace.remove(RemoveInput::new(&file).recursive()).await;
                removed.map_err(|error| spelled(error, &file))?;
                Ok(format!("deleted {path}"))
            }
            TextCommand::Rename { from, to } => {
                let (old, new) = (named(&from)?, named(&to)?);
                if let Some((above, _)) = new.rsplit_once('/') {
                    workspace.mkdir(MkdirInput::new(above)).await.map_err(|error| spelled(error, above))?;
                }
                let moved = workspace.r#move(MoveInput::new(&old, &new)).await;
                moved.map_err(|error| spelled(spelled(error, &old), &new))?;
                Ok(format!("renamed {from} to {to}"))
            }
        }
    }

    async fn edit(
        &self,
        workspace: &Workspace,
        path: &str,
        input: impl FnOnce(String) -> EditFileInput,
    ) -> Result<String> {
        let file = named(path)?;
        let edited = workspace.edit_file(input(file.clone())).await.map_err(|error| spelled(error, &file))?;
        Ok(crate::EditFileOutput { path: path.to_owned(), ..edited }.text())
    }
}

#[async_trait]
impl VendorTool for MemoryTool {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> Value {
        json!({"type": "memory_20250818", "name": NAME})
    }

    async fn call(&self, input: Value, cancel: &CancellationToken) -> VendorAnswer {
        let workspace = self.workspace.with_cancel(cancel.clone());
        Box::pin(self.run(input, &workspace)).await.map_err(in_vendors_words).into()
    }
}

/// The path in the directory for one under `/memories`; empty for that itself.
fn inside(path: &str) -> Result<String> {
    match path.strip_prefix(ROOT) {
        Some("" | "/") => Ok(String::new()),
        Some(rest) if rest.starts_with('/') => Ok(rest.get(1..).unwrap_or_default().to_owned()),
        _ => Err(ToolError::new(ToolErrorKind::PathEscape, format!("`{path}` is not under `{ROOT}`"))
            .with("path", path)
            .hint("give a path that begins with `/memories/`")),
    }
}

/// The same for a path that must name something below.
fn named(path: &str) -> Result<String> {
    let path = inside(path)?;
    if path.is_empty() {
        return Err(ToolError::new(ToolErrorKind::InvalidInput, format!("`{ROOT}` itself stays as it is"))
            .with("field", "path")
            .hint("name something below it"));
    }
    Ok(path)
}

/// A path of the directory as models know it.
fn outside(path: &str) -> String {
    if path.is_empty() { ROOT.to_owned() } else { format!("{ROOT}/{path}") }
}

/// The same error with a path as the model gave it.
fn spelled(error: ToolError, path: &str) -> ToolError {
    error.with_word_replaced(&format!("`{path}`"), &format!("`{}`", outside(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_below_the_virtual_root_are_read() {
        assert_eq!(inside("/memories").unwrap(), "");
        assert_eq!(inside("/memories/").unwrap(), "");
        assert_eq!(inside("/memories/a/b.md").unwrap(), "a/b.md");
        for outside in ["", "/", "memories/a", "/memoriesx/a", "/etc/passwd", "a"] {
            assert_eq!(inside(outside).unwrap_err().kind(), ToolErrorKind::PathEscape, "{outside}");
        }
    }
}
