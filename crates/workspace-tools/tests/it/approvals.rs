//! R-APPR: the owner is asked before a call runs, about exactly what will run.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use workspace_memory::{Memory, Reply, Script};
use workspace_tools::{
    ApprovalMode, ApprovalPolicy, ApprovalRequest, ApprovalRule, Approver, BackgroundPolicy, Decision,
    EditFileInput, MoveInput, MultiEditInput, Policy, PreparedCall, ReadFileInput, RunShellInput,
    ShellPolicy, TestsPolicy, TextEdit, ToolError, ToolName, ToolSet, Workspace, WorkspaceBuilder,
    WriteFileInput,
};

/// Gives the same answer to all, and notes what it was asked.
#[derive(Clone)]
struct Owner {
    answer: Decision,
    asked: Arc<Mutex<Vec<ApprovalRequest>>>,
}

impl Owner {
    fn who_says(answer: Decision) -> Self {
        Self { answer, asked: Arc::default() }
    }

    fn asked(&self) -> Vec<ApprovalRequest> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

#[async_trait]
impl Approver for Owner {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.asked.lock().unwrap().push(request.clone());
        self.answer.clone()
    }
}

fn made() -> Reply {
    Reply::new().with_stdout("made\n")
}

fn files() -> Memory {
    Memory::new().with_file("a.txt", "one\ntwo\n").with_file("b.txt", "b\n")
}

fn policy(asked: &[&str]) -> Policy {
    let approval = asked
        .iter()
        .fold(ApprovalPolicy::never(), |approval, tool| approval.with(*tool, ApprovalMode::Always));
    Policy { approval, shell: Some(ShellPolicy::allowing(["make"])), ..Policy::default() }
}

fn builder(files: &Memory, asked: &[&str]) -> WorkspaceBuilder {
    let shell = files.shell(Script::new().with_argv(["make", "all"], made()).with_argv(["make"], made()));
    Workspace::builder(files.clone()).shell(shell).policy(policy(asked))
}

async fn text(workspace: &Workspace, path: &str) -> String {
    workspace.read_file(ReadFileInput::new(path)).await.map(|page| page.content).unwrap_or_default()
}

#[track_caller]
fn kind<T: std::fmt::Debug>(outcome: Result<T, ToolError>) -> &'static str {
    outcome.unwrap_err().kind().as_str()
}

#[tokio::test]
async fn r_appr_1_by_default_commands_are_asked_about_and_files_are_not() {
    let files = files();
    let shell = files.shell(Script::new().with_argv(["make"], made()));
    let policy = Policy { approval: ApprovalPolicy::default(), ..policy(&[]) };
    let workspace = Workspace::builder(files.clone()).shell(shell).policy(policy).build().unwrap();
    assert_eq!(kind(workspace.run_shell(RunShellInput::new("make")).await), "approval-required");
    workspace.write_file(WriteFileInput::new("c.txt", "c")).await.unwrap();
    let tools = ToolSet::new(workspace);
    let needs = async |tool, input| tools.needs_approval(tool, input).await.unwrap();
    assert!(needs("run_shell", json!({"command": "make"})).await);
    assert!(!needs("write_file", json!({"path": "d.txt", "content": "d"})).await);
    assert!(!needs("todo_write", json!({"todos": []})).await);
}

