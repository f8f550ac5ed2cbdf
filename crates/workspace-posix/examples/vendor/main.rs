//! A whole backend for a made-up HTTP sandbox: its processes are the commands, and
//! its files come through shells that stay open.
//!
//! `cargo run -p workspace-posix --example vendor` puts it to the test.
#![allow(clippy::print_stdout)] // A program for people at a terminal.

mod sandbox;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::sync::{Notify, mpsc};
use workspace_core::{
    Cancel, Cause, Command, Control, Error, ErrorKind, Event, Exit, ExitStatus, Feed, KillReach, PathFilter,
    Process, Result, ShellCapabilities, ShellProvider, Stdin, Stream, WorkspacePath,
};
use workspace_local::Local;
use workspace_posix::{LaunchOptions, PosixConfig, PosixFiles, Sessions, launch_line};
use workspace_testkit::{Commands, Subject};

use sandbox::{Http, Response};

/// Their status into our error. No message holds a token, an address or a path of the host.
fn ours(status: u16) -> Error {
    match status {
        404 => Error::new(ErrorKind::Unavailable, "the sandbox does not know this process any more"),
        409 => Error::new(ErrorKind::Unsupported, "the standard input of this command is closed"),
        _ => Error::new(ErrorKind::Unavailable, format!("the sandbox failed with status {status}"))
            .hint("try again in a moment"),
    }
}

/// The vendor's API, with our errors.
#[derive(Clone)]
struct Api(Http);

impl Api {
    async fn send(&self, method: &str, path: &str, body: Vec<u8>) -> Result<Response> {
        let response = self.0.request(method, path, body).await;
        if response.status < 300 { Ok(response) } else { Err(ours(response.status)) }
    }

    /// Starts a line; gives its number and what it tells.
    async fn start(&self, line: String) -> Result<(String, Feed<String>)> {
        let mut started = self.send("POST", "/processes", line.into_bytes()).await?;
        let number = started.lines.next().await.ok_or_else(|| ours(500))??;
        let events = self.send("GET", &format!("/processes/{number}/events"), Vec::new()).await?;
        Ok((number, events.lines))
    }
}

/// A line of the vendor's as an event.
fn event(line: &str) -> Result<Event> {
    let (word, rest) = line.split_once(' ').ok_or_else(|| ours(500))?;
    let bytes = || STANDARD.decode(rest).map_err(|error| ours(500).because(error));
    Ok(match word {
        "out" => Event::Output(Stream::Stdout, bytes()?),
        "err" => Event::Output(Stream::Stderr, bytes()?),
        "exit" => {
            let code = rest.parse().map_err(|error| ours(500).because(error))?;
            Event::Exit(Exit::new(ExitStatus::Code(code)))
        }
        _ => return Err(ours(500)),
    })
}

/// The hand on a process of the sandbox.
struct Hand {
    api: Api,
    number: String,
    killed: Arc<Notify>,
    /// Whether the caller may send.
    open: bool,
}

impl Hand {
    fn path(&self, end: &str) -> String {
        format!("/processes/{}{end}", self.number)
    }

    fn may_send(&self) -> Result<()> {
        if self.open { Ok(()) } else { Err(ours(409)) }
    }
}

impl Control for Hand {
    async fn kill(&self) -> Result<()> {
        self.killed.notify_one();
        Ok(())
    }

    async fn write_stdin(&self, bytes: Vec<u8>) -> Result<()> {
        self.may_send()?;
        self.api.send("POST", &self.path("/stdin"), bytes).await.map(drop)
    }

    async fn close_stdin(&self) -> Result<()> {
        self.may_send()?;
        self.api.send("POST", &self.path("/stdin/close"), Vec::new()).await.map(drop)
    }
}

