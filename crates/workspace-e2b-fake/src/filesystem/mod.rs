//! `filesystem.Filesystem`: what is there, and how it changes.

mod change;
mod entry;
mod inotify;
mod list;
mod watch;

pub(crate) use watch::Watchers;

use std::sync::Arc;

use axum::body::Body;
use axum::http::request::Parts;
use axum::response::Response;
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Call;
use crate::connect::{Ask, Code, Problem, unary};
use crate::envd::resolve;
use crate::sandbox::{Sandbox, User};

/// The message of every call of the service that is about paths.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    path: String,
    source: String,
    destination: String,
    depth: u32,
}

/// Answers a call of the service.
pub(crate) async fn answer(sandbox: &Arc<Sandbox>, call: Call, parts: &Parts, body: Body) -> Response {
    match call {
        Call::WatchDir => return watch::watch_dir(sandbox, parts, body).await,
        Call::CreateWatcher | Call::GetWatcherEvents | Call::RemoveWatcher => {
            return watch::polled(sandbox, call, parts, body).await;
        }
        _ => {}
    }
    unary(parts, body, async |message: Message| {
        let sandbox = Arc::clone(sandbox);
        let user = Ask::of(parts).user(sandbox.view())?;
        let done = tokio::task::spawn_blocking(move || act(&sandbox, call, &message, &user));
        done.await.unwrap_or_else(|error| Err(Problem::new(Code::Internal, error.to_string())))
    })
    .await
}

fn act(sandbox: &Sandbox, call: Call, message: &Message, user: &User) -> Result<Value, Problem> {
    let view = sandbox.view();
    let at = |path: &str| absolute(path, user);
    match call {
        Call::Stat => {
            let path = at(&message.path)?;
            let stat = entry::of(view, &path);
            let entry = stat.map_err(|error| failed("file", "lstat", &path, error))?;
            Ok(json!({ "entry": entry }))
        }
        Call::ListDir => list::list(view, &at(&message.path)?, message.depth.max(1)),
        Call::MakeDir => change::make_dir(view, user, &at(&message.path)?),
        Call::Move => change::rename(view, user, &at(&message.source)?, &at(&message.destination)?),
        Call::Remove => change::remove(view, &at(&message.path)?),
        _ => Err(Problem::new(Code::Unimplemented, "the method does not exist")),
    }
}

/// The absolute path that a message names.
fn absolute(path: &str, user: &User) -> Result<String, Problem> {
    resolve(path, user).map_err(|error| Problem::new(Code::InvalidArgument, error))
}

/// Why a path could not be looked at, in Go's words.
fn failed(what: &str, call: &str, path: &str, error: Errno) -> Problem {
    match error {
        Errno::NOENT | Errno::NOTDIR => {
            let message = format!("{what} not found: {call} {path}: {}", words(error));
            Problem::new(Code::NotFound, message)
        }
        Errno::LOOP => Problem::new(Code::FailedPrecondition, format!("{call} {path}: {}", words(error))),
        error => Problem::new(
            Code::Internal,
            format!("error getting {what} info: {call} {path}: {}", words(error)),
        ),
    }
}

/// The text of an error number, as Go prints it.
fn words(error: Errno) -> String {
    match error {
        Errno::NOENT => "no such file or directory".to_owned(),
        Errno::NOTDIR => "not a directory".to_owned(),
        Errno::LOOP => "too many levels of symbolic links".to_owned(),
        Errno::XDEV => "invalid cross-device link".to_owned(),
        Errno::NOTEMPTY => "directory not empty".to_owned(),
        error => {
            let text = std::io::Error::from(error).to_string();
            let words = text.split(" (os error").next().unwrap_or_default();
            words.to_lowercase()
        }
    }
}
