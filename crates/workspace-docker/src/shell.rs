//! The commands of a container.

use std::fmt;
use std::sync::Arc;

use tokio::io::AsyncWriteExt as _;
use tokio::sync::{Mutex, Notify, mpsc};
use tokio::time::Instant;
use workspace_core::{
    Cancel, Command, Control, Error, ErrorKind, Feed, KillReach, Process, Result, ShellCapabilities,
    ShellProvider, Stdin,
};
use workspace_posix::{LaunchOptions, PosixFiles, launch_line};

use crate::brand::random;
use crate::container::SharedContainer;
use crate::driver::Driver;
use crate::exec::{Hand, Running};

/// How many events may wait for who listens; then the command waits.
const EVENTS: usize = 16;

/// Commands in a container: [`Docker::shell`](crate::Docker::shell).
///
/// A program starts with the variables of its command and no others, as the
/// user of the sandbox. A kill is a polite signal, then one that cannot be
/// refused, for each process that the command has started; in a container that
/// was made here it reaches every one of them
/// ([`KillReach::Tree`]), in one that was attached those that keep the brand
/// with which they were started ([`KillReach::Group`]).
#[derive(Clone)]
pub struct DockerShell {
    container: SharedContainer,
    files: PosixFiles,
}

impl DockerShell {
    pub(crate) fn new(container: SharedContainer, files: PosixFiles) -> Self {
        Self { container, files }
    }

    fn reach(&self) -> KillReach {
        if self.container.ours { KillReach::Tree } else { KillReach::Group }
    }

    async fn start(&self, command: Command) -> Result<Process> {
        let directory = self.files.working_directory(&command.cwd, &command.filter).await?;
        let line = launch_line(&command, &LaunchOptions::new(directory))?;
        self.container.gets_ready_to_kill().await?;
        let mark = format!("{:016x}{:016x}", random(), random());
        // The launcher stays, to tell the end while others hold the outputs, and says nothing itself.
        let script = format!(
            "exec 3>&2 2>/dev/null; ( {line} ) 2>&3 3>&-; w_r=$?; printf %s {mark} >&3; printf '%s%s %s;' {mark} \"$w_r\" \"$$\""
        );
        let takes = command.stdin != Stdin::Empty;
        // The limit holds for the command; what comes before has limits of its own.
        let Running { id, output, mut input, first, complaint, branded } =
            self.container.run_sh(&script, takes).await?;
        let hand = match command.stdin {
            Stdin::Open => Hand(Mutex::new(Some(input))),
            Stdin::Bytes(bytes) => {
                tokio::spawn(async move {
                    // A program that reads no further is no failure.
                    let _ = input.write_all(&bytes).await;
                    let _ = input.shutdown().await;
                });
                Hand(Mutex::new(None))
            }
            _ => Hand(Mutex::new(None)),
        };
        let (sender, mut receiver) = mpsc::channel(EVENTS);
        let killed = Arc::new(Notify::new());
        let driver = Driver {
            container: Arc::clone(&self.container),
            id,
            output,
            branded,
            mark,
            deadline: command.timeout.and_then(|limit| Instant::now().checked_add(limit)),
            grace: command.kill_grace,
            leftovers: command.leftovers,
            killed: Arc::clone(&killed),
            events: sender,
            reach: self.reach(),
        };
        tokio::spawn(driver.run(first, complaint));
        let events = Feed::from_poll_fn(move |cx| receiver.poll_recv(cx));
        Ok(Process::new(events, OnCommand { hand, killed }))
    }
}

/// The hand on a command that runs.
struct OnCommand {
    hand: Hand,
    killed: Arc<Notify>,
}

impl Control for OnCommand {
    async fn kill(&self) -> Result<()> {
        self.killed.notify_one();
        Ok(())
    }

    async fn write_stdin(&self, bytes: Vec<u8>) -> Result<()> {
        self.hand.send(&bytes).await
    }

    async fn close_stdin(&self) -> Result<()> {
        if self.hand.0.lock().await.is_none() {
            return Err(Error::new(ErrorKind::Unsupported, "the standard input of this command is closed"));
        }
        self.hand.close().await
    }
}

impl fmt::Debug for DockerShell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DockerShell").field("container", &self.container.id).finish_non_exhaustive()
    }
}

impl ShellProvider for DockerShell {
    fn capabilities(&self) -> ShellCapabilities {
        ShellCapabilities::default()
            .with_argv(true)
            .with_sh(true)
            .with_streaming(true)
            .with_stdin(true)
            .with_background(true)
            .with_real(true)
            .with_cancel(Cancel::Kill)
            .with_kill_reach(self.reach())
    }

    async fn spawn(&self, command: Command) -> Result<Process> {
        self.start(command.with_bounded_times()).await.map_err(|error| error.during("spawn"))
    }
}
