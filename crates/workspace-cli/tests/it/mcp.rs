//! `workspace mcp`, spoken to in plain lines of JSON-RPC.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::program::root;

/// A server, and a client that waits for each answer.
struct Session {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next_id: u64,
    /// What its person answers to a question.
    answer: Option<Value>,
}

impl Session {
    fn start(root: &Path, args: &[&str]) -> Self {
        Self::greet(root, args, json!({}))
    }

    fn launch(root: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_workspace"))
            .arg("mcp")
            .arg("--root")
            .arg(root)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, next_id: 1, answer: None }
    }

    /// A server and a client of the versions that begin with a handshake, which can do so much.
    #[allow(clippy::needless_pass_by_value)] // So that a literal can be given.
    fn greet(root: &Path, args: &[&str], capabilities: Value) -> Self {
        let mut session = Self::launch(root, args);
        let hello = session.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": capabilities,
                "clientInfo": {"name": "t", "version": "1"},
            }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "workspace");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
        self.to.flush().unwrap();
    }

    /// Sends a request and gives its answer. Whatever the server prints must be JSON-RPC.
    #[allow(clippy::needless_pass_by_value)] // So that a literal can be given.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server ended without an answer");
            let message: Value = serde_json::from_str(&line).expect("a message and nothing else");
            assert_eq!(message["jsonrpc"], "2.0");
            if message["method"] == "elicitation/create" {
                let answer = self.answer.clone().expect("nobody was to be asked");
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
            } else if message["id"] == id {
                return message;
            }
        }
    }

    #[allow(clippy::needless_pass_by_value)] // So that a literal can be given.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))["result"].take()
    }

    /// Ends the input; the server must end well.
    fn end(mut self) {
        drop(self.to);
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn every_tool_is_listed_with_its_schemas_and_all_four_hints() {
    let root = root(&[]);
    let mut session = Session::start(root.path(), &[]);
    let list = session.ask("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "read_file",
            "edit_file",
            "multi_edit",
            "write_file",
            "list_dir",
            "grep",
            "glob",
            "todo_write",
            "todo_read"
        ]
    );
    for tool in tools {
        assert_eq!(
            (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
            (&json!("object"), &json!("object"))
        );
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{tool}");
        }
    }
    session.end();
}

#[test]
fn a_call_answers_with_a_text_and_an_object() {
    let root = root(&[("a.txt", "one\n")]);
    let mut session = Session::start(root.path(), &[]);
    let read = session.call("read_file", json!({"path": "a.txt"}));
    assert_eq!(read["content"][0]["text"], "     1\tone");
    assert_eq!(read["structuredContent"]["total_lines"], 1);
    let hash = &read["structuredContent"]["hash"];
    let edit = json!({"path": "a.txt", "old_string": "one", "new_string": "two", "expect_hash": hash});
    assert_eq!(session.call("edit_file", edit)["isError"], false);
    assert_eq!(std::fs::read_to_string(root.path().join("a.txt")).unwrap(), "two\n");
    session.end();
}

#[test]
fn a_failure_is_an_answer_and_the_server_lives_on() {
    let root = root(&[("a.txt", "one\n")]);
    let mut session = Session::start(root.path(), &[]);
    let failed = session.call("read_file", json!({"path": "b.txt"}));
    assert_eq!(
        (&failed["isError"], &failed["structuredContent"]["error"]["kind"]),
        (&json!(true), &json!("not-found"))
    );
    let failed = session.call("read_file", json!({"path": 7}));
    assert_eq!(failed["structuredContent"]["error"]["field"], "path");
    assert_eq!(session.ask("tools/call", json!({"name": "no_such_tool"}))["error"]["code"], -32602);
    session.send(&json!("garbage"));
    writeln!(session.to, "{{not json").unwrap();
    assert_eq!(session.call("read_file", json!({"path": "a.txt"}))["isError"], false);
    session.end();
}

