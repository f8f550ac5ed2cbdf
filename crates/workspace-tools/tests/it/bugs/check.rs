//! What a case expects of its calls, field by field of the format.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::case::Case;
use super::scene::Answer;

/// What is wrong with the answers.
pub(super) fn steps(case: &Case, answers: &[Answer], root: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, (step, answer)) in case.expect.steps.iter().zip(answers).enumerate() {
        for (key, wanted) in step {
            if let Some(fault) = differs(key, wanted, answer, root) {
                faults.push(format!("step {index} {}: {key}: {fault}", answer.tool));
            }
        }
    }
    faults
}

/// What is wrong with groups of calls that ran together.
pub(super) fn groups(case: &Case, answers: &[Answer]) -> Vec<String> {
    let mut faults = Vec::new();
    for (group, wanted) in &case.expect.groups {
        let members: Vec<_> = case
            .calls
            .iter()
            .zip(answers)
            .filter(|(call, _)| call.parallel_group.is_some_and(|number| number.to_string() == *group))
            .map(|(_, answer)| answer)
            .collect();
        let good = members.iter().filter(|answer| answer.result.is_ok()).count();
        if wanted["ok_count"].as_u64() != Some(good as u64) {
            faults.push(format!("group {group}: {good} calls succeeded"));
        }
        let kinds: Vec<_> = members
            .iter()
            .filter_map(|answer| answer.result.as_ref().err())
            .map(|e| e.kind().as_str())
            .collect();
        let allowed = words(&wanted["error_kinds"]);
        if kinds.iter().any(|kind| !allowed.iter().any(|word| ours(word).contains(kind))) {
            faults.push(format!("group {group}: errors {kinds:?}"));
        }
    }
    faults
}

/// The kinds of this project for a kind of the cases.
fn ours(theirs: &str) -> &'static [&'static str] {
    match theirs {
        "edit-not-found" => &["no-match"],
        "edit-not-unique" => &["not-unique"],
        "stale-hash" => &["stale-hash"],
        "no-change" => &["no-change"],
        "invalid-args" => &["invalid-input", "empty-old-string"],
        "no-such-file" => &["not-found"],
        "is-directory" => &["is-a-directory"],
        "not-a-directory" => &["not-a-directory"],
        "not-a-file" => &["not-a-file"],
        "binary-file" => &["binary"],
        "bad-encoding" => &["not-utf8"],
        "out-of-range" => &["out-of-range"],
        "path-escape" => &["path-escape"],
        "denied-command" => &["denied-command"],
        "unsafe-pattern" => &["unsafe-pattern"],
        "invalid-pattern" => &["invalid-pattern"],
        "job-not-found" => &["job-not-found"],
        "spawn-failed" | "command-not-found" => &["spawn-failed"],
        "io" => &["io", "no-space", "permission", "already-exists"],
        _ => &[],
    }
}

fn words(value: &Value) -> Vec<&str> {
    match value {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// All texts of a result, joined by LF.
fn text(answer: &Answer) -> String {
    fn gather(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::String(text) => into.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| gather(item, into)),
            Value::Object(fields) => fields.values().for_each(|field| gather(field, into)),
            _ => {}
        }
    }
    let mut texts = Vec::new();
    match &answer.result {
        Ok(output) => output.value.values().for_each(|value| gather(value, &mut texts)),
        Err(error) => gather(&error.to_value(&answer.tool), &mut texts),
    }
    texts.join("\n")
}

/// A field of an answer, or of an error, by the name that the cases have for it.
fn field(answer: &Answer, name: &str) -> Value {
    let name = if name == "files_searched" { "files_scanned" } else { name };
    match &answer.result {
        Ok(output) => output.value.get(name).cloned().unwrap_or(Value::Null),
        Err(error) => error.fields().get(name).cloned().unwrap_or(Value::Null),
    }
}

fn paths(answer: &Answer) -> Vec<String> {
    let Ok(output) = &answer.result else { return Vec::new() };
    let plain = |value: &Value| value.as_str().map(str::to_owned);
    match (output.value.get("paths"), output.value.get("entries")) {
        (Some(Value::Array(paths)), _) => paths.iter().filter_map(plain).collect(),
        (_, Some(Value::Array(entries))) => {
            entries.iter().filter_map(|entry| plain(&entry["path"])).collect()
        }
        _ => Vec::new(),
    }
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_else(|| vec![value.clone()])
}

