//! The roots of a client can only narrow.

use std::path::Path;

use serde_json::{Value, json};

use super::session::Session;
use crate::program::root;

fn uri(root: &Path, below: &str) -> Value {
    json!({"uri": format!("file://{}{below}", root.to_str().unwrap())})
}

/// What `a.txt` holds for a client with these roots; the error's kind where there is none.
#[track_caller]
fn check(root: &Path, roots: &[&Value], expected: &str) {
    let mut session = Session::greet(root, &[], json!({"roots": {"listChanged": true}}));
    session.roots = Some(json!(roots));
    let read = session.call("read_file", json!({"path": "a.txt"}));
    let found = match read["_meta"]["workspace/error"]["kind"].as_str() {
        Some(kind) => kind.to_owned(),
        None => read["content"][0]["text"].as_str().unwrap().split('\t').nth(1).unwrap().to_owned(),
    };
    assert_eq!(found, expected, "{roots:?}");
    // Outside of the workspace nothing is opened, whatever the client names.
    let outside = session.call("read_file", json!({"path": "/etc/passwd"}));
    assert_eq!(outside["_meta"]["workspace/error"]["kind"], "path-escape");
    session.end();
}

#[test]
fn the_roots_of_a_client_only_narrow() {
    let root = root(&[("a.txt", "top"), ("app/a.txt", "app"), ("app/x/a.txt", "x"), ("app/y z/b.txt", "y")]);
    let root = root.path();
    let (top, app) = (uri(root, ""), uri(root, "/app"));
    let (x, y) = (uri(root, "/app/x"), uri(root, "/app/y%20z/"));
    let elsewhere = json!({"uri": "file:///etc"});
    let (foreign, everything) = (json!({"uri": "https://example.org/"}), json!({"uri": "file:///"}));
    check(root, &[], "top");
    check(root, &[&top], "top");
    check(root, &[&app], "app");
    check(root, &[&x], "x");
    check(root, &[&y], "not-found");
    check(root, &[&x, &y], "app");
    check(root, &[&x, &app], "app");
    check(root, &[&x, &top], "top");
    check(root, &[&x, &elsewhere], "x");
    check(root, &[&elsewhere], "top");
    check(root, &[&x, &everything], "top");
    check(root, &[&foreign, &x], "x");
}

#[test]
fn roots_are_asked_for_again_when_they_have_changed() {
    let root = root(&[("a.txt", "top"), ("app/a.txt", "app")]);
    let mut session = Session::greet(root.path(), &[], json!({"roots": {"listChanged": true}}));
    let read = json!({"path": "a.txt"});
    session.roots = Some(json!([uri(root.path(), "/app")]));
    assert_eq!(session.call("read_file", read.clone())["content"][0]["text"], "     1\tapp");
    session.roots = Some(json!([uri(root.path(), "")]));
    assert_eq!(session.call("read_file", read.clone())["content"][0]["text"], "     1\tapp");
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    // The news and the next call are taken up in either order.
    super::processes::until("the roots are new", || {
        session.call("read_file", read.clone())["content"][0]["text"] == "     1\ttop"
    });
    session.end();
}
