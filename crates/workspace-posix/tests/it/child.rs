//! A shell of this machine as a vendor.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use workspace_core::{
    Body, Command, Error, Event, Feed, Finished, Process, Result, RunOnce, SharedShell, ShellProvider, Stdin,
    Stream,
};
use workspace_local::{Local, LocalShell};
use workspace_posix::{Request, Requests, Sessions, script_arguments};

/// A root, and the commands of this machine.
pub(crate) struct Home {
    pub(crate) home: TempDir,
    pub(crate) root: PathBuf,
}

impl Home {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap().join("ws");
        fs::create_dir(&root).unwrap();
        Self { home, root }
    }

    pub(crate) fn text(&self) -> String {
        self.root.to_str().unwrap().to_owned()
    }

    pub(crate) fn shell(&self) -> LocalShell {
        Local::open(&self.root).unwrap().shell()
    }
}

/// One of the shells of this machine, by the words that start it.
#[derive(Clone)]
pub(crate) struct Child {
    pub(crate) shell: SharedShell,
    pub(crate) words: Vec<String>,
}

impl Child {
    pub(crate) fn new(home: &Home, words: &[&str]) -> Self {
        let words = words.iter().copied().map(str::to_owned).collect();
        Self { shell: SharedShell::new(home.shell()), words }
    }
}

impl Sessions for Child {
    async fn open(&self) -> Result<Process> {
        self.shell.spawn(Command::argv(self.words.clone()).with_stdin(Stdin::Open)).await
    }
}

/// A vendor that runs a line of text and gives text back.
impl RunOnce for Child {
    async fn run(&self, command: Command) -> Result<Finished> {
        let workspace_core::Program::Sh(line) = &command.program else { panic!("only lines are sent") };
        let words = self.words.iter().cloned().chain(["-c".into(), line.clone()]);
        let command = Command::argv(words).with_timeout(command.timeout);
        let mut process = self.shell.spawn(command).await?;
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        while let Some(event) = process.events.next().await {
            match event? {
                Event::Output(Stream::Stdout, bytes) => stdout.extend(bytes),
                Event::Output(Stream::Stderr, bytes) => stderr.extend(bytes),
                Event::Exit(exit) => {
                    let finished = Finished::new(exit.status.code());
                    return Ok(finished.with_stdout(stdout).with_stderr(stderr));
                }
                _ => {}
            }
        }
        Err(Error::new(workspace_core::ErrorKind::Unavailable, "the command was lost"))
    }
}

/// A vendor that runs a script a request and streams what it prints.
impl Requests for Child {
    async fn run(&self, request: Request) -> Result<Vec<u8>> {
        self.stream(request.script).await?.collect(request.limit as u64).await
    }

    async fn stream(&self, script: String) -> Result<Body> {
        let words = self.words.iter().cloned().chain(script_arguments(&script));
        let process = self.shell.spawn(Command::argv(words)).await?;
        Ok(Feed::unfold(process, |mut process| async move {
            while let Some(event) = process.events.next().await {
                match event? {
                    Event::Output(Stream::Stdout, bytes) => return Ok(Some((bytes, process))),
                    Event::Exit(_) => return Ok(None),
                    _ => {}
                }
            }
            Err(Error::new(workspace_core::ErrorKind::Unavailable, "the script was lost"))
        }))
    }
}
