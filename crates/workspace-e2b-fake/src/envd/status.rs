//! What envd tells about itself.

use std::time::SystemTime;

use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::Response;
use serde_json::json;

use crate::answer::{empty, json, set};
use crate::sandbox::Sandbox;

/// `GET /health`.
pub(super) fn health() -> Response {
    let mut response = empty(StatusCode::NO_CONTENT);
    set(&mut response, CACHE_CONTROL, "no-store");
    response
}

/// `GET /metrics`: a machine at rest.
pub(super) fn metrics() -> Response {
    let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut response = json(
        StatusCode::OK,
        &json!({
            "ts": unix,
            "cpu_count": 2,
            "cpu_used_pct": 0.0,
            "mem_total_mib": 512,
            "mem_used_mib": 64,
            "mem_total": 512_u64 << 20,
            "mem_used": 64_u64 << 20,
            "mem_cache": 0,
            "disk_used": 0,
            "disk_total": 1_u64 << 30,
        }),
    );
    set(&mut response, CACHE_CONTROL, "no-store");
    response
}

/// `GET /envs`: the variables that every process gets.
pub(super) fn variables(sandbox: &Sandbox) -> Response {
    let mut response = json(StatusCode::OK, &sandbox.variables());
    set(&mut response, CACHE_CONTROL, "no-store");
    response
}