/// Every tool asks before it does anything, so each can be prepared without being run.
#[tokio::test]
async fn r_appr_1_every_tool_asks_where_its_owner_wants_it() {
    let files = files();
    let all: Vec<_> = ToolName::ALL.iter().map(|tool| tool.as_str()).collect();
    let mut rules = policy(&all);
    rules.shell.as_mut().unwrap().background = Some(BackgroundPolicy::default());
    rules.tests = Some(TestsPolicy::running("make"));
    let shell = files.shell(Script::new().with_argv(["make"], Reply::new().without_end()));
    let workspace = Workspace::builder(files).shell(shell).policy(rules).build().unwrap();
    let tools = ToolSet::new(workspace.pick(all));
    let start = tools.prepare("run_shell", json!({"command": "make", "background": true})).await;
    approved(&tools, start.unwrap()).await.unwrap();
    for tool in ToolName::ALL {
        let input = match tool {
            ToolName::EditFile => json!({"path": "a.txt", "old_string": "one", "new_string": "1"}),
            ToolName::MultiEdit => {
                json!({"path": "a.txt", "edits": [{"old_string": "one", "new_string": "1"}]})
            }
            ToolName::WriteFile => json!({"path": "a.txt", "content": ""}),
            ToolName::RunShell => json!({"command": "make"}),
            ToolName::ShellOutput | ToolName::ShellKill => json!({"id": "job-1"}),
            // Scripted commands take no input; a test with real ones asks about it.
            ToolName::ShellInput => continue,
            ToolName::Grep | ToolName::Glob => json!({"pattern": "a"}),
            ToolName::TodoWrite => json!({"todos": []}),
            ToolName::Move | ToolName::Copy => json!({"from": "a.txt", "to": "c.txt"}),
            ToolName::RunTests | ToolName::TodoRead => json!({}),
            ToolName::ApplyPatch => {
                json!({"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"})
            }
            _ => json!({"path": "a.txt"}),
        };
        let prepared = tools.prepare(tool.as_str(), input).await.unwrap();
        assert!(prepared.needs_approval, "{tool:?}");
        assert_eq!(prepared.request.unwrap().tool, *tool);
    }
}

#[tokio::test]
async fn r_appr_1_a_rule_decides_call_by_call() {
    struct Slow;
    #[async_trait]
    impl ApprovalRule for Slow {
        async fn needs_approval(&self, request: &ApprovalRequest) -> bool {
            tokio::task::yield_now().await;
            request.subject == "a.txt"
        }
    }
    let workspace = builder(&files(), &[])
        .approval_rule(ToolName::EditFile, Slow)
        .approval_rule(ToolName::RunShell, |request: &ApprovalRequest| request.subject.contains("all"))
        .approval_rule(ToolName::Remove, |_: &ApprovalRequest| -> bool { panic!("a rule that fails") })
        .build()
        .unwrap();
    assert_eq!(
        kind(workspace.edit_file(EditFileInput::replace("a.txt", "one", "1")).await),
        "approval-required"
    );
    workspace.edit_file(EditFileInput::replace("b.txt", "b", "c")).await.unwrap();
    assert_eq!(kind(workspace.run_shell(RunShellInput::new("make all")).await), "approval-required");
    assert_eq!(workspace.run_shell(RunShellInput::new("make")).await.unwrap().stdout, "made\n");
    // Who cannot decide asks.
    let input = serde_json::from_value(json!({"path": "a.txt"})).unwrap();
    assert_eq!(kind(workspace.remove(input).await), "approval-required");
}

#[tokio::test]
async fn r_appr_2_a_change_is_shown_as_it_will_be_made() {
    let files = files();
    let owner = Owner::who_says(Decision::Allow);
    let workspace = builder(&files, &["edit_file", "multi_edit", "write_file", "move"])
        .approver(owner.clone())
        .build()
        .unwrap();
    let edited = workspace.edit_file(EditFileInput::replace("a.txt", "one", "1")).await.unwrap();
    let asked = serde_json::to_value(owner.asked()).unwrap();
    assert_eq!(
        asked,
        json!([{
            "tool": "edit_file", "subject": "a.txt", "cwd": null, "environment": [], "timeout_ms": null,
            "background": false,
            "change": {
                "previous_hash": edited.previous_hash, "hash": edited.hash,
                "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n",
            },
        }])
    );
    let edits = vec![TextEdit { old_string: "two".into(), new_string: "2".into(), replace_all: false }];
    let input = MultiEditInput { path: "a.txt".into(), edits, expect_hash: None };
    workspace.multi_edit(input).await.unwrap();
    workspace.write_file(WriteFileInput::new("new.txt", "new\n")).await.unwrap();
    let diffs: Vec<_> = owner.asked().into_iter().map(|request| request.change.unwrap().diff).collect();
    assert_eq!(
        diffs,
        [
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n 1\n-two\n+2\n",
            "--- a/new.txt\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n",
        ]
    );
    // Both ends of a move are asked about.
    workspace.r#move(MoveInput { from: "b.txt".into(), to: "c.txt".into() }).await.unwrap();
    assert_eq!(owner.asked()[0].subject, "b.txt -> c.txt");
    // Nobody is asked about what cannot be made, or what the owner has closed.
    assert_eq!(kind(workspace.edit_file(EditFileInput::replace("a.txt", "none", "x")).await), "no-match");
    assert_eq!(kind(workspace.write_file(WriteFileInput::new("../out", "x")).await), "path-escape");
    assert_eq!(owner.asked(), []);
}

