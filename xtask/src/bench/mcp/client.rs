//! A client that is the same for every server: one line out, one line in, the clock between.
//!
//! The clock stops when the line has come, before it is parsed: what that takes is up to the client.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::turn::command;

/// What a process holds in memory, in MiB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    pub(super) now: f64,
    pub(super) most: f64,
}

/// A server that has been greeted.
pub(super) struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next_id: u64,
}

impl Client {
    /// Starts a server; tells how long it took to the answer of the greeting.
    pub(super) fn start(words: &[String]) -> Result<(Self, Duration), String> {
        let (program, rest) = words.split_first().ok_or("there is nothing to run")?;
        let begun = Instant::now();
        let mut child = command(program)
            .args(rest)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("`{program}`: {error}"))?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("`{program}` has no streams"));
        };
        let mut client = Self { child, to, from: BufReader::new(from), next_id: 1 };
        let (arrived, _) = client.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            }),
        )?;
        let took = arrived.duration_since(begun);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok((client, took))
    }

    /// Calls a tool; tells how long it took, and what it answered.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<(Duration, Value), String> {
        let begun = Instant::now();
        let (arrived, result) = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let time = arrived.duration_since(begun);
        if result["isError"] == true {
            return Err(format!("`{tool}` failed: {result}"));
        }
        Ok((time, result))
    }

    /// The memory that it holds.
    pub(super) fn memory(&self) -> Result<Memory, String> {
        let status = Path::new("/proc").join(self.child.id().to_string()).join("status");
        #[allow(clippy::disallowed_methods, reason = "the system tells what a process holds")]
        let text =
            std::fs::read_to_string(&status).map_err(|error| format!("{}: {error}", status.display()))?;
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let kibibytes = line.and_then(|line| line.split_whitespace().next())?.parse::<u32>().ok()?;
            Some(f64::from(kibibytes) / 1024.0)
        };
        let memory = field("VmRSS:").zip(field("VmHWM:")).map(|(now, most)| Memory { now, most });
        memory.ok_or_else(|| format!("{} tells no memory", status.display()))
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let line = format!("{message}\n");
        self.to.write_all(line.as_bytes()).and_then(|()| self.to.flush()).map_err(|error| error.to_string())
    }

    /// When the answer came, and its result.
    fn ask(&mut self, method: &str, params: &Value) -> Result<(Instant, Value), String> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.from.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Err(format!("the server ended before it had answered `{method}`"));
            }
            let arrived = Instant::now();
            let mut message: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            if message["id"] == id {
                return match message["error"].take() {
                    Value::Null => Ok((arrived, message["result"].take())),
                    error => Err(format!("`{method}` failed: {error}")),
                };
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It is not to run on, whatever it does at the end of its input.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