#[test]
fn a_child_takes_no_byte_of_the_protocol_and_writes_none() {
    let root = root(&[
        ("run.sh", "cat\necho '{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}'\n"),
        ("policy.toml", "[shell]\nallow = [\"sh\"]\n[approval]\nrun_shell = \"never\"\n"),
    ]);
    let policy = root.path().join("policy.toml");
    let mut session = Session::start(root.path(), &["--policy", policy.to_str().unwrap()]);
    let ran = session.call("run_shell", json!({"command": "sh run.sh"}));
    assert_eq!(ran["structuredContent"]["exit_code"], 0);
    assert_eq!(session.call("read_file", json!({"path": "run.sh"}))["isError"], false);
    session.end();
}

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
            assert_eq!(called["structuredContent"]["error"]["kind"], "approval-denied");
        }
    }
    // What policy refuses is never shown to anybody.
    session.answer = None;
    let refused = session.call("run_shell", json!({"command": "rm made"}));
    assert_eq!(refused["structuredContent"]["error"]["kind"], "denied-command");
    session.end();
}

#[test]
fn a_client_that_asks_nobody_is_told_what_to_do() {
    let (root, _home, policy) = asking();
    for args in [&["--policy", &policy][..], &["--policy", &policy, "--approve", "none"]] {
        let mut session = Session::start(root.path(), args);
        let called = session.call("run_shell", json!({"command": "touch made"}));
        assert_eq!(called["structuredContent"]["error"]["kind"], "approval-required");
        assert!(!root.path().join("made").exists());
        session.end();
    }
}

/// The parameters of a call in the version without a handshake.
#[allow(clippy::needless_pass_by_value)] // So that a literal can be given.
fn stateless(tool: &str, arguments: Value, retry: Value) -> Value {
    let mut params = json!({
        "name": tool, "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        },
    });
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

    let asked = session.ask("tools/call", stateless("run_shell", touch("made"), json!({})))["result"].take();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let message = &asked["inputRequests"]["approval"]["params"]["message"];
    assert_eq!(message, "Allow run_shell: touch made");
    let state = asked["requestState"].clone();

    // A no leaves no trace; a yes to another call, or under a seal that is not ours, is none.
    let retry = json!({"inputResponses": no, "requestState": state});
    let denied = session.ask("tools/call", stateless("run_shell", touch("made"), retry))["result"].take();
    assert_eq!(denied["structuredContent"]["error"]["kind"], "approval-denied");
    for (name, state) in [("other", state.clone()), ("made", json!("forged"))] {
        let retry = json!({"inputResponses": yes, "requestState": state});
        let again = session.ask("tools/call", stateless("run_shell", touch(name), retry))["result"].take();
        assert_eq!(again["resultType"], "input_required", "{name}");
    }
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);

    let retry = json!({"inputResponses": yes, "requestState": state});
    let ran = session.ask("tools/call", stateless("run_shell", touch("made"), retry))["result"].take();
    assert_eq!(ran["structuredContent"]["exit_code"], 0, "{ran}");
    assert!(root.path().join("made").exists());

    // The file that an edit was shown for is another one by now: it is asked about anew.
    let edit = json!({"path": "a.txt", "old_string": "one", "new_string": "two"});
    let asked = session.ask("tools/call", stateless("edit_file", edit.clone(), json!({})))["result"].take();
    let message = asked["inputRequests"]["approval"]["params"]["message"].as_str().unwrap();
    assert!(message.contains("-one\n+two\n"), "{message}");
    std::fs::write(root.path().join("a.txt"), "one\nmore\n").unwrap();
    let retry = json!({"inputResponses": yes, "requestState": asked["requestState"]});
    let again = session.ask("tools/call", stateless("edit_file", edit, retry))["result"].take();
    assert_eq!(again["resultType"], "input_required");
    assert_eq!(std::fs::read_to_string(root.path().join("a.txt")).unwrap(), "one\nmore\n");
    session.end();
}
