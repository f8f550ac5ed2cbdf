//! The provider itself: from a command to a running process.

use std::env::var_os;
use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use tokio::runtime::Handle as Runtime;
use tokio::sync::mpsc::channel;
use tokio::time::sleep;
use workspace_core::{
    Cancel, Command, Error, ErrorKind, Feed, Process, Result, ShellCapabilities, ShellProvider,
};

use super::guard::Guard;
use super::hand::{Grip, Hand};
use super::level::Level;
use super::outputs::Outputs;
use super::program::{Invocation, exhausted};
use super::pump::{Pump, WAITING_EVENTS};
use super::spawn::{Launch, above_streams, assignments};
use super::streams::Streams;
use super::tree::Tree;
use super::variables::Variables;
use super::watch::Watch;
use crate::{KillLevel, Local};

/// How often a program that is still being written is tried again, after 1 ms, 2 ms, 4 ms ….
///
/// A file that was just written may still be open in a process that is being
/// started at this moment; that passes by itself.
const BUSY_TRIES: u32 = 6;

/// The commands of a [`Local`] workspace, as processes of this machine.
///
/// Cheap to clone; clones share one watchdog process (see below), so make one and clone it.
/// Nothing contains a command: it may do what the host may do.
///
/// # A command
/// - It starts in a session and a process group of its own, without a terminal,
///   in the very directory that was judged, whatever stands at its path by then.
/// - It inherits no open file of the host. (With a C library other than
///   glibc, it may inherit those that C code has opened without close-on-exec.)
/// - Its variables are those of its [`Environment`](workspace_core::Environment) and no others. The minimal base
///   adds `PAGER=cat`, `GIT_PAGER=cat`, `GIT_EDITOR=:` and `GIT_TERMINAL_PROMPT=0` to the list
///   of the contract, so that nothing waits for a person.
/// - A bare program name is looked up in the command's own `PATH`, whose
///   relative entries are passed over.
/// - Its output is read as it comes, in pieces of up to 64 KiB. Half a megabyte may wait
///   for the caller; then the command waits.
///
/// # Its end
/// It is over when its program has exited and its outputs are closed, or 250 ms
/// after the exit. What it has left behind by then is killed and counted: asked to end, killed
/// after 100 ms (or [`kill_grace`](Command::kill_grace), where that is shorter). With
/// [`Leftovers::Leave`](workspace_core::Leftovers::Leave) it is left alone, and what it prints is
/// thrown away as long as the runtime lives.
///
/// At a timeout, a kill or a drop, all its processes are sent `SIGTERM`,
/// and after [`kill_grace`](Command::kill_grace) `SIGKILL`. Its exit is told two seconds later at
/// most, even if a process hangs in the kernel. [`KillLevel`] says which processes that are.
///
/// The commands also end with the host. A small shell process is started with
/// the first command; it waits until the host is gone, then kills what was running. So
/// they end even where the host is killed by a signal that it cannot handle. When
/// the tokio runtime shuts down, its commands are killed at once.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> workspace_core::Result<()> {
/// # let dir = tempfile::tempdir().map_err(|e| workspace_core::Error::new(workspace_core::ErrorKind::Io, e.to_string()))?;
/// use workspace_core::{Command, Event, ShellProvider, Stream};
/// use workspace_local::Local;
///
/// let shell = Local::open(dir.path())?.shell();
/// let mut process = shell.spawn(Command::sh("echo hello; exit 3")).await?;
/// while let Some(event) = process.events.next().await {
///     match event? {
///         Event::Output(Stream::Stdout, bytes) => assert_eq!(bytes, b"hello\n"),
///         Event::Exit(exit) => assert_eq!(exit.status.code(), 3),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LocalShell {
    local: Local,
    level: Arc<Level>,
    guard: Arc<Guard>,
}

impl Local {
    /// The commands of this workspace, at [`KillLevel::Auto`].
    pub fn shell(&self) -> LocalShell {
        LocalShell { local: self.clone(), level: Arc::default(), guard: Arc::default() }
    }
}

impl LocalShell {
    /// Sets how surely commands are ended.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) where a level that was named is not to be had here.
    pub fn with_kill_level(self, level: KillLevel) -> Result<Self> {
        Ok(Self { level: Arc::new(Level::new(level)?), guard: Arc::default(), ..self })
    }
}

impl ShellProvider for LocalShell {
    fn capabilities(&self) -> ShellCapabilities {
        ShellCapabilities::default()
            .with_argv(true)
            .with_sh(true)
            .with_streaming(true)
            .with_stdin(true)
            .with_background(true)
            .with_real(true)
            .with_cancel(Cancel::Kill)
            .with_kill_reach(self.level.reach())
    }

    /// Starts a command, from within a tokio runtime with input, output and time.
    ///
    /// Like tokio's own, it waits in place for the kernel to read the program from the disk.
    async fn spawn(&self, command: Command) -> Result<Process> {
        let runtime = Runtime::try_current().map_err(|error| {
            Error::new(ErrorKind::Unavailable, "commands need a tokio runtime").because(error)
        })?;
        let variables = Variables::build(&command.env, |name| var_os(name))?;
        let invocation = Invocation::resolve(&command.program, &variables)?;
        let cwd = self.local.open_dir(&command.cwd, &command.filter)?;
        let cwd = above_streams(cwd).map_err(exhausted)?;
        let variables = assignments(&variables).map_err(exhausted)?;
        let Streams { theirs, stdin, stdout, stderr } = Streams::open(command.stdin)?;
        let launch = Launch {
            file: &invocation.file,
            words: &invocation.words,
            variables: &variables,
            cwd: cwd.as_fd(),
            streams: theirs.each_ref().map(AsFd::as_fd),
        };

        self.guard.stand_by(self.level.place());
        let mut tries = 0;
        let tree = loop {
            let cgroup = self.level.make_box()?;
            match self.level.start(&launch, cgroup) {
                Ok((started, hold)) => break Tree::new(self.guard.note(started.pid), started, hold),
                Err(Errno::TXTBSY) if tries < BUSY_TRIES => {
                    sleep(Duration::from_millis(1 << tries)).await;
                    tries += 1;
                }
                Err(errno) => return Err(invocation.refusal(errno, cwd.as_fd())),
            }
        };
        // The command holds the only ones now, so its end is seen.
        drop(theirs);

        let (listener, mut events) = channel(WAITING_EVENTS);
        let grip = Grip::new(stdin).map_err(unwatched)?;
        let outputs = Outputs::new(stdout, stderr).map_err(unwatched)?;
        let watch = Watch {
            tree,
            pump: Pump::new(outputs, listener.clone()),
            grip: Arc::clone(&grip),
            listener,
            timeout: command.timeout,
            kill_grace: command.kill_grace,
            leftovers: command.leftovers,
        };
        runtime.spawn(watch.run());
        Ok(Process::new(Feed::from_poll_fn(move |cx| events.poll_recv(cx)), Hand(grip)))
    }
}

impl fmt::Debug for LocalShell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalShell").field("local", &self.local).finish_non_exhaustive()
    }
}

fn unwatched(error: io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, "the runtime cannot watch one more command")
        .hint("end commands that still run, then try again")
        .because(error)
}
