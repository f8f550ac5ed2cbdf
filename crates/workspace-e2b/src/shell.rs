//! The commands of a sandbox.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{Mutex, Notify, mpsc};
use tokio::time::Instant;
use workspace_core::{
    Access, Body, Cancel, Command, Control, Error, ErrorKind, Feed, FsProvider, KillReach, Process, Result,
    ShellCapabilities, ShellProvider, Stdin, WorkspacePath, WriteOptions, temporary_name,
};
use workspace_posix::{LaunchOptions, PosixFiles, launch_line};

use crate::driver::{Attached, Attempt, Driver, attach, end_later};
use crate::launch::{Input, Launch};
use crate::prefetch::Prefetched;
use crate::retry::{Repeat, retry_within};
use crate::sandbox::SharedSandbox;
use crate::scripts::Scripts;
use crate::token::random;

/// How many events may wait for who listens; then the command waits.
const EVENTS: usize = 16;
/// Input up to this many bytes travels with the script that starts the command.
const WITH_THE_SCRIPT: usize = 512 << 10;
/// So many bytes are handed to a command by one request.
const PIECE: usize = 256 << 10;

/// Commands in a sandbox: [`E2b::shell`](crate::E2b::shell).
///
/// A program starts with the variables of its command and no others. Its output
/// is kept in the sandbox while it runs, the last 24 MiB of each stream at least:
/// where the connection breaks off, another one goes on at the byte that was not
/// received. A command is started once, however often its request arrives.
///
/// A time limit is kept in the sandbox, also where it cannot be reached. A kill is
/// a polite signal, then one that cannot be refused, for each process that carries
/// the mark which the command was started with and all that it starts inherits
/// ([`KillReach::Group`]): a program that becomes another user can leave it behind.
#[derive(Clone)]
pub struct E2bShell {
    sandbox: SharedSandbox,
    files: PosixFiles,
    prefetched: Arc<Prefetched>,
}

impl E2bShell {
    pub(crate) fn new(sandbox: SharedSandbox, files: PosixFiles, prefetched: Arc<Prefetched>) -> Self {
        Self { sandbox, files, prefetched }
    }

    /// Where a command starts. The root was looked at when it was opened.
    async fn directory(&self, command: &Command) -> Result<String> {
        if !command.cwd.is_root() {
            return self.files.working_directory(&command.cwd, &command.filter).await;
        }
        let judged = command.filter.check(&command.cwd, Access::Read);
        judged.map_err(|error| error.at(&command.cwd)).map(|()| self.files.root().to_owned())
    }

    async fn input(&self, stdin: Stdin) -> Result<Input> {
        match stdin {
            Stdin::Empty => Ok(Input::Empty),
            Stdin::Open => Ok(Input::Open),
            Stdin::Bytes(bytes) if bytes.len() <= WITH_THE_SCRIPT => Ok(Input::Bytes(bytes)),
            Stdin::Bytes(bytes) => {
                let at = WorkspacePath::root().child(&temporary_name("input", random()))?;
                self.files.write(&at, Body::from(bytes), WriteOptions::default()).await?;
                Ok(Input::File(format!("{}/{at}", self.files.root().trim_end_matches('/'))))
            }
            _ => Err(Error::new(ErrorKind::Unsupported, "this kind of input is not known here")),
        }
    }

    async fn begin(&self, launch: &Launch) -> Result<Attached> {
        let script = format!("{}{}", self.sandbox.litter.sweep(), launch.attach(true, 0, 0));
        let attempt = retry_within(self.sandbox.envd.patience(), Repeat::Harmless, |end| {
            attach(&self.sandbox, &script, end)
        });
        match attempt.await {
            Ok(Attempt::Attached(attached)) => Ok(*attached),
            Ok(Attempt::NoPlace) => Err(Error::new(
                ErrorKind::NoSpace,
                "the sandbox has no room to start a command in, nothing has run",
            )
            .hint("remove files that are not needed")),
            Ok(Attempt::Gone) => Err(crate::error::lost_command()),
            Err(failure) => {
                // It may have been started all the same, and must not be.
                end_later(&self.sandbox, launch);
                Err(self.sandbox.explain(failure).await)
            }
        }
    }

    async fn start(&self, command: Command) -> Result<Process> {
        self.sandbox.used();
        let directory = self.directory(&command).await?;
        let line = launch_line(&command, &LaunchOptions::new(directory))?;
        let open = command.stdin == Stdin::Open;
        let input = self.input(command.stdin).await?;
        let launch = Launch::new(line, input, command.timeout, command.kill_grace, command.leftovers);
        let in_use = self.sandbox.in_use();
        self.prefetched.changed();
        let attached = self.begin(&launch).await?;
        let launch = Arc::new(launch);
        let (sender, mut receiver) = mpsc::channel(EVENTS);
        let killed = Arc::new(Notify::new());
        let driver = Driver {
            sandbox: Arc::clone(&self.sandbox),
            launch: Arc::clone(&launch),
            deadline: command.timeout.and_then(|limit| Instant::now().checked_add(limit)),
            grace: command.kill_grace,
            leftovers: command.leftovers,
            killed: Arc::clone(&killed),
            events: sender,
            reach: KillReach::Group,
            in_use,
        };
        tokio::spawn(driver.run(attached));
        let events = Feed::from_poll_fn(move |cx| receiver.poll_recv(cx));
        let hand = open.then(|| (Scripts(Arc::clone(&self.sandbox)), launch));
        Ok(Process::new(events, OnCommand { killed, hand: Mutex::new(hand) }))
    }
}

/// The hand on a command that runs.
struct OnCommand {
    killed: Arc<Notify>,
    /// Where input goes, as long as it is open; pieces keep their order.
    hand: Mutex<Option<(Scripts, Arc<Launch>)>>,
}

fn closed() -> Error {
    Error::new(ErrorKind::Unsupported, "the standard input of this command is closed")
}

impl Control for OnCommand {
    async fn kill(&self) -> Result<()> {
        self.killed.notify_one();
        Ok(())
    }

    async fn write_stdin(&self, bytes: Vec<u8>) -> Result<()> {
        let hand = self.hand.lock().await;
        let (scripts, launch) = hand.as_ref().ok_or_else(closed)?;
        for piece in bytes.chunks(PIECE) {
            let answer = scripts.change(&launch.send(piece), 4096).await?;
            if answer != b"sent" {
                return Err(Error::new(ErrorKind::Unavailable, "the command takes no more input"));
            }
        }
        Ok(())
    }

    async fn close_stdin(&self) -> Result<()> {
        let mut hand = self.hand.lock().await;
        let (scripts, launch) = hand.as_ref().ok_or_else(closed)?;
        scripts.look(&launch.close(), 4096).await?;
        *hand = None;
        Ok(())
    }
}

impl fmt::Debug for E2bShell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("E2bShell").field("root", &self.files.root()).finish_non_exhaustive()
    }
}

impl ShellProvider for E2bShell {
    fn capabilities(&self) -> ShellCapabilities {
        ShellCapabilities::default()
            .with_argv(true)
            .with_sh(true)
            .with_streaming(true)
            .with_stdin(true)
            .with_background(true)
            .with_real(true)
            .with_cancel(Cancel::Kill)
            .with_kill_reach(KillReach::Group)
    }

    async fn spawn(&self, command: Command) -> Result<Process> {
        self.start(command.with_bounded_times()).await.map_err(|error| error.during("spawn"))
    }
}
