//! Streamable HTTP: who is let in, what is shared, how it ends.

use std::io::{BufRead, Read};

use serde_json::{Value, json};

use super::client::{Client, stateless};
use super::http_client::{HttpServer, HttpSession, TOKEN};
use super::processes::{ENDLESS, of_script, runs, scripts_run, until_gone};
use crate::program::{root, workspace};

/// The status of a ping with these headers; an empty one is left out.
#[track_caller]
fn check(server: &HttpServer, headers: &[(&str, &str)], status: u16) {
    let discover =
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": stateless(json!({}))});
    let version = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "server/discover")];
    let headers: Vec<_> = headers.iter().chain(&version).copied().collect();
    assert_eq!(server.send("POST", &headers, &discover.to_string()).status, status, "{headers:?}");
}

#[test]
fn only_who_knows_the_token_and_calls_it_by_its_name_is_let_in() {
    let root = root(&[]);
    let server = HttpServer::start(root.path(), &[]);
    let (port, right) = (server.port, format!("Bearer {TOKEN}"));
    check(&server, &[], 200);
    for wrong in
        ["", TOKEN, "Bearer x", "Bearer ", "Basic Og==", &right[..right.len() - 1], &format!("{right}x")]
    {
        check(&server, &[("Authorization", wrong)], 401);
    }
    // The name that a page in a browser gave to this address is not one of its own.
    for host in ["example.org", &format!("example.org:{port}"), "127.0.0.1:1", "localhost.example.org"] {
        check(&server, &[("Host", host)], 403);
    }
    check(&server, &[("Host", &format!("localhost:{port}"))], 200);
    for origin in
        ["https://example.org", "null", &format!("https://127.0.0.1:{port}"), "http://localhost:1", "x"]
    {
        check(&server, &[("Origin", origin)], 403);
    }
    check(&server, &[("Origin", &format!("http://127.0.0.1:{port}"))], 200);
    // Without the token nobody learns which names are right.
    check(&server, &[("Origin", "null"), ("Authorization", "")], 401);
    for method in ["GET", "OPTIONS", "DELETE", "PUT"] {
        assert_eq!(server.send(method, &[("Authorization", "")], "").status, 401, "{method}");
    }
}

#[test]
fn a_token_is_made_where_none_is_given_and_never_printed_where_one_is() {
    let root = root(&[]);
    let mut server = HttpServer::launch(root.path(), &[], None);
    let mut line = String::new();
    server.words.read_line(&mut line).unwrap();
    let token = line.trim_end().strip_prefix("workspace: token: ").unwrap();
    check(&server, &[("Authorization", &format!("Bearer {token}"))], 200);
    check(&server, &[], 401);
    server.child.kill().unwrap();

    let file = root.path().join("token");
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let mut server = HttpServer::launch(
        root.path(),
        &["--token-file", file.to_str().unwrap()],
        Some("other-token-000000"),
    );
    check(&server, &[], 200);
    server.child.kill().unwrap();
    let mut rest = String::new();
    server.words.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains(TOKEN), "{rest}");
}

