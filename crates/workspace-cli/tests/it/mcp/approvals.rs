//! A person is asked through the client, in both ways of the protocol.

use serde_json::{Value, json};

use super::client::stateless;
use super::session::Session;
use crate::program::root;

/// A root whose owner is asked before `touch` runs.
fn asking() -> (tempfile::TempDir, tempfile::TempDir, String) {
    let (root, home) = (root(&[("a.txt", "one\n")]), tempfile::tempdir().unwrap());
    let policy = home.path().join("policy.toml");
    std::fs::write(&policy, "[shell]\nallow = [\"touch\"]\n[approval]\nedit_file = \"always\"\n").unwrap();
    let policy = policy.to_str().unwrap().to_owned();
    (root, home, policy)
}

#[test]
fn r_appr_2_a_person_is_asked_through_the_client() {
    let (root, _home, policy) = asking();
    let mut session = Session::greet(root.path(), &["--policy", &policy], json!({"elicitation": {}}));
    for (answer, runs) in [
        (json!({"action": "decline"}), false),
        (json!({"action": "cancel"}), false),
        (json!({"action": "accept", "content": {"allow": false}}), false),
        (json!({"action": "accept", "content": {}}), false),
        (json!({"action": "accept", "content": {"allow": true}}), true),
    ] {
        session.answer = Some(answer.clone());
        let called = session.call("run_shell", json!({"command": "touch made"}));
        assert_eq!(called["isError"], !runs, "{answer}");
        assert_eq!(root.path().join("made").exists(), runs, "{answer}");
        if !runs {
            assert_eq!(called["_meta"]["workspace/error"]["kind"], "approval-denied");
        }
    }
    // What policy refuses is never shown to anybody.
    session.answer = None;
    let refused = session.call("run_shell", json!({"command": "rm made"}));
    assert_eq!(refused["_meta"]["workspace/error"]["kind"], "denied-command");
    session.end();
}

#[test]
fn a_client_that_asks_nobody_is_told_what_to_do() {
    let (root, _home, policy) = asking();
    for args in [&["--policy", &policy][..], &["--policy", &policy, "--approve", "none"]] {
        let mut session = Session::start(root.path(), args);
        let called = session.call("run_shell", json!({"command": "touch made"}));
        assert_eq!(called["_meta"]["workspace/error"]["kind"], "approval-required");
        assert!(!root.path().join("made").exists());
        session.end();
    }
}

/// A call in the version without a handshake, with what its client gives again.
fn retried(tool: &str, arguments: &Value, retry: &Value) -> Value {
    let mut params = stateless(json!({"name": tool, "arguments": arguments}));
    for (key, value) in retry.as_object().unwrap() {
        params[key] = value.clone();
    }
    params
}

#[test]
fn r_appr_3_without_a_handshake_a_yes_holds_for_the_call_that_was_asked_about() {
    let (root, _home, policy) = asking();
    let mut session = Session::launch(root.path(), &["--policy", &policy]);
    let touch = |name: &str| json!({"command": format!("touch {name}")});
    let yes = json!({"approval": {"action": "accept", "content": {"allow": true}}});
    let no = json!({"approval": {"action": "decline"}});

    let asked = session.ask("tools/call", retried("run_shell", &touch("made"), &json!({})))["result"].take();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let message = &asked["inputRequests"]["approval"]["params"]["message"];
    assert_eq!(message, "Allow run_shell: touch made");
    let state = asked["requestState"].clone();

    // A no leaves no trace; a yes to another call, or under a seal that is not ours, is none.
    let retry = json!({"inputResponses": no, "requestState": state});
    let denied = session.ask("tools/call", retried("run_shell", &touch("made"), &retry))["result"].take();
    assert_eq!(denied["_meta"]["workspace/error"]["kind"], "approval-denied");
    for (name, state) in [("other", state.clone()), ("made", json!("forged"))] {
        let retry = json!({"inputResponses": yes, "requestState": state});
        let again = session.ask("tools/call", retried("run_shell", &touch(name), &retry))["result"].take();
        assert_eq!(again["resultType"], "input_required", "{name}");
    }
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);

    let retry = json!({"inputResponses": yes, "requestState": state});
    let ran = session.ask("tools/call", retried("run_shell", &touch("made"), &retry))["result"].take();
    assert_eq!(ran["structuredContent"]["exit_code"], 0, "{ran}");
    assert!(root.path().join("made").exists());

    // The file that an edit was shown for is another one by now: it is asked about anew.
    let edit = json!({"path": "a.txt", "old_string": "one", "new_string": "two"});
    let asked = session.ask("tools/call", retried("edit_file", &edit, &json!({})))["result"].take();
    let message = asked["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    assert!(message.contains("-one\n+two\n"), "{message}");
    std::fs::write(root.path().join("a.txt"), "one\nmore\n").unwrap();
    let retry = json!({"inputResponses": yes, "requestState": asked["requestState"]});
    let again = session.ask("tools/call", retried("edit_file", &edit, &retry))["result"].take();
    assert_eq!(again["resultType"], "input_required");
    assert_eq!(std::fs::read_to_string(root.path().join("a.txt")).unwrap(), "one\nmore\n");
    session.end();
}
