//! Who is asked before a command runs.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::json;
use workspace_memory::Memory;
use workspace_tools::{
    ApprovalMode, ApprovalPolicy, ApprovalRequest, Approver, Decision, Policy, RunShellInput, RunTestsInput,
    ShellInputInput, ShellKillInput, TestsPolicy, Workspace,
};

use super::puppet::Shell;
use super::{policy, refused};

/// Notes what it is asked, and says yes to what has the word `good` in it.
#[derive(Clone, Default)]
struct Owner(Arc<Mutex<Vec<ApprovalRequest>>>);

#[async_trait]
impl Approver for Owner {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.0.lock().unwrap().push(request.clone());
        if request.subject.contains("good") { Decision::Allow } else { Decision::Deny("no".into()) }
    }
}

fn asking(shell: &Shell, owner: &Owner) -> Workspace {
    let policy = Policy {
        approval: ApprovalPolicy::default(),
        tests: Some(TestsPolicy::running("good test")),
        ..policy()
    };
    Workspace::builder(Memory::new())
        .shell(shell.clone())
        .policy(policy)
        .approver(owner.clone())
        .build()
        .unwrap()
}

#[tokio::test]
async fn r_job_1_a_start_is_approved_as_what_it_is() {
    let (shell, owner) = (Shell::new(), Owner::default());
    let workspace = asking(&shell, &owner);
    refused(workspace.start_shell(RunShellInput::new("evil")).await, "approval-denied");
    assert!(!shell.has_started());
    let started = workspace.start_shell(RunShellInput::new("good").timeout_ms(50)).await.unwrap();
    let asked = serde_json::to_value(&*owner.0.lock().unwrap()).unwrap();
    let request = |subject: &str, timeout_ms: Option<u64>| {
        json!({
            "tool": "run_shell", "subject": subject, "cwd": ".", "environment": [], "timeout_ms": timeout_ms,
            "background": true,
        })
    };
    assert_eq!(asked, json!([request("evil", None), request("good", Some(50))]));
    // To follow and to end what was approved needs no second yes.
    workspace.shell_kill(ShellKillInput::new(started.id)).await.unwrap();
    assert_eq!(owner.0.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn r_test_1_tests_are_approved_with_their_pattern() {
    let (shell, owner) = (Shell::new(), Owner::default());
    let workspace = asking(&shell, &owner);
    let running = tokio::spawn(async move { workspace.run_tests(RunTestsInput::matching("cart")).await });
    shell.next().await.exit(0);
    running.await.unwrap().unwrap();
    let asked = owner.0.lock().unwrap();
    assert_eq!(
        (asked[0].tool.as_str(), asked[0].subject.as_str(), asked[0].background),
        ("run_tests", "good test 'cart'", false)
    );
}

#[tokio::test]
async fn an_owner_who_wants_to_be_asked_sees_what_is_sent() {
    let (shell, owner) = (Shell::new(), Owner::default());
    let policy =
        Policy { approval: ApprovalPolicy::never().with("shell_input", ApprovalMode::Always), ..policy() };
    let workspace = Workspace::builder(Memory::new()).shell(shell.clone()).policy(policy);
    let workspace = workspace.approver(owner.clone()).build().unwrap();
    workspace.start_shell(RunShellInput::new("login").with_open_stdin()).await.unwrap();
    let puppet = shell.next().await;
    let fields =
        refused(workspace.shell_input(ShellInputInput::new("job-1", "evil")).await, "approval-denied");
    assert_eq!(fields, json!({"input": "job-1: evil"}));
    workspace.shell_input(ShellInputInput::new("job-1", "good")).await.unwrap();
    assert_eq!(puppet.state().stdin, b"good");
}

#[tokio::test]
async fn without_anybody_to_ask_nothing_starts() {
    let shell = Shell::new();
    let ask =
        Policy { approval: ApprovalPolicy::default().with("shell_kill", ApprovalMode::Always), ..policy() };
    let workspace = super::workspace(&shell, ask);
    refused(workspace.start_shell(RunShellInput::new("serve")).await, "approval-required");
    assert!(!shell.has_started());
}
