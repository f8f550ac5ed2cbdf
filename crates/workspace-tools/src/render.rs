//! Tool definitions in the shapes that vendors of models take.

use serde_json::{Value, json};

use crate::ToolDefinition;
use crate::spec::allow_null;

impl ToolDefinition {
    /// The object of an MCP server's `tools/list`.
    pub fn to_mcp(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "idempotentHint": self.idempotent,
                "openWorldHint": self.open_world,
            },
        })
    }

    /// The object of Anthropic's Messages API.
    pub fn to_anthropic(&self) -> Value {
        json!({"name": self.name, "description": self.description, "input_schema": self.input_schema})
    }

    /// The object of OpenAI's Responses API, strict: every key is required, and
    /// one that may be absent may be `null`. Calls take `null` as absent.
    pub fn to_openai(&self) -> Value {
        json!({
            "type": "function",
            "name": self.name,
            "description": self.description,
            "parameters": strict(&self.input_schema),
            "strict": true,
        })
    }
}

impl ToolDefinition {
    /// The object of OpenAI's Responses API, not strict: the schema as it is. It says so, because
    /// that API takes silence for strict.
    pub fn to_openai_loose(&self) -> Value {
        json!({
            "type": "function",
            "name": self.name,
            "description": self.description,
            "parameters": self.input_schema,
            "strict": false,
        })
    }

    /// The object of OpenAI's Chat Completions API, strict, which many other servers speak.
    pub fn to_openai_chat(&self) -> Value {
        json!({
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": strict(&self.input_schema),
                "strict": true,
            },
        })
    }

    /// An entry of `functionDeclarations` in Gemini's API.
    pub fn to_gemini(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "parametersJsonSchema": self.input_schema,
        })
    }
}

/// The schema with every key of every object required.
fn strict(schema: &Value) -> Value {
    let mut schema = schema.clone();
    require_all(&mut schema);
    schema
}

fn require_all(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    if let Some(items) = schema.get_mut("items") {
        require_all(items);
    }
    let required = schema.get("required").cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties.iter_mut() {
        require_all(property);
        let is_required =
            required.as_array().is_some_and(|names| names.iter().any(|required| required == name));
        if let (false, Value::Object(property)) = (is_required, property) {
            allow_null(property);
        }
    }
    let names: Vec<_> = properties.keys().cloned().collect();
    schema.insert("required".into(), names.into());
}
