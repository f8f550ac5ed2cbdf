//! A sandbox as the control plane shows it.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::sandbox::{Phase, Sandbox};
use crate::state::State;

/// The answer of create, connect and resume.
pub(super) fn opened(state: &State, sandbox: &Sandbox) -> Value {
    json!({
        "templateID": sandbox.wish.template,
        "sandboxID": sandbox.id,
        "clientID": "00000000",
        "envdVersion": state.options.envd_version,
        "alias": sandbox.wish.template,
        "envdAccessToken": sandbox.token,
        "trafficAccessToken": sandbox.traffic_token,
        "domain": null,
    })
}

/// An item of a list.
pub(super) fn listed(state: &State, sandbox: &Sandbox) -> Value {
    let mut item = json!({
        "templateID": sandbox.wish.template,
        "sandboxID": sandbox.id,
        "clientID": "00000000",
        "startedAt": rfc3339(sandbox.started_at),
        "endAt": rfc3339(sandbox.life.end_at()),
        "envdVersion": state.options.envd_version,
        "cpuCount": 2,
        "memoryMB": 512,
        "diskSizeMB": 1024,
        "state": if sandbox.life.phase() == Phase::Paused { "paused" } else { "running" },
        "alias": sandbox.wish.template,
        "metadata": sandbox.wish.metadata,
    });
    if !sandbox.wish.volume_mounts.is_null() {
        item["volumeMounts"] = sandbox.wish.volume_mounts.clone();
    }
    item
}

/// The answer of get.
pub(super) fn detailed(state: &State, sandbox: &Sandbox) -> Value {
    let mut detail = listed(state, sandbox);
    detail["envdAccessToken"] = json!(sandbox.token);
    detail["domain"] = Value::Null;
    detail["allowInternetAccess"] = json!(sandbox.wish.internet);
    let network = sandbox.network.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !network.is_null() {
        detail["network"] = network.clone();
    }
    detail["lifecycle"] = json!({
        "autoResume": sandbox.wish.resumes_by_traffic(),
        "onTimeout": if sandbox.wish.auto_pause { "pause" } else { "kill" },
    });
    detail
}

pub(super) fn rfc3339(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Millis, true)
}
