//! Requests of the Connect protocol: who asks, how long they wait, what they say.

use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::envelope::{END, Envelopes};
use super::error::{Code, Problem};
use crate::answer::{Refused, empty, with_body};
use crate::sandbox::{DEFAULT_USER, User, View};

const LONGEST_MESSAGE: usize = 64 << 20;

/// What the headers of a call say.
pub(crate) struct Ask {
    /// The name of the user, as `Authorization: Basic` has it.
    user: Option<String>,
    /// How long the call may take.
    pub(crate) timeout: Option<Duration>,
    /// After how much silence a stream says that it lives.
    pub(crate) keepalive: Duration,
}

impl Ask {
    pub(crate) fn of(parts: &Parts) -> Self {
        let number = |name: &str| parts.headers.get(name)?.to_str().ok()?.parse::<u64>().ok();
        Self {
            user: user(&parts.headers),
            timeout: number("connect-timeout-ms").map(Duration::from_millis),
            keepalive: Duration::from_secs(
                number("keepalive-ping-interval").filter(|s| *s > 0).unwrap_or(90),
            ),
        }
    }

    /// The user that acts.
    pub(crate) fn user(&self, view: &View) -> Result<User, Problem> {
        let name = self.user.as_deref().unwrap_or(DEFAULT_USER);
        let unknown = || Problem::new(Code::Unauthenticated, format!("invalid username: '{name}'"));
        User::named(view, name).ok_or_else(unknown)
    }
}

fn user(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let pair = STANDARD.decode(value.strip_prefix("Basic ")?).ok()?;
    let pair = String::from_utf8(pair).ok()?;
    Some(pair.split(':').next().unwrap_or_default().to_owned())
}

/// Answers a call of one message with one message.
pub(crate) async fn unary<T: DeserializeOwned>(
    parts: &Parts,
    body: Body,
    call: impl AsyncFnOnce(T) -> Result<Value, Problem>,
) -> Response {
    if !is(parts, "application/json") {
        return empty(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let answered = match to_bytes(body, LONGEST_MESSAGE).await {
        Ok(body) => match message(&body) {
            Ok(message) => call(message).await,
            Err(problem) => Err(problem),
        },
        Err(_) => Err(Problem::new(Code::ResourceExhausted, "the message cannot be read")),
    };
    match answered {
        Ok(answer) => with_body(StatusCode::OK, "application/json", answer.to_string()),
        Err(problem) => with_body(problem.code.status(), "application/json", problem.body().to_string()),
    }
}

/// The one message of a call that is answered with a stream; `Err` is the whole answer.
pub(crate) async fn streaming<T: DeserializeOwned>(
    parts: &Parts,
    body: Body,
) -> Result<Result<T, Problem>, Refused> {
    let mut messages = messages(parts, body)?;
    let Some(first) = messages.next().await else {
        return Ok(Err(Problem::new(Code::InvalidArgument, "the stream has no message")));
    };
    Ok(first.and_then(|first| message(&first)))
}

/// What a client sends in a stream.
pub(crate) type Messages = Pin<Box<dyn Stream<Item = Result<Bytes, Problem>> + Send>>;

/// Messages of a stream that the client sends, until it ends.
pub(crate) fn messages(parts: &Parts, body: Body) -> Result<Messages, Refused> {
    if !is(parts, "application/connect+json") {
        return Err(empty(StatusCode::UNSUPPORTED_MEDIA_TYPE).into());
    }
    let state = (body.into_data_stream(), Envelopes::default());
    let broken = |message: &str| Problem::new(Code::InvalidArgument, format!("protocol error: {message}"));
    Ok(Box::pin(futures_util::stream::unfold(state, move |(mut body, mut envelopes)| async move {
        loop {
            if let Some((flags, payload)) = envelopes.next() {
                if flags & END != 0 {
                    return None;
                }
                let message =
                    if flags == 0 { Ok(payload) } else { Err(broken("compression was not agreed on")) };
                return Some((message, (body, envelopes)));
            }
            match body.next().await {
                Some(Ok(chunk)) => envelopes.push(&chunk),
                None if !envelopes.is_inside() => return None,
                _ => return Some((Err(broken("incomplete envelope")), (body, Envelopes::default()))),
            }
        }
    })))
}

/// A message out of its JSON.
pub(crate) fn message<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body)
        .map_err(|error| Problem::new(Code::InvalidArgument, format!("unmarshal message: {error}")))
}

fn is(parts: &Parts, expected: &str) -> bool {
    let value = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().is_some_and(|value| value.trim().eq_ignore_ascii_case(expected))
}
