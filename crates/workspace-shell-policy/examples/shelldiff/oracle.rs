//! What must not happen when an accepted line runs.

use serde_json::Value;
use workspace_shell_policy::{Verdict, Word};

use crate::standin::BUILTINS;

/// What one shell did with a line.
pub(crate) struct Run {
    pub(crate) started: Vec<Vec<String>>,
    stderr: String,
    /// What `-n` said of a line that it found invalid.
    invalid: Option<String>,
    changed: Vec<String>,
    timed_out: bool,
}

impl Run {
    pub(crate) fn from_json(value: &Value) -> Self {
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            started: value["started"].as_array().into_iter().flatten().map(texts).collect(),
            stderr: value["stderr"].as_str().unwrap_or_default().to_owned(),
            invalid: value["invalid"].as_str().map(str::to_owned),
            changed: texts(&value["changed"]),
            timed_out: value["timed_out"] == true,
        }
    }

    /// Whether the shell found a part of the line invalid when it came to it: `-n` reads no backticks.
    fn is_invalid(&self) -> bool {
        let complaints = [
            "syntax error: unterminated",
            "syntax error near",
            "unexpected eof",
            "unexpected token",
            "bad substitution",
            "here-document",
        ];
        let text = self.stderr.to_lowercase();
        // What `test` says of its operands is no complaint about the line.
        let dash = text.contains(": syntax error:")
            && !text.contains("test: syntax error")
            && !text.contains("[: syntax error");
        dash || complaints.iter().any(|complaint| text.contains(complaint))
    }
}

/// What the rule of a hunt forbids.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Forbidden {
    /// Basenames that must not start.
    pub(crate) programs: &'static [&'static str],
    /// A forced `git push` must not start.
    pub(crate) forced_push: bool,
}

/// What is wrong with a line that was accepted.
pub(crate) enum Finding {
    Hole(String),
    Fault(String),
}

pub(crate) fn judge(verdict: &Verdict, forbidden: Forbidden, runs: &[(&str, Run)]) -> Option<Finding> {
    for (shell, run) in runs {
        for argv in &run.started {
            if !verdict.commands.iter().any(|words| covers(words, argv, verdict)) {
                return Some(Finding::Hole(format!("{shell} started {argv:?}, which was not reported")));
            }
            let base = argv.first().map_or("", |name| name.rsplit('/').next().unwrap_or(name));
            if forbidden.programs.contains(&base) {
                return Some(Finding::Hole(format!("{shell} started the denied {argv:?}")));
            }
            if forbidden.forced_push && is_forced_push(argv) {
                return Some(Finding::Hole(format!("{shell} started the denied {argv:?}")));
            }
        }
        if !run.changed.is_empty() {
            return Some(Finding::Hole(format!("{shell} wrote {:?} outside the jail", run.changed)));
        }
        if run.timed_out {
            return Some(Finding::Fault(format!("{shell} did not end")));
        }
        if let Some(complaint) = &run.invalid {
            return Some(Finding::Fault(format!("{shell} -n finds the line invalid: {}", complaint.trim())));
        }
        if run.is_invalid() {
            return Some(Finding::Fault(format!("{shell} finds the line invalid: {}", run.stderr.trim())));
        }
    }
    None
}

/// Parameters that tell of the shell itself, or of how it words an error, so
/// that no two runs are alike.
const OWN: &[&str] = &["$$", "$-", "$!", "$_", "$?"];

/// What the shells say where one goes on and the other does not: bash has
/// expanded the words of a command when its redirection fails, and an error in
/// a builtin ends dash alone.
const UNEQUAL: &[&str] = &[
    "cannot create",
    "cannot open",
    "Is a directory",
    "Bad file descriptor",
    "No such file",
    "can't shift",
    "shift count",
    "bad variable name",
    "not a valid identifier",
    "builtin: not found",
    "readonly variable",
    "is read only",
    "printf: usage",
];

/// Whether the shells started different programs.
///
/// Builtins do not count: a shell may start the program of that name instead.
pub(crate) fn disagreement(line: &str, runs: &[(&str, Run)]) -> Option<String> {
    if OWN.iter().any(|parameter| line.contains(parameter))
        || runs.iter().any(|(_, run)| UNEQUAL.iter().any(|said| run.stderr.contains(said)))
    {
        return None;
    }
    let [(first, left), (second, right)] = runs else { return None };
    let sorted = |run: &Run| {
        let mut started = run.started.clone();
        started.retain(|argv| !argv.first().is_some_and(|name| BUILTINS.contains(&name.as_str())));
        if line.contains("find") {
            // A directory has no order.
            for argv in &mut started {
                argv.sort();
            }
        }
        started.sort();
        started
    };
    let (left, right) = (sorted(left), sorted(right));
    (left != right).then(|| format!("{first} started {left:?}, {second} {right:?}"))
}

/// Whether the words that were reported may have become the arguments.
///
/// What `find` and `xargs` put in is not in the line.
fn covers(words: &[Word], argv: &[String], verdict: &Verdict) -> bool {
    let runs = |program: &str| {
        verdict.commands.iter().any(|words| words.first().is_some_and(|word| word.text() == program))
    };
    let filled = replaced(verdict);
    let mut reached = vec![false; argv.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for word in words {
        let mut next = vec![false; argv.len() + 1];
        match word {
            Word::Known(text) if !filled.iter().any(|part| text.contains(part)) => {
                for (at, argument) in argv.iter().enumerate() {
                    next[at + 1] = reached[at] && argument == text;
                }
            }
            _ => {
                let mut open = false;
                for at in 0..=argv.len() {
                    open |= reached[at];
                    next[at] = open;
                }
            }
        }
        reached = next;
    }
    let appended = runs("xargs") && reached.iter().any(|reached| *reached);
    appended || reached.last() == Some(&true)
}

/// The texts in whose place `find` puts what it found and `xargs` its input.
fn replaced(verdict: &Verdict) -> Vec<String> {
    let mut texts = Vec::new();
    for words in &verdict.commands {
        match words.first().map(Word::text) {
            Some("find") => texts.push("{}".to_owned()),
            Some("xargs") => {}
            _ => continue,
        }
        for (at, word) in words.iter().enumerate() {
            let next = || words.get(at + 1).map(|next| next.text().to_owned());
            match word.text() {
                "-I" => texts.extend(next()),
                "-i" => texts.push("{}".to_owned()),
                word => texts.extend(word.strip_prefix("-I").map(str::to_owned)),
            }
        }
    }
    texts
}

fn is_forced_push(argv: &[String]) -> bool {
    let [program, subcommand, rest @ ..] = argv else { return false };
    if program.rsplit('/').next() != Some("git") || subcommand != "push" {
        return false;
    }
    let options = rest.iter().take_while(|word| *word != "--");
    // `-o` takes the rest of its word for a value.
    let cluster = |word: &String| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| letters.split('o').next().is_some_and(|flags| flags.contains('f')))
    };
    let forces = |word: &String| word == "--force" || cluster(word);
    options.into_iter().any(forces) || rest.iter().any(|word| word.starts_with('+'))
}
