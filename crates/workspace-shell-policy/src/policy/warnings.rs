//! What a host should know about its policy.

use std::fmt;

use super::{Rule, ShellPolicy};
use crate::judge::{Program, key_of, regex_start};
use crate::tables::runners::{by_subcommand, runs_project};

/// A property of a policy that its owner may not intend. None is an error.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyWarning {
    /// No list and no predicate: every program may run.
    AllowsEverything,
    /// There are denials but no list of what is allowed: a launcher that the
    /// checker does not know runs what is denied.
    DeniesWithoutAllow,
    /// An allowed program runs the commands that it is given.
    AllowsRunner {
        /// The entry of `allow`.
        program: String,
    },
    /// An allowed program runs any program text that it is given.
    AllowsInterpreter {
        /// The entry of `allow`.
        program: String,
    },
    /// An allowed program runs what the project's files say, and the agent writes those.
    AllowsProjectCode {
        /// The entry of `allow`.
        program: String,
    },
    /// An entry of `allow` holds a blank, so it names a program with that blank in its name.
    EntryWithBlank {
        /// The entry of `allow`.
        entry: String,
    },
    /// An entry of `allow` is denied as well, so it never runs.
    NeverRuns {
        /// The entry of `allow`.
        entry: String,
    },
    /// A regular expression does not begin with a program, so every command with
    /// a word known only when the line runs is refused.
    UnanchoredRegex {
        /// The expression.
        pattern: String,
    },
}

impl fmt::Display for PolicyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllowsEverything => f.write_str("every program may run; set `allow` to the programs that are needed"),
            Self::DeniesWithoutAllow => f.write_str(
                "only what is denied is refused, and an unknown launcher can run it; set `allow` to close that",
            ),
            Self::AllowsRunner { program } => {
                write!(f, "`{program}` runs other commands, so allowing it allows any command")
            }
            Self::AllowsInterpreter { program } => {
                write!(f, "`{program}` runs program texts, so allowing it allows any code")
            }
            Self::AllowsProjectCode { program } => {
                write!(f, "`{program}` runs what the project's files say, so allowing it trusts those files")
            }
            Self::EntryWithBlank { entry } => write!(
                f,
                "the entry `{entry}` of `allow` names a program with a blank in its name; for the words of a command use `allow_patterns`"
            ),
            Self::NeverRuns { entry } => write!(f, "the entry `{entry}` of `allow` is denied as well, so it never runs"),
            Self::UnanchoredRegex { pattern } => write!(
                f,
                "the expression `{pattern}` does not begin with a program, so commands with run-time words are refused; anchor it with `^`"
            ),
        }
    }
}

impl ShellPolicy {
    /// What the owner of the policy should know about it: most of all, which
    /// allowed programs run arbitrary code.
    pub fn warnings(&self) -> Vec<PolicyWarning> {
        let mut warnings = Vec::new();
        if !self.restricts() {
            warnings.push(PolicyWarning::AllowsEverything);
        } else if self.denies()
            && self.allow.is_none()
            && self.allow_patterns.is_empty()
            && self.allow_command.is_none()
        {
            warnings.push(PolicyWarning::DeniesWithoutAllow);
        }
        for entry in self.allowed_programs().unwrap_or_default() {
            if entry.contains(char::is_whitespace) {
                warnings.push(PolicyWarning::EntryWithBlank { entry: entry.clone() });
            }
            if self.deny.contains(key_of(entry).as_ref()) {
                warnings.push(PolicyWarning::NeverRuns { entry: entry.clone() });
            }
            warnings.extend(self.reach(entry));
        }
        for pattern in &self.deny_patterns {
            if let Rule::Regex(regex) = pattern.rule()
                && regex_start(regex.as_str()).is_none_or(|start| start.is_empty())
            {
                warnings.push(PolicyWarning::UnanchoredRegex { pattern: regex.as_str().to_owned() });
            }
        }
        warnings
    }

    /// How far an allowed program reaches.
    fn reach(&self, entry: &str) -> Option<PolicyWarning> {
        let key = key_of(entry);
        let program = Program::of(entry, &key);
        // A program that is narrowed to some subcommands does only those.
        if self.subcommands_of(&key).is_some() {
            return None;
        }
        let name = if program.profile.name.is_empty() { key.as_ref() } else { program.profile.name };
        let entry = entry.to_owned();
        if program.profile.opaque {
            Some(PolicyWarning::AllowsRunner { program: entry })
        } else if program.profile.interpreter.is_some() {
            Some(PolicyWarning::AllowsInterpreter { program: entry })
        } else if runs_project(name) {
            Some(PolicyWarning::AllowsProjectCode { program: entry })
        } else if !by_subcommand(name).is_empty() {
            Some(PolicyWarning::AllowsRunner { program: entry })
        } else {
            None
        }
    }
}
