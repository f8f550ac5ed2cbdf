//! Commands over a vendor that can only run a line and collect its output.

use std::fmt;
use std::time::{Duration, Instant};

use workspace_core::{
    Body, Cancel, Cause, Command, Control, Error, ErrorKind, Event, Exit, ExitStatus, Feed, FsProvider,
    Process, RemoveOptions, Result, RunOnce, ShellCapabilities, ShellProvider, Stdin, Stream, WorkspacePath,
    WriteOptions, temporary_name,
};

use crate::launch::{LaunchOptions, launch_line};
use crate::wire::SharedCommands;
use crate::{PosixFiles, quote, token};

/// Input up to this many bytes is part of the line.
const IN_THE_LINE: usize = 32 << 10;
/// How much longer than the command the vendor may take.
const SLACK: Duration = Duration::from_secs(10);

/// Commands of a [`RunOnce`] vendor, in the directories of its [`PosixFiles`].
///
/// The vendor is given lines for `sh` alone. A line changes into a directory
/// that was judged, sets the variables, and keeps the time limit with `timeout`
/// of coreutils or busybox.
///
/// # Limits
/// Output arrives at the end. Nothing can be sent to a command, nothing runs in
/// the background, and a cancellation lets go of it ([`Cancel::Detach`]).
/// Processes that outlive their program are left alone.
#[derive(Clone)]
pub struct PosixShell {
    vendor: SharedCommands,
    files: PosixFiles,
}

impl PosixShell {
    /// The commands of a vendor, whose files these are.
    pub fn new(vendor: impl RunOnce, files: PosixFiles) -> Self {
        Self { vendor: SharedCommands::new(vendor), files }
    }

    /// Where the input comes from: the line itself, or a file that was written for it.
    async fn input(&self, stdin: &Stdin) -> Result<(String, Option<WorkspacePath>)> {
        match stdin {
            Stdin::Empty => Ok(("</dev/null".into(), None)),
            Stdin::Bytes(bytes) if bytes.len() <= IN_THE_LINE => Ok((String::new(), None)),
            Stdin::Bytes(bytes) => {
                let at = WorkspacePath::root().child(&temporary_name("input", token::random()))?;
                self.files.write(&at, Body::from(bytes.clone()), WriteOptions::default()).await?;
                let root = self.files.root().trim_end_matches('/');
                Ok((format!("<{}", quote::word(&format!("{root}/{at}"))), Some(at)))
            }
            _ => Err(Error::new(ErrorKind::Unsupported, "nothing can be sent to a command here")),
        }
    }

    async fn run(&self, command: Command) -> Result<Process> {
        let directory = self.files.working_directory(&command.cwd, &command.filter).await?;
        let mut options = LaunchOptions::new(directory);
        if let Some(limit) = command.timeout {
            let (limit, grace) =
                (limit.as_secs_f64().max(0.001), command.kill_grace.as_secs_f64().max(0.001));
            options = options.with_prefix(format!("timeout -k {grace} {limit}"));
        }
        let launch = launch_line(&command, &options)?;
        let (from, written) = self.input(&command.stdin).await?;
        let given = match &command.stdin {
            Stdin::Bytes(bytes) if written.is_none() => {
                format!("w_in() {{\n{}}}\nw_in |", quote::document(bytes))
            }
            _ => String::new(),
        };
        // Files, not pipes: what the program leaves running holds the outputs open.
        let line = format!(
            "w_d=$(mktemp -d) || exit 126\n{given} ( {launch} ) >\"$w_d/o\" 2>\"$w_d/e\" {from}\nw_r=$?\ncat \"$w_d/o\"; cat \"$w_d/e\" >&2; rm -rf \"$w_d\"; exit $w_r"
        );
        let begun = Instant::now();
        let most = command.timeout.map(|limit| limit + command.kill_grace + SLACK);
        let finished = self.vendor.run(Command::sh(line).with_timeout(most)).await;
        let took = begun.elapsed();
        if let Some(at) = written {
            let _ = self.files.remove(&at, RemoveOptions::default()).await;
        }
        let finished = finished?;
        let mut exit = Exit::new(status(finished.exit_code));
        // `timeout` tells by 124, or by the signal that it sent.
        if command.timeout.is_some_and(|limit| took >= limit) && matches!(finished.exit_code, 124 | 137 | 143)
        {
            exit = exit.with_cause(Cause::TimedOut);
        }
        let outputs = [(Stream::Stdout, finished.stdout), (Stream::Stderr, finished.stderr)];
        let events = outputs
            .into_iter()
            .filter(|(_, bytes)| !bytes.is_empty())
            .map(|(stream, bytes)| Event::Output(stream, bytes))
            .chain([Event::Exit(exit)])
            .map(Ok);
        Ok(Process::new(Feed::from_items(events), Ended))
    }
}

/// How a shell tells the end of a program.
pub(crate) fn status(code: i32) -> ExitStatus {
    match code {
        129..=192 => ExitStatus::Signal(code - 128),
        code => ExitStatus::Code(code),
    }
}

impl fmt::Debug for PosixShell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PosixShell").field("files", &self.files).finish_non_exhaustive()
    }
}

impl ShellProvider for PosixShell {
    fn capabilities(&self) -> ShellCapabilities {
        ShellCapabilities::default().with_argv(true).with_sh(true).with_real(true).with_cancel(Cancel::Detach)
    }

    async fn spawn(&self, command: Command) -> Result<Process> {
        let cwd = command.cwd.clone();
        self.run(command.with_bounded_times()).await.map_err(|error| {
            let error = error.during("spawn");
            if error.path().is_some() { error.at(&cwd) } else { error }
        })
    }
}

/// The hand on a command that is over already.
struct Ended;

impl Control for Ended {
    async fn kill(&self) -> Result<()> {
        Ok(())
    }
}