#[tokio::test(start_paused = true)]
async fn r_appr_2_an_approver_that_fails_or_is_late_denies() {
    struct Panics;
    #[async_trait]
    impl Approver for Panics {
        async fn decide(&self, _: &ApprovalRequest) -> Decision {
            panic!("an approver that fails")
        }
    }
    struct Sleeps;
    #[async_trait]
    impl Approver for Sleeps {
        async fn decide(&self, _: &ApprovalRequest) -> Decision {
            std::future::pending().await
        }
    }
    let files = files();
    let failing = builder(&files, &["write_file"]).approver(Panics).build().unwrap();
    let late = builder(&files, &["write_file"])
        .approver(Sleeps)
        .approval_timeout(Duration::from_mins(1))
        .build()
        .unwrap();
    for (workspace, message) in [(failing, "the approver failed"), (late, "nobody answered within 60000 ms")]
    {
        let error = workspace.write_file(WriteFileInput::new("a.txt", "x")).await.unwrap_err();
        assert_eq!(error.kind().as_str(), "approval-denied");
        assert_eq!(
            error.message(),
            format!("the owner did not approve `write_file`: {message}; nothing has run")
        );
        assert_eq!(text(&workspace, "a.txt").await, "     1\tone\n     2\ttwo");
    }
}

#[tokio::test]
async fn r_appr_3_a_yes_for_good_covers_the_same_call_and_no_other() {
    let owner = Owner::who_says(Decision::AllowSession);
    let workspace = builder(&files(), &["run_shell", "edit_file"]).approver(owner.clone()).build().unwrap();
    for _ in 0..2 {
        workspace.run_shell(RunShellInput::new("make")).await.unwrap();
    }
    workspace.run_shell(RunShellInput::new("make all")).await.unwrap();
    let subjects: Vec<_> = owner.asked().into_iter().map(|request| request.subject).collect();
    assert_eq!(subjects, ["make", "make all"]);
    // Of an edit it is the path and the tool.
    workspace.edit_file(EditFileInput::replace("a.txt", "one", "1")).await.unwrap();
    workspace.edit_file(EditFileInput::replace("a.txt", "two", "2")).await.unwrap();
    workspace.edit_file(EditFileInput::replace("b.txt", "b", "c")).await.unwrap();
    let subjects: Vec<_> = owner.asked().into_iter().map(|request| request.subject).collect();
    assert_eq!(subjects, ["a.txt", "b.txt"]);
}

/// Changes the file while it is asked, as another program would.
struct Meddler(Memory);

#[async_trait]
impl Approver for Meddler {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let other = Workspace::builder(self.0.clone()).build().unwrap();
        other.write_file(WriteFileInput::new(&request.subject, "one\nmine\n")).await.unwrap();
        Decision::Allow
    }
}

#[tokio::test]
async fn r_appr_3_what_was_approved_is_what_runs() {
    let files = files();
    let workspace =
        builder(&files, &["edit_file", "write_file"]).approver(Meddler(files.clone())).build().unwrap();
    let edit = EditFileInput::replace("a.txt", "one", "1");
    assert_eq!(kind(workspace.edit_file(edit).await), "changed-during-edit");
    assert_eq!(text(&workspace, "a.txt").await, "     1\tone\n     2\tmine");
    let write = WriteFileInput::new("b.txt", "other");
    assert_eq!(kind(workspace.write_file(write).await), "changed-during-edit");
    assert_eq!(text(&workspace, "b.txt").await, "     1\tone\n     2\tmine");
}

async fn approved(tools: &ToolSet, call: PreparedCall) -> Result<Value, ToolError> {
    let output = tools.run_approved(call, &CancellationToken::new()).await?;
    Ok(Value::Object(output.value))
}

