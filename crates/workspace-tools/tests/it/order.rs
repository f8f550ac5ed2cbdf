//! The order of the gates before a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::json;
use workspace_memory::Memory;
use workspace_tools::{
    ApprovalMode, ApprovalPolicy, ApprovalRequest, Approver, Decision, Policy, ToolSet, Workspace,
};

/// Says yes, and counts how often it was asked.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

#[async_trait]
impl Approver for Counting {
    async fn decide(&self, _: &ApprovalRequest) -> Decision {
        self.0.fetch_add(1, Ordering::Relaxed);
        Decision::Allow
    }
}

#[tokio::test]
async fn r_call_5_a_call_that_the_policy_refuses_is_never_shown_to_an_approver() {
    let tools = [
        "read_file",
        "write_file",
        "edit_file",
        "list_dir",
        "grep",
        "glob",
        "remove",
        "move",
        "copy",
        "mkdir",
        "apply_patch",
    ];
    let mut policy = Policy::default();
    policy.paths.deny = vec!["secret".into()];
    policy.approval =
        tools.iter().fold(ApprovalPolicy::default(), |policy, tool| policy.with(*tool, ApprovalMode::Always));
    let asked = Counting::default();
    let memory = Memory::new().with_file("secret/key", "s\n").with_file("a.txt", "a\n");
    let workspace = Workspace::memory(memory, policy).approver(asked.clone()).build().unwrap();
    let set = ToolSet::new(workspace.pick(tools));
    let closed = [
        ("read_file", json!({"path": "secret/key"})),
        ("write_file", json!({"path": "secret/new", "content": ""})),
        ("edit_file", json!({"path": "secret/key", "old_string": "s", "new_string": "t"})),
        ("list_dir", json!({"path": "secret"})),
        ("grep", json!({"pattern": "s", "path": "secret"})),
        ("glob", json!({"pattern": "*", "path": "secret"})),
        ("remove", json!({"path": "secret/key"})),
        ("move", json!({"from": "a.txt", "to": "secret/a.txt"})),
        ("move", json!({"from": "secret/key", "to": "key"})),
        ("copy", json!({"from": "secret/key", "to": "key"})),
        ("copy", json!({"from": "a.txt", "to": "secret/a.txt"})),
        ("mkdir", json!({"path": "secret/d"})),
        ("apply_patch", json!({"patch": "*** Begin Patch\n*** Delete File: secret/key\n*** End Patch"})),
        (
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Update File: a.txt\n*** Move to: secret/a.txt\n*** End Patch"}),
        ),
        ("read_file", json!({"path": "../out"})),
    ];
    for (tool, input) in closed {
        let error = set.call(tool, input.clone()).await.unwrap_err();
        let expected = if input["path"] == "../out" { "path-escape" } else { "denied-path" };
        assert_eq!(error.kind().as_str(), expected, "{tool} {input}");
    }
    assert_eq!(asked.0.load(Ordering::Relaxed), 0);
    set.call("read_file", json!({"path": "a.txt"})).await.unwrap();
    assert_eq!(asked.0.load(Ordering::Relaxed), 1);
}