#[allow(clippy::too_many_lines)] // One arm for each word of the format.
fn differs(key: &str, wanted: &Value, answer: &Answer, root: &str) -> Option<String> {
    let result = &answer.result;
    let said = text(answer);
    let filled = |value: &Value| value.as_str().unwrap_or_default().replace("{ROOT}", root);
    let number = || wanted.as_u64().unwrap();
    let fault = |bad: bool, found: String| bad.then_some(found);
    match key {
        "ok" => match (wanted, result) {
            (Value::Bool(true), Err(error)) => Some(format!("failed: {error:?}")),
            (Value::Bool(false), Ok(output)) => Some(format!("succeeded: {:?}", output.value)),
            _ => None,
        },
        "error_kind" => {
            let error = result.as_ref().err()?;
            let allowed = words(wanted);
            fault(
                !allowed.iter().any(|word| ours(word).contains(&error.kind().as_str())),
                format!("{error:?}"),
            )
        }
        "result_contains" => list(wanted)
            .iter()
            .map(filled)
            .find(|part| !said.contains(part))
            .map(|part| format!("no {part:?} in {said:?}")),
        "result_not_contains" => list(wanted)
            .iter()
            .map(filled)
            .find(|part| said.contains(part))
            .map(|part| format!("{part:?} in {said:?}")),
        "result_contains_any" => fault(
            !list(wanted).iter().map(filled).any(|part| said.contains(&part)),
            format!("none in {said:?}"),
        ),
        "fields" => each(wanted, |name, value| (field(answer, name) != *value).then(|| field(answer, name))),
        "fields_any" if result.is_ok() => each(wanted, |name, values| {
            (!list(values).contains(&field(answer, name))).then(|| field(answer, name))
        }),
        "fields_min" if result.is_ok() => each(wanted, |name, value| {
            (field(answer, name).as_f64() < value.as_f64()).then(|| field(answer, name))
        }),
        "paths_equal" if result.is_ok() => {
            let found: BTreeSet<_> = paths(answer).into_iter().collect();
            let wanted: BTreeSet<_> = list(wanted).iter().map(filled).collect();
            fault(found != wanted, format!("{found:?}"))
        }
        "paths_contain" if result.is_ok() => list(wanted)
            .iter()
            .map(filled)
            .find(|path| !paths(answer).contains(path))
            .map(|path| format!("no {path}")),
        "paths_not_contain" if result.is_ok() => list(wanted)
            .iter()
            .map(filled)
            .find(|path| paths(answer).contains(path))
            .map(|path| format!("has {path}")),
        "paths_min" if result.is_ok() => {
            fault((paths(answer).len() as u64) < number(), paths(answer).len().to_string())
        }
        "paths_max" if result.is_ok() => {
            fault(paths(answer).len() as u64 > number(), paths(answer).len().to_string())
        }
        "paths_count" if result.is_ok() => {
            fault(paths(answer).len() as u64 != number(), paths(answer).len().to_string())
        }
        "paths_sorted" if result.is_ok() => {
            let found = paths(answer);
            fault(!found.is_sorted_by(|a, b| a.split('/').le(b.split('/'))), format!("{found:?}"))
        }
        "matches_equal" if result.is_ok() => {
            let found: Vec<Value> = list(&field(answer, "matches"))
                .iter()
                .map(|hit| Value::from(vec![hit["path"].clone(), hit["line"].clone(), hit["text"].clone()]))
                .collect();
            fault(found != list(wanted), format!("{found:?}"))
        }
        "todos_equal" if result.is_ok() => {
            let found: Vec<Value> = list(&field(answer, "todos"))
                .iter()
                .map(|todo| Value::from(vec![todo["content"].clone(), todo["status"].clone()]))
                .collect();
            fault(found != list(wanted), format!("{found:?}"))
        }
        "max_ms" => fault(answer.took.as_millis() > u128::from(number()), format!("{:?}", answer.took)),
        "min_ms" => fault(answer.took.as_millis() < u128::from(number()), format!("{:?}", answer.took)),
        "max_result_bytes" => fault(said.len() as u64 > number(), said.len().to_string()),
        "max_content_bytes" if result.is_ok() => {
            let length = field(answer, "content").as_str().map_or(0, str::len) as u64;
            fault(length > number(), length.to_string())
        }
        "utf8_clean" => fault(said.contains('\u{fffd}'), said),
        "max_occurrences" => each(wanted, |part, most| {
            let found = said.matches(part).count() as u64;
            (found > most.as_u64().unwrap()).then(|| found.into())
        }),
        // A Rust string holds no lone surrogate, and the rest belongs to other results or to the MCP server.
        "no_lone_surrogates"
        | "why"
        | "may_have_no_response"
        | "schema_checks"
        | "fields_any"
        | "fields_min"
        | "paths_equal"
        | "paths_contain"
        | "paths_not_contain"
        | "paths_min"
        | "paths_max"
        | "paths_count"
        | "paths_sorted"
        | "matches_equal"
        | "todos_equal"
        | "max_content_bytes" => None,
        other => Some(format!("the check does not know `{other}`")),
    }
}

fn each(wanted: &Value, wrong: impl Fn(&str, &Value) -> Option<Value>) -> Option<String> {
    let empty = Map::new();
    let fields = wanted.as_object().unwrap_or(&empty);
    fields
        .iter()
        .find_map(|(name, value)| wrong(name, value).map(|found| format!("{name} is {found}, not {value}")))
}
