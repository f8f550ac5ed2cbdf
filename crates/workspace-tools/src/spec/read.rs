//! The check of what a model sent: keys, aliases, types and ranges, before anything happens.

use serde_json::{Map, Value};

use super::{Field, Shape, ToolSpec};
use crate::similar::nearest;
use crate::{Result, ToolError, ToolErrorKind};

/// Reads the input of a tool: aliases become their keys, `null` becomes absent.
///
/// # Errors
/// `invalid-input`, naming the key, what was given and what is accepted.
pub(crate) fn read_input(spec: &ToolSpec, input: Value) -> Result<Map<String, Value>> {
    let given = match input {
        Value::Object(given) => given,
        Value::Null => Map::new(),
        other => {
            return Err(invalid(
                "input",
                format!("the input of `{}` is {}; it must be an object", spec.name, describe(&other)),
            ));
        }
    };
    read_object(spec.input, given, "", spec.name)
}

fn read_object(
    fields: &[Field],
    given: Map<String, Value>,
    place: &str,
    tool: &str,
) -> Result<Map<String, Value>> {
    let mut read = Map::new();
    let mut spelled: Vec<(&str, String)> = Vec::new();
    for (key, value) in given {
        let Some(field) =
            fields.iter().find(|field| field.name == key || field.aliases.contains(&key.as_str()))
        else {
            return Err(unknown(fields, &key, place, tool));
        };
        let at = format!("{place}{}", field.name);
        if let Some((_, earlier)) = spelled.iter().find(|(name, _)| *name == field.name) {
            return Err(invalid(
                &at,
                format!(
                    "`{earlier}` and `{key}` mean the same key, and both are given; give `{}` alone",
                    field.name
                ),
            ));
        }
        spelled.push((field.name, key));
        if !value.is_null() {
            read.insert(field.name.to_owned(), read_value(&field.shape, value, &at, tool)?);
        }
    }
    for field in fields.iter().filter(|field| field.required) {
        if !read.contains_key(field.name) {
            let at = format!("{place}{}", field.name);
            return Err(invalid(&at, format!("`{at}` is missing; it must be {}", accepted(&field.shape))));
        }
    }
    Ok(read)
}

fn read_value(shape: &Shape, value: Value, at: &str, tool: &str) -> Result<Value> {
    let wrong = |value: &Value| {
        Err(invalid(at, format!("`{at}` is {}; it must be {}", describe(value), accepted(shape))))
    };
    match (shape, value) {
        (Shape::Text, value @ Value::String(_)) | (Shape::Boolean, value @ Value::Bool(_)) => Ok(value),
        (Shape::Integer { min, max }, value) => match whole(&value) {
            Some(number) if (*min..=*max).contains(&number) => Ok(number.into()),
            _ => wrong(&value),
        },
        (Shape::Choice(words), value) => match value.as_str() {
            Some(word) if words.contains(&word) => Ok(value),
            _ => wrong(&value),
        },
        (Shape::List(item), Value::Array(values)) => values
            .into_iter()
            .enumerate()
            .map(|(index, value)| read_value(item, value, &format!("{at}[{index}]"), tool))
            .collect::<Result<Vec<_>>>()
            .map(Value::Array),
        (Shape::Object(fields), Value::Object(given)) => {
            read_object(fields, given, &format!("{at}."), tool).map(Value::Object)
        }
        (_, value) => wrong(&value),
    }
}

/// A number without a fraction, however it is written: `3` and `3.0`.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        // 2^53: beyond it a float does not tell neighbours apart.
        #[allow(clippy::cast_possible_truncation)]
        (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
    })
}

fn unknown(fields: &[Field], key: &str, place: &str, tool: &str) -> ToolError {
    let names: Vec<_> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
    let known =
        if names.is_empty() { "it takes none".to_owned() } else { format!("it takes {}", names.join(", ")) };
    let at = format!("{place}{key}");
    let error = invalid(&at, format!("`{at}` is not a key of `{tool}`; {known}"));
    match nearest(key, fields.iter().map(|field| field.name)) {
        Some(name) => error.hint(format!("did you mean `{place}{name}`? call again with that key")),
        None => error.hint("call again without that key"),
    }
}

fn invalid(field: &str, message: String) -> ToolError {
    ToolError::new(ToolErrorKind::InvalidInput, message)
        .with("field", field)
        .hint(format!("correct `{field}` and call again; nothing has been done"))
}

