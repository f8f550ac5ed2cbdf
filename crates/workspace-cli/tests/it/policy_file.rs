//! The policy file.

use crate::program::{root, workspace};

fn with_policy(policy: &str, args: &[&str]) -> crate::program::Run {
    let root = root(&[("policy.toml", policy), ("a.txt", "x\n"), ("secret/key", "s\n")]);
    let file = root.path().join("policy.toml");
    workspace(root.path(), &[&["--policy", file.to_str().unwrap()], args].concat(), "")
}

#[test]
fn a_policy_holds() {
    let policy = "[paths]\ndeny = [\"secret\"]\n\n[read]\nmax_bytes = 0\n\n[shell]\nallow = [\"echo\"]\n\n\
                  [approval]\nrun_shell = \"never\"\n";
    let run = with_policy(policy, &["call", "read_file", r#"{"path":"secret/key"}"#]);
    assert_eq!(run.json()["error"]["kind"], "denied-path");
    let run = with_policy(policy, &["call", "run_shell", r#"{"command":"echo hi"}"#]);
    assert_eq!(run.json()["output"]["stdout"], "hi\n");
    let run = with_policy(policy, &["call", "run_shell", r#"{"command":"cat a.txt"}"#]);
    assert_eq!(run.json()["error"]["reason"], "not-allowed");
}

#[test]
fn a_command_that_needs_approval_does_not_run_without_it() {
    let policy = "[shell]\nallow = [\"touch\"]\n";
    for approve in ["ask", "none"] {
        let run =
            with_policy(policy, &["--approve", approve, "call", "run_shell", r#"{"command":"touch made"}"#]);
        assert_eq!(run.json()["error"]["kind"], "approval-required");
    }
    let run = with_policy(policy, &["--approve", "all", "call", "run_shell", r#"{"command":"touch made"}"#]);
    assert_eq!(run.json()["ok"], true);
}

#[test]
fn a_wrong_policy_names_what_is_wrong_and_exits_with_2() {
    for (policy, message) in [
        ("[edit]\neool = \"adapt\"\n", "unknown key `edit.eool`\n  did you mean `edit.eol`?"),
        ("[edit]\neol = \"guess\"\n", "unknown variant `guess`"),
        ("[read]\nmax_bytes = -1\n", "line 2"),
        ("[read\n", "line 1"),
        ("[paths]\ndeny = [\"a[\"]\n", "`paths.deny` holds `a[`"),
    ] {
        let run = with_policy(policy, &["tools"]);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{policy}");
        assert!(run.stderr.contains(message), "{policy}: {}", run.stderr);
    }
}

#[test]
fn a_policy_file_that_cannot_be_read_exits_with_2() {
    let root = root(&[]);
    let run = workspace(root.path(), &["--policy", "/missing/policy.toml", "tools"], "");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("could not be read"), "{}", run.stderr);
}
