//! A server on standard input and output, and a client that speaks plain lines of JSON-RPC.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::client::hello;

pub(super) struct Session {
    pub(super) child: Child,
    pub(super) to: ChildStdin,
    pub(super) from: BufReader<ChildStdout>,
    next_id: u64,
    /// What its person answers to a question.
    pub(super) answer: Option<Value>,
    /// What it answers when it is asked for its roots.
    pub(super) roots: Option<Value>,
    /// What it was told beside answers.
    pub(super) told: Vec<Value>,
}

impl Session {
    pub(super) fn start(root: &Path, args: &[&str]) -> Self {
        Self::greet(root, args, json!({}))
    }

    /// A server that nobody has greeted.
    pub(super) fn launch(root: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_workspace"))
            .arg("mcp")
            .arg("--root")
            .arg(root)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, next_id: 1, answer: None, roots: None, told: Vec::new() }
    }

    /// A server and a client of the versions that begin with a handshake, which can do so much.
    #[allow(clippy::needless_pass_by_value)] // So that a literal can be given.
    pub(super) fn greet(root: &Path, args: &[&str], capabilities: Value) -> Self {
        let mut session = Self::launch(root, args);
        let hello = session.ask("initialize", hello("2025-06-18", capabilities));
        assert_eq!(hello["result"]["serverInfo"]["name"], "workspace");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    pub(super) fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
        self.to.flush().unwrap();
    }

    /// Sends a request and does not wait for its answer.
    #[allow(clippy::needless_pass_by_value)] // So that a literal can be given.
    pub(super) fn begin(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message. Whatever the server prints must be JSON-RPC.
    pub(super) fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.from.read_line(&mut line).unwrap() > 0, "the server ended without an answer");
        let message: Value = serde_json::from_str(&line).expect("a message and nothing else");
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    /// The answer to a request. Questions of the server are answered on the way.
    pub(super) fn wait(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear();
            if message["method"] == "elicitation/create" {
                let answer = self.answer.clone().expect("nobody was to be asked");
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
            } else if message["method"] == "roots/list" {
                let roots = self.roots.clone().expect("no roots were to be asked for");
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}}));
            } else if message["id"] == id {
                return message;
            } else {
                self.told.push(message);
            }
        }
    }

    /// Sends a request and gives its answer.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.wait(id)
    }

    #[allow(clippy::needless_pass_by_value)] // So that a literal can be given.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))["result"].take()
    }

    /// Ends the input; the server must end well.
    pub(super) fn end(self) {
        let Self { mut child, to, .. } = self;
        drop(to);
        assert!(child.wait().unwrap().success());
    }
}
