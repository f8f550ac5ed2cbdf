//! Anthropic's `bash_20250124`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{VendorAnswer, VendorTool};
use crate::spec::{Field, Shape, ToolSpec, read_input};
use crate::tools::{Answer, with_notice};
use crate::{Interpreter, Result, RunShellInput, ToolError, ToolErrorKind, Workspace};

const NAME: &str = "bash";

const SPEC: ToolSpec = ToolSpec {
    name: NAME,
    title: "",
    description: "",
    input: &[
        Field::new("command", Shape::Text, "The line to run."),
        Field::new("restart", Shape::Boolean, "Begin anew."),
    ],
    output: &[],
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
};

/// What a model that expects one lasting shell has to know.
const NOT_KEPT: &str = "each command runs by itself, from the root of the workspace: a `cd`, variables, functions and \
                        background processes do not last until the next one; join what belongs together by `&&`";

/// Anthropic's shell, `bash_20250124`, over a workspace.
///
/// The vendor's tool is one lasting shell. Here each command is a call of `run_shell`, judged by
/// the policy and run by `/bin/sh` in the root, and nothing of it lasts but its files; the first
/// answer says so, and so does `restart`. An approval is asked of the owner as for `run_shell`.
#[derive(Debug, Clone)]
pub struct BashTool {
    workspace: Workspace,
    /// Whether the model knows what is not kept.
    told: Arc<AtomicBool>,
}

impl BashTool {
    /// The shell of a workspace.
    ///
    /// # Errors
    /// `unsupported` where the policy has no `shell`, or its `interpreter` is not `sh`: lines for
    /// a shell could not be run.
    pub fn new(workspace: Workspace) -> Result<Self> {
        match workspace.policy().shell.as_ref().map(|shell| shell.interpreter) {
            Some(Interpreter::Sh) => Ok(Self { workspace, told: Arc::default() }),
            _ => Err(ToolError::new(ToolErrorKind::Unsupported, "`bash` takes lines for a shell")
                .hint("set `shell.interpreter` of the policy to `sh`")),
        }
    }

    async fn run(&self, input: Value, workspace: &Workspace) -> Result<String> {
        let read = read_input(&SPEC, input)?;
        let restart = read.get("restart").and_then(Value::as_bool).unwrap_or(false);
        match (read.get("command").and_then(Value::as_str), restart) {
            (Some(_), true) => Err(ToolError::new(
                ToolErrorKind::InvalidInput,
                "`command` and `restart` are both given; nothing has run",
            )
            .with("field", "restart")
            .hint("give one of them")),
            (None, true) => {
                self.told.store(true, Ordering::Relaxed);
                Ok(format!("there is nothing to restart: {NOT_KEPT}"))
            }
            (Some(command), false) => {
                let mut text = workspace.run_shell(RunShellInput::new(command)).await?.text();
                if !self.told.swap(true, Ordering::Relaxed) {
                    text = with_notice(text, Some(NOT_KEPT));
                }
                Ok(text)
            }
            (None, false) => Err(ToolError::new(ToolErrorKind::InvalidInput, "`command` is missing")
                .with("field", "command")
                .hint("give the line to run")),
        }
    }
}

#[async_trait]
impl VendorTool for BashTool {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> Value {
        json!({"type": "bash_20250124", "name": NAME})
    }

    async fn call(&self, input: Value, cancel: &CancellationToken) -> VendorAnswer {
        let workspace = self.workspace.with_cancel(cancel.clone());
        Box::pin(self.run(input, &workspace)).await.into()
    }
}
