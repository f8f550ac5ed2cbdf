//! Answers of the Connect protocol that are streams.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::envelope::{END, envelope};
use super::error::{Code, Problem};
use crate::answer::with_body;

/// What feeds a stream. One message is under way at a time, so that a reader
/// that stalls holds up whoever sends.
pub(crate) type Events = mpsc::Receiver<Value>;

/// A stream around messages: `first`, then those of `events`, and a sign of
/// life after each `keepalive` of silence.
pub(crate) struct Pour {
    pub(crate) first: Value,
    pub(crate) events: Events,
    pub(crate) keepalive: (Duration, Value),
    pub(crate) deadline: Option<Instant>,
    /// Ends the connection without an end of the stream.
    pub(crate) lost: CancellationToken,
}

/// The answer of a stream that fails before its first message.
pub(crate) fn refused(problem: &Problem) -> Response {
    opened(stream::iter([Ok(ending(Some(problem)))]))
}

/// The answer of a stream of frames.
pub(crate) fn opened(frames: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Response {
    with_body(StatusCode::OK, "application/connect+json", Body::from_stream(frames))
}

/// One message in its frame.
pub(crate) fn framed(message: &Value) -> Bytes {
    envelope(0, message.to_string().as_bytes())
}

/// The frame that ends a stream.
pub(crate) fn ending(problem: Option<&Problem>) -> Bytes {
    let body = problem.map_or_else(|| json!({}), |problem| json!({ "error": problem.body() }));
    envelope(END, body.to_string().as_bytes())
}

/// Where a stream is.
enum Stage {
    Running,
    Over,
}

/// The answer that pours out messages as they come.
pub(crate) fn pour(pour: Pour) -> Response {
    let first = stream::iter([Ok(framed(&pour.first))]);
    let rest = stream::unfold((pour, Stage::Running), async |(mut pour, stage)| {
        let Stage::Running = stage else { return None };
        let silence = Instant::now() + pour.keepalive.0;
        let deadline = pour.deadline.unwrap_or_else(|| Instant::now() + Duration::from_hours(24 * 365));
        tokio::select! {
            biased;
            () = pour.lost.cancelled() => {
                Some((Err(io::ErrorKind::ConnectionAborted.into()), (pour, Stage::Over)))
            }
            () = sleep_until(deadline) => {
                let problem = Problem::new(Code::DeadlineExceeded, "context deadline exceeded");
                Some((Ok(ending(Some(&problem))), (pour, Stage::Over)))
            }
            event = pour.events.recv() => match event {
                Some(event) => Some((Ok(framed(&event)), (pour, Stage::Running))),
                None => Some((Ok(ending(None)), (pour, Stage::Over))),
            },
            () = sleep_until(silence) => {
                let sign = framed(&pour.keepalive.1);
                Some((Ok(sign), (pour, Stage::Running)))
            }
        }
    });
    opened(first.chain(rest))
}
