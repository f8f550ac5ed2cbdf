//! The cases of `testdata/shell-policy.jsonl`.

use std::sync::LazyLock;

use serde_json::Value;
use workspace_shell_policy::{ArgPaths, DenyPattern, Mode, ShellPolicy, Substitution, Verdict, Word, check};

use crate::jail::Tree;

const CASES: &str = include_str!("../../testdata/shell-policy.jsonl");

/// Cases that are not met, each with its reason. None may be a hole: a line
/// that must be refused and runs.
const MISSES: &[(&str, &str)] = &[];

pub(crate) fn policy(value: &Value) -> Option<ShellPolicy> {
    if value.is_null() {
        return None;
    }
    let list = |name: &str| -> Option<Vec<String>> {
        let list = value.get(name)?.as_array().unwrap();
        Some(list.iter().map(|item| item.as_str().unwrap().to_owned()).collect())
    };
    let mut policy = ShellPolicy::new();
    if let Some(allow) = list("allow") {
        policy = policy.allow(allow);
    }
    policy = policy.deny(list("deny").unwrap_or_default());
    for pattern in value.get("denyPatterns").and_then(Value::as_array).into_iter().flatten() {
        policy = policy.deny_pattern(match pattern {
            Value::String(words) => DenyPattern::words(words).unwrap(),
            other => DenyPattern::regex(other["regex"].as_str().unwrap()).unwrap(),
        });
    }
    policy = policy.allow_patterns(list("allowPatterns").unwrap_or_default()).unwrap();
    policy = policy.deny_paths(list("denyPaths").unwrap_or_default()).unwrap();
    if value.get("argPaths").is_some() {
        policy = policy.arg_paths(ArgPaths::Jail);
    }
    if value.get("substitution").is_some() {
        policy = policy.substitution(Substitution::Refuse);
    }
    Some(policy)
}

static READ: LazyLock<Vec<Value>> =
    LazyLock::new(|| CASES.lines().map(|line| serde_json::from_str(line).unwrap()).collect());

pub(crate) fn cases() -> &'static [Value] {
    &READ
}

pub(crate) fn mode(case: &Value) -> Mode {
    if case["mode"] == "sh" { Mode::Sh } else { Mode::Argv }
}

fn word(value: &Value, tree: &Tree) -> Word {
    match value {
        Value::String(text) => Word::Known(tree.text(text)),
        other => Word::Raw(tree.text(other["raw"].as_str().unwrap())),
    }
}

/// What is wrong with a verdict, or nothing.
fn wrong(case: &Value, verdict: &Verdict, tree: &Tree) -> Option<String> {
    let reason = verdict.reason().map(workspace_shell_policy::Reason::as_str);
    if case["expect"] != verdict.as_str() {
        return Some(format!("{} {reason:?}", verdict.as_str()));
    }
    if case["expect"] == "refuse" {
        let accepted: Vec<&str> = match case.get("reasons").and_then(Value::as_array) {
            Some(reasons) => reasons.iter().filter_map(Value::as_str).collect(),
            None => vec![case["reason"].as_str().unwrap()],
        };
        if !reason.is_some_and(|reason| accepted.contains(&reason)) {
            return Some(format!("refused as {reason:?}"));
        }
        return None;
    }
    let expected = case["commands"].as_array().unwrap().iter();
    let missing: Vec<Vec<Word>> = expected
        .map(|argv| argv.as_array().unwrap().iter().map(|value| word(value, tree)).collect())
        .filter(|argv| !verdict.commands.contains(argv))
        .collect();
    (!missing.is_empty()).then(|| format!("not reported: {missing:?}"))
}

#[test]
fn every_case_is_met() {
    let tree = Tree::new();
    let mut failures = Vec::new();
    let mut judged = 0;
    for case in cases() {
        let id = case["id"].as_str().unwrap();
        let line = tree.text(case["line"].as_str().unwrap());
        let verdict = check(policy(&case["policy"]).as_ref(), mode(case), &line, &tree);
        judged += 1;
        let wrong = wrong(case, &verdict, &tree);
        let listed = MISSES.iter().any(|(missed, _)| *missed == id);
        let hole = case["expect"] == "refuse" && verdict.runs();
        match wrong {
            Some(wrong) if hole || !listed => {
                let shown: String = line.chars().take(120).collect();
                failures
                    .push(format!("{id} {shown:?}: expected {} {}, {wrong}", case["expect"], case["reason"]));
            }
            None if listed => failures.push(format!("{id} is met: take it off the list of misses")),
            _ => {}
        }
    }
    assert_eq!(judged, 622);
    assert!(failures.is_empty(), "{} cases:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn refusals_point_into_the_line_and_say_what_to_do() {
    let tree = Tree::new();
    for case in cases() {
        let line = tree.text(case["line"].as_str().unwrap());
        let verdict = check(policy(&case["policy"]).as_ref(), mode(case), &line, &tree);
        let Some(refusal) = verdict.refusal else { continue };
        let id = &case["id"];
        assert!(line.get(refusal.span.clone()).is_some(), "{id}: {:?}", refusal.span);
        assert!(refusal.hint.is_some(), "{id}: {refusal:?}");
        for text in [Some(&refusal.message), refusal.hint.as_ref()].into_iter().flatten() {
            assert!(!text.ends_with('.'), "{id}: {text}");
            assert!(!text.starts_with(char::is_uppercase), "{id}: {text}");
            assert_eq!(text.matches('`').count() % 2, 0, "{id}: {text}");
        }
    }
}
