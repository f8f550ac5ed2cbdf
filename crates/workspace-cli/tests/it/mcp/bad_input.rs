//! Whatever a client sends, the server lives on and says what is wrong.

use std::io::Write;

use serde_json::{Value, json};

use super::client::{hello, stateless};
use super::processes::{ENDLESS, of_script, scripts_run, until_gone};
use super::session::Session;
use crate::program::{root, workspace};

#[test]
fn a_failure_is_an_answer_and_the_server_lives_on() {
    let root = root(&[("a.txt", "one\n")]);
    let mut session = Session::start(root.path(), &[]);
    let failed = session.call("read_file", json!({"path": "b.txt"}));
    assert_eq!(
        (&failed["isError"], &failed["_meta"]["workspace/error"]["kind"]),
        (&json!(true), &json!("not-found"))
    );
    let failed = session.call("read_file", json!({"path": 7}));
    assert_eq!(failed["_meta"]["workspace/error"]["field"], "path");
    let code = |answer: Value| answer["error"]["code"].clone();
    assert_eq!(code(session.ask("tools/call", json!({"name": "no_such_tool"}))), -32602);
    assert_eq!(code(session.ask("no/such/method", json!({}))), -32601);
    for wrong in [json!({"name": 7}), json!({}), json!({"name": "read_file", "arguments": "a.txt"})] {
        assert_eq!(code(session.ask("tools/call", wrong.clone())), -32602, "{wrong}");
    }
    assert_eq!(code(session.ask("resources/read", json!({"uri": ["a"]}))), -32602);
    session.begin("tools/call", json!(["no", "object"]));
    assert_eq!(code(session.hear()), -32600);
    assert_eq!(session.call("read_file", json!({"path": "a.txt"}))["isError"], false);
    session.end();
}

#[test]
fn a_line_that_is_no_message_is_passed_over() {
    let root = root(&[("a.txt", "one\n")]);
    let mut session = Session::start(root.path(), &[]);
    for line in ["\"garbage\"", "{not json", "", "[]", "\u{fffd}", "{\"jsonrpc\": \"1.0\"}", "null"] {
        writeln!(session.to, "{line}").unwrap();
    }
    session.to.write_all(b"\xff\xfe\x00\n").unwrap();
    // A reader that goes down as deep as the text does would end here.
    writeln!(session.to, "{}", "[".repeat(1 << 20)).unwrap();
    assert_eq!(session.call("read_file", json!({"path": "a.txt"}))["isError"], false);
    session.end();
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_one_is_read() {
    let root = root(&[("a.txt", "one\n")]);
    let mut session = Session::start(root.path(), &[]);
    let long = "x".repeat(16 << 20);
    session.begin("tools/call", json!({"name": "write_file", "arguments": {"path": "b", "content": long}}));
    let refused = session.hear();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)));
    assert_eq!(session.call("read_file", json!({"path": "a.txt"}))["isError"], false);
    assert!(!root.path().join("b").exists());
    let fits = json!({"path": "c", "content": "x".repeat(1 << 20)});
    assert_eq!(session.call("write_file", fits)["isError"], false);
    session.end();
}

#[test]
fn a_number_that_is_in_use_is_refused_and_the_first_call_stays_cancellable() {
    let (_home, policy) = scripts_run();
    let root = root(&[("run.sh", ENDLESS), ("a.txt", "one\n")]);
    let mut session = Session::start(root.path(), &["--policy", &policy]);
    let call = json!({"name": "run_shell", "arguments": {"command": "sh run.sh"}});
    let id = session.begin("tools/call", call);
    let pids = of_script(root.path());
    let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
    session.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": read}));
    let refused = session.hear();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32600)));
    let cancelled = json!({"requestId": id});
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
    until_gone(&pids);
    session.end();
}

#[test]
fn words_before_the_greeting_do_not_end_the_server() {
    let root = root(&[("a.txt", "one\n")]);
    let mut session = Session::launch(root.path(), &[]);
    let cancelled = json!({"requestId": 7});
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
    session.send(&json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    assert!(session.ask("tools/list", json!({}))["error"]["code"].is_i64());
    assert!(session.ask("no/such/method", json!({}))["error"]["code"].is_i64());
    let version =
        session.ask("initialize", hello("1999-01-01", json!({})))["result"]["protocolVersion"].take();
    assert_eq!(version, "2025-11-25");
    assert_eq!(session.call("read_file", json!({"path": "a.txt"}))["isError"], false);
    session.end();
}

#[test]
fn each_version_is_answered_with_itself() {
    let root = root(&[("a.txt", "one\n")]);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut session = Session::launch(root.path(), &[]);
        let hello = session.ask("initialize", hello(version, json!({})));
        assert_eq!(hello["result"]["protocolVersion"], version);
        assert_eq!(session.call("read_file", json!({"path": "a.txt"}))["isError"], false);
        session.end();
    }
    let mut session = Session::launch(root.path(), &[]);
    let discovered = session.ask("server/discover", stateless(json!({})))["result"].take();
    assert!(
        discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{discovered}"
    );
    let mut params = stateless(json!({}));
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2030-01-01");
    assert!(session.ask("tools/list", params)["error"]["code"].is_i64());
    assert!(session.ask("tools/list", stateless(json!({})))["result"]["tools"].is_array());
    session.end();
}

#[test]
fn a_client_that_says_nothing_leaves_no_complaint() {
    let root = root(&[]);
    let run = workspace(root.path(), &["mcp"], "");
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{}", run.stderr);
}
