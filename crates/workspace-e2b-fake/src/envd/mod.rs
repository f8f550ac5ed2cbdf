//! envd: the daemon in each sandbox, for files, directories and processes.

mod compose;
mod download;
mod encoding;
mod metadata;
mod paths;
mod range;
mod receive;
mod signature;
mod status;
mod upload;

pub(crate) use metadata::metadata_of;
pub(crate) use paths::resolve;
pub(crate) use receive::{make, make_parents};

use std::sync::Arc;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

use crate::Call;
use crate::answer::problem;
use crate::sandbox::Sandbox;
use crate::{filesystem, process};

/// Answers a request that reached a running sandbox.
pub(crate) async fn answer(
    sandbox: &Arc<Sandbox>,
    call: Option<Call>,
    parts: &Parts,
    body: Body,
) -> Response {
    let Some(call) = call.filter(|call| !call.is_of_the_control_plane()) else {
        return problem(StatusCode::NOT_FOUND, "404 page not found");
    };
    // These look at signatures too, or at nothing.
    let exempt = matches!(call, Call::Health | Call::Download | Call::Upload);
    if !exempt && !has_token(sandbox, parts) {
        let message =
            "unauthorized access, please provide a valid access token or method signing if supported";
        return problem(StatusCode::UNAUTHORIZED, message);
    }
    match call {
        Call::Health => status::health(),
        Call::SandboxMetrics => status::metrics(),
        Call::Envs => status::variables(sandbox),
        Call::Download => download::download(sandbox, parts).await,
        Call::Upload => upload::upload(sandbox, parts, body).await,
        Call::Compose => compose::compose(sandbox, body).await,
        Call::Stat
        | Call::MakeDir
        | Call::Move
        | Call::ListDir
        | Call::Remove
        | Call::WatchDir
        | Call::CreateWatcher
        | Call::GetWatcherEvents
        | Call::RemoveWatcher => filesystem::answer(sandbox, call, parts, body).await,
        _ => process::answer(sandbox, call, parts, body).await,
    }
}

fn has_token(sandbox: &Sandbox, parts: &Parts) -> bool {
    let given = parts.headers.get("x-access-token").map(HeaderValue::as_bytes);
    sandbox.token.as_ref().is_none_or(|token| given == Some(token.as_bytes()))
}
