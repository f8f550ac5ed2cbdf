//! Command lines, held against the policy before anything starts.

use workspace_core::{Command, FsProvider, ResolveOptions, WorkspacePath};
use workspace_shell_policy::{
    CommandLine, DenyPattern, Mode, Place, PolicyError, Refusal, Review, ShellPolicy as Rules, Verdict, Word,
    check,
};

use crate::{
    ArgPathRule, CommandPattern, Interpreter, Result, ShellPolicy, ShellPreset, SubstitutionRule, ToolError,
    ToolErrorKind, Workspace,
};

/// The rules of commands, compiled once.
#[derive(Debug)]
pub(crate) struct Judge {
    rules: Rules,
    mode: Mode,
}

/// A line that may run, and the look at its paths, to be repeated right before the start.
#[derive(Debug)]
pub(crate) struct Judged {
    review: Review,
    line: String,
    mode: Mode,
}

impl Judge {
    /// Compiles the rules of a policy on top of those that the owner gave in code.
    ///
    /// # Errors
    /// `invalid-pattern`, naming the field and the pattern.
    pub(crate) fn new(policy: &ShellPolicy, rules: Rules) -> Result<Self> {
        let mut rules = match policy.preset {
            None => rules,
            Some(ShellPreset::ReadOnly) => Rules::read_only().predicate_of(&rules),
            Some(ShellPreset::Developer) => Rules::developer().predicate_of(&rules),
            Some(ShellPreset::PosixUtilities) => Rules::posix_utilities().predicate_of(&rules),
        }
        .deny(&policy.deny);
        // What the rules hold already is never loosened.
        if policy.arg_paths == ArgPathRule::Jail {
            rules = rules.arg_paths(workspace_shell_policy::ArgPaths::Jail);
        }
        if policy.substitution == SubstitutionRule::Refuse {
            rules = rules.substitution(workspace_shell_policy::Substitution::Refuse);
        }
        if policy.allow.is_some() || policy.preset.is_some() {
            // Without a shell a builtin does nothing.
            let builtins: &[String] = match policy.interpreter {
                Interpreter::None => &[],
                Interpreter::Sh => &policy.allow_builtins,
            };
            if policy.preset.is_none() {
                rules = rules.allow(Vec::<String>::new());
            }
            rules = allowing(rules, policy.allow.iter().flatten().chain(builtins));
        }
        for pattern in &policy.deny_patterns {
            let pattern = match pattern {
                CommandPattern::Words(words) => DenyPattern::words(words),
                CommandPattern::Regex { regex } => DenyPattern::regex(regex),
            };
            rules = rules.deny_pattern(pattern.map_err(|error| wrong("shell.deny_patterns", &error))?);
        }
        rules = rules
            .allow_patterns(&policy.allow_patterns)
            .map_err(|error| wrong("shell.allow_patterns", &error))?;
        let mode = match policy.interpreter {
            Interpreter::None => Mode::Argv,
            Interpreter::Sh => Mode::Sh,
        };
        Ok(Self { rules, mode })
    }
}

/// Opens what an `allow` list names as well: programs, and programs with the first words of their arguments.
fn allowing<'a>(rules: Rules, allow: impl Iterator<Item = &'a String>) -> Rules {
    let entries: Vec<&str> = allow.map(|entry| entry.trim()).collect();
    let (narrowed, whole): (Vec<&str>, Vec<&str>) =
        entries.into_iter().partition(|entry| entry.contains(char::is_whitespace));
    let rules = rules.allow_also(whole.iter().copied());
    narrowed
        .iter()
        .filter_map(|entry| entry.split_once(char::is_whitespace))
        .fold(rules, |rules, (program, words)| rules.allow_subcommands_also(program, [words]))
}

fn wrong(field: &'static str, error: &PolicyError) -> ToolError {
    ToolError::new(ToolErrorKind::InvalidPattern, format!("`{field}`: {error}"))
        .with("field", field)
        .hint("give the words of a command, such as \"git push --force\", or `{ regex = \"…\" }`")
}

