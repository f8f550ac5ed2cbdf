//! The life of one sandbox: connect, pause, resume, timeouts, kill.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::describe;
use super::timeout::{life_from_now, life_of};
use crate::answer::{Refused, empty, json, problem, refused};
use crate::sandbox::{Phase, Sandbox};
use crate::state::State;

/// The least time that a refresh gives.
const SHORTEST_REFRESH: u64 = 15;

/// The body of connect, resume, pause, timeout and refresh.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Ask {
    timeout: Option<i64>,
    duration: Option<u64>,
    memory: Option<bool>,
}

pub(super) fn get(state: &State, sandbox: &Sandbox) -> Response {
    json(StatusCode::OK, &describe::detailed(state, sandbox))
}

pub(super) async fn kill(sandbox: &Arc<Sandbox>) -> Response {
    if sandbox.kill().await { empty(StatusCode::NO_CONTENT) } else { super::missing(&sandbox.id) }
}

pub(super) async fn connect(state: &State, sandbox: &Sandbox, body: &[u8]) -> Response {
    let life = match read::<Ask>(body).and_then(|ask| life_of(state, ask.timeout.unwrap_or(300))) {
        Ok(life) => life,
        Err(refused) => return refused.into(),
    };
    let status = if sandbox.resume(life).await {
        StatusCode::CREATED
    } else {
        sandbox.life.extend(life);
        StatusCode::OK
    };
    json(status, &describe::opened(state, sandbox))
}

pub(super) async fn resume(state: &State, sandbox: &Sandbox, body: &[u8]) -> Response {
    let life = match read::<Ask>(body).and_then(|ask| life_of(state, ask.timeout.unwrap_or(15))) {
        Ok(life) => life,
        Err(refused) => return refused.into(),
    };
    if sandbox.resume(life).await {
        json(StatusCode::CREATED, &describe::opened(state, sandbox))
    } else {
        problem(StatusCode::CONFLICT, format!("Sandbox {} is already running", sandbox.id))
    }
}

pub(super) async fn pause(sandbox: &Sandbox, body: &[u8]) -> Response {
    let ask = match read::<Ask>(body) {
        Ok(ask) => ask,
        Err(refused) => return refused.into(),
    };
    if sandbox.pause(ask.memory.unwrap_or(true)).await {
        return empty(StatusCode::NO_CONTENT);
    }
    let id = &sandbox.id;
    let message = format!("Error pausing sandbox - sandbox '{id}' is already paused");
    problem(StatusCode::CONFLICT, message)
}

pub(super) fn set_timeout(state: &State, sandbox: &Sandbox, body: &[u8]) -> Response {
    let ask = read::<Ask>(body).and_then(|ask| {
        let absent = || refused(StatusCode::BAD_REQUEST, "validation error: timeout is required");
        life_from_now(state, ask.timeout.ok_or_else(absent)?)
    });
    match ask {
        Ok(_) if sandbox.life.phase() != Phase::Running => super::missing(&sandbox.id),
        Ok(life) => {
            sandbox.life.set_timeout(life);
            empty(StatusCode::NO_CONTENT)
        }
        Err(refused) => refused.into(),
    }
}

pub(super) fn refresh(sandbox: &Sandbox, body: &[u8]) -> Response {
    match read::<Ask>(body) {
        Ok(ask) if ask.duration.is_some_and(|seconds| seconds > 3600) => {
            problem(StatusCode::BAD_REQUEST, "validation error: duration must be at most 3600")
        }
        Ok(ask) => {
            let seconds = ask.duration.unwrap_or(SHORTEST_REFRESH).max(SHORTEST_REFRESH);
            sandbox.life.extend(Duration::from_secs(seconds));
            empty(StatusCode::NO_CONTENT)
        }
        Err(refused) => refused.into(),
    }
}

/// A JSON body; an empty one has nothing set.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refused> {
    let body = if body.trim_ascii().is_empty() { b"{}" } else { body };
    serde_json::from_slice(body)
        .map_err(|error| refused(StatusCode::BAD_REQUEST, format!("Error when parsing request: {error}")))
}
