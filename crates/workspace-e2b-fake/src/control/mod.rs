//! The control plane: sandboxes are made, listed, paused and killed here.

mod create;
mod describe;
mod lifecycle;
mod list;
mod stored;
mod timeout;
mod wish;

pub(crate) use create::Remembered;
pub(crate) use wish::Wish;

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use crate::Call;
use crate::answer::{Refused, problem, refused, with_body};
use crate::sandbox::Sandbox;
use crate::state::State;

/// More than any request of the control plane has.
const LONGEST_BODY: usize = 1 << 20;

/// Answers a request that is addressed to no sandbox.
pub(crate) async fn answer(state: &Arc<State>, call: Option<Call>, parts: &Parts, body: Body) -> Response {
    if call == Some(Call::Health) {
        return with_body(StatusCode::OK, "text/plain; charset=utf-8", "Health check successful");
    }
    let Some(call) = call.filter(|call| call.is_of_the_control_plane()) else {
        return problem(StatusCode::NOT_FOUND, "no matching operation was found");
    };
    if let Err(refused) = authenticate(state, &parts.headers) {
        return refused.into();
    }
    let Ok(body) = to_bytes(body, LONGEST_BODY).await else {
        return problem(StatusCode::BAD_REQUEST, "Error when parsing request: the body cannot be read");
    };
    let path = parts.uri.path();
    let query = parts.uri.query().unwrap_or_default();
    match call {
        Call::Create => create::create(state, parts, &body).await,
        Call::List => list::list(state, path, query),
        Call::ListSnapshots | Call::DeleteSnapshot => stored::none(call),
        _ => {
            let id = sandbox_id(path).unwrap_or_default();
            if !is_id(id) {
                return problem(StatusCode::BAD_REQUEST, "Invalid sandbox ID");
            }
            match state.sandbox(id) {
                Some(sandbox) => of_sandbox(state, call, path, &sandbox, &body).await,
                None => missing(id),
            }
        }
    }
}

async fn of_sandbox(state: &State, call: Call, path: &str, sandbox: &Arc<Sandbox>, body: &[u8]) -> Response {
    match call {
        Call::Get => lifecycle::get(state, sandbox),
        Call::Kill => lifecycle::kill(sandbox).await,
        Call::Connect if path.starts_with("/v2/") && !state.options.v2 => {
            problem(StatusCode::NOT_FOUND, "no matching operation was found")
        }
        Call::Connect => lifecycle::connect(state, sandbox, body).await,
        Call::Resume => lifecycle::resume(state, sandbox, body).await,
        Call::SetTimeout => lifecycle::set_timeout(state, sandbox, body),
        Call::Refresh => lifecycle::refresh(sandbox, body),
        Call::Pause => lifecycle::pause(sandbox, body).await,
        Call::Network => stored::network(sandbox, body),
        Call::Metrics => stored::metrics(sandbox),
        Call::Logs => stored::logs(),
        _ => stored::not_offered(call),
    }
}

fn authenticate(state: &State, headers: &HeaderMap) -> Result<(), Refused> {
    let refuse = |message: &str| Err(refused(StatusCode::UNAUTHORIZED, message));
    match headers.get("x-api-key") {
        None => refuse("error in openapi3filter.SecurityRequirementsError: authorization header is missing"),
        Some(key) if key.as_bytes() == state.key.as_bytes() => Ok(()),
        Some(_) => refuse("Invalid API key, please visit https://e2b.dev/docs/api-key for more information."),
    }
}

/// The id in the path of a call about one sandbox.
pub(crate) fn sandbox_id(path: &str) -> Option<&str> {
    let mut segments = path.trim_matches('/').split('/').filter(|segment| *segment != "v2");
    (segments.next()? == "sandboxes").then(|| segments.next())?
}

/// `i` and letters and digits, with the suffix that old ids carry.
fn is_id(id: &str) -> bool {
    let own = id.split('-').next().unwrap_or_default();
    !own.is_empty() && own.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

fn missing(id: &str) -> Response {
    let message = format!("sandbox \"{id}\" doesn't exist or you don't have access to it");
    problem(StatusCode::NOT_FOUND, message)
}
