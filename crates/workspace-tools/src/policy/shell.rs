//! The rules of commands.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{BackgroundPolicy, KillRule, LeftoverRule, Limit, OutputKeep};

/// What reads a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interpreter {
    /// Nobody: the line is split into words and started.
    #[default]
    None,
    /// `/bin/sh`, after the line was read and judged.
    Sh,
}

/// A command that may not run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum CommandPattern {
    /// Words, such as `git push --force`: options may stand anywhere.
    Words(String),
    /// A regular expression, searched in the words joined by blanks.
    Regex {
        /// The expression.
        regex: String,
    },
}

/// A set of rules to begin with, as `docs/shell-policy.md` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShellPreset {
    /// Programs that look around, and git's subcommands that only show; nothing is written.
    ReadOnly,
    /// git, cargo, npm, pytest and their like, and common utilities, without what reaches further
    /// than the workspace or discards work.
    Developer,
    /// The POSIX utilities for texts and files.
    PosixUtilities,
}

/// Which paths of a command line are held inside the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgPathRule {
    /// Those that are written to, and directories that are changed to.
    #[default]
    Any,
    /// Operands and values of options as well.
    Jail,
}

/// What becomes of `$( )` and backticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubstitutionRule {
    /// Their commands are judged like all others.
    #[default]
    Check,
    /// They are refused.
    Refuse,
}

/// Which variables a command begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnvironmentBase {
    /// The few that programs need.
    #[default]
    Minimal,
    /// None.
    Empty,
}

/// Which commands run, and how.
///
/// It is a filter for an agent that one trusts, not isolation: an allowed
/// program can do what the user can.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // Each is a choice of its own.
pub struct ShellPolicy {
    /// What reads a line.
    pub interpreter: Interpreter,
    /// The rules to begin with. The fields below add to them, and loosen none but `allow`.
    pub preset: Option<ShellPreset>,
    /// The programs that may run, beside those of the preset; exhaustive where present. A name stands for the program of
    /// that name on the trusted path, a path for that file; `"git status"` allows a
    /// program with these first words alone.
    pub allow: Option<Vec<String>>,
    /// Under `sh`, builtins that run beside an `allow` that does not name them; `cd`, `:`, `true`, `false`.
    pub allow_builtins: Vec<String>,
    /// The programs that may not. It wins over `allow`.
    pub deny: Vec<String>,
    /// Commands that may not run although their program may: words with options in any order,
    /// or a regular expression over the words.
    pub deny_patterns: Vec<CommandPattern>,
    /// Where present, the line must be one simple command that begins with the words of one of these.
    pub allow_patterns: Vec<String>,
    /// Whether operands that are paths are held inside the root as well.
    pub arg_paths: ArgPathRule,
    /// What becomes of `$( )` and backticks under `sh`.
    pub substitution: SubstitutionRule,
    /// Which variables a command begins with.
    pub env_base: EnvironmentBase,
    /// Names of variables taken from where the backend runs.
    pub inherit_env: Vec<String>,
    /// Variables given outright.
    pub env: BTreeMap<String, String>,
    /// Whether `inherit_env` may name start-up hooks such as `BASH_ENV`.
    pub allow_hooks: bool,
    /// How long a command may run where the call says nothing, in milliseconds; 120,000.
    pub timeout_ms: Limit,
    /// The most that a call may ask for, in milliseconds; 600,000.
    pub max_timeout_ms: Limit,
    /// Whether a command that ran out of time is an error, with what it printed in its fields,
    /// and not an answer.
    pub timeout_as_error: bool,
    /// How long a command may take to end after a polite signal, in milliseconds; 500.
    pub kill_grace_ms: u64,
    /// Cap on the output of both streams together, in bytes; 32,768.
    pub max_output_bytes: Limit,
    /// Whether progress lines and colours are reduced to what a terminal would show in the end.
    pub plain_output: bool,
    /// What is kept of output that is over the cap.
    pub keep: OutputKeep,
    /// Whether each stream has the whole cap for itself.
    pub per_stream: bool,
    /// Whether output that is over the cap can be read as a whole, up to 64 MiB of it, as `@output/N`.
    pub spill: bool,
    /// What becomes of processes that a command leaves behind.
    pub leftovers: LeftoverRule,
    /// How surely all processes of a command are ended. It holds for
    /// [`Workspace::local`](crate::Workspace::local); other backends have one way each.
    pub kill_level: KillRule,
    /// Commands that run on while other calls are made; absent: none do.
    pub background: Option<BackgroundPolicy>,
}

impl Default for ShellPolicy {
    fn default() -> Self {
        Self {
            interpreter: Interpreter::default(),
            preset: None,
            allow: None,
            allow_builtins: ["cd", ":", "true", "false"].map(str::to_owned).to_vec(),
            deny: Vec::new(),
            deny_patterns: Vec::new(),
            allow_patterns: Vec::new(),
            arg_paths: ArgPathRule::default(),
            substitution: SubstitutionRule::default(),
            env_base: EnvironmentBase::default(),
            inherit_env: Vec::new(),
            env: BTreeMap::new(),
            allow_hooks: false,
            timeout_ms: Limit::of(120_000),
            max_timeout_ms: Limit::of(600_000),
            timeout_as_error: false,
            kill_grace_ms: 500,
            max_output_bytes: Limit::of(32_768),
            plain_output: true,
            keep: OutputKeep::default(),
            per_stream: false,
            spill: false,
            leftovers: LeftoverRule::default(),
            kill_level: KillRule::default(),
            background: None,
        }
    }
}

impl ShellPolicy {
    /// A policy that lets these programs run and no other.
    pub fn allowing<S: Into<String>>(programs: impl IntoIterator<Item = S>) -> Self {
        Self { allow: Some(programs.into_iter().map(Into::into).collect()), ..Self::default() }
    }

    /// A policy that begins with a preset.
    pub fn preset(preset: ShellPreset) -> Self {
        Self { preset: Some(preset), ..Self::default() }
    }
}

/// What `run_tests` runs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TestsPolicy {
    /// The command, as `run_shell` would take it.
    pub command: String,
    /// Whether, where `command` is empty, the root is looked at for cargo, go, npm or pytest.
    pub detect: bool,
}

impl TestsPolicy {
    /// Tests that this command runs.
    pub fn running(command: impl Into<String>) -> Self {
        Self { command: command.into(), detect: false }
    }

    /// Tests of the runner that the files in the root speak for.
    pub fn detecting() -> Self {
        Self { command: String::new(), detect: true }
    }

    /// Whether there is anything to run.
    pub(crate) fn is_enabled(&self) -> bool {
        self.detect || !self.command.trim().is_empty()
    }
}
