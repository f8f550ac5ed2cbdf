//! The reported bugs of MCP servers among the cases of workspace-tools, through the protocol.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::session::Session;
use crate::program::root;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../workspace-tools/testdata/tool-bugs.jsonl");

#[test]
fn reported_bugs_of_servers_do_not_happen() {
    let cases = std::fs::read_to_string(CASES).unwrap();
    let cases = cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut played = Vec::new();
    for case in cases.filter(|case| case["via"] == "mcp") {
        play(&case);
        played.push(case["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(played, ["tb-ma-01", "tb-ms-01", "tb-mc-01"]);
}

fn play(case: &Value) {
    let files = case["setup"]["files"].as_array().unwrap();
    let files: Vec<_> = files.iter().map(|file| (text(file, "path"), text(file, "content"))).collect();
    let root = root(&files);
    let home = tempfile::tempdir().unwrap();
    let policy = home.path().join("policy.toml");
    let allow = match &case["setup"]["policy"]["shell"]["allow"] {
        Value::Null => json!(["sh", "cat", "echo"]),
        allow => allow.clone(),
    };
    let mut file = std::fs::File::create(&policy).unwrap();
    writeln!(file, "[shell]\nallow = {allow}\n[approval]\nrun_shell = \"never\"").unwrap();
    let mut session = Session::start(root.path(), &["--policy", policy.to_str().unwrap()]);
    let steps = case["expect"]["steps"].as_array().unwrap();
    for (call, step) in case["calls"].as_array().unwrap().iter().zip(steps) {
        let params = json!({"name": call["tool"], "arguments": call["args"]});
        let id = session.begin("tools/call", params);
        if let Some(after) = call["cancel_after_ms"].as_u64() {
            // The pause is the case itself: the command is to be in the middle of its work.
            std::thread::sleep(Duration::from_millis(after));
            let params = json!({"requestId": id});
            session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
            continue;
        }
        let answer = session.wait(id)["result"].take();
        check(case, step, &answer);
    }
    assert_eq!(session.told, [] as [Value; 0], "{case}");
    for after in case["expect"]["file_after"].as_array().into_iter().flatten() {
        check_file(case, root.path(), after);
    }
    session.end();
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

fn check(case: &Value, step: &Value, answer: &Value) {
    if let Some(ok) = step["ok"].as_bool() {
        assert_eq!(answer["isError"], !ok, "{case}: {answer}");
    } else {
        // Either is right, as long as an error says what is wrong with which field.
        let error = &answer["_meta"]["workspace/error"];
        assert!(answer["isError"] == false || error["field"].is_string(), "{case}: {answer}");
    }
    for (field, value) in step["fields"].as_object().into_iter().flatten() {
        assert_eq!(answer["structuredContent"][field], *value, "{case}: {answer}");
    }
    for part in step["result_contains"].as_array().into_iter().flatten() {
        assert!(text(&answer["content"][0], "text").contains(part.as_str().unwrap()), "{case}: {answer}");
    }
}

fn check_file(case: &Value, root: &Path, after: &Value) {
    let path = root.join(text(after, "path"));
    if after["absent"] == true {
        // Were it still to come, the command would run on; a later call has taken longer than it.
        assert!(!path.exists(), "{case}");
        return;
    }
    let content = std::fs::read_to_string(path).unwrap();
    let allowed = after["any_of"].as_array().unwrap();
    assert!(allowed.iter().any(|any| any["content"] == content), "{case}: {content}");
}
