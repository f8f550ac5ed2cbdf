//! How a session is put together.

use std::collections::BTreeMap;

use workspace_core::{FsProvider, SharedFs, ShellProvider};
use workspace_shell_policy::{POSIX_UTILITIES, ShellPolicy as Rules};

use super::BashSession;
use crate::{
    ApprovalPolicy, ArgPathRule, EnvironmentBase, Interpreter, Limit, Policy, Result, ShellPolicy,
    SubstitutionRule, Workspace,
};

/// Where the programs of a session are looked for.
const PROGRAMS: &str = "/usr/bin:/bin";

/// A session in the making: [`BashSession::builder`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until the session is opened"]
pub struct BashSessionBuilder {
    strict_dotdot: bool,
    timeout_ms: u64,
    max_file_bytes: u64,
}

impl Default for BashSessionBuilder {
    fn default() -> Self {
        Self { strict_dotdot: false, timeout_ms: 30_000, max_file_bytes: 1 << 20 }
    }
}

impl BashSessionBuilder {
    /// Refuses every line that has two dots in a row in it, wherever they stand: `1..2` too.
    pub const fn strict_dotdot(mut self) -> Self {
        self.strict_dotdot = true;
        self
    }

    /// Sets how long a line may run, in milliseconds; 30,000 by default, and at least 1.
    pub const fn timeout_ms(mut self, milliseconds: u64) -> Self {
        self.timeout_ms = if milliseconds == 0 { 1 } else { milliseconds };
        self
    }

    /// Sets the largest file that is put or got, in bytes; 1 MiB by default. What commands
    /// write is not held to it.
    pub const fn max_file_bytes(mut self, bytes: u64) -> Self {
        self.max_file_bytes = bytes;
        self
    }

    /// Opens a session in a new temporary directory of this machine, which goes with it.
    ///
    /// Lines are held to the rules, and nothing else holds them: it is a filter, no isolation.
    ///
    /// # Errors
    /// `io`, `permission` and `no-space` where no directory can be made.
    #[cfg(feature = "local")]
    pub fn open(self) -> Result<BashSession> {
        use workspace_local::Local;

        let place = super::place::Place::new()?;
        let local = Local::open(place.root())?;
        let shell = local.shell();
        let workspace = self.workspace(SharedFs::new(local), shell)?;
        Ok(BashSession::in_place(workspace, place, self.strict_dotdot))
    }

    /// Opens a session over files and commands of another backend, whose root should be empty.
    ///
    /// The backend decides how far its commands are isolated: give it a container for real
    /// walls. Its files are its own, and stay when the session ends.
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use workspace_core::Finished;
    /// use workspace_memory::{Memory, Script};
    /// use workspace_tools::{BashExecInput, BashSession};
    ///
    /// let files = Memory::new();
    /// let shell = files.shell(Script::new().with_line("ls | wc -l", Finished::new(0).with_stdout("0\n")));
    /// let session = BashSession::builder().over(files, shell)?;
    /// assert_eq!(session.bash_exec(BashExecInput::new("ls | wc -l")).await?.stdout, "0\n");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `invalid-input` where the workspace behind the session cannot be put together.
    pub fn over(self, files: impl FsProvider, shell: impl ShellProvider) -> Result<BashSession> {
        let workspace = self.workspace(SharedFs::new(files), shell)?;
        Ok(BashSession::over(workspace, self.strict_dotdot))
    }

    /// The workspace behind the tools of a session: it vends none of its own.
    fn workspace(&self, files: SharedFs, shell: impl ShellProvider) -> Result<Workspace> {
        let home = files.path_rules().roots.first().cloned().unwrap_or_else(|| ".".to_owned());
        let workspace = Workspace::builder(files)
            .shell(shell)
            .policy(self.policy(&home))
            .command_rules(Rules::posix_utilities())
            .build()?;
        Ok(workspace.pick([]))
    }

    fn policy(&self, home: &str) -> Policy {
        let env = [("PATH", PROGRAMS), ("HOME", home), ("TMPDIR", home), ("LANG", "C"), ("TERM", "dumb")];
        let shell = ShellPolicy {
            interpreter: Interpreter::Sh,
            // Builtins are free only beside a list, so it stands here as well as in the rules.
            allow: Some(POSIX_UTILITIES.iter().map(|name| (*name).to_owned()).collect()),
            arg_paths: ArgPathRule::Jail,
            substitution: SubstitutionRule::Refuse,
            env_base: EnvironmentBase::Empty,
            env: BTreeMap::from(env.map(|(name, value)| (name.to_owned(), value.to_owned()))),
            timeout_ms: Limit::of(self.timeout_ms),
            max_timeout_ms: Limit::of(self.timeout_ms),
            ..ShellPolicy::default()
        };
        let mut policy =
            Policy { shell: Some(shell), approval: ApprovalPolicy::never(), ..Policy::default() };
        // A file is given whole or not at all.
        policy.read.max_bytes = Limit::NONE;
        policy.read.default_lines = u64::from(u32::MAX);
        policy.read.max_file_bytes = Limit::of(self.max_file_bytes);
        policy.write.max_bytes = Limit::of(self.max_file_bytes);
        policy
    }
}