/// Shells for files: one more process each.
impl Sessions for Api {
    async fn open(&self) -> Result<Process> {
        let (number, mut lines) = self.start("exec sh".into()).await?;
        let events = Feed::from_poll_fn(move |cx| {
            lines.poll_next(cx).map(|line| Some(line?.and_then(|line| event(&line))))
        });
        Ok(Process::new(events, Hand { api: self.clone(), number, killed: Arc::default(), open: true }))
    }
}

/// The commands of the sandbox.
struct Shell {
    api: Api,
    files: PosixFiles,
}

impl ShellProvider for Shell {
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
        // The directory is judged like any path, and the variables are the command's alone.
        let directory = self.files.working_directory(&command.cwd, &command.filter).await?;
        let line = launch_line(&command, &LaunchOptions::new(directory))?;
        let (number, lines) = self.api.start(line).await?;
        let killed = Arc::new(Notify::new());
        let open = command.stdin == Stdin::Open;
        if !open {
            let given =
                Hand { api: self.api.clone(), number: number.clone(), killed: Arc::default(), open: true };
            let bytes = if let Stdin::Bytes(bytes) = command.stdin { bytes } else { Vec::new() };
            tokio::spawn(async move {
                // A program that reads no further is no failure.
                let _ = given.write_stdin(bytes).await;
                let _ = given.close_stdin().await;
            });
        }
        let (told, mut events) = mpsc::channel(16);
        let path = format!("/processes/{number}");
        tokio::spawn(drive(self.api.clone(), path, lines, command.timeout, Arc::clone(&killed), told));
        let hand = Hand { api: self.api.clone(), number, killed, open };
        Ok(Process::new(Feed::from_poll_fn(move |cx| events.poll_recv(cx)), hand))
    }
}

/// Hands events on to the end of the process, of its time, or of the caller's patience.
async fn drive(
    api: Api,
    path: String,
    mut lines: Feed<String>,
    timeout: Option<Duration>,
    killed: Arc<Notify>,
    told: mpsc::Sender<Result<Event>>,
) {
    let over = tokio::time::sleep(timeout.unwrap_or(Duration::from_secs(1 << 30)));
    tokio::pin!(over);
    let mut cause = Cause::Exited;
    loop {
        let ended = tokio::select! {
            line = lines.next() => {
                let item = match line {
                    // A feed that ends without an exit says that the sandbox was lost.
                    None => return,
                    Some(line) => line.and_then(|line| event(&line)),
                };
                let item = match item {
                    Ok(Event::Exit(exit)) => Ok(Event::Exit(exit.with_cause(cause))),
                    other => other,
                };
                let last = !matches!(item, Ok(Event::Output(..)));
                if told.send(item).await.is_err() { Some(Cause::Killed) } else if last { return } else { None }
            }
            () = &mut over, if cause == Cause::Exited => Some(Cause::TimedOut),
            () = killed.notified(), if cause == Cause::Exited => Some(Cause::Killed),
            () = told.closed(), if cause == Cause::Exited => Some(Cause::Killed),
        };
        if let Some(why) = ended {
            cause = why;
            if api.send("DELETE", &path, Vec::new()).await.is_err() {
                return;
            }
        }
    }
}

/// A workspace in an empty sandbox: files and commands.
pub(crate) async fn fresh() -> Result<Subject> {
    let home =
        tempfile::tempdir().map_err(|error| Error::new(ErrorKind::Io, "no directory").because(error))?;
    let api = Api(Http::new(Local::open(home.path())?.shell()));
    let files =
        PosixFiles::over_sessions(api.clone(), PosixConfig::new(home.path().to_string_lossy())).await?;
    files.working_directory(&WorkspacePath::root(), &PathFilter::default()).await?;
    let shell = Shell { api, files: files.clone() };
    Ok(Subject::new(files).with_shell(shell, Commands::posix()).with_effort(1).with_guard(home))
}

#[tokio::main]
async fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let report = workspace_testkit::run_where(fresh, &[], |case| case.starts_with(&wanted)).await;
    println!("{report}");
    assert!(report.is_success());
}
