//! OpenAI's `apply_patch`: one operation on one file, or a whole patch.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{VendorAnswer, VendorTool};
use crate::patch::{Patch, Section, SectionAction, parse_content, parse_hunks};
use crate::tools::{Answer, no_patch};
use crate::{ApplyPatchInput, Result, ToolError, ToolErrorKind, Workspace};

const NAME: &str = "apply_patch";

/// OpenAI's `apply_patch` of the Responses API over a workspace.
///
/// A call comes as an item `apply_patch_call` whose `operation` is `create_file`, `update_file` or
/// `delete_file` of one file; [`answer_item`](VendorTool::answer_item) gives the
/// `apply_patch_call_output` to send back. [`call`](VendorTool::call) takes the operation alone, or
/// a whole patch as a text or as `{patch}` or `{input}`, as models call it that have it as a
/// function or a custom tool. Either is a call of [`Workspace::apply_patch`].
#[derive(Debug, Clone)]
pub struct PatchTool {
    workspace: Workspace,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Operation {
    #[serde(rename = "create_file")]
    Create { path: String, diff: String },
    #[serde(rename = "update_file")]
    Update { path: String, diff: String },
    #[serde(rename = "delete_file")]
    Delete { path: String },
}

impl PatchTool {
    /// The tool over a workspace.
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    async fn run(&self, input: Value, workspace: &Workspace) -> Result<String> {
        if let Some(patch) = whole(&input) {
            return Ok(workspace.apply_patch(ApplyPatchInput::new(patch)).await?.text());
        }
        let operation = Operation::deserialize(input).map_err(|error| {
            ToolError::new(ToolErrorKind::InvalidInput, format!("the operation could not be read: {error}"))
                .with("field", "operation")
                .hint("give `type` (create_file, update_file or delete_file), `path`, and `diff` for the first two")
        })?;
        let (path, action) = match operation {
            Operation::Create { path, diff } => {
                (path, SectionAction::Add(parse_content(&diff).map_err(|failure| no_patch(&failure))?))
            }
            Operation::Update { path, diff } => {
                let hunks = parse_hunks(&diff).map_err(|failure| no_patch(&failure))?;
                (path, SectionAction::Update { move_to: None, hunks })
            }
            Operation::Delete { path } => (path, SectionAction::Delete),
        };
        let sections = vec![Section { line: 1, path, action }];
        Ok(workspace.apply_sections(&Patch { sections }).await?.text())
    }
}

/// The text of a whole patch, in any of the places where it comes.
fn whole(input: &Value) -> Option<&str> {
    input.as_str().or_else(|| ["patch", "input"].into_iter().find_map(|key| input.get(key)?.as_str()))
}

#[async_trait]
impl VendorTool for PatchTool {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> Value {
        json!({"type": NAME})
    }

    async fn call(&self, input: Value, cancel: &CancellationToken) -> VendorAnswer {
        let workspace = self.workspace.with_cancel(cancel.clone());
        Box::pin(self.run(input, &workspace)).await.into()
    }

    async fn answer_item(&self, item: &Value, cancel: &CancellationToken) -> Option<Value> {
        if item.get("type").and_then(Value::as_str) != Some("apply_patch_call") {
            return None;
        }
        let operation = item.get("operation").cloned().unwrap_or_default();
        let answer = self.call(operation, cancel).await;
        Some(json!({
            "type": "apply_patch_call_output",
            "call_id": item.get("call_id").cloned().unwrap_or_default(),
            "status": if answer.is_error { "failed" } else { "completed" },
            "output": answer.text,
        }))
    }
}
