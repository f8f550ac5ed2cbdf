//! New sandboxes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::describe;
use super::timeout::life_of;
use super::wish::Wish;
use crate::answer::{json, problem};
use crate::filesystem::Watchers;
use crate::process::Table;
use crate::sandbox::{Life, Namespace, Phase, Sandbox};
use crate::state::State;

/// The answer that an idempotency key got, and the body that it came with.
#[derive(Debug, Clone)]
pub(crate) struct Remembered {
    body: [u8; 32],
    answer: Value,
}

/// `POST /sandboxes` and `POST /v2/sandboxes`.
pub(super) async fn create(state: &Arc<State>, parts: &Parts, body: &[u8]) -> Response {
    let v2 = parts.uri.path().starts_with("/v2/");
    if v2 && !state.options.v2 {
        return problem(StatusCode::NOT_FOUND, "no matching operation was found");
    }
    let wish: Wish = match serde_json::from_slice(body) {
        Ok(wish) => wish,
        Err(error) => {
            return problem(StatusCode::BAD_REQUEST, format!("Error when parsing request: {error}"));
        }
    };
    let life = match life_of(state, wish.timeout.unwrap_or(if v2 { 300 } else { 15 })) {
        Ok(life) => life,
        Err(refused) => return refused.into(),
    };
    let key = parts.headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    let digest: [u8; 32] = Sha256::digest(body).into();
    if let Some(key) = key {
        if !is_key(key) {
            return problem(StatusCode::BAD_REQUEST, "validation error: invalid Idempotency-Key");
        }
        let remembered = state.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        match remembered.get(key) {
            Some(known) if known.body == digest => return json(StatusCode::CREATED, &known.answer),
            Some(_) => return mismatch(),
            None => {}
        }
    }
    let running = state.sandboxes().iter().filter(|sandbox| sandbox.life.phase() == Phase::Running).count();
    if running >= state.options.sandbox_limit {
        let limit = state.options.sandbox_limit;
        let message = format!("you have reached the maximum number of concurrent E2B sandboxes ({limit})");
        return problem(StatusCode::TOO_MANY_REQUESTS, message);
    }
    let namespace = match Namespace::open(Arc::clone(&state.tools)).await {
        Ok(namespace) => namespace,
        Err(error) => {
            let message = format!("Failed to create sandbox: {error}");
            return problem(StatusCode::INTERNAL_SERVER_ERROR, message);
        }
    };
    let sandbox = Arc::new(assemble(state, wish, v2, life, namespace));
    let answer = describe::opened(state, &sandbox);
    if let Some(key) = key {
        let mut remembered = state.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.insert(key.to_owned(), Remembered { body: digest, answer: answer.clone() });
    }
    if !state.admit(&sandbox) {
        return problem(StatusCode::SERVICE_UNAVAILABLE, "the service is about to stop");
    }
    tokio::spawn(sandbox.follow_clock());
    json(StatusCode::CREATED, &answer)
}

/// A sandbox around its files and processes.
pub(super) fn assemble(state: &State, wish: Wish, v2: bool, life: Duration, namespace: Namespace) -> Sandbox {
    let secured = v2 || wish.secure;
    let private = wish.network.get("allowPublicTraffic") == Some(&Value::Bool(false));
    let now = SystemTime::now();
    Sandbox {
        id: format!("i{}", state.new_name(20)),
        token: secured.then(|| state.new_name(34)),
        traffic_token: private.then(|| state.new_name(34)),
        network: Mutex::new(wish.network.clone()),
        wish,
        started_at: now,
        life: Life::new(now + life),
        namespace,
        processes: Table::new(state.options.end_kept),
        watchers: Watchers::default(),
        connections: Mutex::default(),
    }
}

fn is_key(key: &str) -> bool {
    (1..=255).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn mismatch() -> Response {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    let message = "the idempotency key was used with another request body";
    let code = "idempotency_request_mismatch";
    json(status, &json!({ "code": status.as_u16(), "message": message, "error_code": code }))
}
