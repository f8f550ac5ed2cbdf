//! A server at an address of this machine, and a client that speaks plain HTTP.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

use super::client::{Client, hello};

pub(super) const TOKEN: &str = "a-token-for-tests-0123456789";

pub(super) struct HttpServer {
    pub(super) child: Child,
    pub(super) port: u16,
    /// What it says to its owner.
    pub(super) words: BufReader<ChildStderr>,
}

impl HttpServer {
    pub(super) fn start(root: &Path, args: &[&str]) -> Self {
        Self::launch(root, args, Some(TOKEN))
    }

    pub(super) fn launch(root: &Path, args: &[&str], token: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workspace"));
        command.args(["mcp", "--http", "127.0.0.1:0", "--root"]).arg(root).args(args);
        command.env_remove("WORKSPACE_MCP_TOKEN");
        command.envs(token.map(|token| ("WORKSPACE_MCP_TOKEN", token)));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut words = BufReader::new(child.stderr.take().unwrap());
        let port = loop {
            let mut line = String::new();
            assert!(words.read_line(&mut line).unwrap() > 0, "the server ended");
            if let Some((_, rest)) = line.split_once("http://127.0.0.1:") {
                break rest.trim_end().strip_suffix("/mcp").unwrap().parse().unwrap();
            }
        };
        Self { child, port, words }
    }

    /// Sends a request and reads as far as the end of the head of its answer.
    pub(super) fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> HttpAnswer {
        HttpAnswer::read(self.write(method, headers, body))
    }

    fn write(&self, method: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let host = format!("127.0.0.1:{}", self.port);
        let own = [
            ("Host", host.as_str()),
            ("Authorization", &format!("Bearer {TOKEN}")),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let mut text =
            format!("{method} /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in own.iter().filter(|(name, _)| !headers.iter().any(|(given, _)| given == name)) {
            writeln!(text, "{name}: {value}\r").unwrap();
        }
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            writeln!(text, "{name}: {value}\r").unwrap();
        }
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
        stream
    }

    /// Tells the server to end, and waits.
    #[cfg(target_os = "linux")]
    pub(super) fn end(mut self) {
        use rustix::process::{Pid, Signal, kill_process};
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // It has ended, or its test has failed.
        let _ = self.child.kill();
    }
}

/// An answer whose body is still to come.
pub(super) struct HttpAnswer {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    streams: bool,
    length: usize,
    rest: BufReader<TcpStream>,
}

impl HttpAnswer {
    fn read(stream: TcpStream) -> Self {
        let mut rest = BufReader::new(stream);
        let mut line = String::new();
        rest.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut answer = Self { status, session: None, streams: false, length: 0, rest };
        loop {
            let mut line = String::new();
            answer.rest.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(": ") else { return answer };
            match name {
                "mcp-session-id" => answer.session = Some(value.to_owned()),
                "content-type" => answer.streams = value == "text/event-stream",
                "content-length" => answer.length = value.parse().unwrap(),
                _ => {}
            }
        }
    }

    /// The next message of the body; `None` at its end.
    pub(super) fn message(&mut self) -> Option<Value> {
        if !self.streams {
            let text = self.text();
            return (!text.is_empty()).then(|| serde_json::from_str(&text).expect("a message"));
        }
        loop {
            let mut line = String::new();
            if self.rest.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // Each event is a chunk of its own, so no line is split.
            if let Some(data) = line.strip_prefix("data: ").filter(|data| data.len() > 2) {
                return Some(serde_json::from_str(data).expect("a message"));
            }
        }
    }

    /// A body that is not streamed.
    pub(super) fn text(&mut self) -> String {
        let mut body = vec![0; std::mem::take(&mut self.length)];
        self.rest.read_exact(&mut body).unwrap();
        String::from_utf8(body).unwrap()
    }
}

/// A client of one of the two ways of the protocol.
pub(super) struct HttpSession<'a> {
    pub(super) server: &'a HttpServer,
    /// The session that a handshake made.
    pub(super) id: Option<String>,
    next_id: u64,
    answer: Option<Value>,
    told: Vec<Value>,
}

impl<'a> HttpSession<'a> {
    pub(super) fn stateless(server: &'a HttpServer) -> Self {
        Self { server, id: None, next_id: 1, answer: None, told: Vec::new() }
    }

    #[allow(clippy::needless_pass_by_value)] // So that a literal can be given.
    pub(super) fn greet(server: &'a HttpServer, capabilities: Value) -> Self {
        let params = hello("2025-06-18", capabilities);
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let mut answer = server.send("POST", &[], &hello.to_string());
        assert_eq!(answer.message().unwrap()["result"]["serverInfo"]["name"], "workspace");
        let session = Self { id: answer.session.take(), ..Self::stateless(server) };
        assert!(session.id.is_some());
        session.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    /// Sends a message and gives the answer of HTTP.
    pub(super) fn post(&self, message: &Value) -> HttpAnswer {
        HttpAnswer::read(self.post_and_leave(message))
    }

    /// Sends a message and waits for nothing.
    pub(super) fn post_and_leave(&self, message: &Value) -> TcpStream {
        let text = message.to_string();
        let method = message["method"].as_str().unwrap_or_default();
        let name = ["name", "uri"].iter().find_map(|key| message["params"][key].as_str()).unwrap_or_default();
        if let Some(id) = &self.id {
            return self.server.write("POST", &[("Mcp-Session-Id", id)], &text);
        }
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method), ("Mcp-Name", name)];
        self.server.write("POST", &headers, &text)
    }

    /// Sends a message that has no answer.
    pub(super) fn tell(&self, message: &Value) {
        assert_eq!(self.post(message).status, 202, "{message}");
    }

    /// Sends a request; its answer is still to come.
    pub(super) fn begin(&mut self, method: &str, params: &Value) -> (u64, HttpAnswer) {
        let id = self.next_id;
        self.next_id += 1;
        (id, self.post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})))
    }
}

impl Client for HttpSession<'_> {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let (id, mut answer) = self.begin(method, &params);
        loop {
            let message = answer.message().expect("an answer");
            if message["method"] == "elicitation/create" {
                let result = self.answer.clone().expect("nobody was to be asked");
                self.tell(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
            } else if message["id"] == id {
                return message;
            } else {
                self.told.push(message);
            }
        }
    }

    fn set_answer(&mut self, answer: Option<Value>) {
        self.answer = answer;
    }

    fn told(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.told)
    }
}
