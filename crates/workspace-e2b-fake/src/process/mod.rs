//! `process.Process`: real processes, started in a sandbox and followed.

mod config;
mod end;
mod input;
mod one;
mod start;
mod table;
mod terminal;

pub(crate) use table::Table;

use std::sync::Arc;

use axum::body::Body;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::Call;
use crate::answer::Refused;
use crate::connect::{Ask, Code, Problem, pour, refused, streaming, unary};
use crate::connect::{Events, Pour};
use crate::sandbox::Sandbox;
use config::{Selected, Signal, StartMessage};

/// Answers a call of the service.
pub(crate) async fn answer(sandbox: &Arc<Sandbox>, call: Call, parts: &Parts, body: Body) -> Response {
    match call {
        Call::Start => {
            follow(sandbox, parts, streaming::<StartMessage>(parts, body).await, start::start).await
        }
        Call::ConnectProcess => {
            follow(sandbox, parts, streaming::<Selected>(parts, body).await, reconnect).await
        }
        Call::ListProcesses => unary(parts, body, async |_: Value| Ok(sandbox.processes.list())).await,
        Call::SendInput => input::send(sandbox, parts, body).await,
        Call::StreamInput => input::stream(sandbox, parts, body).await,
        Call::CloseStdin => input::close(sandbox, parts, body).await,
        Call::SendSignal => unary(parts, body, async |message: Signal| signal(sandbox, &message).await).await,
        Call::Update => unary(parts, body, async |message: config::Update| resize(sandbox, &message)).await,
        _ => unary(parts, body, async |_: Value| Err(unimplemented())).await,
    }
}

/// A process and what it has to say to one listener.
type Followed = (u32, Events);

/// Answers with the events of a process.
async fn follow<T>(
    sandbox: &Arc<Sandbox>,
    parts: &Parts,
    message: Result<Result<T, Problem>, Refused>,
    find: impl AsyncFnOnce(&Arc<Sandbox>, T, &Ask) -> Result<Followed, Problem>,
) -> Response {
    let message = match message {
        Ok(message) => message,
        Err(answer) => return answer.into(),
    };
    let ask = Ask::of(parts);
    let deadline = ask.timeout.map(|timeout| Instant::now() + timeout);
    let lost = sandbox.connection();
    let found = match message {
        Ok(message) => find(sandbox, message, &ask).await,
        Err(problem) => Err(problem),
    };
    match found {
        Ok((pid, events)) => pour(Pour {
            first: json!({ "event": { "start": { "pid": pid } } }),
            events,
            keepalive: (ask.keepalive, json!({ "event": { "keepalive": {} } })),
            deadline,
            lost,
        }),
        Err(problem) => refused(&problem),
    }
}

async fn reconnect(sandbox: &Arc<Sandbox>, message: Selected, _: &Ask) -> Result<Followed, Problem> {
    let process = sandbox.processes.known(&message.process)?;
    Ok((process.pid, process.listen()))
}

async fn signal(sandbox: &Sandbox, message: &Signal) -> Result<Value, Problem> {
    let process = sandbox.processes.running(&message.process)?;
    let number = message
        .number()
        .ok_or_else(|| Problem::new(Code::Unimplemented, format!("invalid signal: {}", message.signal)))?;
    process.signal(&sandbox.namespace, number).await;
    Ok(json!({}))
}

fn resize(sandbox: &Sandbox, message: &config::Update) -> Result<Value, Problem> {
    let process = sandbox.processes.running(&message.process)?;
    process.resize(message.size())?;
    Ok(json!({}))
}

fn unimplemented() -> Problem {
    Problem::new(Code::Unimplemented, "the method does not exist")
}
