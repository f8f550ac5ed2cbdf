//! What a fake stores or counts without acting on it.

use std::sync::PoisonError;
use std::time::SystemTime;

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::describe::rfc3339;
use super::lifecycle::read;
use crate::Call;
use crate::answer::{empty, json, problem};
use crate::sandbox::Sandbox;

/// `PUT …/network`: kept and shown. The network of a sandbox is that of the host.
pub(super) fn network(sandbox: &Sandbox, body: &[u8]) -> Response {
    match read::<Value>(body) {
        Ok(network @ Value::Object(_)) => {
            *sandbox.network.lock().unwrap_or_else(PoisonError::into_inner) = network;
            empty(StatusCode::NO_CONTENT)
        }
        Ok(_) => problem(StatusCode::BAD_REQUEST, "validation error: the body must be an object"),
        Err(refused) => refused.into(),
    }
}

/// `GET …/metrics`: one sample of a machine at rest.
pub(super) fn metrics(sandbox: &Sandbox) -> Response {
    let now = SystemTime::now();
    let unix = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let sample = json!({
        "timestamp": rfc3339(now),
        "timestampUnix": unix,
        "cpuCount": 2,
        "cpuUsedPct": 0.0,
        "memUsed": 64 << 20,
        "memTotal": 512_u64 << 20,
        "memCache": 0,
        "diskUsed": 0,
        "diskTotal": 1_u64 << 30,
    });
    tracing::trace!(sandbox = sandbox.id, "metrics");
    json(StatusCode::OK, &[sample])
}

/// `GET …/logs`: a fake writes none.
pub(super) fn logs() -> Response {
    json(StatusCode::OK, &json!({ "logs": [] }))
}

/// Snapshots, of which there are none.
pub(super) fn none(call: Call) -> Response {
    match call {
        Call::ListSnapshots => json(StatusCode::OK, &Value::Array(Vec::new())),
        _ => problem(StatusCode::NOT_FOUND, "snapshot not found"),
    }
}

/// Fork and snapshot copy a running machine, which a fake of processes cannot.
pub(super) fn not_offered(call: Call) -> Response {
    problem(StatusCode::FORBIDDEN, format!("{call:?} is not available to your team"))
}
