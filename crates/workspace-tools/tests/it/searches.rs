//! `grep` as a model calls it: over the ends of lines, and by the type of files.

use serde_json::{Value, json};
use workspace_memory::Memory;
use workspace_tools::{Policy, ToolErrorKind, ToolSet, Workspace};

fn tools() -> ToolSet {
    let memory = Memory::new()
        .with_file("src/lib.rs", "fn a(\n    x: u8,\n) {}\n\nfn b() {}\n")
        .with_file("src/tool.py", "def a(\n    x,\n): pass\n")
        .with_file("notes.md", "fn a(\n")
        .with_file("big.rs", "fn a(\n    y\n".repeat(100_000));
    ToolSet::new(Workspace::memory(memory, Policy::default()).build().unwrap())
}

async fn found(input: Value) -> (Value, String) {
    let told = tools().call("grep", input).await.unwrap();
    (told.value["matches"].clone(), told.text)
}

#[tokio::test]
async fn a_match_over_lines_is_told_with_its_last_line() {
    let input = json!({"pattern": r"fn a\([^)]*\)", "multiline": true, "path": "src", "context": 1});
    let (matches, text) = found(input).await;
    assert_eq!(
        matches,
        json!([{"path": "src/lib.rs", "line": 1, "last_line": 3, "column": 1,
                "text": "fn a(\n    x: u8,\n) {}", "after": [""]}])
    );
    assert_eq!(text, "src/lib.rs:1: fn a(\nsrc/lib.rs:2:     x: u8,\nsrc/lib.rs:3: ) {}\nsrc/lib.rs-4- ");
}

#[tokio::test]
async fn a_file_too_large_for_it_is_told_with_the_next_step() {
    let (_, text) = found(json!({"pattern": r"fn a\(\n\s+x", "multiline": true})).await;
    assert!(text.contains(
        "1 file(s) are too large to be searched over the ends of lines; search them without `multiline`"
    ));
}

#[tokio::test]
async fn files_are_chosen_by_type() {
    let paths = |input| async move {
        let told = tools().call("grep", input).await.unwrap();
        told.value["files"].clone()
    };
    let a = r"^(fn|def) a\(";
    assert_eq!(paths(json!({"pattern": a, "mode": "files", "type": "py"})).await, json!(["src/tool.py"]));
    assert_eq!(
        paths(json!({"pattern": a, "mode": "files", "type": "py, md"})).await,
        json!(["notes.md", "src/tool.py"])
    );
    assert_eq!(
        paths(json!({"pattern": a, "mode": "files", "type": "!rust"})).await,
        json!(["notes.md", "src/tool.py"])
    );
    assert_eq!(
        paths(json!({"pattern": a, "mode": "files", "type": null, "path": "src"})).await,
        json!(["src/lib.rs", "src/tool.py"])
    );
}

#[tokio::test]
async fn a_type_that_is_none_is_refused_with_those_like_it() {
    let refused = tools().call("grep", json!({"pattern": "a", "type": "rs"})).await.unwrap_err();
    assert_eq!(
        (refused.kind(), refused.message(), refused.next_step()),
        (
            ToolErrorKind::InvalidInput,
            "there is no file type `rs`",
            Some("did you mean `rust` or `rst`? `glob` selects files by name too")
        )
    );
}
