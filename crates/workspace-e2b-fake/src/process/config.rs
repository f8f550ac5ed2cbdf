//! The messages of the service.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::connect::{Code, Problem, bytes_of};

/// Which process a call is about.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Selector {
    pub(super) pid: Option<u32>,
    pub(super) tag: Option<String>,
}

/// The message of `Connect` and `CloseStdin`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Selected {
    pub(super) process: Selector,
}

/// What is run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Config {
    pub(super) cmd: String,
    pub(super) args: Vec<String>,
    pub(super) envs: BTreeMap<String, String>,
    pub(super) cwd: Option<String>,
}

impl Config {
    /// As lists show it, without what is empty.
    pub(super) fn json(&self) -> Value {
        let mut config = Map::new();
        if !self.cmd.is_empty() {
            config.insert("cmd".into(), json!(self.cmd));
        }
        if !self.args.is_empty() {
            config.insert("args".into(), json!(self.args));
        }
        if !self.envs.is_empty() {
            config.insert("envs".into(), json!(self.envs));
        }
        if let Some(cwd) = &self.cwd {
            config.insert("cwd".into(), json!(cwd));
        }
        Value::Object(config)
    }
}

/// The message of `Start`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StartMessage {
    pub(super) process: Config,
    pub(super) pty: Option<Pty>,
    pub(super) tag: Option<String>,
    /// Absent is true, from the time before it could be said.
    pub(super) stdin: Option<bool>,
}

/// A terminal.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct Pty {
    pub(super) size: Size,
}

/// How large a terminal is.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct Size {
    pub(super) cols: u32,
    pub(super) rows: u32,
}

/// The message of `Update`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Update {
    pub(super) process: Selector,
    pty: Option<Pty>,
}

impl Update {
    pub(super) fn size(&self) -> Option<Size> {
        self.pty.map(|pty| pty.size)
    }
}

/// The message of `SendSignal`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Signal {
    pub(super) process: Selector,
    pub(super) signal: Value,
}

impl Signal {
    /// Enums come by name or by number; only these two are known.
    pub(super) fn number(&self) -> Option<i32> {
        match (self.signal.as_str(), self.signal.as_i64()) {
            (Some("SIGNAL_SIGTERM"), _) | (_, Some(15)) => Some(15),
            (Some("SIGNAL_SIGKILL"), _) | (_, Some(9)) => Some(9),
            _ => None,
        }
    }
}

/// The message of `SendInput`, and what `StreamInput` carries.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct InputMessage {
    pub(super) process: Selector,
    pub(super) input: Input,
}

/// Bytes for standard input or for a terminal.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Input {
    stdin: Option<String>,
    pty: Option<String>,
}

/// Where input goes, and what it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Bytes {
    Stdin(Vec<u8>),
    Pty(Vec<u8>),
}

impl Input {
    pub(super) fn bytes(&self) -> Result<Bytes, Problem> {
        let wrong = || Problem::new(Code::InvalidArgument, "the input is not base64");
        match (&self.stdin, &self.pty) {
            (Some(text), None) => bytes_of(text).map(Bytes::Stdin).ok_or_else(wrong),
            (None, Some(text)) => bytes_of(text).map(Bytes::Pty).ok_or_else(wrong),
            _ => Err(Problem::new(Code::InvalidArgument, "the input is neither stdin nor pty")),
        }
    }
}

/// One message of `StreamInput`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamMessage {
    pub(super) start: Option<Selected>,
    pub(super) data: Option<StreamData>,
}

/// The data of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamData {
    pub(super) input: Input,
}
