//! What Anthropic's tools for text have in common: one input with a command, read as one of several.

use serde::Deserialize;
use serde_json::Value;

use super::view::ViewRange;
use crate::spec::{Field, Shape, ToolSpec, read_input};
use crate::{Result, ToolError, ToolErrorKind};

/// Fields of the input of both tools.
const FIELDS: &[Field] = &[
    Field::new(
        "command",
        Shape::Choice(&["view", "create", "str_replace", "insert", "delete", "rename"]),
        "What to do.",
    )
    .required(),
    Field::new("path", Shape::Text, "The file or directory."),
    Field::new(
        "view_range",
        Shape::List(&Shape::Integer { min: -1, max: i64::MAX }),
        "First and last line; -1 is the end.",
    ),
    Field::new("file_text", Shape::Text, "All that a new file is to hold."),
    Field::new("old_str", Shape::Text, "The text to replace."),
    Field::new("new_str", Shape::Text, "The text to put in its place; absent: nothing."),
    Field::new("insert_line", Shape::COUNT, "The line after which to insert; 0: before the first."),
    Field::new("insert_text", Shape::Text, "The text to insert."),
    Field::new("old_path", Shape::Text, "The path as it is."),
    Field::new("new_path", Shape::Text, "The path as it is to be."),
];

/// A call, as the vendor's schema has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TextCommand {
    View { path: String, range: Option<ViewRange> },
    Create { path: String, text: String },
    StrReplace { path: String, old: String, new: String },
    Insert { path: String, line: u64, text: String },
    Delete { path: String },
    Rename { from: String, to: String },
}

#[derive(Deserialize)]
struct Given {
    command: String,
    path: Option<String>,
    view_range: Option<Vec<i64>>,
    file_text: Option<String>,
    old_str: Option<String>,
    new_str: Option<String>,
    insert_line: Option<u64>,
    insert_text: Option<String>,
    old_path: Option<String>,
    new_path: Option<String>,
}

/// Reads a call of a tool of this name.
///
/// # Errors
/// `invalid-input`, naming the field.
pub(super) fn read(tool: &'static str, input: Value) -> Result<TextCommand> {
    let spec = ToolSpec {
        name: tool,
        title: "",
        description: "",
        input: FIELDS,
        output: &[],
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: false,
    };
    let read = read_input(&spec, input)?;
    let given: Given = serde_json::from_value(Value::Object(read)).map_err(|error| {
        ToolError::new(ToolErrorKind::InvalidInput, format!("the input could not be read: {error}"))
    })?;
    let command = given.command;
    let missing = |field: &'static str| {
        ToolError::new(ToolErrorKind::InvalidInput, format!("`{field}` is missing; `{command}` needs it"))
            .with("field", field)
            .hint("give it and call again")
    };
    let need = |field, value: Option<String>| value.ok_or_else(|| missing(field));
    Ok(match command.as_str() {
        "view" => TextCommand::View {
            path: need("path", given.path)?,
            range: given.view_range.as_deref().map(ViewRange::read).transpose()?,
        },
        "create" => {
            TextCommand::Create { path: need("path", given.path)?, text: need("file_text", given.file_text)? }
        }
        "str_replace" => TextCommand::StrReplace {
            path: need("path", given.path)?,
            old: need("old_str", given.old_str)?,
            new: given.new_str.unwrap_or_default(),
        },
        "insert" => TextCommand::Insert {
            path: need("path", given.path)?,
            line: given.insert_line.ok_or_else(|| missing("insert_line"))?,
            // An older version of the tool has it in `new_str`.
            text: need("insert_text", given.insert_text.or(given.new_str))?,
        },
        "delete" => TextCommand::Delete { path: need("path", given.path)? },
        _ => TextCommand::Rename {
            from: need("old_path", given.old_path)?,
            to: need("new_path", given.new_path)?,
        },
    })
}

/// The same error in the words of the vendor's schema.
pub(super) fn in_vendors_words(error: ToolError) -> ToolError {
    let error = match error.kind() {
        ToolErrorKind::NotUnique => error.hint("add lines around it until it stands there once"),
        ToolErrorKind::EmptyOldString => error.hint("give the text to replace; to add lines, use `insert`"),
        _ => error,
    };
    [("old_string", "old_str"), ("new_string", "new_str"), ("read_file", "view"), ("list_dir", "view")]
        .into_iter()
        .fold(error, |error, (ours, theirs)| {
            error.with_word_replaced(&format!("`{ours}`"), &format!("`{theirs}`"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn refuses(input: Value, message: &str) {
        assert_eq!(read("memory", input).unwrap_err().message(), message);
    }

    #[test]
    fn a_call_is_read_by_its_command() {
        let insert = TextCommand::Insert { path: "a".into(), line: 0, text: "x".into() };
        for field in ["insert_text", "new_str"] {
            let input =
                json!({"command": "insert", "path": "a", "insert_line": 0, field: "x", "view_range": null});
            assert_eq!(read("memory", input).unwrap(), insert);
        }
        let removal = TextCommand::StrReplace { path: "a".into(), old: "x".into(), new: String::new() };
        assert_eq!(
            read("memory", json!({"command": "str_replace", "path": "a", "old_str": "x"})).unwrap(),
            removal
        );
        refuses(json!({"command": "create", "path": "a"}), "`file_text` is missing; `create` needs it");
        refuses(
            json!({"command": "insert", "path": "a", "insert_text": "x"}),
            "`insert_line` is missing; `insert` needs it",
        );
        refuses(json!({"command": "rename", "old_path": "a"}), "`new_path` is missing; `rename` needs it");
        assert!(read("memory", json!({"command": "undo_edit", "path": "a"})).is_err());
        assert!(read("memory", json!({"command": "view", "path": 7})).is_err());
        assert!(read("memory", json!([])).is_err());
    }
}