#[test]
fn an_address_of_other_machines_is_bad_usage() {
    let root = root(&[("short", "x")]);
    let short = root.path().join("short");
    let short = short.to_str().unwrap();
    for (args, message) in [
        (&["mcp", "--http", "0.0.0.0:0"][..], "can be reached from other machines"),
        (&["mcp", "--http", "8765"], "is no address with a port"),
        (&["mcp", "--http", "127.0.0.1:0", "--token-file", "/nope"], "could not be read"),
        (&["mcp", "--http", "127.0.0.1:0", "--token-file", short], "at least 16"),
        (&["mcp", "--token-file", short], "--http"),
    ] {
        let run = workspace(root.path(), args, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn bad_requests_get_a_status_and_the_server_lives_on() {
    let root = root(&[("a.txt", "one\n")]);
    let server = HttpServer::start(root.path(), &[]);
    for (method, headers, body, status) in [
        ("POST", &[][..], "{not json", 415..=415),
        ("POST", &[], "[]", 400..=422),
        ("POST", &[("Content-Type", "text/plain")], "{}", 415..=415),
        ("POST", &[("Accept", "application/json")], "{}", 406..=406),
        (
            "POST",
            &[("Mcp-Session-Id", "nope")],
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            404..=404,
        ),
        ("GET", &[("Mcp-Session-Id", "nope")], "", 404..=404),
        ("PUT", &[], "", 405..=405),
    ] {
        let answer = server.send(method, headers, body).status;
        assert!(status.contains(&answer), "{method} {headers:?} {body}: {answer}");
    }
    let mut client = HttpSession::stateless(&server);
    let call = |name: &str| stateless(json!({"name": name, "arguments": {"path": "a.txt"}}));
    assert_eq!(client.ask("tools/call", call("no_such_tool"))["error"]["code"], -32602);
    assert_eq!(client.ask("no/such/method", stateless(json!({})))["error"]["code"], -32601);
    assert_eq!(client.ask("tools/call", call("read_file"))["result"]["isError"], false);
    let long = json!({"path": "b", "content": "x".repeat(16 << 20)});
    let long = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "write_file", "arguments": long}});
    assert_eq!(client.post(&long).status, 413);
    assert_eq!(client.ask("tools/call", call("read_file"))["result"]["isError"], false);
}

#[test]
fn connections_share_the_workspace_and_what_it_remembers() {
    let (_home, policy) = scripts_run();
    let root = root(&[("run.sh", "echo here\n")]);
    let server = HttpServer::start(root.path(), &["--policy", &policy]);
    let start = json!({"name": "run_shell", "arguments": {"command": "sh run.sh", "background": true}});
    let todos =
        json!({"name": "todo_write", "arguments": {"todos": [{"content": "share", "status": "pending"}]}});
    let mut one = HttpSession::stateless(&server);
    assert_eq!(one.ask("tools/call", stateless(start))["result"]["structuredContent"]["id"], "job-1");
    assert_eq!(one.ask("tools/call", stateless(todos))["result"]["isError"], false);
    let mut other = HttpSession::greet(&server, json!({}));
    let output = json!({"name": "shell_output", "arguments": {"id": "job-1", "wait_ms": 20000}});
    assert_eq!(other.ask("tools/call", output)["result"]["structuredContent"]["stdout"], "here\n");
    let list = other.ask("tools/call", json!({"name": "todo_read", "arguments": {}}));
    assert_eq!(list["result"]["structuredContent"]["todos"][0]["content"], "share");
}

#[test]
fn roots_of_one_client_do_not_narrow_another() {
    let root = root(&[("a.txt", "top"), ("app/a.txt", "app")]);
    let server = HttpServer::start(root.path(), &[]);
    let mut rooted = HttpSession::greet(&server, json!({"roots": {}}));
    let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
    let (id, mut answer) = rooted.begin("tools/call", &read);
    let question = answer.message().unwrap();
    assert_eq!(question["method"], "roots/list");
    let roots = json!([{"uri": format!("file://{}/app", root.path().to_str().unwrap())}]);
    rooted.tell(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}}));
    let narrowed = answer.message().unwrap();
    assert_eq!(
        (&narrowed["id"], &narrowed["result"]["content"][0]["text"]),
        (&json!(id), &json!("     1\tapp"))
    );
    let mut other = HttpSession::greet(&server, json!({}));
    assert_eq!(other.ask("tools/call", read.clone())["result"]["content"][0]["text"], "     1\ttop");
    let mut third = HttpSession::stateless(&server);
    assert_eq!(third.ask("tools/call", stateless(read))["result"]["content"][0]["text"], "     1\ttop");
}

#[cfg(target_os = "linux")]
mod on_linux {
    use super::*;

