//! Answers in the shapes of the control plane, the proxy and envd over HTTP.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use serde::Serialize;
use serde_json::json;

pub(crate) const JSON: &str = "application/json; charset=utf-8";

/// An answer with a body of the given type.
pub(crate) fn with_body(status: StatusCode, content_type: &str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    set(&mut response, CONTENT_TYPE, content_type);
    response
}

/// A JSON answer, a line of its own as Go's encoder writes it.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let mut text = serde_json::to_string(body).unwrap_or_default();
    text.push('\n');
    with_body(status, JSON, text)
}

/// An error of the control plane, or of envd over plain HTTP.
pub(crate) fn problem(status: StatusCode, message: impl AsRef<str>) -> Response {
    json(status, &json!({ "code": status.as_u16(), "message": message.as_ref() }))
}

/// An answer that ends a request before it is done; as small as an error should be.
#[derive(Debug)]
pub(crate) struct Refused(Box<Response>);

impl From<Response> for Refused {
    fn from(response: Response) -> Self {
        Self(Box::new(response))
    }
}

impl From<Refused> for Response {
    fn from(refused: Refused) -> Self {
        *refused.0
    }
}

/// An error that ends a request early.
pub(crate) fn refused(status: StatusCode, message: impl AsRef<str>) -> Refused {
    problem(status, message).into()
}

/// An error of the proxy in front of a sandbox.
pub(crate) fn proxy_problem(status: StatusCode, sandbox: &str, message: &str) -> Response {
    json(status, &json!({ "sandboxId": sandbox, "message": message, "code": status.as_u16() }))
}

/// The proxy knows no running sandbox of that id.
pub(crate) fn not_found_by_proxy(sandbox: &str) -> Response {
    proxy_problem(StatusCode::BAD_GATEWAY, sandbox, "The sandbox was not found")
}

/// Nothing listens on that port of a running sandbox.
pub(crate) fn port_not_open(sandbox: &str, port: u16) -> Response {
    let message = "The sandbox is running but port is not open";
    let body = json!({ "sandboxId": sandbox, "message": message, "port": port, "code": 502 });
    json(StatusCode::BAD_GATEWAY, &body)
}

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Sets a header; a value that no header can carry is left out.
pub(crate) fn set(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
        response.headers_mut().insert(name, value);
    }
}
