//! What the model was sent.

use serde_json::Value;

/// The results of tools in a request: the id of each call and what the model reads of it.
pub(crate) fn results(request: &Value) -> Vec<(String, String)> {
    let messages = request["messages"].as_array().unwrap().iter();
    let results = messages.filter(|message| message["role"] == "tool");
    results
        .map(|result| (result["tool_call_id"].as_str().unwrap().to_owned(), text(&result["content"])))
        .collect()
}

/// The ids of the calls that the scripted model makes.
pub(crate) const CALLS: [&str; 8] =
    ["call-0-0", "call-0-1", "call-1-0", "call-2-0", "call-3-0", "call-4-0", "call-5-0", "call-5-1"];

fn text(content: &Value) -> String {
    match content.as_array() {
        Some(parts) => parts.iter().map(|part| part["text"].as_str().unwrap()).collect(),
        None => content.as_str().unwrap().to_owned(),
    }
}
