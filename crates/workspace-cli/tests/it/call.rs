//! `workspace call`.

use serde_json::json;

use crate::program::{root, workspace};

#[test]
fn a_call_prints_one_result_object_and_exits_with_0() {
    let root = root(&[("a.txt", "one\n")]);
    let run = workspace(
        root.path(),
        &["call", "edit_file", r#"{"path":"a.txt","old_string":"one","new_string":"two"}"#],
        "",
    );
    assert_eq!(run.status, 0, "{run:?}");
    let result = run.json();
    assert_eq!((&result["ok"], &result["output"]["replacements"]), (&json!(true), &json!(1)));
    assert_eq!(std::fs::read_to_string(root.path().join("a.txt")).unwrap(), "two\n");
}

#[test]
fn a_failed_call_prints_its_error_and_exits_with_1() {
    let root = root(&[("main.rs", "")]);
    let run = workspace(root.path(), &["call", "read_file", r#"{"path":"mian.rs"}"#], "");
    assert_eq!(run.status, 1, "{run:?}");
    assert_eq!(
        run.json(),
        json!({"ok": false, "error": {
            "kind": "not-found", "tool": "read_file", "message": "`mian.rs`: there is no such file or directory",
            "hint": "did you mean `main.rs`?", "path": "mian.rs", "similar": ["main.rs"],
        }})
    );
}

#[test]
fn the_input_comes_from_standard_input_where_it_is_a_dash() {
    let root = root(&[("a.txt", "one\n")]);
    let run = workspace(root.path(), &["call", "read_file", "-"], r#"{"path":"a.txt","format":"raw"}"#);
    assert_eq!(run.json()["output"]["content"], "one\n");
}

#[test]
fn direct_methods_are_called_alike() {
    let root = root(&[("a.txt", "one\n")]);
    let run = workspace(root.path(), &["call", "move", r#"{"from":"a.txt","to":"b.txt"}"#], "");
    assert_eq!(run.json(), json!({"ok": true, "output": {"from": "a.txt", "to": "b.txt"}}));
    let run = workspace(root.path(), &["call", "exists", r#"{"path":"a.txt"}"#], "");
    assert_eq!(run.json()["output"]["exists"], false);
}

#[test]
fn bad_usage_exits_with_2_and_leaves_standard_output_empty() {
    let root = root(&[]);
    let missing = root.path().join("missing");
    for (args, message) in [
        (vec!["call", "read_file", "{"], "the input is not JSON"),
        (vec!["call"], "required arguments"),
        (vec!["--tools", "red_file", "tools"], "this workspace has no tool `red_file`"),
        (vec!["--scope", "nope", "tools"], "there is no such file or directory"),
    ] {
        let run = workspace(root.path(), &args, "");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{args:?}");
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
    let run = workspace(&missing, &["tools"], "");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    let file = root.path().join("file");
    std::fs::write(&file, "").unwrap();
    let run = workspace(&file, &["tools"], "");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("a directory is needed"), "{}", run.stderr);
}

#[test]
fn without_a_policy_no_command_runs_and_the_repository_is_closed_to_writes() {
    let root = root(&[(".git/config", "x\n"), ("app/.env", "KEY=1\n")]);
    for path in [".git/config", ".git/hooks/pre-commit", "app/.env", ".env"] {
        let input = json!({"path": path, "content": "y"}).to_string();
        let run = workspace(root.path(), &["call", "write_file", &input], "");
        assert_eq!(run.json()["error"]["kind"], "denied-path", "{path}");
    }
    let run = workspace(root.path(), &["call", "read_file", r#"{"path":".git/config"}"#], "");
    assert_eq!(run.json()["ok"], true);
    let run = workspace(root.path(), &["call", "run_shell", r#"{"command":"ls"}"#], "");
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("no --policy"), "{}", run.stderr);
}

#[test]
fn a_tree_in_memory_can_be_seeded_and_the_directory_stays_as_it_is() {
    let root = root(&[("src/a.txt", "one\n")]);
    let seed = root.path().to_str().unwrap();
    let args = ["--backend", "memory", "--seed", seed, "call", "edit_file"];
    let input = r#"{"path":"src/a.txt","old_string":"one","new_string":"two"}"#;
    let run = workspace(root.path(), &[&args[..], &[input]].concat(), "");
    assert_eq!(run.json()["ok"], true, "{run:?}");
    assert_eq!(std::fs::read_to_string(root.path().join("src/a.txt")).unwrap(), "one\n");
}
