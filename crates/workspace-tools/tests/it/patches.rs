//! R-PATCH: changes of several files in one call, all or none.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use workspace_memory::{Memory, MemoryConfig};
use workspace_tools::{
    ApplyPatchInput, ApprovalMode, ApprovalPolicy, ApprovalRequest, Approver, Decision, EditFileInput, Guard,
    PatchAction, PatchedFile, Policy, ReadFileInput, Result, ToolErrorKind, ToolSet, Workspace,
};

const LIB: &str = "pub fn answer() -> u32 {\n    41\n}\n";

fn files() -> Memory {
    Memory::new()
        .with_file("src/lib.rs", LIB)
        .with_file("old.txt", "old\n")
        .with_file("moved.txt", "one\ntwo\n")
}

fn workspace(files: &Memory, change: impl FnOnce(&mut Policy)) -> Workspace {
    let mut policy = Policy::default();
    change(&mut policy);
    Workspace::builder(files.clone()).policy(policy).build().unwrap()
}

/// A patch of sections.
fn patch(sections: &str) -> ApplyPatchInput {
    ApplyPatchInput::new(format!("*** Begin Patch\n{sections}*** End Patch\n"))
}

const ALL_KINDS: &str = "*** Update File: src/lib.rs\n@@ pub fn answer() -> u32 {\n-    41\n+    42\n }\n\
                         *** Add File: docs/new.md\n+# New\n+\n\
                         *** Delete File: old.txt\n\
                         *** Update File: moved.txt\n*** Move to: deep/er/moved.txt\n@@\n one\n-two\n+2\n";

#[track_caller]
fn holds(files: &Memory, expected: &[(&str, Option<&str>)]) {
    for (path, content) in expected {
        let held = files.read_now(path).ok().map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(held.as_deref(), *content, "{path}");
    }
}

/// What the files are before any patch.
#[track_caller]
fn is_untouched(files: &Memory) {
    holds(
        files,
        &[
            ("src/lib.rs", Some(LIB)),
            ("old.txt", Some("old\n")),
            ("moved.txt", Some("one\ntwo\n")),
            ("docs/new.md", None),
            ("docs", None),
            ("deep", None),
        ],
    );
}

fn kind<T: std::fmt::Debug>(outcome: Result<T>) -> &'static str {
    outcome.unwrap_err().kind().as_str()
}

