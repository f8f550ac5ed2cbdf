//! The process inside the throwaway root, from outside.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::arena::Arena;
use crate::oracle::Run;

/// The process inside the throwaway root.
pub(crate) struct Runner {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Runner {
    pub(crate) fn start(arena: &Arena) -> Result<Self, String> {
        let failed = |error: std::io::Error| error.to_string();
        let own = std::env::current_exe().map_err(failed)?;
        let mut child = Command::new(own)
            .arg("--runner")
            .arg(arena.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("the runner has no output")?;
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    /// Runs a line in one of the shells.
    pub(crate) fn run(&mut self, shell: &'static str, line: &str) -> Result<(&'static str, Run), String> {
        let failed = |error: std::io::Error| format!("the runner ended: {error}");
        let input = self.input.as_mut().ok_or("the runner has no input")?;
        writeln!(input, "{}", json!([shell, line])).map_err(failed)?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).map_err(failed)?;
        let answer: Value =
            serde_json::from_str(&answer).map_err(|error| format!("the runner ended: {error}"))?;
        Ok((shell, Run::from_json(&answer)))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}
