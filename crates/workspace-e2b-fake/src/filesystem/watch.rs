//! `WatchDir`, and the same for clients that poll.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::http::request::Parts;
use axum::response::Response;
use rustix::fs::FileType;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::inotify::Watch;
use super::{absolute, failed};
use crate::Call;
use crate::connect::{Ask, Code, Pour, Problem, pour, refused, streaming, unary};
use crate::sandbox::Sandbox;

/// The message of `WatchDir` and `CreateWatcher`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WatchMessage {
    path: String,
    recursive: bool,
    include_entry: bool,
}

/// The message of `GetWatcherEvents` and `RemoveWatcher`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WatcherMessage {
    watcher_id: String,
}

/// The watchers that clients poll, by id.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    known: Mutex<(u64, HashMap<String, Watcher>)>,
}

#[derive(Debug)]
struct Watcher {
    events: Arc<Mutex<Vec<Value>>>,
    _end: DropGuard,
}

impl Watchers {
    /// Ends them all, with the sandbox.
    pub(crate) fn clear(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).1.clear();
    }

    fn add(&self, mut watch: Watch) -> String {
        let events = Arc::new(Mutex::new(Vec::new()));
        let end = CancellationToken::new();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.0 += 1;
        let id = format!("w{:020}", known.0);
        known.1.insert(id.clone(), Watcher { events: Arc::clone(&events), _end: end.clone().drop_guard() });
        drop(known);
        tokio::spawn(async move {
            while let Some(Ok(new)) = end.run_until_cancelled(watch.next()).await {
                events.lock().unwrap_or_else(PoisonError::into_inner).extend(new);
            }
        });
        id
    }

    /// What has happened since the last call.
    fn take(&self, id: &str) -> Option<Vec<Value>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let watcher = known.1.get(id)?;
        Some(std::mem::take(&mut *watcher.events.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn remove(&self, id: &str) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).1.remove(id).is_some()
    }
}

/// Answers `WatchDir` with events until the client leaves.
pub(super) async fn watch_dir(sandbox: &Arc<Sandbox>, parts: &Parts, body: Body) -> Response {
    let message = match streaming::<WatchMessage>(parts, body).await {
        Ok(message) => message,
        Err(answer) => return answer.into(),
    };
    let ask = Ask::of(parts);
    let mut watch = match message.and_then(|message| open(sandbox, &ask, &message)) {
        Ok(watch) => watch,
        Err(problem) => return refused(&problem),
    };
    let (sender, events) = mpsc::channel(1);
    tokio::spawn(async move {
        loop {
            let new = tokio::select! {
                () = sender.closed() => return,
                new = watch.next() => new,
            };
            for event in new.unwrap_or_default() {
                if sender.send(json!({ "filesystem": event })).await.is_err() {
                    return;
                }
            }
        }
    });
    pour(Pour {
        first: json!({ "start": {} }),
        events,
        keepalive: (ask.keepalive, json!({ "keepalive": {} })),
        deadline: ask.timeout.map(|timeout| Instant::now() + timeout),
        lost: sandbox.connection(),
    })
}

/// Answers the calls of clients that poll.
pub(super) async fn polled(sandbox: &Arc<Sandbox>, call: Call, parts: &Parts, body: Body) -> Response {
    if call == Call::CreateWatcher {
        return unary(parts, body, async |message: WatchMessage| {
            let watch = open(sandbox, &Ask::of(parts), &message)?;
            Ok(json!({ "watcherId": sandbox.watchers.add(watch) }))
        })
        .await;
    }
    unary(parts, body, async |message: WatcherMessage| {
        let id = &message.watcher_id;
        let unknown = || Problem::new(Code::NotFound, format!("watcher with id {id} not found"));
        if call == Call::RemoveWatcher {
            return if sandbox.watchers.remove(id) { Ok(json!({})) } else { Err(unknown()) };
        }
        let events = sandbox.watchers.take(id).ok_or_else(unknown)?;
        Ok(if events.is_empty() { json!({}) } else { json!({ "events": events }) })
    })
    .await
}

fn open(sandbox: &Arc<Sandbox>, ask: &Ask, message: &WatchMessage) -> Result<Watch, Problem> {
    let user = ask.user(sandbox.view())?;
    let path = absolute(&message.path, &user)?;
    match sandbox.view().stat(&path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {}
        Ok(_) => {
            return Err(Problem::new(Code::InvalidArgument, format!("path {path} not a directory")));
        }
        Err(error) => return Err(failed("path", "stat", &path, error)),
    }
    Watch::open(Arc::clone(sandbox), &path, message.recursive, message.include_entry)
        .map_err(|error| Problem::new(Code::Internal, format!("error adding path to watcher: {error}")))
}