#[tokio::test]
async fn r_patch_4_every_kind_of_change_is_made_in_one_call() {
    let files = files().with_mode("moved.txt", 0o750);
    let workspace = workspace(&files, |policy| policy.edit.diff = true);
    let hash = async |path| workspace.read_file(ReadFileInput::new(path)).await.unwrap().hash;
    let before = [hash("src/lib.rs").await, hash("old.txt").await, hash("moved.txt").await];
    let output = workspace.apply_patch(patch(ALL_KINDS)).await.unwrap();
    holds(
        &files,
        &[
            ("src/lib.rs", Some("pub fn answer() -> u32 {\n    42\n}\n")),
            ("docs/new.md", Some("# New\n\n")),
            ("old.txt", None),
            ("moved.txt", None),
            ("deep/er/moved.txt", Some("one\n2\n")),
        ],
    );
    let file = |path: &str, action, hash, previous: Option<&String>, moved_to: Option<&str>| PatchedFile {
        path: path.into(),
        action,
        hash,
        previous_hash: previous.cloned(),
        moved_to: moved_to.map(str::to_owned),
    };
    let [lib, old, moved] = &before;
    assert_eq!(
        output.files,
        [
            file("src/lib.rs", PatchAction::Update, Some(hash("src/lib.rs").await), Some(lib), None),
            file("docs/new.md", PatchAction::Add, Some(hash("docs/new.md").await), None, None),
            file("old.txt", PatchAction::Delete, None, Some(old), None),
            file(
                "moved.txt",
                PatchAction::Move,
                Some(hash("deep/er/moved.txt").await),
                Some(moved),
                Some("deep/er/moved.txt")
            ),
        ]
    );
    assert_eq!(
        output.diff.unwrap(),
        "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,3 +1,3 @@\n pub fn answer() -> u32 {\n-    41\n+    42\n }\n\
         --- a/docs/new.md\n+++ b/docs/new.md\n@@ -0,0 +1,2 @@\n+# New\n+\n\
         --- a/old.txt\n+++ b/old.txt\n@@ -1 +0,0 @@\n-old\n\
         --- a/deep/er/moved.txt\n+++ b/deep/er/moved.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    );
    let input = serde_json::from_value(json!({"path": "deep/er/moved.txt"})).unwrap();
    assert_eq!(workspace.stat(input).await.unwrap().mode.as_deref(), Some("0750"));
}

#[tokio::test]
async fn r_patch_4_a_patch_that_does_not_fit_in_one_file_changes_none() {
    let files = files();
    let workspace = workspace(&files, |_| {});
    for (bad, expected) in [
        ("*** Update File: src/lib.rs\n-nothing like it\n", "no-match"),
        ("*** Add File: src/lib.rs\n+x\n", "already-exists"),
        ("*** Delete File: gone.txt\n", "not-found"),
        ("*** Update File: old.txt\n*** Move to: src/lib.rs\n", "already-exists"),
        ("*** Update File: ../x\n-x\n", "path-escape"),
        ("*** Add File: docs/new.md\n+x\n", "invalid-input"),
        ("*** Update File: src\n-x\n", "is-a-directory"),
    ] {
        // The fault stands behind what would be fine.
        let sections = format!("*** Add File: docs/new.md\n+x\n*** Delete File: moved.txt\n{bad}");
        assert_eq!(kind(workspace.apply_patch(patch(&sections)).await), expected, "{bad}");
        is_untouched(&files);
    }
}

#[tokio::test]
async fn r_patch_4_a_write_that_fails_takes_the_earlier_ones_back() {
    let files = MemoryConfig::new().with_max_bytes(2_000).build().unwrap();
    let files =
        files.with_file("src/lib.rs", LIB).with_file("old.txt", "old\n").with_file("moved.txt", "one\ntwo\n");
    let workspace = workspace(&files, |_| {});
    let large = format!("*** Add File: large.txt\n+{}\n", "x".repeat(3_000));
    let failed = workspace.apply_patch(patch(&format!("{ALL_KINDS}{large}"))).await.unwrap_err();
    assert_eq!(failed.kind(), ToolErrorKind::NoSpace);
    let ending = "; nothing of the patch is left, every file is as it was";
    assert!(failed.message().ends_with(ending), "{failed}");
    assert_eq!(failed.fields().get("not_restored"), None);
    is_untouched(&files);
    // A file in the way of a directory shows only when it is written.
    let twice = "*** Add File: a\n+x\n*** Add File: a/b\n+x\n";
    assert!(workspace.apply_patch(patch(&format!("{ALL_KINDS}{twice}"))).await.is_err());
    is_untouched(&files);
    holds(&files, &[("a", None)]);
}

#[tokio::test]
async fn r_patch_4_what_cannot_be_taken_back_is_told() {
    let files = files();
    let contested = super::edits::Contested::over(files.clone(), |files, path| {
        // Another program writes the first file while the second one is written, and fails that.
        if path == "old.txt" {
            files.write_now("src/lib.rs", "by another\n")?;
            files.write_now("old.txt", "by another\n")?;
        }
        Ok(())
    });
    let workspace = Workspace::builder(contested).build().unwrap();
    let sections = "*** Update File: src/lib.rs\n-    41\n+    42\n*** Update File: old.txt\n-old\n+new\n";
    let failed = workspace.apply_patch(patch(sections)).await.unwrap_err();
    assert_eq!(failed.kind(), ToolErrorKind::ChangedDuringEdit);
    assert_eq!(
        failed.message(),
        "another program changed `old.txt` during the edit; its version was kept; the patch was taken back but \
         for `src/lib.rs` (another program has written it meanwhile)"
    );
    assert_eq!(failed.fields()["not_restored"], json!(["src/lib.rs"]));
    holds(&files, &[("src/lib.rs", Some("by another\n")), ("old.txt", Some("by another\n"))]);
}

#[tokio::test]
async fn r_patch_4_a_call_that_is_dropped_is_not_left_half_done() {
    let files = files();
    let workspace = workspace(&files, |_| {});
    // Poll by poll, and dropped after each number of them.
    for polls in 0..40 {
        let snapshot = files.snapshot();
        {
            let mut call = Box::pin(workspace.apply_patch(patch(ALL_KINDS)));
            for _ in 0..polls {
                let ready =
                    std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx).is_ready()))
                        .await;
                if ready {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        // The lock is free as soon as what was begun is done.
        let _ = workspace.edit_file(EditFileInput::replace("src/lib.rs", "none", "x")).await;
        let done = files.read_now("docs/new.md").is_ok();
        if done {
            holds(&files, &[("old.txt", None), ("moved.txt", None), ("deep/er/moved.txt", Some("one\n2\n"))]);
        } else {
            is_untouched(&files);
        }
        files.restore(&snapshot);
    }
}

#[tokio::test]
async fn r_patch_5_paths_and_rights_are_those_of_every_tool() {
    let files = files().with_link("link", "old.txt").with_link("open", "closed").with_file("closed/x", "x\n");
    let workspace = workspace(&files, |policy| {
        policy.paths.deny = vec!["secret".into()];
        policy.paths.protect = vec!["closed".into()];
    });
    let outcome = async |sections: &str| kind(workspace.apply_patch(patch(sections)).await);
    assert_eq!(outcome("*** Add File: secret/x\n+x\n").await, "denied-path");
    assert_eq!(outcome("*** Delete File: closed/x\n").await, "denied-path");
    assert_eq!(outcome("*** Update File: old.txt\n*** Move to: closed/y\n").await, "denied-path");
    assert_eq!(outcome("*** Update File: open/x\n-x\n").await, "denied-path");
    assert_eq!(outcome("*** Add File: open/y\n+x\n").await, "denied-path");
    assert_eq!(outcome("*** Delete File: link\n").await, "not-a-file");
    assert_eq!(outcome("*** Update File: link\n*** Move to: other\n").await, "not-a-file");
    assert_eq!(
        outcome("*** Update File: link\n-old\n*** Update File: old.txt\n-old\n").await,
        "invalid-input"
    );
    assert_eq!(kind(workspace.readonly().apply_patch(patch(ALL_KINDS)).await), "read-only");
    assert_eq!(
        kind(workspace.scope("src").await.unwrap().apply_patch(patch("*** Delete File: ../old.txt\n")).await),
        "path-escape"
    );
    is_untouched(&files);
    // Through a link to a file it is the file that is changed.
    workspace.apply_patch(patch("*** Update File: link\n-old\n+new\n")).await.unwrap();
    holds(&files, &[("old.txt", Some("new\n"))]);
    // Not vended unless it is named.
    assert!(!workspace.tools().iter().any(|tool| tool.as_str() == "apply_patch"));
    assert_eq!(workspace.pick(["apply_patch"]).tools().len(), 1);
    assert!(workspace.readonly().pick(["apply_patch"]).tools().is_empty());
}

#[tokio::test]
async fn r_patch_5_the_stale_guard_holds_for_every_file_that_is_there() {
    let files = files();
    let workspace = workspace(&files, |policy| policy.edit.guard = Guard::ReadFirst);
    let apply = async || workspace.apply_patch(patch(ALL_KINDS)).await;
    for unread in ["src/lib.rs", "old.txt", "moved.txt"] {
        let error = apply().await.unwrap_err();
        assert_eq!((error.kind(), &error.fields()["path"]), (ToolErrorKind::StaleHash, &json!(unread)));
        is_untouched(&files);
        workspace.read_file(ReadFileInput::new(unread)).await.unwrap();
    }
    files.write_now("old.txt", "old\nand more\n").unwrap();
    assert_eq!(kind(apply().await), "stale-hash");
    workspace.read_file(ReadFileInput::new("old.txt")).await.unwrap();
    apply().await.unwrap();
    // What the patch wrote is known.
    workspace.edit_file(EditFileInput::replace("deep/er/moved.txt", "2", "3")).await.unwrap();
    workspace.edit_file(EditFileInput::replace("docs/new.md", "New", "Old")).await.unwrap();
}

/// Gives an answer after it has done something to the files.
struct Owner<F>(Decision, F, Arc<Mutex<Vec<ApprovalRequest>>>);

#[async_trait]
impl<F: Fn() + Send + Sync> Approver for Owner<F> {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        (self.1)();
        self.2.lock().unwrap().push(request.clone());
        self.0.clone()
    }
}

