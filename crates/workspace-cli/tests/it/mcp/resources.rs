//! Files as resources.

use serde_json::{Value, json};

use super::client::stateless;
use super::session::Session;
use crate::program::root;

/// A root with what is to be seen and what is not, and its policy.
fn scene() -> (tempfile::TempDir, tempfile::TempDir, String) {
    let root = root(&[
        ("src/main.rs", "fn main() {}\n"),
        ("a b#1?é.txt", "odd\n"),
        ("secret/key", "k\n"),
        (".gitignore", "built\n"),
        ("built/out", "o\n"),
    ]);
    std::fs::write(root.path().join("blob"), [0xff, 0x00, 0x10]).unwrap();
    std::fs::write(root.path().join("large"), vec![b'x'; 2000]).unwrap();
    let home = tempfile::tempdir().unwrap();
    let policy = home.path().join("policy.toml");
    std::fs::write(&policy, "[paths]\ndeny = [\"secret/**\"]\n[read]\nmax_bytes = 1000\n").unwrap();
    let policy = policy.to_str().unwrap().to_owned();
    (root, home, policy)
}

fn read(session: &mut Session, uri: &str) -> Value {
    session.ask("resources/read", json!({"uri": uri}))
}

#[test]
fn a_file_is_read_by_its_uri_as_text_or_as_bytes() {
    let (root, _home, policy) = scene();
    let mut session = Session::start(root.path(), &["--policy", &policy]);
    let text = read(&mut session, "workspace:///src/main.rs")["result"]["contents"].take();
    let expected =
        json!({"uri": "workspace:///src/main.rs", "mimeType": "text/plain", "text": "fn main() {}\n"});
    assert_eq!(text, json!([expected]));
    let blob = read(&mut session, "workspace:///blob")["result"]["contents"].take();
    let expected =
        json!({"uri": "workspace:///blob", "mimeType": "application/octet-stream", "blob": "/wAQ"});
    assert_eq!(blob, json!([expected]));
    for spelled in
        ["workspace:///src/../src/main%2Ers", "workspace://src/main.rs", "workspace:///src%2Fmain.rs"]
    {
        assert_eq!(
            read(&mut session, spelled)["result"]["contents"][0]["text"],
            "fn main() {}\n",
            "{spelled}"
        );
    }
    session.end();
}

#[test]
fn the_rules_and_caps_of_the_policy_hold() {
    let (root, _home, policy) = scene();
    let mut session = Session::start(root.path(), &["--policy", &policy]);
    for (uri, code, word) in [
        ("workspace:///nope", -32002, "not-found"),
        ("workspace:///secret/key", -32602, "denied-path"),
        ("workspace:///secret%2Fkey", -32602, "denied-path"),
        ("workspace:///large", -32602, "too-large"),
        ("workspace:///src", -32602, "is-a-directory"),
        ("workspace:///../x", -32602, "path-escape"),
        ("workspace:///%2e%2e/x", -32602, "path-escape"),
        ("workspace:////etc/passwd", -32602, "path-escape"),
        ("workspace:///a%00b", -32602, "path-escape"),
        ("workspace:///", -32602, "invalid-input"),
        ("workspace:///src/main.rs?x", -32602, "query"),
        ("file:///etc/passwd", -32002, "not of this workspace"),
    ] {
        let error = read(&mut session, uri)["error"].take();
        assert_eq!(error["code"], code, "{uri}: {error}");
        assert!(error["message"].as_str().unwrap().contains(word), "{uri}: {error}");
        assert!(!error.to_string().contains(root.path().to_str().unwrap()), "{uri}: {error}");
    }
    session.end();
    // The version without a handshake has one code for all of these.
    let mut session = Session::launch(root.path(), &[]);
    let answer = session.ask("resources/read", stateless(json!({"uri": "workspace:///nope"})));
    assert_eq!(answer["error"]["code"], -32602);
    session.end();
}

