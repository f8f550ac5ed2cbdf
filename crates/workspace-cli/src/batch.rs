//! `workspace batch`: one request a line, one answer a line, one workspace.

use std::process::ExitCode;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader};
use tokio_util::sync::CancellationToken;
use workspace_tools::{ToolError, ToolErrorKind, ToolSet};

use crate::args::WorkspaceArgs;
use crate::call::{direct, object, print};
use crate::failure::Failure;
use crate::open::open;

/// The longest line, in bytes.
const LONGEST: usize = 64 << 20;

pub(crate) async fn run(args: &WorkspaceArgs) -> Result<ExitCode, Failure> {
    let tools = open(args).await?;
    let mut input = BufReader::new(tokio::io::stdin());
    while let Some(line) = next_line(&mut input).await {
        let answer = match line {
            Ok(line) if line.iter().all(u8::is_ascii_whitespace) => continue,
            Ok(line) => answer(&tools, &line).await,
            Err(message) => refused(&message),
        };
        print(&answer)?;
    }
    tools.workspace().dispose().await;
    Ok(ExitCode::SUCCESS)
}

/// The next line, or why it cannot be taken; `None` at the end of input.
///
/// A line that is too long is read to its end and dropped, so that the next one is a line again.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> Option<Result<Vec<u8>, String>> {
    let mut line = Vec::new();
    let mut length = 0usize;
    loop {
        let bytes = match input.fill_buf().await {
            Ok(bytes) => bytes,
            Err(error) if length > 0 => return Some(Err(format!("the line could not be read: {error}"))),
            Err(_) => return None,
        };
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        length += part.len();
        if length <= LONGEST {
            line.extend_from_slice(part);
        }
        let at_end = bytes.is_empty();
        let read = end.map_or(bytes.len(), |end| end + 1);
        input.consume(read);
        if end.is_some() || at_end {
            return match (at_end && length == 0, length > LONGEST) {
                (true, _) => None,
                (_, true) => Some(Err(format!("the line has {length} bytes; the limit is {LONGEST}"))),
                _ => Some(Ok(line)),
            };
        }
    }
}

/// One request, in any of its forms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Given back with the answer, also with that to a request which cannot be read.
    #[serde(rename = "id")]
    _id: Option<Value>,
    tool: Option<String>,
    op: Option<String>,
    args: Option<Value>,
    group: Option<Vec<Value>>,
    cancel_after_ms: Option<u64>,
    sleep_ms: Option<u64>,
}

async fn answer(tools: &ToolSet, line: &[u8]) -> Value {
    let request: Value = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => return refused(&format!("the line is not JSON: {error}")),
    };
    let id = request.get("id").cloned();
    let answer = match read(request) {
        Ok(Request { group: Some(group), tool: None, op: None, sleep_ms: None, .. }) => {
            together(tools, group).await
        }
        Ok(request) => alone(tools, request).await,
        Err(refusal) => refusal,
    };
    with_id(answer, id)
}

fn read(request: Value) -> Result<Request, Value> {
    serde_json::from_value(request).map_err(|error| refused(&format!("the line is no request: {error}")))
}

/// Calls that start together; their answers come in the order of the calls.
async fn together(tools: &ToolSet, group: Vec<Value>) -> Value {
    let mut running = Vec::with_capacity(group.len());
    for request in group {
        let tools = tools.clone();
        running.push(tokio::spawn(async move {
            let id = request.get("id").cloned();
            let answer = match read(request) {
                Ok(request) => alone(&tools, request).await,
                Err(refusal) => refusal,
            };
            with_id(answer, id)
        }));
    }
    let mut answers = Vec::with_capacity(running.len());
    for call in running {
        answers.push(call.await.unwrap_or_else(|_| refused("the call ended without an answer")));
    }
    json!({"group": answers})
}

/// One call, one direct method, or one pause.
async fn alone(tools: &ToolSet, request: Request) -> Value {
    let Request { tool, op, args, group, cancel_after_ms, sleep_ms, _id: _ } = request;
    let args = args.unwrap_or_else(|| json!({}));
    match (tool, op, group, sleep_ms) {
        (Some(tool), None, None, None) => call(tools, &tool, args, cancel_after_ms).await,
        (None, Some(op), None, None) => match direct(tools, &op) {
            Some(direct) => call(&direct, &op, args, cancel_after_ms).await,
            None => {
                refused(&format!("there is no op `{op}`; there are exists, stat, mkdir, remove, move, copy"))
            }
        },
        (None, None, None, Some(pause)) => {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            json!({"ok": true, "output": {}})
        }
        _ => refused("the line is no request: it needs one of `tool`, `op`, `group`, `sleep_ms`"),
    }
}

async fn call(tools: &ToolSet, tool: &str, args: Value, cancel_after_ms: Option<u64>) -> Value {
    let cancel = CancellationToken::new();
    let call = tools.call_with(tool, args, &cancel);
    let result = match cancel_after_ms {
        None => call.await,
        Some(after) => {
            tokio::pin!(call);
            tokio::select! {
                result = &mut call => result,
                () = tokio::time::sleep(Duration::from_millis(after)) => {
                    cancel.cancel();
                    call.await
                }
            }
        }
    };
    object(tool, result)
}

fn refused(message: &str) -> Value {
    let error = ToolError::new(ToolErrorKind::InvalidInput, message)
        .hint(r#"a request is a line such as {"tool": "read_file", "args": {"path": "a.txt"}}"#);
    json!({"ok": false, "error": error.to_value("batch")})
}

fn with_id(mut answer: Value, id: Option<Value>) -> Value {
    if let (Some(id), Value::Object(answer)) = (id, &mut answer) {
        answer.insert("id".into(), id);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8]) -> Vec<Result<Vec<u8>, String>> {
        let mut input = BufReader::with_capacity(7, text);
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input).await {
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn lines_end_with_a_newline_or_the_input() {
        assert_eq!(
            lines(b"one\n\nand a longer one\nlast").await,
            [b"one".to_vec(), b"".to_vec(), b"and a longer one".to_vec(), b"last".to_vec()].map(Ok)
        );
        assert_eq!(lines(b"").await, []);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_does_not_hide_the_next() {
        let mut text = vec![b'x'; LONGEST + 1];
        text.extend_from_slice(b"\n{}\n");
        let lines = lines(&text).await;
        assert!(lines[0].as_ref().is_err_and(|message| message.contains("the limit is")));
        assert_eq!(lines[1], Ok(b"{}".to_vec()));
    }
}