fn asking(files: &Memory, owner: Option<Owner<impl Fn() + Send + Sync + 'static>>) -> Workspace {
    let approval = ApprovalPolicy::default().with("apply_patch", ApprovalMode::Always);
    let policy = Policy { approval, ..Policy::default() };
    let builder = Workspace::builder(files.clone()).policy(policy);
    match owner {
        Some(owner) => builder.approver(owner).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

#[tokio::test]
async fn r_patch_5_the_owner_sees_the_whole_change_of_every_file() {
    let files = files();
    let asked = Arc::default();
    let workspace = asking(&files, Some(Owner(Decision::Deny("no".into()), || {}, Arc::clone(&asked))));
    assert_eq!(kind(workspace.apply_patch(patch(ALL_KINDS)).await), "approval-denied");
    is_untouched(&files);
    let request = asked.lock().unwrap().pop().unwrap();
    assert_eq!(
        request.subject,
        "update src/lib.rs, add docs/new.md, delete old.txt, move moved.txt -> deep/er/moved.txt"
    );
    let shown: Vec<_> = request.files.iter().map(|file| (file.path.as_str(), file.diff.as_str())).collect();
    assert_eq!(
        shown,
        [
            (
                "src/lib.rs",
                "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,3 +1,3 @@\n pub fn answer() -> u32 {\n-    41\n+    42\n }\n"
            ),
            ("docs/new.md", "--- a/docs/new.md\n+++ b/docs/new.md\n@@ -0,0 +1,2 @@\n+# New\n+\n"),
            ("old.txt", "--- a/old.txt\n+++ b/old.txt\n@@ -1 +0,0 @@\n-old\n"),
            (
                "moved.txt",
                "--- a/deep/er/moved.txt\n+++ b/deep/er/moved.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
            ),
        ]
    );
    // However long the change is.
    let long = format!("*** Add File: long.txt\n{}", "+a line of text\n".repeat(4_000));
    let _ = workspace.apply_patch(patch(&long)).await;
    let request = asked.lock().unwrap().pop().unwrap();
    assert_eq!(request.diff().matches("\n+a line of text").count(), 4_000);
    // Nobody is asked about what does not fit.
    assert_eq!(kind(workspace.apply_patch(patch("*** Delete File: gone\n")).await), "not-found");
    assert!(asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn r_patch_5_what_was_approved_is_what_runs() {
    let files = files();
    let other = files.clone();
    let change = move || other.write_now("old.txt", "another\n").unwrap();
    let workspace = asking(&files, Some(Owner(Decision::Allow, change, Arc::default())));
    assert_eq!(kind(workspace.apply_patch(patch(ALL_KINDS)).await), "changed-during-edit");
    files.write_now("old.txt", "old\n").unwrap();
    is_untouched(&files);
    // In two steps.
    let tools = ToolSet::new(asking(&files, None::<Owner<fn()>>).pick(["apply_patch"]));
    let call = tools.prepare("apply_patch", json!({"patch": patch(ALL_KINDS).patch})).await.unwrap();
    assert!(call.needs_approval);
    let call = serde_json::from_value(serde_json::to_value(call).unwrap()).unwrap();
    tools.run_approved(call, &CancellationToken::new()).await.unwrap();
    holds(&files, &[("old.txt", None), ("docs/new.md", Some("# New\n\n"))]);
    let mut call = tools
        .prepare("apply_patch", json!({"patch": patch("*** Delete File: docs/new.md\n").patch}))
        .await
        .unwrap();
    call.input.insert("patch".into(), patch("*** Delete File: src/lib.rs\n").patch.into());
    let error = tools.run_approved(call, &CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::ApprovalRequired);
}

#[tokio::test(flavor = "multi_thread")]
async fn r_lock_1_patches_of_the_same_files_in_any_order_do_not_wait_for_each_other_for_ever() {
    let files = Memory::new().with_file("a", "0\n").with_file("b", "0\n").with_link("c", "a");
    let workspace = workspace(&files, |_| {});
    let mut calls = tokio::task::JoinSet::new();
    for round in 0..200 {
        let workspace = workspace.clone();
        let order = [["a", "b"], ["b", "a"], ["b", "c"], ["c", "b"]][round % 4];
        calls.spawn(async move {
            loop {
                let now = workspace.read_file(ReadFileInput::new("b")).await.unwrap().content;
                let now: u64 = now.trim().trim_start_matches("1\t").parse().unwrap();
                let of = |path| format!("*** Update File: {path}\n-{now}\n+{}\n", now + 1);
                let sections = order.map(of).concat();
                match workspace.apply_patch(patch(&sections)).await {
                    Ok(_) => return,
                    // Another was first.
                    Err(error) => assert_eq!(error.kind(), ToolErrorKind::NoMatch, "{error}"),
                }
            }
        });
    }
    calls.join_all().await;
    holds(&files, &[("a", Some("200\n")), ("b", Some("200\n"))]);
}
