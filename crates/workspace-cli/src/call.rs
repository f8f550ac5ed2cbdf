//! `workspace call`: one tool call.

use std::io::Read;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use workspace_tools::{Result as ToolResult, ToolOutput, ToolSet};

use crate::args::{CallArgs, WorkspaceArgs};
use crate::failure::Failure;
use crate::open::open;

pub(crate) async fn run(call: CallArgs, args: &WorkspaceArgs) -> Result<ExitCode, Failure> {
    let input = input(call.input.as_deref())?;
    let tools = open(args).await?;
    let result = tools.call(&call.tool, input.clone());
    let result = match direct(&tools, &call.tool) {
        Some(direct) => direct.call(&call.tool, input).await,
        None => result.await,
    };
    let good = result.is_ok();
    print(&object(&call.tool, result))?;
    tools.workspace().dispose().await;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn input(given: Option<&str>) -> Result<Value, Failure> {
    let text = match given {
        None => return Ok(Value::Object(Map::new())),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().lock().read_to_string(&mut text).map_err(|error| {
                Failure::usage(
                    format!("standard input could not be read: {error}"),
                    "send a JSON object in UTF-8",
                )
            })?;
            text
        }
        Some(text) => text.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(
            format!("the input is not JSON: {error}"),
            r#"give an object, such as '{"path": "src/main.rs"}', or `-` to read it from standard input"#,
        )
    })
}

/// The tools with a direct method, which are vended only where they are named.
pub(crate) fn direct(tools: &ToolSet, name: &str) -> Option<ToolSet> {
    const METHODS: &[&str] = &["exists", "stat", "mkdir", "remove", "move", "copy"];
    METHODS.contains(&name).then(|| ToolSet::new(tools.workspace().pick([name])))
}

/// The result object: `{"ok": true, "output": …}` or `{"ok": false, "error": …}`.
pub(crate) fn object(tool: &str, result: ToolResult<ToolOutput>) -> Value {
    match result {
        Ok(output) => json!({"ok": true, "output": output.value}),
        Err(error) => json!({"ok": false, "error": error.to_value(tool)}),
    }
}

/// Prints one value as one line.
#[allow(clippy::print_stdout)] // Results are what standard output is for.
pub(crate) fn print(value: &Value) -> Result<(), Failure> {
    use std::io::Write;
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{value}").and_then(|()| stdout.flush()).map_err(Failure::Output)
}
