//! `POST /files`.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use axum::extract::{FromRequest, Multipart};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use super::encoding::decompressed;
use super::metadata;
use super::paths::resolve;
use super::receive::{Failed, receive};
use super::signature::Query;
use crate::answer::with_body;
use crate::sandbox::{Sandbox, User};

pub(super) async fn upload(sandbox: &Sandbox, parts: &Parts, body: Body) -> Response {
    let query = Query::of(parts);
    let user = match query.authorize(sandbox, parts, "write").and_then(|()| query.user(sandbox)) {
        Ok(user) => user,
        Err(refused) => return refused.into(),
    };
    match write(sandbox, parts, &query, &user, body).await {
        Ok(written) => {
            let body = Value::Array(written).to_string();
            // A real envd sets no type, and its server takes JSON for text.
            with_body(StatusCode::OK, "text/plain; charset=utf-8", body)
        }
        Err(failed) => failed.answer(),
    }
}

async fn write(
    sandbox: &Sandbox,
    parts: &Parts,
    query: &Query,
    user: &User,
    body: Body,
) -> Result<Vec<Value>, Failed> {
    let header =
        |name| parts.headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    let notes = metadata::asked_for(&parts.headers).map_err(refused)?;
    let body = match header(CONTENT_ENCODING).unwrap_or_default() {
        "" | "identity" => body,
        "gzip" => decompressed(body),
        other => return Err(refused(format!("unsupported Content-Encoding: {other}, supported: gzip"))),
    };
    let content_type = header(CONTENT_TYPE).unwrap_or_default();
    match content_type.split(';').next().unwrap_or_default().trim() {
        "multipart/form-data" => {
            let (mut head, ()) = Request::new(()).into_parts();
            head.headers.clone_from(&parts.headers);
            head.extensions.clone_from(&parts.extensions);
            let form = Multipart::from_request(Request::from_parts(head, body), &()).await;
            let form = form.map_err(|error| refused(format!("error parsing multipart form: {error}")))?;
            from_form(sandbox, query, user, &notes, form).await
        }
        "application/octet-stream" => {
            let path = query.path.as_deref().filter(|path| !path.is_empty());
            let missing = || refused("path query parameter is required for raw body upload".to_owned());
            let path = at(path.ok_or_else(missing)?, user)?;
            receive(sandbox.view(), user, &path, &notes, body.into_data_stream()).await?;
            Ok(vec![entry(&path, &notes)])
        }
        other => {
            let expected = "expected multipart/form-data or application/octet-stream";
            Err(refused(format!("unsupported content type: {other}, {expected}")))
        }
    }
}

async fn from_form(
    sandbox: &Sandbox,
    query: &Query,
    user: &User,
    notes: &BTreeMap<String, String>,
    mut form: Multipart,
) -> Result<Vec<Value>, Failed> {
    let (mut written, mut seen) = (Vec::new(), BTreeSet::new());
    loop {
        let field = form.next_field().await;
        let field = field.map_err(|error| Failed::internal(format!("error reading multipart: {error}")))?;
        let Some(field) = field else { return Ok(written) };
        if field.name() != Some("file") {
            continue;
        }
        let asked = query.path.as_deref().filter(|path| !path.is_empty());
        let path = at(asked.or(field.file_name()).unwrap_or_default(), user)?;
        if !seen.insert(path.clone()) {
            return Err(refused(format!("you cannot upload multiple files to the same path '{path}'")));
        }
        receive(sandbox.view(), user, &path, notes, field).await?;
        written.push(entry(&path, notes));
    }
}

fn at(path: &str, user: &User) -> Result<String, Failed> {
    resolve(path, user).map_err(|error| refused(format!("error expanding and resolving path: {error}")))
}

fn entry(path: &str, notes: &BTreeMap<String, String>) -> Value {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let mut entry = json!({ "path": path, "name": name, "type": "file" });
    if !notes.is_empty() {
        entry["metadata"] = json!(notes);
    }
    entry
}

fn refused(message: String) -> Failed {
    Failed(StatusCode::BAD_REQUEST, message)
}