#[test]
fn the_list_holds_what_glob_finds_and_every_entry_can_be_read() {
    let (root, _home, policy) = scene();
    let mut session = Session::start(root.path(), &["--policy", &policy]);
    let list = session.ask("resources/list", json!({}))["result"].take();
    assert_eq!(list["nextCursor"], Value::Null);
    let uris: Vec<_> = list["resources"].as_array().unwrap().iter().map(|file| file["uri"].clone()).collect();
    assert_eq!(
        uris,
        [
            "workspace:///.gitignore",
            "workspace:///a%20b%231%3F%C3%A9.txt",
            "workspace:///blob",
            "workspace:///large",
            "workspace:///src/main.rs",
        ]
    );
    let odd = read(&mut session, uris[1].as_str().unwrap());
    assert_eq!(odd["result"]["contents"][0]["text"], "odd\n");
    let template = session.ask("resources/templates/list", json!({}))["result"]["resourceTemplates"].take();
    assert_eq!(template[0]["uriTemplate"], "workspace:///{+path}");
    session.end();
}

#[test]
fn the_list_comes_in_pages_and_ends() {
    let root = root(&[]);
    for number in 0..2100 {
        let directory = root.path().join(format!("d{:02}", number / 100));
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join(format!("f{number:04}")), "").unwrap();
    }
    let mut session = Session::start(root.path(), &[]);
    let (mut names, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let mut page = session.ask("resources/list", params)["result"].take();
        let files = page["resources"].as_array().unwrap();
        names.extend(files.iter().map(|file| file["name"].as_str().unwrap().to_owned()));
        pages += 1;
        if pages == 1 {
            // What has changed between the pages neither repeats nor hides what is left.
            std::fs::remove_file(root.path().join("d01/f0199")).unwrap();
            std::fs::write(root.path().join("d00/a"), "").unwrap();
        }
        cursor = page["nextCursor"].take();
        if cursor.is_null() {
            break;
        }
    }
    let mut sorted = names.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!((names.len(), pages, names == sorted), (2000, 10, true));
    let wrong = session.ask("resources/list", json!({"cursor": "?"}));
    assert_eq!(wrong["error"]["code"], -32602);
    session.end();
}

#[test]
fn whoever_may_not_call_a_tool_gets_no_files_by_the_side_door() {
    let root = root(&[("a.txt", "one\n")]);
    let mut session = Session::start(root.path(), &["--tools", "grep"]);
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "workspace:///a.txt"})),
    ] {
        assert_eq!(session.ask(method, params)["error"]["code"], -32601, "{method}");
    }
    session.end();
    let mut session = Session::start(root.path(), &["--tools", "read_file"]);
    assert_eq!(session.ask("resources/list", json!({}))["result"]["resources"], json!([]));
    session.end();
}

#[test]
fn a_new_file_is_told_to_who_keeps_the_list() {
    let root = root(&[]);
    let mut session = Session::start(root.path(), &["--tools", "read_file,write_file,apply_patch"]);
    let write = json!({"path": "new.txt", "content": "x\n"});
    session.call("write_file", write.clone());
    assert_eq!(session.told.len(), 1);
    assert_eq!(session.told[0]["method"], "notifications/resources/list_changed");
    session.call("write_file", write);
    assert_eq!(session.told.len(), 1, "a file that was there is no news");
    for (section, news) in [("*** Update File: new.txt\n@@\n-x\n+y\n", 1), ("*** Delete File: new.txt\n", 2)]
    {
        let patch = format!("*** Begin Patch\n{section}*** End Patch\n");
        assert_eq!(session.call("apply_patch", json!({"patch": patch}))["isError"], false);
        assert_eq!(session.told.len(), news, "{section}");
    }
    session.end();

    let mut session = Session::launch(root.path(), &[]);
    let wanted = json!({"notifications": {"resourcesListChanged": true, "toolsListChanged": true}});
    let listening = session.begin("subscriptions/listen", stateless(wanted));
    assert_eq!(session.hear()["method"], "notifications/subscriptions/acknowledged");
    let write = json!({"name": "write_file", "arguments": {"path": "newer.txt", "content": "x"}});
    let writing = session.begin("tools/call", stateless(write));
    // The answer and the news may come in either order.
    let mut heard = [session.hear(), session.hear()];
    heard.sort_by_key(|message| message["id"] != json!(writing));
    assert_eq!(heard[0]["result"]["isError"], false);
    assert_eq!(heard[1]["method"], "notifications/resources/list_changed");
    assert_eq!(heard[1]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], json!(listening));
    session.end();
}
