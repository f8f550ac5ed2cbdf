//! What the scripted model says, and what it must have read before it says it.

use serde_json::{Value, json};

/// One turn of the model.
#[derive(Debug, Clone)]
pub struct Step {
    /// Words that must stand in what it was sent since its last turn.
    pub reads: &'static [&'static str],
    /// What it says to that.
    pub says: Say,
}

/// What a model can say.
#[derive(Debug, Clone)]
pub enum Say {
    /// Calls, each of a tool with arguments as the model writes them, well or badly.
    Calls(Vec<(&'static str, String)>),
    /// The end.
    Text(&'static str),
}

impl Say {
    /// The message of an answer. Calls have the turn and their place in their ids.
    pub(crate) fn message(&self, turn: usize) -> Value {
        match self {
            Self::Text(text) => json!({"role": "assistant", "content": text}),
            Self::Calls(calls) => {
                let calls = calls.iter().enumerate().map(|(place, (name, arguments))| {
                    json!({
                        "id": format!("call-{turn}-{place}"),
                        "type": "function",
                        "function": {"name": name, "arguments": arguments},
                    })
                });
                json!({"role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>()})
            }
        }
    }

    pub(crate) fn finish_reason(&self) -> &'static str {
        match self {
            Self::Calls(_) => "tool_calls",
            Self::Text(_) => "stop",
        }
    }
}

/// A model that mends the [`Project`](crate::Project) and errs on the way, as models do: it calls a
/// tool that is not there, writes arguments that are not JSON, and wants to replace a line that is
/// not in the file. It goes on only if each answer says what was wrong.
pub fn mending() -> Vec<Step> {
    let test = || ("run_shell", json!({"command": "cargo test"}).to_string());
    let read = ("read_file", json!({"path": "src/lib.rs"}).to_string());
    let edit = |old: &str| {
        let change =
            json!({"path": "src/lib.rs", "old_string": old, "new_string": "a + b", "replace_all": null});
        ("edit_file", change.to_string())
    };
    vec![
        Step {
            reads: &["mend it"],
            says: Say::Calls(vec![("list_dir", json!({"path": null, "depth": 2}).to_string()), test()]),
        },
        Step {
            reads: &["src/lib.rs", "exit code 101", "FAILED"],
            says: Say::Calls(vec![("open_file", json!({"path": "src/lib.rs"}).to_string())]),
        },
        Step {
            reads: &["open_file", "read_file"],
            says: Say::Calls(vec![("read_file", "{\"path\": \"src/lib.rs".to_owned())]),
        },
        Step { reads: &["not", "JSON"], says: Say::Calls(vec![read]) },
        Step { reads: &["2\t    a - b"], says: Say::Calls(vec![edit("a-b")]) },
        Step { reads: &["no-match", "src/lib.rs"], says: Say::Calls(vec![edit("a - b"), test()]) },
        Step { reads: &["exit code 0", "1 passed"], says: Say::Text("`add` subtracted; the tests pass now") },
    ]
}
