//! The commands of a call of a shell tool, in each of the forms in which vendors have it.

use serde::Deserialize;
use serde_json::Value;

use crate::{Interpreter, Result, RunShellInput, ToolError, ToolErrorKind};

/// Commands to run one after the other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShellCall {
    pub(super) lines: Vec<RunShellInput>,
    /// The most characters that the answer has for each command, where the model gave it.
    pub(super) max_output_length: Option<u64>,
}

#[derive(Deserialize)]
struct Given {
    commands: Option<Vec<String>>,
    command: Option<Words>,
    timeout_ms: Option<u64>,
    #[serde(alias = "workdir", alias = "cwd")]
    working_directory: Option<String>,
    max_output_length: Option<u64>,
    #[serde(default)]
    env: Option<serde_json::Map<String, Value>>,
    user: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Argv(Vec<String>),
    Line(String),
}

impl ShellCall {
    /// Reads `{commands: [line …]}` or `{command: [word …]}`.
    ///
    /// # Errors
    /// `invalid-input` for anything else, and for what a call cannot choose here: a user and
    /// variables.
    pub(super) fn read(input: Value, interpreter: Interpreter) -> Result<Self> {
        let given = Given::deserialize(input).map_err(|error| {
            ToolError::new(ToolErrorKind::InvalidInput, format!("the call could not be read: {error}"))
                .with("field", "command")
                .hint("give `command` as a list of words, or `commands` as a list of lines")
        })?;
        if given.user.is_some_and(|user| !user.is_empty()) {
            return Err(not_chosen("user", "the user of a command is not chosen by a call"));
        }
        if given.env.is_some_and(|env| !env.is_empty()) {
            return Err(not_chosen("env", "variables are not set by a call"));
        }
        let lines = match (given.commands, given.command) {
            (Some(lines), None) => lines,
            (None, Some(Words::Line(line))) => vec![line],
            (None, Some(Words::Argv(words))) => vec![line_of(&words, interpreter)],
            _ => Vec::new(),
        };
        if lines.is_empty() {
            return Err(ToolError::new(ToolErrorKind::InvalidInput, "no command is given; nothing has run")
                .with("field", "command")
                .hint("give `command` as a list of words, or `commands` as a list of lines"));
        }
        let lines = lines.into_iter().map(|command| RunShellInput {
            timeout_ms: given.timeout_ms,
            cwd: given.working_directory.clone().filter(|cwd| !cwd.is_empty()),
            ..RunShellInput::new(command)
        });
        Ok(Self { lines: lines.collect(), max_output_length: given.max_output_length })
    }
}

fn not_chosen(field: &str, message: &str) -> ToolError {
    ToolError::new(ToolErrorKind::InvalidInput, format!("{message}; nothing has run"))
        .with("field", field)
        .hint(format!("leave `{field}` out"))
}

/// The line that is read as exactly these words, or the line that they would have a shell run,
/// where lines are run by a shell here.
fn line_of(words: &[String], interpreter: Interpreter) -> String {
    if let ([shell, option, line], Interpreter::Sh) = (words, interpreter) {
        let shell = shell.rsplit('/').next().unwrap_or_default();
        if matches!(shell, "sh" | "bash") && matches!(option.as_str(), "-c" | "-lc") {
            return line.clone();
        }
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(input: Value, interpreter: Interpreter, expected: &[RunShellInput]) {
        assert_eq!(ShellCall::read(input, interpreter).unwrap().lines, expected);
    }

    #[test]
    fn words_are_quoted_so_that_they_are_read_as_they_are() {
        check(
            json!({"command": ["printf", "%s", "it's a $x", ""]}),
            Interpreter::None,
            &[RunShellInput::new(r"printf %s 'it'\''s a $x' ''")],
        );
        check(
            json!({"command": ["ls"], "workdir": "src", "timeout_ms": 7}),
            Interpreter::None,
            &[RunShellInput::new("ls").within("src").timeout_ms(7)],
        );
        check(
            json!({"commands": ["ls | wc", "pwd"], "timeout_ms": null, "max_output_length": 9}),
            Interpreter::Sh,
            &[RunShellInput::new("ls | wc"), RunShellInput::new("pwd")],
        );
    }

    #[test]
    fn a_shell_in_front_is_left_out_where_a_shell_reads_lines_anyway() {
        let call = || json!({"command": ["/bin/bash", "-lc", "ls | wc"]});
        check(call(), Interpreter::Sh, &[RunShellInput::new("ls | wc")]);
        check(call(), Interpreter::None, &[RunShellInput::new("/bin/bash -lc 'ls | wc'")]);
    }

    #[test]
    fn what_a_call_cannot_choose_is_refused() {
        for input in [
            json!({}),
            json!({"command": []}),
            json!({"command": ["ls"], "user": "root"}),
            json!({"command": ["ls"], "env": {"A": "b"}}),
            json!({"commands": "ls"}),
            json!("ls"),
            json!({"command": ["ls"], "commands": ["ls"]}),
        ] {
            let read = ShellCall::read(input.clone(), Interpreter::None);
            let empty_word_list = input == json!({"command": []});
            assert!(read.is_err() || empty_word_list, "{input}");
        }
        check(
            json!({"command": ["ls"], "env": {}, "user": null}),
            Interpreter::None,
            &[RunShellInput::new("ls")],
        );
    }
}
