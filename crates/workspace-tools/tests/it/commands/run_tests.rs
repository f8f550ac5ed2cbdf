//! `run_tests`.

use serde_json::{Value, json};
use workspace_memory::Memory;
use workspace_tools::{Limit, RunTestsInput, TestsPolicy, Workspace};

use super::puppet::{Puppet, Shell};
use super::{call, policy, refused, timeless, with_shell, workspace};

fn testing(shell: &Shell, command: &str) -> Workspace {
    let mut policy = policy();
    policy.tests = Some(TestsPolicy::running(command));
    workspace(shell, policy)
}

/// Runs tests whose command the test plays.
async fn played(workspace: &Workspace, shell: &Shell, input: Value, play: impl FnOnce(&Puppet)) -> Value {
    let running = tokio::spawn({
        let workspace = workspace.clone();
        async move { call(&workspace, "run_tests", input).await.unwrap() }
    });
    play(&shell.next().await);
    timeless(running.await.unwrap())
}

#[tokio::test]
async fn r_test_1_the_pattern_is_one_argument() {
    let shell = Shell::new();
    let workspace = testing(&shell, "cargo test --quiet");
    for (pattern, last) in [
        (json!({}), None),
        (json!({"pattern": "cart"}), Some("cart")),
        (json!({"pattern": "it's $(rm) `x` ; a b"}), Some("it's $(rm) `x` ; a b")),
        (json!({"pattern": "a\\b 'c'"}), Some("a\\b 'c'")),
        (json!({"pattern": "tests/test_a.py::test_b[x - y]"}), Some("tests/test_a.py::test_b[x - y]")),
    ] {
        let argv: Vec<_> = ["cargo", "test", "--quiet"].into_iter().chain(last).collect();
        played(&workspace, &shell, pattern, |puppet| {
            assert_eq!(puppet.argv(), argv);
            puppet.exit(0);
        })
        .await;
    }
    for pattern in ["--help", "-x", "a\nb", "a\0", "a\"b", ""] {
        let answer = call(&workspace, "run_tests", json!({"pattern": pattern})).await;
        assert_eq!(refused(answer, "invalid-input"), json!({"field": "pattern"}), "{pattern:?}");
    }
    assert!(!shell.has_started());
}

#[tokio::test]
async fn r_test_1_the_shell_policy_must_allow_the_command() {
    let shell = Shell::new();
    let mut policy = with_shell(|shell| shell.allow = Some(vec!["npm".into()]));
    policy.tests = Some(TestsPolicy::running("cargo test"));
    refused(workspace(&shell, policy).run_tests(RunTestsInput::all()).await, "denied-command");
    assert!(!shell.has_started());
}

#[tokio::test]
async fn r_test_1_what_the_runner_told_stands_beside_the_output() {
    let shell = Shell::new();
    let workspace = testing(&shell, "cargo test");
    let out =
        "failures:\n    tests::breaks\n\ntest result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured\n";
    let answer = played(&workspace, &shell, json!({"timeout_ms": 999_999}), |puppet| {
        puppet.print(out);
        puppet.exit(101);
    })
    .await;
    assert_eq!(
        answer,
        json!({
            "exit_code": 101, "stdout": out, "stderr": "", "timed_out": false, "cancelled": false, "truncated": false,
            "omitted": {"stdout": 0, "stderr": 0}, "duration_ms": "…", "timeout_clamped": 600_000,
            "ok": false, "passed": 4, "failed": 1, "skipped": 2, "failures": ["tests::breaks"],
        })
    );
    let answer = played(&workspace, &shell, json!({}), |puppet| puppet.exit(0)).await;
    assert_eq!((&answer["ok"], answer.get("passed"), answer.get("failures")), (&json!(true), None, None));
}

#[tokio::test]
async fn r_test_1_totals_are_right_where_the_output_is_cut() {
    let shell = Shell::new();
    let mut policy = with_shell(|shell| shell.max_output_bytes = Limit::of(300));
    policy.tests = Some(TestsPolicy::running("cargo test"));
    let workspace = workspace(&shell, policy);
    let answer = played(&workspace, &shell, json!({}), |puppet| {
        for crate_number in 0..50 {
            puppet.print(format!("running tests of crate {crate_number}\n"));
            puppet.print(
                "failures:\n    tests::flaky\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored\n\n",
            );
        }
        puppet.exit(101);
    })
    .await;
    assert_eq!(
        (&answer["truncated"], &answer["passed"], &answer["failed"], &answer["failures"]),
        (&json!(true), &json!(100), &json!(50), &json!(["tests::flaky"]))
    );
}

#[tokio::test]
async fn r_test_1_without_a_command_there_is_no_tool() {
    let shell = Shell::new();
    let workspace = workspace(&shell, policy());
    refused(workspace.run_tests(RunTestsInput::all()).await, "unsupported");
    refused(call(&workspace, "run_tests", json!({})).await, "unsupported");
}

#[tokio::test]
async fn r_test_1_the_runner_is_detected_where_the_policy_says_so() {
    let script = r#"{"scripts": {"test": "jest"}}"#;
    for (files, argv, because) in [
        (vec![("Cargo.toml", ""), ("package.json", script)], vec!["cargo", "test", "x"], "Cargo.toml"),
        (vec![("go.mod", ""), ("conftest.py", "")], vec!["go", "test", "./...", "-run", "x"], "go.mod"),
        (vec![("package.json", script)], vec!["npm", "test", "x"], "package.json"),
        (vec![("package.json", "{}"), ("tox.ini", "[pytest]")], vec!["pytest", "x"], "tox.ini"),
        (vec![("pyproject.toml", "[tool.pytest.ini_options]")], vec!["pytest", "x"], "pyproject.toml"),
    ] {
        let shell = Shell::new();
        let mut policy = policy();
        policy.tests = Some(TestsPolicy::detecting());
        let memory = files.iter().fold(Memory::new(), |memory, (path, text)| memory.with_file(path, *text));
        let workspace = Workspace::builder(memory).shell(shell.clone()).policy(policy).build().unwrap();
        let answer = played(&workspace, &shell, json!({"pattern": "x"}), |puppet| {
            assert_eq!(puppet.argv(), argv);
            puppet.exit(0);
        })
        .await;
        let note = answer["note"].as_str().unwrap();
        assert!(note.ends_with(&format!("was chosen because of `{because}`")), "{note}");
    }
}

#[tokio::test]
async fn r_test_1_nothing_detected_is_not_found() {
    let shell = Shell::new();
    let mut policy = policy();
    policy.tests = Some(TestsPolicy::detecting());
    let memory = Memory::new().with_file("pyproject.toml", "[project]").with_file("sub/Cargo.toml", "");
    let workspace = Workspace::builder(memory).shell(shell.clone()).policy(policy).build().unwrap();
    refused(workspace.run_tests(RunTestsInput::all()).await, "not-found");
    // A scope has a root of its own.
    let scope = workspace.scope("sub").await.unwrap();
    let running = tokio::spawn(async move { scope.run_tests(RunTestsInput::all()).await });
    let puppet = shell.next().await;
    assert_eq!(
        (puppet.argv(), puppet.command.cwd.as_str()),
        (vec!["cargo".to_owned(), "test".to_owned()], "sub")
    );
    puppet.exit(0);
    assert!(running.await.unwrap().unwrap().ok);
}
