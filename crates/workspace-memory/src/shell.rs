//! The commands: answered by a script, recorded in full.

mod record;
mod reply;
mod run;
mod script;

use std::fmt;
use std::sync::{Arc, Mutex};

use workspace_core::{
    Cancel, Command, Control, Feed, KillReach, Process, Program, Result, ShellCapabilities, ShellProvider,
    Stdin, Visible,
};

use crate::clock::lock;
use crate::files::working_directory;
use crate::{Memory, error};

pub use record::{Outcome, Recorded};
pub use reply::Reply;
pub use script::Script;

use record::Record;
use run::Run;

/// Commands that a [`Script`] answers. A clone has the same script and the same record.
///
/// No process is started. A command for which the script has no answer prints
/// so to its standard error and ends with exit code 127.
///
/// # Examples
/// ```
/// use workspace_core::{Command, Finished, ShellProvider};
/// use workspace_memory::{Memory, Script};
///
/// # async fn example() -> workspace_core::Result<()> {
/// let memory = Memory::new();
/// let shell = memory.shell(Script::new().with_line("cargo test", Finished::new(0).with_stdout("ok\n")));
/// let mut process = shell.spawn(Command::sh("cargo test")).await?;
/// while let Some(event) = process.events.next().await {
///     println!("{:?}", event?);
/// }
/// assert_eq!(shell.commands().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MemoryShell {
    memory: Memory,
    script: Script,
    records: Arc<Mutex<Vec<Record>>>,
}

impl MemoryShell {
    pub(crate) fn new(memory: Memory, script: Script) -> Self {
        Self { memory, script, records: Arc::default() }
    }

    /// All commands that were started, in order, each with its outcome so far.
    ///
    /// A command that was refused has not started: see [`refused`](Self::refused).
    pub fn commands(&self) -> Vec<Recorded> {
        self.recorded(|outcome| !matches!(outcome, Outcome::Refused(_)))
    }

    /// The commands that were refused before they could start, such as for
    /// their working directory, each with the kind of the refusal.
    pub fn refused(&self) -> Vec<Recorded> {
        self.recorded(|outcome| matches!(outcome, Outcome::Refused(_)))
    }

    fn recorded(&self, wanted: impl Fn(&Outcome) -> bool) -> Vec<Recorded> {
        let records = lock(&self.records);
        records.iter().map(Record::told).filter(|recorded| wanted(&recorded.outcome)).collect()
    }

    /// Whether the command may start here.
    fn check(&self, command: &Command) -> Result<()> {
        if command.stdin == Stdin::Open {
            return Err(error::unsupported("a scripted command has no standard input to send to")
                .during("run")
                .hint("give the bytes with the command, or none"));
        }
        let tree = self.memory.tree();
        working_directory(&tree, &command.cwd, &command.filter, &self.memory.0.rules)
            .map_err(|error| error.during("run").at(&command.cwd))?;
        Ok(())
    }
}

impl ShellProvider for MemoryShell {
    fn capabilities(&self) -> ShellCapabilities {
        ShellCapabilities::default()
            .with_argv(true)
            .with_sh(true)
            .with_streaming(true)
            .with_background(true)
            .with_cancel(Cancel::Kill)
            .with_kill_reach(KillReach::Tree)
    }

    async fn spawn(&self, command: Command) -> Result<Process> {
        if let Err(refusal) = self.check(&command) {
            lock(&self.records).push(Record::refused(&command, refusal.kind()));
            return Err(refusal);
        }
        let reply =
            self.script.answer(&command, &self.memory).unwrap_or_else(|| unscripted(&command.program));
        let run = Run::start(reply, command.timeout, Arc::clone(&self.memory.0.clock));
        lock(&self.records).push(Record::started(&command, Arc::clone(&run)));
        let control = Hand(Arc::clone(&run));
        let held = Held(run);
        Ok(Process::new(Feed::from_poll_fn(move |cx| held.0.poll(cx)), control))
    }
}

impl fmt::Debug for MemoryShell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryShell").field("commands", &self.commands()).finish_non_exhaustive()
    }
}

/// The hand on a scripted command.
struct Hand(Arc<Run>);

impl Control for Hand {
    async fn kill(&self) -> Result<()> {
        self.0.kill();
        Ok(())
    }
}

/// The events' hold on the command: without them it is killed.
struct Held(Arc<Run>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// What the caller sees of a command that nobody has scripted.
fn unscripted(program: &Program) -> Reply {
    let (name, way) = match program {
        Program::Argv(words) => (words.first().map_or("", String::as_str), "Script::with_argv"),
        Program::Sh(line) => (line.split_whitespace().next().unwrap_or_default(), "Script::with_line"),
        _ => ("", "Script::with_function"),
    };
    Reply::new()
        .with_stderr(format!(
            "`{}`: not scripted; add it to the script of this shell with `{way}`\n",
            Visible(name)
        ))
        .with_exit_code(127)
}
