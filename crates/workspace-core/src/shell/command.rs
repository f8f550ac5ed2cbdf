//! What to run, and how.

use std::time::Duration;

use crate::{PathFilter, WorkspacePath};

/// No command is waited for longer by a clock.
const YEAR: Duration = Duration::from_hours(365 * 24);

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Program {
    /// A program and its arguments, without a shell in between. The first word is the program.
    Argv(Vec<String>),
    /// A line for `/bin/sh`, passed on unchanged.
    Sh(String),
}

/// Which variables a command begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum EnvBase {
    /// The few that programs need to be found and to behave: `PATH`, `HOME`,
    /// `USER`, `LANG`, `LC_ALL`, `TMPDIR` (on Windows its like), plus
    /// `NO_COLOR=1` and `TERM=dumb`.
    #[default]
    Minimal,
    /// None.
    Empty,
}

/// The variables of a command: the base, then those inherited by name, then those set; the later wins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Environment {
    /// What it begins with.
    pub base: EnvBase,
    /// Names taken from where the backend runs.
    pub inherit: Vec<String>,
    /// Names and values given outright.
    pub set: Vec<(String, String)>,
    /// Whether variables that make programs run other code before their own
    /// (`BASH_ENV`, `LD_PRELOAD`, …) may be inherited.
    pub allow_hooks: bool,
}

impl Environment {
    /// Sets what it begins with.
    #[must_use]
    pub fn with_base(mut self, base: EnvBase) -> Self {
        self.base = base;
        self
    }

    /// Adds a name to inherit.
    #[must_use]
    pub fn with_inherited(mut self, name: impl Into<String>) -> Self {
        self.inherit.push(name.into());
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn with_set(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.set.push((name.into(), value.into()));
        self
    }

    /// Says whether start-up hooks may be inherited.
    #[must_use]
    pub fn with_hooks(mut self, allow: bool) -> Self {
        self.allow_hooks = allow;
        self
    }
}

/// What a command reads from its standard input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Stdin {
    /// End of file at once.
    #[default]
    Empty,
    /// These bytes, then end of file.
    Bytes(Vec<u8>),
    /// What [`ProcessControl::write_stdin`](crate::ProcessControl::write_stdin) sends.
    Open,
}

/// What becomes of processes that outlive their program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Leftovers {
    /// They are killed and counted.
    #[default]
    Kill,
    /// They are left alone.
    Leave,
}

/// A command to start.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Command {
    /// What is started.
    pub program: Program,
    /// Where it starts; the root by default.
    pub cwd: WorkspacePath,
    /// Its variables.
    pub env: Environment,
    /// Its standard input.
    pub stdin: Stdin,
    /// How long it may run; `None` is no limit, and the default.
    pub timeout: Option<Duration>,
    /// How long it may take to end after a polite signal; 500 ms by default, 0 for none.
    pub kill_grace: Duration,
    /// What becomes of processes that it leaves behind.
    pub leftovers: Leftovers,
    /// Rules that the resolved working directory must pass.
    pub filter: PathFilter,
}

impl Command {
    fn new(program: Program) -> Self {
        Self {
            program,
            cwd: WorkspacePath::root(),
            env: Environment::default(),
            stdin: Stdin::default(),
            timeout: None,
            kill_grace: Duration::from_millis(500),
            leftovers: Leftovers::default(),
            filter: PathFilter::default(),
        }
    }

    /// A program with its arguments.
    pub fn argv<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Self {
        Self::new(Program::Argv(words.into_iter().map(Into::into).collect()))
    }

    /// A line for `/bin/sh`.
    pub fn sh(line: impl Into<String>) -> Self {
        Self::new(Program::Sh(line.into()))
    }

    /// Sets where it starts.
    #[must_use]
    pub fn with_cwd(mut self, cwd: WorkspacePath) -> Self {
        self.cwd = cwd;
        self
    }

    /// Sets its variables.
    #[must_use]
    pub fn with_env(mut self, env: Environment) -> Self {
        self.env = env;
        self
    }

    /// Sets its standard input.
    #[must_use]
    pub fn with_stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// Sets how long it may run.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how long it may take to end after a polite signal.
    #[must_use]
    pub fn with_kill_grace(mut self, grace: Duration) -> Self {
        self.kill_grace = grace;
        self
    }

    /// Keeps its times within what any clock holds: a grace of more than a year is a year,
    /// and a longer timeout is none. A backend that adds them to others begins with it.
    #[must_use]
    pub fn with_bounded_times(mut self) -> Self {
        self.timeout = self.timeout.filter(|timeout| *timeout <= YEAR);
        self.kill_grace = self.kill_grace.min(YEAR);
        self
    }

    /// Sets what becomes of processes that it leaves behind.
    #[must_use]
    pub fn with_leftovers(mut self, leftovers: Leftovers) -> Self {
        self.leftovers = leftovers;
        self
    }

    /// Sets the rules for the working directory.
    #[must_use]
    pub fn with_filter(mut self, filter: PathFilter) -> Self {
        self.filter = filter;
        self
    }
}
