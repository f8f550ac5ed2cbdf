//! What a client can do, whatever lies between it and the server.

use serde_json::{Value, json};

use super::session::Session;

pub(super) trait Client {
    /// Sends a request and gives its answer. Questions of the server are answered on the way.
    fn ask(&mut self, method: &str, params: Value) -> Value;

    /// What its person answers to every question from now on; without it, none may be put.
    fn set_answer(&mut self, answer: Option<Value>);

    /// What it was told beside answers since the last time.
    fn told(&mut self) -> Vec<Value>;
}

impl Client for Session {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        Session::ask(self, method, params)
    }

    fn set_answer(&mut self, answer: Option<Value>) {
        self.answer = answer;
    }

    fn told(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.told)
    }
}

/// The parameters of a greeting.
#[allow(clippy::needless_pass_by_value)] // So that a literal can be given.
pub(super) fn hello(version: &str, capabilities: Value) -> Value {
    json!({
        "protocolVersion": version, "capabilities": capabilities,
        "clientInfo": {"name": "t", "version": "1"},
    })
}

/// Parameters in the version without a handshake.
pub(super) fn stateless(mut params: Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    for (key, value) in meta.as_object().unwrap() {
        params["_meta"][key] = value.clone();
    }
    params
}
