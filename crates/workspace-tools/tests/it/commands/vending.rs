//! Which tools there are, and how a model sees them.

use serde_json::{Value, json};
use workspace_tools::{
    RunShellInput, RunTestsInput, ShellKillInput, ShellOutputInput, TestsPolicy, ToolSet, Workspace,
};

use super::puppet::Shell;
use super::{call, names, policy, refused, start, with_shell, workspace};

const FILES_FIRST: [&str; 5] = ["read_file", "edit_file", "multi_edit", "write_file", "list_dir"];
const SEARCH_LAST: [&str; 4] = ["grep", "glob", "todo_write", "todo_read"];

#[track_caller]
fn vends(workspace: &Workspace, commands: &[&str]) {
    assert_eq!(names(workspace), [&FILES_FIRST, commands, &SEARCH_LAST].concat());
}

#[test]
fn r_job_6_the_tools_of_jobs_are_there_where_background_is_enabled() {
    let shell = Shell::new();
    let mut tests = policy();
    tests.tests = Some(TestsPolicy::running("cargo test"));
    vends(&workspace(&shell, tests.clone()), &["run_shell", "shell_output", "shell_kill", "run_tests"]);
    vends(&workspace(&shell, policy()), &["run_shell", "shell_output", "shell_kill"]);
    vends(&workspace(&shell, with_shell(|shell| shell.background = None)), &["run_shell"]);
    let without = Shell::with(|capabilities| capabilities.with_background(false));
    vends(&workspace(&without, policy()), &["run_shell"]);
    tests.shell = None;
    vends(&workspace(&shell, tests), &[]);
}

#[test]
fn r_test_1_run_tests_is_there_where_there_is_something_to_run() {
    let shell = Shell::new();
    for (tests, vended) in [
        (None, false),
        (Some(TestsPolicy::default()), false),
        (Some(TestsPolicy::running("  ")), false),
        (Some(TestsPolicy::running("cargo test")), true),
        (Some(TestsPolicy::detecting()), true),
    ] {
        let mut policy = policy();
        policy.tests = tests.clone();
        assert_eq!(names(&workspace(&shell, policy)).contains(&"run_tests"), vended, "{tests:?}");
    }
}

#[tokio::test]
async fn r_proj_1_readonly_keeps_the_reading_of_jobs_alone() {
    let shell = Shell::new();
    let mut tests = policy();
    tests.tests = Some(TestsPolicy::running("cargo test"));
    let workspace = workspace(&shell, tests);
    let (id, puppet) = start(&workspace, &shell, "serve").await;
    let readonly = workspace.readonly();
    assert_eq!(
        names(&readonly),
        ["read_file", "list_dir", "shell_output", "grep", "glob", "todo_write", "todo_read"]
    );
    puppet.print("up\n");
    let output = readonly.shell_output(ShellOutputInput::new(&id).wait_ms(30_000)).await.unwrap();
    assert_eq!(output.stdout, "up\n");

    refused(readonly.shell_kill(ShellKillInput::new(&id)).await, "read-only");
    refused(readonly.start_shell(RunShellInput::new("serve")).await, "read-only");
    refused(readonly.run_shell(RunShellInput::new("true")).await, "read-only");
    refused(readonly.run_tests(RunTestsInput::all()).await, "read-only");
    for (tool, input) in [
        ("shell_kill", json!({"id": id})),
        ("run_shell", json!({"command": "true"})),
        ("run_tests", json!({})),
        ("shell_input", json!({"id": id, "text": "x"})),
    ] {
        let error = call(&readonly, tool, input).await.unwrap_err();
        assert_eq!(error.kind().as_str(), "read-only", "{error:?}");
        assert!(error.message().starts_with(&format!("`{tool}` is not possible")), "{error}");
    }
    assert_eq!(puppet.state().kills, 0);
    assert!(!shell.has_started());
}

/// The definition of a tool as an MCP server gives it.
fn definition(workspace: &Workspace, name: &str) -> Value {
    let tools = ToolSet::new(workspace.clone()).definitions();
    tools.into_iter().find(|tool| tool.name == name).unwrap().to_mcp()
}

#[test]
fn r_job_1_the_schema_knows_background_only_where_it_is_enabled() {
    let shell = Shell::new();
    let with = definition(&workspace(&shell, policy()), "run_shell");
    let without = definition(&workspace(&shell, with_shell(|shell| shell.background = None)), "run_shell");
    let keys = |schema: &Value| schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&without["inputSchema"]), ["command", "timeout_ms", "cwd"]);
    assert_eq!(keys(&with["inputSchema"]), ["command", "timeout_ms", "cwd", "background"]);
    assert_eq!(without["outputSchema"]["required"].as_array().unwrap().len(), 8);
    assert_eq!(with["outputSchema"]["required"], json!([]));
    assert!(keys(&with["outputSchema"]).contains(&"started_at".to_owned()));
}

#[tokio::test]
async fn answers_keep_to_their_schemas() {
    let shell = Shell::new();
    let mut all = policy();
    all.tests = Some(TestsPolicy::running("cargo test"));
    let workspace = workspace(&shell, all);
    let keeps = |tool: &str, answer: &Value| {
        let schema = definition(&workspace, tool)["outputSchema"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let faults: Vec<_> = validator.iter_errors(answer).map(|error| error.to_string()).collect();
        assert_eq!(faults, [""; 0], "{tool}: {answer}");
    };
    let started =
        call(&workspace, "run_shell", json!({"command": "serve", "background": true})).await.unwrap();
    keeps("run_shell", &started);
    let puppet = shell.next().await;
    keeps("shell_output", &call(&workspace, "shell_output", json!({"id": "job-1"})).await.unwrap());
    drop(puppet);
    keeps("shell_kill", &call(&workspace, "shell_kill", json!({"id": "job-1"})).await.unwrap());
    keeps("shell_output", &call(&workspace, "shell_output", json!({"id": "job-1"})).await.unwrap());
    for (tool, input) in [("run_shell", json!({"command": "true"})), ("run_tests", json!({}))] {
        let running = tokio::spawn({
            let workspace = workspace.clone();
            async move { call(&workspace, tool, input).await.unwrap() }
        });
        let puppet = shell.next().await;
        puppet.print("test result: FAILED. 1 passed; 1 failed; 0 ignored\n");
        puppet.exit(101);
        keeps(tool, &running.await.unwrap());
    }
}