/// What is accepted, in words.
fn accepted(shape: &Shape) -> String {
    match shape {
        Shape::Text => "a text".into(),
        Shape::Integer { min, max: i64::MAX } => format!("a whole number of at least {min}"),
        Shape::Integer { min, max } => format!("a whole number from {min} to {max}"),
        Shape::Boolean => "`true` or `false`".into(),
        Shape::Choice(words) => {
            let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!("one of {}", words.join(", "))
        }
        Shape::List(item) => format!("a list, each item {}", accepted(item)),
        Shape::Object(fields) => {
            let names: Vec<_> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
            format!("an object of {}", names.join(", "))
        }
        Shape::Nullable(inner) => accepted(inner),
    }
}

/// What was given, in words. A long value would drown the message.
fn describe(value: &Value) -> String {
    const LONGEST: usize = 60;
    match value {
        Value::Null => "null".into(),
        Value::Bool(yes) => format!("`{yes}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.len() <= LONGEST => format!("the text {text:?}"),
        Value::String(text) => format!("a text of {} bytes", text.len()),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SPEC: ToolSpec = ToolSpec {
        name: "demo",
        title: "Demo",
        description: "",
        input: &[
            Field::new("path", Shape::Text, "").required().aliases(&["file_path", "filePath"]),
            Field::new("limit", Shape::Integer { min: 0, max: 100 }, ""),
            Field::new("format", Shape::Choice(&["numbered", "raw"]), ""),
            Field::new("deep", Shape::Boolean, ""),
            Field::new(
                "edits",
                Shape::List(&Shape::Object(&[Field::new("old", Shape::Text, "").required()])),
                "",
            ),
        ],
        output: &[],
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };

    #[track_caller]
    fn takes(input: Value, expected: Value) {
        assert_eq!(read_input(&SPEC, input).map(Value::Object), Ok(expected));
    }

    #[track_caller]
    fn refuses(input: Value, field: &str, message: &str) {
        let error = read_input(&SPEC, input).unwrap_err();
        assert_eq!(error.kind(), ToolErrorKind::InvalidInput);
        assert_eq!((error.fields()["field"].as_str(), error.message()), (Some(field), message));
    }

    #[test]
    fn r_call_2_aliases_become_their_keys_and_never_stand_beside_them() {
        takes(json!({"file_path": "a"}), json!({"path": "a"}));
        takes(json!({"filePath": "a"}), json!({"path": "a"}));
        refuses(
            json!({"path": "a", "file_path": "b"}),
            "path",
            "`path` and `file_path` mean the same key, and both are given; give `path` alone",
        );
    }

    #[test]
    fn null_is_absent() {
        takes(json!({"path": "a", "limit": null, "format": null}), json!({"path": "a"}));
        refuses(json!({"path": null}), "path", "`path` is missing; it must be a text");
        refuses(Value::Null, "path", "`path` is missing; it must be a text");
    }

    #[test]
    fn r_call_3_the_message_names_the_key_what_was_given_and_what_is_accepted() {
        takes(json!({"path": "a", "limit": 3.0}), json!({"path": "a", "limit": 3}));
        refuses(
            json!({"path": "a", "limit": -1}),
            "limit",
            "`limit` is the number -1; it must be a whole number from 0 to 100",
        );
        refuses(
            json!({"path": "a", "limit": "20"}),
            "limit",
            "`limit` is the text \"20\"; it must be a whole number from 0 to 100",
        );
        refuses(
            json!({"path": "a", "format": "hex"}),
            "format",
            "`format` is the text \"hex\"; it must be one of \"numbered\", \"raw\"",
        );
        refuses(json!({"path": 7}), "path", "`path` is the number 7; it must be a text");
        refuses(
            json!({"path": "a", "deep": "yes"}),
            "deep",
            "`deep` is the text \"yes\"; it must be `true` or `false`",
        );
        refuses(
            json!({"path": "a", "edits": "[]"}),
            "edits",
            "`edits` is the text \"[]\"; it must be a list, each item an object of `old`",
        );
        refuses(
            json!({"path": "a", "edits": [{}]}),
            "edits[0].old",
            "`edits[0].old` is missing; it must be a text",
        );
        refuses(json!([]), "input", "the input of `demo` is a list; it must be an object");
    }

    #[test]
    fn an_unknown_key_names_the_known_ones_and_the_nearest() {
        let error = read_input(&SPEC, json!({"path": "a", "limt": 1})).unwrap_err();
        assert_eq!(
            error.message(),
            "`limt` is not a key of `demo`; it takes `path`, `limit`, `format`, `deep`, `edits`"
        );
        assert_eq!(error.next_step(), Some("did you mean `limit`? call again with that key"));
    }
}
