//! Tools whose schemas belong to vendors of models, over a workspace.
//!
//! Some models are trained for tools of their vendor, which are declared by a type and not by a
//! schema. An adapter declares such a tool and maps its calls to the operations of a
//! [`Workspace`](crate::Workspace): policy, approvals, limits and the stale guard hold as for every
//! other call. Nothing here speaks HTTP or depends on a vendor's library.

mod bash;
mod commands;
mod memory;
mod openai_patch;
mod openai_shell;
mod shell_call;
mod text_editor;
mod view;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::similar::nearest;
use crate::{ToolError, ToolErrorKind};

pub use bash::BashTool;
pub use memory::MemoryTool;
pub use openai_patch::PatchTool;
pub use openai_shell::{ShellShape, ShellTool};
pub use text_editor::TextEditorTool;

/// What a vendor's tool gave: a text for the model, and whether it tells of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VendorAnswer {
    /// The answer, or what went wrong and the next step.
    pub text: String,
    /// Whether the call failed. A command that ends with a code other than 0 has not failed.
    pub is_error: bool,
}

impl VendorAnswer {
    /// The answer of a call that went well.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false }
    }

    /// What a model is told of a failure: the message, and the next step on a line of its own.
    pub fn failed(error: &ToolError) -> Self {
        let hint = error.next_step().map(|hint| format!("\n{hint}")).unwrap_or_default();
        Self { text: format!("{}: {}{hint}", error.kind().as_str(), error.message()), is_error: true }
    }
}

impl From<Result<String, ToolError>> for VendorAnswer {
    fn from(outcome: Result<String, ToolError>) -> Self {
        match outcome {
            Ok(text) => Self::ok(text),
            Err(error) => Self::failed(&error),
        }
    }
}

/// A tool whose schema belongs to a vendor.
#[async_trait]
pub trait VendorTool: Send + Sync {
    /// The name by which a model calls it.
    fn name(&self) -> &str;

    /// The object to send in the request's list of tools.
    fn declaration(&self) -> Value;

    /// Does it. The token is cancelled where the caller gives up. A failure is an answer.
    async fn call(&self, input: Value, cancel: &CancellationToken) -> VendorAnswer;

    /// Answers an item of a response that is a call of this tool in a form of its own, with the item
    /// to send back. `None` where the item is something else.
    async fn answer_item(&self, item: &Value, cancel: &CancellationToken) -> Option<Value> {
        let _ = (item, cancel);
        None
    }
}

/// Tools of vendors, to be declared in a request and called by name.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use serde_json::json;
/// use workspace_memory::Memory;
/// use workspace_tools::{TextEditorTool, VendorTools, Workspace};
///
/// let files = Memory::new().with_file("a.txt", "one\ntwo\n");
/// let workspace = Workspace::builder(files).build()?;
/// let tools = VendorTools::new().with(TextEditorTool::new(workspace));
///
/// let declared = tools.declarations();
/// assert_eq!(declared, [json!({"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"})]);
///
/// let input = json!({"command": "view", "path": "a.txt", "view_range": [2, -1]});
/// let answer = tools.call("str_replace_based_edit_tool", input).await;
/// assert_eq!((answer.text.as_str(), answer.is_error), ("     2\ttwo", false));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct VendorTools(Vec<Arc<dyn VendorTool>>);

impl VendorTools {
    /// No tool yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    #[must_use]
    pub fn with(mut self, tool: impl VendorTool + 'static) -> Self {
        self.0.push(Arc::new(tool));
        self
    }

    /// What to send in a request, in the order in which the tools were added.
    pub fn declarations(&self) -> Vec<Value> {
        self.0.iter().map(|tool| tool.declaration()).collect()
    }

    /// Whether one of these has this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|tool| tool.name() == name)
    }

    /// Calls a tool by its name. An unknown name is a failure for the model.
    pub async fn call(&self, name: &str, input: Value) -> VendorAnswer {
        self.call_with(name, input, &CancellationToken::new()).await
    }

    /// Calls a tool by its name, until the token is cancelled.
    pub async fn call_with(&self, name: &str, input: Value, cancel: &CancellationToken) -> VendorAnswer {
        match self.0.iter().find(|tool| tool.name() == name) {
            Some(tool) => tool.call(input, cancel).await,
            None => VendorAnswer::failed(&self.unknown(name)),
        }
    }

    /// Answers an item of a response that one of these knows: `apply_patch_call`, `shell_call`,
    /// `local_shell_call`. `None` for any other item.
    pub async fn answer_item(&self, item: &Value, cancel: &CancellationToken) -> Option<Value> {
        for tool in &self.0 {
            if let Some(answer) = tool.answer_item(item, cancel).await {
                return Some(answer);
            }
        }
        None
    }

    fn unknown(&self, name: &str) -> ToolError {
        let names = || self.0.iter().map(|tool| tool.name());
        let error = ToolError::new(ToolErrorKind::InvalidInput, format!("there is no tool `{name}` here"));
        match nearest(name, names()) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("the tools are {}", names().collect::<Vec<_>>().join(", "))),
        }
    }
}

impl fmt::Debug for VendorTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|tool| tool.name())).finish()
    }
}
