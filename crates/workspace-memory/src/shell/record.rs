//! What was run.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use workspace_core::{Command, EnvBase, ErrorKind, Exit, Program, WorkspacePath};

use super::run::Run;

/// How a recorded command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It runs.
    Running,
    /// It is over.
    Exited(Exit),
    /// Its events were dropped while it ran, which killed it.
    Dropped,
    /// It did not start.
    Refused(ErrorKind),
}

/// A command as it was run. Of its environment it has the names alone, no values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// The line, or the program with its arguments.
    pub program: Program,
    /// Where it started, as the caller named it.
    pub cwd: WorkspacePath,
    /// Which variables it began with.
    pub env_base: EnvBase,
    /// The names of the variables that were inherited or set, sorted, each once.
    pub env_names: Vec<String>,
    /// How long it might run.
    pub timeout: Option<Duration>,
    /// When it was started; `None` where it was refused.
    pub started: Option<SystemTime>,
    /// How it stands.
    pub outcome: Outcome,
}

/// A command in the record of a shell.
pub(super) struct Record {
    recorded: Recorded,
    run: Option<Arc<Run>>,
}

impl Record {
    pub(super) fn started(command: &Command, run: Arc<Run>) -> Self {
        let recorded = recorded(command, Some(run.started()), Outcome::Running);
        Self { recorded, run: Some(run) }
    }

    pub(super) fn refused(command: &Command, kind: ErrorKind) -> Self {
        Self { recorded: recorded(command, None, Outcome::Refused(kind)), run: None }
    }

    /// The command with its outcome at this moment.
    pub(super) fn told(&self) -> Recorded {
        let mut told = self.recorded.clone();
        if let Some(run) = &self.run {
            told.outcome = run.outcome();
        }
        told
    }
}

fn recorded(command: &Command, started: Option<SystemTime>, outcome: Outcome) -> Recorded {
    let env = &command.env;
    let mut env_names: Vec<String> =
        env.inherit.iter().chain(env.set.iter().map(|(name, _)| name)).cloned().collect();
    env_names.sort();
    env_names.dedup();
    Recorded {
        program: command.program.clone(),
        cwd: command.cwd.clone(),
        env_base: env.base,
        env_names,
        timeout: command.timeout,
        started,
        outcome,
    }
}
