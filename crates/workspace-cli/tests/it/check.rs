//! `workspace check`.

use serde_json::{Value, json};

use crate::program::{root, workspace};

#[test]
fn a_line_is_judged_by_the_policy_file_and_nothing_runs() {
    let root = root(&[("policy.toml", "[shell]\ninterpreter = \"sh\"\nallow = [\"echo\", \"touch\"]\n")]);
    let policy = root.path().join("policy.toml");
    let check =
        |line: &str| workspace(root.path(), &["--policy", policy.to_str().unwrap(), "check", line], "");
    let run = check("touch made && echo done");
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(
        run.json(),
        json!({"verdict": "run", "reason": null, "message": "the line may run", "commands": [["touch", "made"], ["echo", "done"]]})
    );
    assert!(!root.path().join("made").exists());
    let run = check("echo x > ../out");
    assert_eq!((run.status, run.json()["reason"].clone()), (1, json!("path-escape")));
}

#[test]
fn a_policy_file_begins_with_a_preset() {
    let root = root(&[("policy.toml", "[shell]\npreset = \"developer\"\ndeny = [\"make\"]\n")]);
    let policy = root.path().join("policy.toml");
    let check = |line: &str| {
        let run = workspace(root.path(), &["--policy", policy.to_str().unwrap(), "check", line], "");
        (run.status, run.json()["reason"].clone())
    };
    assert_eq!(check("cargo test -q"), (0, Value::Null));
    assert_eq!(check("git push --force"), (1, json!("denied-pattern")));
    assert_eq!(check("make"), (1, json!("denied-executable")));
}

#[test]
fn a_batch_judges_each_line_by_its_own_policy() {
    let root = root(&[("src/a.txt", "")]);
    let lines = [
        r#"{"mode": "sh", "policy": {"allow": ["git"], "denyPatterns": ["git push --force", {"regex": "^git reset --hard"}]}, "line": "git -C . push -f", "id": 1}"#,
        r#"{"mode": "argv", "policy": {"allow": ["cat"]}, "line": "cat src/a.txt"}"#,
        r#"{"mode": "sh", "policy": null, "line": "ls"}"#,
        "no json",
        r#"{"mode": "sh", "policy": {"allow": ["cat"]}, "line": "cat $X"}"#,
    ];
    let answers = workspace(root.path(), &["check", "--batch"], &lines.join("\n")).lines();
    let verdicts: Vec<_> =
        answers.iter().map(|answer| (answer["verdict"].as_str().unwrap(), &answer["reason"])).collect();
    assert_eq!(
        verdicts,
        [
            ("refuse", &json!("denied-pattern")),
            ("run", &Value::Null),
            ("refuse", &json!("not-allowed")),
            ("refuse", &Value::Null),
            ("run", &Value::Null),
        ]
    );
    assert_eq!(answers[4]["commands"], json!([["cat", {"raw": "$X"}]]));
}
