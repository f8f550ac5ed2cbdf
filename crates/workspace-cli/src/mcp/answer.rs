//! From the tools' words to those of the protocol.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Tool, ToolAnnotations};
use serde_json::{Map, Value};
use workspace_tools::{ToolDefinition, ToolError, ToolOutput};

/// Where the object of an error is in the metadata of a result.
const ERROR: &str = "workspace/error";

/// The result of a call: an object for programs, a text for the model.
///
/// The object of an error is metadata: clients hold structured content against the output schema,
/// also that of an error, and would tell of the mismatch in the error's place.
pub(super) fn answer(name: &str, outcome: Result<ToolOutput, ToolError>) -> CallToolResult {
    match outcome {
        Ok(output) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(output.text)]);
            result.structured_content = Some(Value::Object(output.value));
            result
        }
        Err(error) => {
            let mut result = CallToolResult::error(vec![ContentBlock::text(text_of(&error))]);
            let mut meta = MetaObject::new();
            meta.insert(ERROR.into(), error.to_value(name));
            result.meta = Some(meta);
            result
        }
    }
}

/// An error in two lines: what is wrong, and what to do about it.
pub(super) fn text_of(error: &ToolError) -> String {
    let mut text = format!("{}: {}", error.kind().as_str(), error.message());
    if let Some(hint) = error.next_step() {
        text.push_str("\nhint: ");
        text.push_str(hint);
    }
    text
}

/// A tool as clients list it, with all four hints.
pub(super) fn listed(tool: ToolDefinition) -> Tool {
    let annotations = ToolAnnotations::with_title(tool.title.clone())
        .read_only(tool.read_only)
        .destructive(tool.destructive)
        .idempotent(tool.idempotent)
        .open_world(tool.open_world);
    Tool::new_with_raw(tool.name, Some(tool.description.into()), schema(tool.input_schema))
        .with_title(tool.title)
        .with_raw_output_schema(schema(tool.output_schema))
        .with_annotations(annotations)
}

fn schema(schema: Value) -> Arc<Map<String, Value>> {
    match schema {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}
