//! `workspace check`: the verdict of a policy on command lines. Nothing runs.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use serde::Deserialize;
use serde_json::{Value, json};
use workspace_core::{FsProvider, ResolveOptions, WorkspacePath};
use workspace_local::Local;
use workspace_shell_policy::{
    ArgPaths, CommandLine, DenyPattern, Mode, Place, PolicyError, ShellPolicy, Substitution, Verdict, Word,
    check,
};
use workspace_tools::ToolError;

use crate::args::{CheckArgs, WorkspaceArgs};
use crate::call::print;
use crate::failure::Failure;
use crate::open::open;

pub(crate) async fn run(check: &CheckArgs, args: &WorkspaceArgs) -> Result<ExitCode, Failure> {
    let Some(line) = &check.line else { return batch(args).await };
    let verdict = open(args).await?.workspace().check_command(line).await;
    print(&object(&verdict))?;
    if let Some(refusal) = verdict.refusal.as_ref().filter(|_| std::io::stderr().is_terminal()) {
        explain(&refusal.underlined(line), &refusal.message, refusal.hint.as_deref());
    }
    Ok(if verdict.runs() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The refusal for a person, with the part of the line that is at fault marked.
#[allow(clippy::print_stderr)] // Standard output holds the verdict.
fn explain(marked: &str, message: &str, hint: Option<&str>) {
    eprint!("{marked}{message}");
    eprintln!("{}", hint.map(|hint| format!("\n  {hint}")).unwrap_or_default());
}

/// One object a line, each with a policy of its own; the root is the jail.
async fn batch(args: &WorkspaceArgs) -> Result<ExitCode, Failure> {
    let jail = Local::open(&args.root).map_err(ToolError::from)?;
    for line in std::io::stdin().lock().lines() {
        let answer = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => match serde_json::from_str::<Asked>(&line) {
                Ok(asked) => answer(&asked, &jail).await,
                Err(error) => refused(&format!("the line is no request: {error}")),
            },
            Err(error) => refused(&format!("the line could not be read: {error}")),
        };
        print(&answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A line to judge. Other keys are passed over.
#[derive(Debug, Deserialize)]
struct Asked {
    #[serde(default)]
    mode: AskedMode,
    policy: Option<AskedPolicy>,
    line: String,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AskedMode {
    #[default]
    Argv,
    Sh,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct AskedPolicy {
    allow: Option<Vec<String>>,
    deny: Option<Vec<String>>,
    deny_patterns: Option<Vec<AskedPattern>>,
    allow_patterns: Option<Vec<String>>,
    deny_paths: Vec<String>,
    arg_paths: Option<AskedArgPaths>,
    substitution: Option<AskedSubstitution>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum AskedPattern {
    Words(String),
    Regex { regex: String },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AskedArgPaths {
    Any,
    Jail,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AskedSubstitution {
    Check,
    Refuse,
}

impl AskedPolicy {
    fn rules(&self) -> Result<ShellPolicy, PolicyError> {
        let mut rules = ShellPolicy::new();
        if let Some(allow) = &self.allow {
            rules = rules.allow(allow);
        }
        rules = rules.deny(self.deny.iter().flatten()).deny_paths(&self.deny_paths)?;
        for pattern in self.deny_patterns.iter().flatten() {
            rules = rules.deny_pattern(match pattern {
                AskedPattern::Words(words) => DenyPattern::words(words)?,
                AskedPattern::Regex { regex } => DenyPattern::regex(regex)?,
            });
        }
        if let Some(patterns) = &self.allow_patterns {
            rules = rules.allow_patterns(patterns)?;
        }
        if matches!(self.arg_paths, Some(AskedArgPaths::Jail)) {
            rules = rules.arg_paths(ArgPaths::Jail);
        }
        if matches!(self.substitution, Some(AskedSubstitution::Refuse)) {
            rules = rules.substitution(Substitution::Refuse);
        }
        Ok(rules)
    }
}

async fn answer(asked: &Asked, jail: &Local) -> Value {
    let mode = match asked.mode {
        AskedMode::Argv => Mode::Argv,
        AskedMode::Sh => Mode::Sh,
    };
    let Some(policy) = &asked.policy else {
        return object(&check(None, mode, &asked.line, &|_: &str| Place::Outside));
    };
    let rules = match policy.rules() {
        Ok(rules) => rules,
        Err(error) => return refused(&error.to_string()),
    };
    let mut review = rules.review(&CommandLine::new(mode, &asked.line));
    while let Some(path) = review.next_path() {
        let place = place(&path, jail).await;
        review.answer(path, place);
    }
    object(&review.verdict())
}

async fn place(text: &str, jail: &Local) -> Place {
    let Ok(path) = WorkspacePath::parse(text, &jail.path_rules()) else { return Place::Outside };
    match jail.resolve(&path, ResolveOptions::default()).await {
        Ok(resolved) => Place::Inside(resolved.as_str().to_owned()),
        Err(_) => Place::Outside,
    }
}

/// The verdict as an object; a word that only the shell will know is `{"raw": …}`.
fn object(verdict: &Verdict) -> Value {
    let word = |word: &Word| match word {
        Word::Known(text) => Value::from(text.as_str()),
        Word::Raw(source) => json!({"raw": source}),
    };
    let commands: Vec<Value> =
        verdict.commands.iter().map(|words| words.iter().map(word).collect()).collect();
    let mut object = json!({
        "verdict": verdict.as_str(),
        "reason": verdict.reason().map(workspace_shell_policy::Reason::as_str),
        "message": verdict.refusal.as_ref().map_or("the line may run", |refusal| refusal.message.as_str()),
    });
    if let (Some(hint), Value::Object(object)) =
        (verdict.refusal.as_ref().and_then(|refusal| refusal.hint.as_deref()), &mut object)
    {
        object.insert("hint".into(), hint.into());
    }
    object["commands"] = commands.into();
    object
}

/// The answer to a line that cannot be judged: it does not run.
fn refused(message: &str) -> Value {
    json!({"verdict": "refuse", "reason": null, "message": message, "commands": []})
}
