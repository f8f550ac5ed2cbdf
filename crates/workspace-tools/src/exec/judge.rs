//! A command line without a shell: split into words, held against the policy.

use crate::{Result, ShellPolicy, ToolError, ToolErrorKind};

/// How many allowed names a refusal lists.
const LISTED: usize = 10;

/// Splits a line and judges its program.
///
/// # Errors
/// `denied-command`, with its `reason`.
pub(crate) fn judge(policy: &ShellPolicy, line: &str) -> Result<Vec<String>> {
    let words = split(line)?;
    let Some(program) = words.first() else {
        return Err(denied("not-allowed", "the command line is empty").hint("name a program to run"));
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    if policy.deny.iter().any(|deny| deny.eq_ignore_ascii_case(name)) {
        return Err(denied("denied-executable", &format!("`{name}` is not allowed to run here"))
            .with("command", line)
            .hint("do it another way; the owner of the workspace has closed this program"));
    }
    let Some(allow) = &policy.allow else { return Ok(words) };
    if allow.iter().any(|allow| allow == program) {
        return Ok(words);
    }
    let listed: Vec<_> = allow.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    let listed = if listed.is_empty() { "none".to_owned() } else { listed.join(", ") };
    Err(denied("not-allowed", &format!("`{program}` is not allowed to run here"))
        .with("command", line)
        .hint(format!("the programs that may run are: {listed}")))
}

fn split(line: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err(unbalanced()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => return Err(unbalanced()),
                        },
                        Some(c) => word.push(c),
                        None => return Err(unbalanced()),
                    }
                }
            }
            '\\' => match chars.next() {
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err(unbalanced()),
            },
            ';' | '&' | '|' | '<' | '>' | '$' | '(' | ')' | '`' | '\n' | '\r' | '\0' => {
                return Err(denied(
                    "metacharacter",
                    &format!("`{}` has no meaning here: there is no shell", c.escape_default()),
                )
                .with("token", c.to_string())
                .hint(
                    "run one program with its arguments a call; quote the character to pass it on as text",
                ));
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn unbalanced() -> ToolError {
    denied("unbalanced-quotes", "a quote in the command line is not closed").hint("close it and call again")
}

fn denied(reason: &'static str, message: &str) -> ToolError {
    ToolError::new(ToolErrorKind::DeniedCommand, format!("{message}; nothing has run")).with("reason", reason)
}
