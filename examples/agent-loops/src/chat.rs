//! The loop of an agent over a server that speaks Chat Completions.

use reqwest::Client;
use serde_json::{Value, json};
use workspace_tools::{ToolDefinition, ToolError, ToolErrorKind, ToolSet};

use crate::Place;

/// How often the model is asked before the loop gives up.
const TURNS: usize = 20;

/// What ends a loop before the model does. What goes wrong in a tool is told to the model instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoopError {
    /// The server cannot be reached, or what it sends is no JSON.
    #[error("the server of the model does not answer")]
    Http(#[from] reqwest::Error),
    /// The server refuses the request.
    #[error("the server of the model answered {status}: {body}")]
    Refused {
        /// The status of its answer.
        status: u16,
        /// What it said.
        body: String,
    },
    /// The answer holds neither a text nor a call.
    #[error("the model said nothing: {0}")]
    Silent(Value),
    /// The model is not done after as many turns as it is given.
    #[error("the model did not come to an end in {TURNS} turns")]
    TooLong,
}

/// Lets a model work on a task with tools, until it answers without a call.
///
/// # Errors
/// What keeps the model from being asked. What goes wrong in a tool is none: the model reads it.
pub async fn work(client: &Client, place: &Place, tools: &ToolSet, task: &str) -> Result<String, LoopError> {
    let definitions: Vec<_> = tools.definitions().iter().map(ToolDefinition::to_openai_chat).collect();
    let mut messages = vec![json!({"role": "user", "content": task})];
    for _ in 0..TURNS {
        let request = json!({"model": place.model, "messages": messages, "tools": definitions});
        let message = ask(client, place, &request).await?;
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        if calls.is_empty() {
            return message["content"].as_str().map(str::to_owned).ok_or(LoopError::Silent(message));
        }
        messages.push(message);
        // In the order of the model: a test that is called after an edit has to see it.
        for call in calls {
            let content = answer(tools, &call["function"]).await;
            messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": content}));
        }
    }
    Err(LoopError::TooLong)
}

/// The message of the model that a request brings.
async fn ask(client: &Client, place: &Place, request: &Value) -> Result<Value, LoopError> {
    let url = format!("{}/chat/completions", place.url);
    let response = client.post(url).bearer_auth(&place.key).json(request).send().await?;
    let status = response.status();
    if !status.is_success() {
        return Err(LoopError::Refused { status: status.as_u16(), body: response.text().await? });
    }
    let mut answer: Value = response.json().await?;
    Ok(answer.pointer_mut("/choices/0/message").map(Value::take).unwrap_or_default())
}

/// What the model reads of one call: the text of the tool, or the error as an object.
async fn answer(tools: &ToolSet, function: &Value) -> String {
    let name = function["name"].as_str().unwrap_or_default();
    let result = match arguments(function) {
        Ok(input) => tools.call(name, input).await,
        Err(error) => Err(error),
    };
    match result {
        Ok(output) => output.text,
        Err(error) => json!({"error": error.to_value(name)}).to_string(),
    }
}

/// The arguments of a call, which come as JSON in a string.
fn arguments(function: &Value) -> Result<Value, ToolError> {
    let text = function["arguments"].as_str().unwrap_or_default();
    // Some models write nothing at all for a tool that needs nothing.
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| {
        ToolError::new(ToolErrorKind::InvalidInput, format!("the arguments are not JSON: {error}"))
            .hint("call it again with one JSON object")
    })
}
