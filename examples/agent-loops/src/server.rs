//! A server that speaks Chat Completions and plays a model by a script.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::{Place, Step};

/// The server. It ends when this is dropped.
pub struct ScriptedServer {
    place: Place,
    requests: Arc<Mutex<Vec<Value>>>,
    serving: JoinHandle<()>,
}

struct Play {
    script: Vec<Step>,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl ScriptedServer {
    /// Starts it on a free port of this machine.
    ///
    /// # Errors
    /// Where no port can be had.
    pub async fn start(script: Vec<Step>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let requests = Arc::default();
        let play = Arc::new(Play { script, requests: Arc::clone(&requests) });
        let app = Router::new().route("/v1/chat/completions", post(complete)).with_state(play);
        let serving = tokio::spawn(async move {
            // It ends with this task; what goes wrong on a connection, its client tells.
            let _ = axum::serve(listener, app).await;
        });
        let place = Place { url, model: "scripted".into(), key: "none".into() };
        Ok(Self { place, requests, serving })
    }

    /// Where its model is to be had.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The requests that it got, in order.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Plays the next turn, or refuses where the model has not read what it needs for it.
async fn complete(State(play): State<Arc<Play>>, Json(request): Json<Value>) -> (StatusCode, Json<Value>) {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    play.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    let turn = messages.iter().filter(|message| is_of_the_model(message)).count();
    let since = messages.iter().rev().take_while(|message| !is_of_the_model(message));
    let read: Vec<_> = since.map(|message| text(&message["content"])).collect();
    let Some(step) = play.script.get(turn) else {
        return refusal(&format!("the script has no turn {turn}"));
    };
    if let Some(word) = step.reads.iter().find(|word| !read.iter().any(|text| text.contains(**word))) {
        return refusal(&format!("turn {turn} needs `{word}` to be read, and there was {read:?}"));
    }
    let answer = json!({
        "id": format!("turn-{turn}"),
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": step.says.message(turn), "finish_reason": step.says.finish_reason()}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    });
    (StatusCode::OK, Json(answer))
}

fn is_of_the_model(message: &Value) -> bool {
    message["role"] == "assistant"
}

/// The text of a message, which comes whole or in parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn refusal(message: &str) -> (StatusCode, Json<Value>) {
    (StatusCode::UNPROCESSABLE_ENTITY, Json(json!({"error": {"message": message}})))
}
