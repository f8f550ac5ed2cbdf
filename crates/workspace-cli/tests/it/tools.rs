//! `workspace tools`.

use serde_json::Value;

use crate::program::{root, workspace};

fn names(list: &Value, pointer: &str) -> Vec<String> {
    let tools = list.as_array().unwrap().iter();
    tools.map(|tool| tool.pointer(pointer).unwrap().as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_definitions_come_in_the_shape_of_each_vendor() {
    let root = root(&[]);
    let expected = [
        "read_file",
        "edit_file",
        "multi_edit",
        "write_file",
        "list_dir",
        "grep",
        "glob",
        "todo_write",
        "todo_read",
    ];
    for (format, name, input) in [
        ("mcp", "/name", "/inputSchema"),
        ("openai", "/name", "/parameters"),
        ("openai-loose", "/name", "/parameters"),
        ("openai-chat", "/function/name", "/function/parameters"),
        ("anthropic", "/name", "/input_schema"),
        ("gemini", "/name", "/parametersJsonSchema"),
    ] {
        let list = workspace(root.path(), &["tools", "--format", format], "").json();
        assert_eq!(names(&list, name), expected, "{format}");
        assert!(list.as_array().unwrap().iter().all(|tool| tool.pointer(input).is_some()), "{format}");
    }
}

#[test]
fn a_strict_schema_requires_every_key_and_lets_the_optional_ones_be_null() {
    let root = root(&[]);
    let list = workspace(root.path(), &["tools", "--format", "openai"], "").json();
    let read = &list[0]["parameters"];
    assert_eq!(read["required"], serde_json::json!(["path", "offset", "limit", "tail", "byte", "format"]));
    assert_eq!(read["properties"]["path"]["type"], "string");
    assert_eq!(read["properties"]["offset"]["type"], serde_json::json!(["integer", "null"]));
    assert_eq!(read["properties"]["format"]["enum"], serde_json::json!(["numbered", "raw", null]));
}

#[test]
fn projections_narrow_what_is_vended() {
    let root = root(&[]);
    let list = workspace(root.path(), &["--readonly", "tools"], "").json();
    assert_eq!(names(&list, "/name"), ["read_file", "list_dir", "grep", "glob", "todo_write", "todo_read"]);
    let list = workspace(root.path(), &["--tools", "glob,read_file", "tools"], "").json();
    assert_eq!(names(&list, "/name"), ["read_file", "glob"]);
}