    /// A call that never ends, with its processes.
    fn endless(client: &HttpSession<'_>, root: &std::path::Path) -> (std::net::TcpStream, Vec<u32>) {
        let mut params = json!({"name": "run_shell", "arguments": {"command": "sh run.sh"}});
        if client.id.is_none() {
            params = stateless(params);
        }
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
        let stream = client.post_and_leave(&call);
        (stream, of_script(root))
    }

    #[test]
    fn a_stateless_client_that_hangs_up_takes_its_call_along() {
        let (_home, policy) = scripts_run();
        let root = root(&[("run.sh", ENDLESS)]);
        let server = HttpServer::start(root.path(), &["--policy", &policy]);
        let client = HttpSession::stateless(&server);
        let (stream, pids) = endless(&client, root.path());
        assert!(pids.iter().all(|&pid| runs(pid)));
        drop(stream);
        until_gone(&pids);
        check(&server, &[], 200);
        server.end();
    }

    #[test]
    fn a_session_is_cancelled_by_word_and_ended_by_delete() {
        for ends in [false, true] {
            let (_home, policy) = scripts_run();
            let root = root(&[("run.sh", ENDLESS)]);
            let server = HttpServer::start(root.path(), &["--policy", &policy]);
            let client = HttpSession::greet(&server, json!({}));
            let (_stream, pids) = endless(&client, root.path());
            if ends {
                let id = client.id.as_deref().unwrap();
                assert_eq!(server.send("DELETE", &[("Mcp-Session-Id", id)], "").status, 202);
            } else {
                let params = json!({"requestId": 7});
                client
                    .tell(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
            }
            until_gone(&pids);
            server.end();
        }
    }

    #[test]
    fn an_id_that_is_in_use_is_refused_and_the_first_call_stays_cancellable() {
        let (_home, policy) = scripts_run();
        let root = root(&[("run.sh", ENDLESS), ("a.txt", "one\n")]);
        let server = HttpServer::start(root.path(), &["--policy", &policy]);
        let client = HttpSession::greet(&server, json!({}));
        let (_stream, pids) = endless(&client, root.path());
        let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
        let read = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": read});
        let refused = client.post(&read(7)).message().unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)));
        assert!(pids.iter().all(|&pid| runs(pid)));
        let params = json!({"requestId": 7});
        client.tell(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
        until_gone(&pids);
        assert_eq!(client.post(&read(8)).message().unwrap()["result"]["isError"], false);
        server.end();
    }

    #[test]
    fn a_server_that_is_told_to_end_ends_its_calls_and_its_commands() {
        let (_home, policy) = scripts_run();
        let root = root(&[("run.sh", ENDLESS)]);
        let server = HttpServer::start(root.path(), &["--policy", &policy]);
        let client = HttpSession::stateless(&server);
        let (mut stream, pids) = endless(&client, root.path());
        server.end();
        assert!(!pids.iter().any(|&pid| runs(pid)));
        // The stream is closed, whatever was said before.
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
}

#[test]
fn a_no_over_http_leaves_no_trace() {
    let root = root(&[]);
    let home = tempfile::tempdir().unwrap();
    let policy = home.path().join("policy.toml");
    std::fs::write(&policy, "[shell]\nallow = [\"touch\"]\n").unwrap();
    let server = HttpServer::start(root.path(), &["--policy", policy.to_str().unwrap()]);
    let mut client = HttpSession::greet(&server, json!({"elicitation": {}}));
    let touch = json!({"name": "run_shell", "arguments": {"command": "touch made"}});
    for (answer, runs) in [
        (json!({"action": "decline"}), false),
        (json!({"action": "accept", "content": {"allow": true}}), true),
    ] {
        client.set_answer(Some(answer));
        let called: Value = client.ask("tools/call", touch.clone());
        assert_eq!(called["result"]["isError"], !runs);
        assert_eq!(root.path().join("made").exists(), runs);
    }
}