#[tokio::test]
async fn r_appr_2_a_call_can_wait_for_its_answer_as_data() {
    let files = files();
    let calls = [
        ("edit_file", json!({"filePath": "a.txt", "old_string": "one", "new_string": "1"})),
        ("write_file", json!({"path": "n.txt", "content": "n"})),
        ("run_shell", json!({"command": "make all", "timeout_ms": 5000})),
    ];
    let tools = || ToolSet::new(builder(&files, &["edit_file", "write_file", "run_shell"]).build().unwrap());
    let mut kept = Vec::new();
    for (tool, input) in calls {
        let prepared = tools().prepare(tool, input).await.unwrap();
        assert!(prepared.needs_approval);
        kept.push(serde_json::to_string(&prepared).unwrap());
    }
    // Nothing has happened.
    let before = Workspace::builder(files.clone()).build().unwrap();
    assert_eq!(
        (text(&before, "a.txt").await, text(&before, "n.txt").await),
        ("     1\tone\n     2\ttwo".into(), String::new())
    );
    assert_eq!(files.shell(Script::new()).commands().len(), 0);

    // Another process, later.
    let tools = tools();
    for kept in kept {
        let prepared: PreparedCall = serde_json::from_str(&kept).unwrap();
        approved(&tools, prepared).await.unwrap();
    }
    assert_eq!(text(&before, "a.txt").await, "     1\t1\n     2\ttwo");
    assert_eq!(text(&before, "n.txt").await, "     1\tn");
}

#[tokio::test]
async fn r_appr_3_a_prepared_call_that_became_another_does_not_run() {
    let files = files();
    let tools = ToolSet::new(builder(&files, &["edit_file", "run_shell"]).build().unwrap());
    let edit = json!({"path": "a.txt", "old_string": "one", "new_string": "1"});
    let prepared = tools.prepare("edit_file", edit).await.unwrap();
    let other = Workspace::builder(files.clone()).build().unwrap();
    other.write_file(WriteFileInput::new("a.txt", "one\nthree\n")).await.unwrap();
    let error = approved(&tools, prepared).await.unwrap_err();
    assert_eq!(error.kind().as_str(), "approval-required");
    assert_eq!(error.message(), "the file has changed since this call was approved; nothing has run");
    assert_eq!(text(&other, "a.txt").await, "     1\tone\n     2\tthree");

    // A host that mixes up its calls runs none.
    let mut mixed = tools.prepare("run_shell", json!({"command": "make"})).await.unwrap();
    mixed.input.insert("command".into(), json!("make all"));
    let error = approved(&tools, mixed).await.unwrap_err();
    assert_eq!(error.message(), "this is not the call that was approved; nothing has run");
}

#[tokio::test]
async fn r_call_5_a_call_that_policy_refuses_is_not_prepared() {
    let files = files();
    let mut rules = policy(&["edit_file", "run_shell"]);
    rules.paths.deny = vec!["secret".into()];
    let shell = files.shell(Script::new());
    let workspace = Workspace::builder(files).shell(shell).policy(rules).build().unwrap();
    let tools = ToolSet::new(workspace);
    for (tool, input, expected) in [
        ("edit_file", json!({"path": "secret", "old_string": "a", "new_string": "b"}), "denied-path"),
        ("edit_file", json!({"path": "a.txt", "old_string": "none", "new_string": "b"}), "no-match"),
        ("edit_file", json!({"path": "a.txt"}), "invalid-input"),
        ("run_shell", json!({"command": "rm a.txt"}), "denied-command"),
        ("no_tool", json!({}), "invalid-input"),
    ] {
        assert_eq!(kind(tools.prepare(tool, input).await), expected, "{tool}");
    }
}

#[tokio::test]
async fn r_err_2_a_renamed_tool_is_named_so_in_errors() {
    let workspace = builder(&files(), &["write_file"]).build().unwrap();
    let tools =
        ToolSet::new(workspace).renamed(ToolName::WriteFile, "save").renamed(ToolName::ReadFile, "open");
    let error = tools.call("save", json!({"path": "a.txt", "content": "x"})).await.unwrap_err();
    assert_eq!(error.message(), "`save` needs the owner's approval and nobody can be asked; nothing has run");
    let stale = json!({"path": "a.txt", "old_string": "a", "new_string": "b", "expect_hash": "00"});
    let hint = tools.call("edit_file", stale).await.unwrap_err().next_step().unwrap().to_owned();
    assert!(hint.contains("`open`") && !hint.contains("read_file"), "{hint}");
    let words: Vec<_> = tools.definitions().into_iter().map(|tool| tool.description).collect();
    assert!(
        words.iter().all(|words| !words.contains("`read_file`") && !words.contains("`write_file`")),
        "{words:?}"
    );
}
