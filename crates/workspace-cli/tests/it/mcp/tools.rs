//! Listing and calling.

use serde_json::json;

use super::session::Session;
use crate::program::root;

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
