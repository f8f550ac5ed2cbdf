//! The proxy in front of sandboxes: whom a request is for, and whether it gets there.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use crate::Call;
use crate::answer::{not_found_by_proxy, port_not_open, problem, proxy_problem, with_body};
use crate::envd;
use crate::sandbox::Phase;
use crate::state::State;

/// The port of envd.
const ENVD: u16 = 49983;

/// Routes that only the control plane itself may call.
const RESERVED: [&str; 7] =
    ["/init", "/freeze", "/unfreeze", "/collapse", "/fsfreeze", "/fsthaw", "/upgrade"];

/// What a sandbox gets at least where traffic wakes it up.
const WOKEN: Duration = Duration::from_mins(5);

/// The sandbox and the port that a request names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) sandbox: String,
    port: Result<u16, Missing>,
}

#[derive(Debug, PartialEq, Eq)]
enum Missing {
    Header,
    Number,
}

impl Address {
    /// By the two headers, or by the left-most label of the host name. `None`
    /// where the request is for the control plane.
    pub(crate) fn of(parts: &Parts) -> Option<Self> {
        let header =
            |name: &str| parts.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()));
        let (id, port) = (header("e2b-sandbox-id"), header("e2b-sandbox-port"));
        if id.is_some() || port.is_some() {
            let number = |port: std::borrow::Cow<'_, str>| port.parse().map_err(|_| Missing::Number);
            let port =
                if id.is_some() { port.map_or(Err(Missing::Header), number) } else { Err(Missing::Header) };
            return Some(Self { sandbox: id.unwrap_or_default().into_owned(), port });
        }
        // HTTP/2 has the host in the address of the request.
        let host = header(HOST.as_str()).or_else(|| parts.uri.host().map(Into::into))?;
        let (label, _) = host.split_once('.')?;
        let (port, id) = label.split_once('-')?;
        let port = port.parse().ok()?;
        Some(Self { sandbox: id.to_owned(), port: Ok(port) })
    }
}

/// Answers a request for a sandbox.
pub(crate) async fn answer(
    state: &Arc<State>,
    call: Option<Call>,
    address: Address,
    parts: &Parts,
    body: Body,
) -> Response {
    let id = address.sandbox;
    let text = |message| with_body(StatusCode::BAD_REQUEST, "text/plain; charset=utf-8", message);
    let port = match address.port {
        Ok(port) => port,
        Err(Missing::Header) => return problem(StatusCode::BAD_REQUEST, "missing header"),
        Err(Missing::Number) => return text("Invalid sandbox port"),
    };
    let own = id.split('-').next().unwrap_or_default();
    if own.is_empty() || !own.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return text("Invalid sandbox ID");
    }
    let Some(sandbox) = state.sandbox(own) else { return not_found_by_proxy(&id) };
    if sandbox.life.phase() == Phase::Paused {
        if !sandbox.wish.resumes_by_traffic() {
            return not_found_by_proxy(&id);
        }
        sandbox.resume(WOKEN).await;
    }
    if port != ENVD {
        return match traffic_allowed(&sandbox, &parts.headers) {
            Ok(()) => port_not_open(&id, port),
            Err(message) => proxy_problem(StatusCode::FORBIDDEN, &id, message),
        };
    }
    if RESERVED.contains(&parts.uri.path()) {
        let message =
            "This endpoint is reserved for the E2B control plane and cannot be reached from outside";
        return proxy_problem(StatusCode::NOT_FOUND, &id, message);
    }
    envd::answer(&sandbox, call, parts, body).await
}

/// Ports of the user may ask for a token of their own; envd has its own token.
fn traffic_allowed(sandbox: &crate::sandbox::Sandbox, headers: &HeaderMap) -> Result<(), &'static str> {
    let Some(token) = &sandbox.traffic_token else { return Ok(()) };
    match headers.get("e2b-traffic-access-token") {
        None => Err("the traffic access token is missing"),
        Some(given) if given.as_bytes() == token.as_bytes() => Ok(()),
        Some(_) => Err("the traffic access token is invalid"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(headers: &[(&str, &str)], expected: Option<(&str, Result<u16, Missing>)>) {
        let request = axum::http::Request::builder();
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let address = Address::of(&request.body(()).unwrap().into_parts().0);
        assert_eq!(address, expected.map(|(sandbox, port)| Address { sandbox: sandbox.into(), port }));
    }

    #[test]
    fn an_address_is_two_headers_or_a_label() {
        let id = ("e2b-sandbox-id", "iabc");
        check(&[("host", "127.0.0.1:80")], None);
        check(&[("host", "api.e2b.app")], None);
        check(&[("host", "49983-iabc.e2b.app")], Some(("iabc", Ok(49983))));
        check(&[id, ("e2b-sandbox-port", "49983"), ("host", "localhost")], Some(("iabc", Ok(49983))));
        check(&[id], Some(("iabc", Err(Missing::Header))));
        check(&[("e2b-sandbox-port", "49983")], Some(("", Err(Missing::Header))));
        check(&[id, ("e2b-sandbox-port", "x")], Some(("iabc", Err(Missing::Number))));
    }
}
