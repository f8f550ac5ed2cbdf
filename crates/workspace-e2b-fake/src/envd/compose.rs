//! `POST /files/compose`: several files become one.

use std::collections::BTreeMap;

use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::{StreamExt, TryStreamExt, stream};
use rustix::fs::{AtFlags, Mode, OFlags, unlinkat};
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::json;
use tokio::fs::File;
use tokio_util::io::ReaderStream;

use super::paths::resolve;
use super::receive::{Failed, receive};
use super::signature::named;
use crate::answer::{json, problem};
use crate::sandbox::{Sandbox, User};

const LONGEST_BODY: usize = 1 << 20;

#[derive(Deserialize)]
struct Ask {
    source_paths: Vec<String>,
    destination: String,
    username: Option<String>,
}

pub(super) async fn compose(sandbox: &Sandbox, body: Body) -> Response {
    let read = to_bytes(body, LONGEST_BODY).await.ok();
    let Some(ask) = read.and_then(|body| serde_json::from_slice::<Ask>(&body).ok()) else {
        return problem(StatusCode::BAD_REQUEST, "error decoding request body");
    };
    let user = match named(sandbox, ask.username.as_deref()) {
        Ok(user) => user,
        Err(refused) => return refused.into(),
    };
    match join(sandbox, &user, &ask).await {
        Ok(path) => {
            let name = path.rsplit('/').next().unwrap_or_default();
            json(StatusCode::OK, &json!({ "path": path, "name": name, "type": "file" }))
        }
        Err(failed) => failed.answer(),
    }
}

async fn join(sandbox: &Sandbox, user: &User, ask: &Ask) -> Result<String, Failed> {
    let refused = |message: String| Failed(StatusCode::BAD_REQUEST, message);
    if ask.source_paths.is_empty() {
        return Err(refused("source_paths must not be empty".into()));
    }
    let destination = resolve(&ask.destination, user).map_err(refused)?;
    let (mut paths, mut files) = (Vec::new(), Vec::new());
    for source in &ask.source_paths {
        let path = resolve(source, user).map_err(refused)?;
        let file = sandbox.view().open(&path, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty());
        let file = file.map_err(|error| match error {
            Errno::NOENT => Failed(StatusCode::NOT_FOUND, format!("source file '{path}' does not exist")),
            error => Failed::internal(format!("error opening source file '{path}': {error}")),
        })?;
        files.push(File::from(std::fs::File::from(file)));
        paths.push(path);
    }
    let bytes =
        stream::iter(files).map(|file| Ok::<_, std::io::Error>(ReaderStream::new(file))).try_flatten();
    receive(sandbox.view(), user, &destination, &BTreeMap::new(), Box::pin(bytes)).await?;
    for path in paths.iter().filter(|path| **path != destination) {
        let name = path.rsplit('/').next().unwrap_or_default();
        let parent = sandbox.view().parent(path);
        if let Err(error) = parent.and_then(|parent| unlinkat(&parent, name, AtFlags::empty())) {
            return Err(Failed::internal(format!("error removing source file '{path}': {error}")));
        }
    }
    Ok(destination)
}
