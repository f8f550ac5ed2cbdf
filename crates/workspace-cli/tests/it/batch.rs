//! `workspace batch`.

use serde_json::{Value, json};

use crate::program::{root, workspace};

fn kinds(answers: &[Value]) -> Vec<&str> {
    answers.iter().map(|answer| answer["error"]["kind"].as_str().unwrap_or("ok")).collect()
}

#[test]
fn each_request_is_answered_by_one_line_in_order() {
    let root = root(&[("a.txt", "one\n")]);
    let requests = [
        r#"{"id": 7, "tool": "edit_file", "args": {"path": "a.txt", "old_string": "one", "new_string": "two"}}"#,
        r#"{"tool": "read_file", "args": {"path": "a.txt", "format": "raw"}}"#,
        r#"{"op": "mkdir", "args": {"path": "d/e"}}"#,
        r#"{"op": "stat", "args": {"path": "d/e"}}"#,
        r#"{"sleep_ms": 1}"#,
        r#"{"op": "remove", "args": {"path": "d", "recursive": true}, "id": "x"}"#,
    ];
    let answers = workspace(root.path(), &["batch"], &requests.join("\n")).lines();
    assert_eq!(kinds(&answers), ["ok"; 6]);
    assert_eq!(answers[0]["id"], 7);
    assert_eq!(answers[1]["output"]["content"], "two\n");
    assert_eq!(answers[2]["output"], json!({"path": "d/e", "created": true}));
    assert_eq!(answers[3]["output"]["type"], "dir");
    assert_eq!(answers[4], json!({"ok": true, "output": {}}));
    assert_eq!(answers[5], json!({"ok": true, "output": {"path": "d"}, "id": "x"}));
}

#[test]
fn a_line_that_is_no_request_is_answered_and_the_next_is_read() {
    let root = root(&[("a.txt", "one\n")]);
    let requests = [
        "{not json",
        "[1, 2]",
        r#"{"tool": "read_file", "op": "stat"}"#,
        r#"{"tool": 7}"#,
        r#"{"surprise": true}"#,
        r#"{"op": "format_disk", "args": {}}"#,
        r#"{"tool": "no_such_tool", "args": {}}"#,
        r#"{"tool": "read_file", "args": {"path": "a.txt", "limt": 3}}"#,
        r#"{"tool": "read_file", "args": {"path": "a.txt"}}"#,
    ];
    let answers = workspace(root.path(), &["batch"], &requests.join("\n")).lines();
    let mut expected = ["invalid-input"; 9];
    expected[8] = "ok";
    assert_eq!(kinds(&answers), expected);
}

#[test]
fn a_group_starts_together_and_is_answered_together() {
    let root = root(&[("n.txt", "1\n2\n3\n")]);
    let edit = |old: &str, new: &str| json!({"tool": "edit_file", "args": {"path": "n.txt", "old_string": old, "new_string": new}});
    let request = json!({"group": [edit("1", "one"), edit("2", "two"), edit("3", "three")]}).to_string();
    let answers = workspace(root.path(), &["batch"], &request).lines();
    let group = answers[0]["group"].as_array().unwrap();
    assert_eq!(kinds(group), ["ok"; 3]);
    assert_eq!(std::fs::read_to_string(root.path().join("n.txt")).unwrap(), "one\ntwo\nthree\n");
}

#[test]
fn todos_live_across_lines() {
    let root = root(&[]);
    let requests = [
        r#"{"tool": "todo_write", "args": {"todos": [{"content": "paint", "status": "pending"}]}}"#,
        r#"{"tool": "todo_read"}"#,
    ];
    let answers = workspace(root.path(), &["batch"], &requests.join("\n")).lines();
    assert_eq!(answers[1]["output"]["counts"], json!({"pending": 1, "in_progress": 0, "completed": 0}));
}
