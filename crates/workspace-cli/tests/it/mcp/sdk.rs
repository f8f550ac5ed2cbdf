//! The client of the official SDK for Rust, by both ways of the protocol.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, Implementation, ProtocolVersion,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::program::root;

/// A person who answers every question alike, and remembers what was asked.
#[derive(Clone)]
struct Person {
    action: ElicitationAction,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Person {
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            panic!("a question that is no form");
        };
        self.asked.lock().unwrap().push(message);
        Ok(ElicitResult::new(self.action.clone()).with_content(json!({"allow": true})))
    }

    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("person", "1"))
    }
}

/// A server whose owner is asked before `touch` runs, and a client with its person.
async fn connect(
    root: &Path,
    policy: &Path,
    person: &Person,
    lifecycle: ClientLifecycleMode,
) -> (Child, RunningService<RoleClient, Person>) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_workspace"))
        .arg("mcp")
        .arg("--root")
        .arg(root)
        .arg("--policy")
        .arg(policy)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let streams = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
    let client = person.clone().serve_with_lifecycle(streams, lifecycle).await.unwrap();
    (server, client)
}

/// What a call answers, or the kind of its error.
async fn call(
    client: &RunningService<RoleClient, Person>,
    tool: &'static str,
    arguments: Value,
) -> Result<Value, String> {
    let Value::Object(arguments) = arguments else { panic!("no object") };
    let result = client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap();
    match result.is_error {
        Some(true) => Err(result.meta.unwrap()["workspace/error"]["kind"].as_str().unwrap().to_owned()),
        _ => Ok(result.structured_content.unwrap()),
    }
}

/// Asks for a command that leaves a file, and tells whether it is there afterwards.
async fn check(lifecycle: ClientLifecycleMode, action: ElicitationAction, error: Option<&str>) {
    let (root, home) = (root(&[("a.txt", "one\n")]), tempfile::tempdir().unwrap());
    let policy = home.path().join("policy.toml");
    std::fs::write(&policy, "[shell]\nallow = [\"touch\"]\n[shell.background]\n").unwrap();
    let person = Person { action, asked: Arc::default() };
    let (mut server, client) = connect(root.path(), &policy, &person, lifecycle).await;

    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "run_shell"));
    for background in [false, true] {
        let ran =
            call(&client, "run_shell", json!({"command": "touch made", "background": background})).await;
        assert_eq!(ran.err().as_deref(), error);
        if error.is_some() {
            let listed = call(&client, "list_dir", json!({})).await.unwrap();
            assert_eq!(listed["entries"].as_array().unwrap().len(), 1, "{listed}");
            let job = call(&client, "shell_output", json!({"id": "job-1"})).await;
            assert_eq!(job, Err("job-not-found".into()));
        }
    }
    assert_eq!(*person.asked.lock().unwrap(), ["Allow run_shell: touch made"; 2]);
    client.cancel().await.unwrap();
    assert!(server.wait().await.unwrap().success());
    assert_eq!(root.path().join("made").exists(), error.is_none());
}

fn ways() -> [ClientLifecycleMode; 2] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
}

#[tokio::test]
async fn r_appr_2_a_no_in_the_official_client_leaves_no_trace() {
    for way in ways() {
        for no in [ElicitationAction::Decline, ElicitationAction::Cancel] {
            check(way.clone(), no, Some("approval-denied")).await;
        }
    }
}

#[tokio::test]
async fn r_appr_2_a_yes_in_the_official_client_runs_the_command() {
    for way in ways() {
        check(way, ElicitationAction::Accept, None).await;
    }
}