impl Judged {
    /// The command that was judged, and no other.
    pub(crate) fn command(self) -> Result<Command> {
        let verdict = self.review.verdict();
        match (self.mode, verdict.argv(), &verdict.refusal) {
            (_, _, Some(refusal)) => Err(denied(refusal, &self.line)),
            (Mode::Sh, ..) => Ok(Command::sh(self.line)),
            (Mode::Argv, Some(argv), None) => Ok(Command::argv(argv)),
            (Mode::Argv, None, None) => {
                Err(ToolError::new(ToolErrorKind::DeniedCommand, "the line has no program; nothing has run"))
            }
        }
    }
}

impl Workspace {
    /// Judges a line that is to start in a directory. Nothing is started.
    ///
    /// # Errors
    /// `denied-command`, with its `reason`, `command`, `token` and, where that helps, `split`.
    pub(crate) async fn judge(&self, line: &str, cwd: &WorkspacePath, background: bool) -> Result<Judged> {
        let Some(judge) = &self.shared().judge else {
            return Err(ToolError::new(ToolErrorKind::DeniedCommand, "this workspace runs no commands")
                .with("reason", "not-allowed")
                .hint("go on with the file tools"));
        };
        let asked = CommandLine::new(judge.mode, line).in_directory(cwd.as_str()).in_background(background);
        let judged = Judged { review: judge.rules.review(&asked), line: line.to_owned(), mode: judge.mode };
        self.look(judged).await
    }

    /// Looks at the paths of a line once more: it may have waited for an approval.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub(crate) async fn judge_again(&self, mut judged: Judged) -> Result<Judged> {
        judged.review.forget_places();
        self.look(judged).await
    }

    /// The verdict of the policy on a line that would start in the root. Nothing is started.
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use workspace_memory::Memory;
    /// use workspace_tools::{Policy, ShellPolicy, Workspace};
    ///
    /// let policy = Policy { shell: Some(ShellPolicy::allowing(["cargo"])), ..Policy::default() };
    /// let workspace = Workspace::builder(Memory::new()).policy(policy).build()?;
    /// assert!(workspace.check_command("cargo test").await.runs());
    /// assert!(!workspace.check_command("cargo test; rm -rf .").await.runs());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn check_command(&self, line: &str) -> Verdict {
        let Some(judge) = &self.shared().judge else {
            return check(None, Mode::Argv, line, &|_: &str| Place::Outside);
        };
        let mut review = judge.rules.review(&CommandLine::new(judge.mode, line));
        self.answer(&mut review).await;
        review.verdict()
    }

    /// Answers where each path of a line leads.
    async fn answer(&self, review: &mut Review) {
        while let Some(path) = review.next_path() {
            let place = self.place(&path).await;
            review.answer(path, place);
        }
    }

    /// Refuses a line a path of which leads out.
    async fn look(&self, mut judged: Judged) -> Result<Judged> {
        self.answer(&mut judged.review).await;
        match judged.review.clone().verdict().refusal {
            Some(refusal) => Err(denied(&refusal, &judged.line)),
            None => Ok(judged),
        }
    }

    async fn place(&self, text: &str) -> Place {
        let Ok(path) = self.parse("command", text) else { return Place::Outside };
        match self.files().resolve(&path, ResolveOptions::default()).await {
            Ok(resolved) => Place::Inside(resolved.as_str().to_owned()),
            // What cannot be looked at, or is closed, is not known to be inside.
            Err(_) => Place::Outside,
        }
    }
}

fn denied(refusal: &Refusal, line: &str) -> ToolError {
    let mut error =
        ToolError::new(ToolErrorKind::DeniedCommand, format!("{}; nothing has run", refusal.message))
            .with("reason", refusal.reason.as_str());
    if !refusal.command.is_empty() {
        let words: Vec<_> = refusal.command.iter().map(Word::text).collect();
        error = error.with("command", words.join(" "));
    }
    let token = refusal.token(line);
    if !token.is_empty() {
        error = error.with("token", token);
    }
    if !refusal.split.is_empty() {
        error = error.with("split", refusal.split.clone());
    }
    match &refusal.hint {
        Some(hint) => error.hint(hint.as_str()),
        None => error.hint("send a command that the policy allows, or go on without it"),
    }
}
