//! OpenAI's tools for commands: `shell`, `local_shell`, and a function of words.

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::shell_call::ShellCall;
use super::{VendorAnswer, VendorTool};
use crate::tools::Answer;
use crate::{Interpreter, Result, RunShellOutput, Workspace};

/// In which form OpenAI's models know the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShellShape {
    /// `shell` of the Responses API: items `shell_call` with lines in `action.commands`.
    Responses,
    /// `local_shell` of the Responses API: items `local_shell_call` with words in `action.command`.
    LocalShell,
    /// A function `shell` of `command` (words), `workdir` and `timeout_ms`.
    Function,
}

/// OpenAI's tools for commands over a workspace.
///
/// Each command is a call of `run_shell`, judged by the policy, from the root or from
/// `workdir`. Words are quoted so that each stays one word. Where the policy's
/// `shell.interpreter` is `sh`, `["bash", "-lc", LINE]` runs the line itself, so that its programs
/// are judged and not the shell. A call that sets variables or a user is refused.
#[derive(Debug, Clone)]
pub struct ShellTool {
    workspace: Workspace,
    shape: ShellShape,
}

impl ShellTool {
    /// The tool over a workspace, in one of its forms.
    pub fn new(workspace: Workspace, shape: ShellShape) -> Self {
        Self { workspace, shape }
    }

    async fn run(&self, input: Value, cancel: &CancellationToken) -> Result<(Vec<Ended>, Option<u64>)> {
        let interpreter =
            self.workspace.policy().shell.as_ref().map_or(Interpreter::None, |shell| shell.interpreter);
        let call = ShellCall::read(input, interpreter)?;
        let workspace = self.workspace.with_cancel(cancel.clone());
        let mut ended = Vec::with_capacity(call.lines.len());
        for line in call.lines {
            match Box::pin(workspace.run_shell(line)).await {
                Ok(output) => ended.push(Ended::Ran(output)),
                // Those before it have run, and their answers are not to be lost.
                Err(error) => {
                    ended.push(Ended::Refused(VendorAnswer::failed(&error).text));
                    break;
                }
            }
        }
        Ok((ended, call.max_output_length))
    }
}

/// How a command of a call came out.
enum Ended {
    Ran(RunShellOutput),
    Refused(String),
}

/// The exit code that stands for a command that was not run, as shells have it.
const NOT_RUN: i32 = 126;

impl Ended {
    fn text(&self) -> String {
        match self {
            Self::Ran(output) => output.text(),
            Self::Refused(text) => text.clone(),
        }
    }

    /// An entry of a `shell_call_output`.
    fn entry(&self, max_output_length: Option<u64>) -> Value {
        let max = max_output_length.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
        let (stdout, stderr, outcome) = match self {
            Self::Ran(output) if output.timed_out => {
                (output.stdout.as_str(), output.stderr.as_str(), json!({"type": "timeout"}))
            }
            Self::Ran(output) => (
                output.stdout.as_str(),
                output.stderr.as_str(),
                json!({"type": "exit", "exit_code": output.exit_code}),
            ),
            Self::Refused(text) => ("", text.as_str(), json!({"type": "exit", "exit_code": NOT_RUN})),
        };
        let stdout = first(stdout, max);
        let stderr = first(stderr, max.saturating_sub(stdout.chars().count()));
        json!({"stdout": stdout, "stderr": stderr, "outcome": outcome})
    }
}

fn first(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[async_trait]
impl VendorTool for ShellTool {
    fn name(&self) -> &str {
        match self.shape {
            ShellShape::Responses | ShellShape::Function => "shell",
            ShellShape::LocalShell => "local_shell",
        }
    }

    fn declaration(&self) -> Value {
        match self.shape {
            ShellShape::Responses => json!({"type": "shell", "environment": {"type": "local"}}),
            ShellShape::LocalShell => json!({"type": "local_shell"}),
            ShellShape::Function => json!({
                "type": "function",
                "name": "shell",
                "description": "Runs a program in the workspace and gives its exit code and output. Each call starts \
                                anew: a `cd` does not last.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "command": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "The program and its arguments.",
                        },
                        "workdir": {"type": "string", "description": "Where to start, relative to the root of the workspace."},
                        "timeout_ms": {"type": "integer", "description": "How long it may run, in milliseconds."},
                    },
                    "required": ["command"],
                    "additionalProperties": false,
                },
                "strict": false,
            }),
        }
    }

    async fn call(&self, input: Value, cancel: &CancellationToken) -> VendorAnswer {
        match self.run(input, cancel).await {
            Ok((ended, _)) => VendorAnswer {
                text: ended.iter().map(Ended::text).collect::<Vec<_>>().join("\n\n"),
                is_error: ended.iter().any(|ended| matches!(ended, Ended::Refused(_))),
            },
            Err(error) => VendorAnswer::failed(&error),
        }
    }

    async fn answer_item(&self, item: &Value, cancel: &CancellationToken) -> Option<Value> {
        let action = || item.get("action").cloned().unwrap_or_default();
        let call_id = item.get("call_id").cloned().unwrap_or_default();
        match (item.get("type").and_then(Value::as_str)?, self.shape) {
            ("shell_call", ShellShape::Responses) => {
                let (ended, max) = match self.run(action(), cancel).await {
                    Ok(ran) => ran,
                    Err(error) => (vec![Ended::Refused(VendorAnswer::failed(&error).text)], None),
                };
                let entries: Vec<_> = ended.iter().map(|ended| ended.entry(max)).collect();
                let mut answer = json!({"type": "shell_call_output", "call_id": call_id, "output": entries});
                if let Some(max) = max {
                    answer["max_output_length"] = max.into();
                }
                Some(answer)
            }
            ("local_shell_call", ShellShape::LocalShell) => {
                let answer = self.call(action(), cancel).await;
                Some(json!({"type": "local_shell_call_output", "call_id": call_id, "output": answer.text}))
            }
            _ => None,
        }
    }
}
