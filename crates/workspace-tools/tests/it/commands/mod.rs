//! Commands through the tools: jobs, their end, tests. Over commands that the test itself
//! plays, so that nothing depends on time, and over real processes.

mod approval;
mod foreground;
mod input;
mod jobs;
mod judging;
mod lifetime;
mod local;
mod memory;
mod output;
mod predicate;
mod puppet;
mod run_tests;
mod spill;
mod vending;

use puppet::{Puppet, Shell};
use serde_json::{Value, json};
use workspace_memory::Memory;
use workspace_tools::{
    ApprovalPolicy, BackgroundPolicy, Policy, RunShellInput, ShellOutputInput, ShellOutputOutput,
    ShellPolicy, ToolError, ToolSet, Workspace,
};

/// A policy under which everything runs, four at a time in the background.
fn policy() -> Policy {
    Policy {
        shell: Some(ShellPolicy { background: Some(BackgroundPolicy::default()), ..ShellPolicy::default() }),
        approval: ApprovalPolicy::never(),
        ..Policy::default()
    }
}

/// A policy with changed rules for commands.
fn with_shell(change: impl FnOnce(&mut ShellPolicy)) -> Policy {
    let mut policy = policy();
    change(policy.shell.as_mut().unwrap());
    policy
}

fn workspace(shell: &Shell, policy: Policy) -> Workspace {
    let files = Memory::new().with_file("src/a.txt", "text\n");
    Workspace::builder(files).shell(shell.clone()).policy(policy).build().unwrap()
}

/// Starts a job, and gives its id and the hand on its command.
async fn start(workspace: &Workspace, shell: &Shell, line: &str) -> (String, Puppet) {
    let started = workspace.start_shell(RunShellInput::new(line)).await.unwrap();
    (started.id, shell.next().await)
}

/// All that a job printed, once it is over.
async fn end_of(workspace: &Workspace, id: &str) -> ShellOutputOutput {
    let mut cursor = 0;
    loop {
        let news = ShellOutputInput::new(id).since(cursor).wait_ms(30_000);
        let output = workspace.shell_output(news).await.unwrap();
        if output.status.as_str() != "running" {
            return workspace.shell_output(ShellOutputInput::new(id)).await.unwrap();
        }
        cursor = output.cursor;
    }
}

/// The kind and the fields of a failure.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, ToolError>, kind: &str) -> Value {
    let error = result.unwrap_err();
    assert_eq!(error.kind().as_str(), kind, "{error:?}");
    Value::Object(error.fields().clone())
}

/// The answer of a tool, as a model's call gets it.
async fn call(workspace: &Workspace, tool: &str, input: Value) -> Result<Value, ToolError> {
    let output = ToolSet::new(workspace.clone()).call(tool, input).await?;
    Ok(Value::Object(output.value))
}

/// The names of the tools that a workspace vends.
fn names(workspace: &Workspace) -> Vec<&'static str> {
    workspace.tools().into_iter().map(workspace_tools::ToolName::as_str).collect()
}

/// An answer without what differs from run to run.
fn timeless(mut value: Value) -> Value {
    for field in ["started_at", "duration_ms"] {
        if value.get(field).is_some() {
            value[field] = json!("…");
        }
    }
    value
}
