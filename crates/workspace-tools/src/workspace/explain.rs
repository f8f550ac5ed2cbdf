//! Errors that tell a model its next step, naming only tools that it has.

use workspace_core::{Error, ErrorKind, FsProvider, ListOptions, WorkspacePath};

use super::Workspace;
use super::paths::shown;
use crate::similar::nearest_few;
use crate::tools::ToolName;
use crate::{ToolError, ToolErrorKind};

/// How many similar names an error lists.
const SIMILAR: usize = 3;

impl Workspace {
    /// Turns a provider's error into a tool's, with the next step.
    pub(crate) async fn explain(&self, error: Error, path: &WorkspacePath) -> ToolError {
        let kind = error.kind();
        let ours = ToolError::from(error.at(path));
        match kind {
            ErrorKind::NotFound => self.missing(ours, path).await,
            ErrorKind::IsADirectory if self.vends(ToolName::ListDir) => {
                ours.hint("call `list_dir` with this path to see what it holds")
            }
            ErrorKind::IsADirectory => ours.hint("name a file in it"),
            ErrorKind::NotADirectory => ours.hint(self.look_hint("name a directory")),
            ErrorKind::NotAFile => ours
                .hint("only regular files can be read and written; this one is a pipe, a socket or a device"),
            ErrorKind::Conflict => {
                ours.hint(format!("the file was left as the other writer made it; {}", self.read_again()))
            }
            ErrorKind::InvalidInput if ours.next_step().is_none() => {
                ours.hint("choose another path, then call again")
            }
            ErrorKind::Permission if ours.next_step().is_none() => ours.hint(
                "the system refuses it for this user; go on without it or ask the owner of the workspace",
            ),
            ErrorKind::NoSpace if ours.next_step().is_none() => {
                ours.hint("the old content is as it was; remove something, then call again")
            }
            _ => ours,
        }
    }

    /// What to call to see a file again.
    pub(crate) fn read_again(&self) -> String {
        if self.vends(ToolName::ReadFile) {
            "call `read_file` again, then retry with what it shows".into()
        } else {
            "look at the file again, then retry with what it holds".into()
        }
    }

    fn look_hint(&self, otherwise: &str) -> String {
        if self.vends(ToolName::ListDir) {
            "call `list_dir` on the directory above to see what is there".into()
        } else {
            otherwise.to_owned()
        }
    }

    /// A missing file, with the names that the caller may have meant.
    async fn missing(&self, error: ToolError, path: &WorkspacePath) -> ToolError {
        let Some((directory, name, siblings)) = self.deepest(path).await else {
            return error.hint(self.look_hint("check the path"));
        };
        if siblings.contains(&name) {
            // It is listed and yet not there: a link that leads to nothing, or gone by now.
            return error.hint("the name is there, and what it leads to is not; give the target's own path");
        }
        let similar: Vec<String> = nearest_few(&name, siblings.iter().map(String::as_str), SIMILAR)
            .into_iter()
            .filter_map(|name| directory.child(name).ok())
            .map(|path| path.to_string())
            .collect();
        let first = directory.child(&name).unwrap_or_default();
        // The first component that is missing says more than the last one.
        let message = if &first == path {
            format!("`{}`: there is no such file or directory", shown(path))
        } else {
            format!("`{}`: there is no `{}`", shown(path), shown(&first))
        };
        let error = ToolError::new(ToolErrorKind::NotFound, message).with("path", path.to_string());
        if similar.is_empty() {
            let place = shown(&directory);
            return error.hint(if self.vends(ToolName::ListDir) {
                format!("call `list_dir` on `{place}` to see what is there")
            } else {
                format!("nothing in `{place}` has a similar name")
            });
        }
        let names: Vec<_> = similar.iter().map(|name| format!("`{name}`")).collect();
        error.hint(format!("did you mean {}?", names.join(" or "))).with("similar", similar)
    }

    /// The deepest directory of a path that exists, the name in it that does not, and the names that do.
    async fn deepest(&self, path: &WorkspacePath) -> Option<(WorkspacePath, String, Vec<String>)> {
        let mut missing = path.clone();
        loop {
            let name = missing.name()?.to_owned();
            let directory = missing.parent()?;
            match self.files().list(&directory, ListOptions::default()).await {
                Ok(entries) => {
                    let names = entries.iter().filter(|entry| !entry.non_utf8);
                    let names = names.filter_map(|entry| entry.path.name().map(str::to_owned)).collect();
                    return Some((directory, name, names));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => missing = directory,
                Err(_) => return None,
            }
        }
    }
}
