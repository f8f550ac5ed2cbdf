//! `SendInput`, `StreamInput` and `CloseStdin`.

use std::sync::Arc;

use axum::body::Body;
use axum::http::request::Parts;
use axum::response::Response;
use futures_util::StreamExt;
use futures_util::stream;
use serde_json::json;

use super::config::{InputMessage, Selected, StreamMessage};
use crate::connect::{Code, Problem, ending, framed, message, messages, opened, refused, unary};
use crate::sandbox::Sandbox;

pub(super) async fn send(sandbox: &Sandbox, parts: &Parts, body: Body) -> Response {
    unary(parts, body, async |message: InputMessage| {
        let process = sandbox.processes.running(&message.process)?;
        process.write(&message.input.bytes()?).await?;
        Ok(json!({}))
    })
    .await
}

pub(super) async fn close(sandbox: &Sandbox, parts: &Parts, body: Body) -> Response {
    unary(parts, body, async |message: Selected| {
        sandbox.processes.running(&message.process)?.close_stdin().await?;
        Ok(json!({}))
    })
    .await
}

/// Takes input in a stream of messages, of which the first says for whom.
pub(super) async fn stream(sandbox: &Arc<Sandbox>, parts: &Parts, body: Body) -> Response {
    let mut messages = match messages(parts, body) {
        Ok(messages) => messages,
        Err(answer) => return answer.into(),
    };
    let take = async {
        let mut process = None;
        while let Some(bytes) = messages.next().await {
            let message: StreamMessage = message(&bytes?)?;
            if let Some(start) = message.start {
                process = Some(sandbox.processes.running(&start.process)?);
            } else if let Some(data) = message.data {
                let early = || Problem::new(Code::FailedPrecondition, "the stream has not been started");
                process.as_ref().ok_or_else(early)?.write(&data.input.bytes()?).await?;
            }
        }
        Ok(())
    };
    match take.await {
        Ok(()) => opened(stream::iter([Ok(framed(&json!({}))), Ok(ending(None))])),
        Err(problem) => refused(&problem),
    }
}
