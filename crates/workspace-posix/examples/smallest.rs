//! A whole backend over the smallest API there is: run one line, get its output.
//!
//! `cargo run -p workspace-posix --example smallest` puts it to the test.
#![allow(clippy::print_stdout)] // A program for people at a terminal.

use workspace_core::{
    Command, Error, ErrorKind, Event, Finished, Program, Result, RunOnce, ShellProvider, Stream,
};
use workspace_local::{Local, LocalShell};
use workspace_posix::{PosixConfig, PosixFiles, PosixShell};
use workspace_testkit::{Commands, Subject};

/// The vendor. This one runs lines on this machine; yours sends a request.
#[derive(Clone)]
struct Vendor(LocalShell);

impl RunOnce for Vendor {
    async fn run(&self, command: Command) -> Result<Finished> {
        let Program::Sh(_) = command.program else {
            return Err(Error::new(ErrorKind::Unsupported, "only lines are run"));
        };
        let mut process = self.0.spawn(command).await?;
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        while let Some(event) = process.events.next().await {
            match event? {
                Event::Output(Stream::Stdout, bytes) => stdout.extend(bytes),
                Event::Output(Stream::Stderr, bytes) => stderr.extend(bytes),
                Event::Exit(exit) => {
                    return Ok(Finished::new(exit.status.code()).with_stdout(stdout).with_stderr(stderr));
                }
                _ => {}
            }
        }
        Err(Error::new(ErrorKind::Unavailable, "the command was lost"))
    }
}

/// A workspace in an empty directory: files and commands.
pub(crate) async fn fresh() -> Result<Subject> {
    let home =
        tempfile::tempdir().map_err(|error| Error::new(ErrorKind::Io, "no directory").because(error))?;
    let vendor = Vendor(Local::open(home.path())?.shell());
    let files =
        PosixFiles::over_commands(vendor.clone(), PosixConfig::new(home.path().to_string_lossy())).await?;
    let shell = PosixShell::new(vendor, files.clone());
    Ok(Subject::new(files).with_shell(shell, Commands::posix()).with_effort(1).with_guard(home))
}

#[tokio::main]
async fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let report = workspace_testkit::run_where(fresh, &[], |case| case.starts_with(&wanted)).await;
    println!("{report}");
    assert!(report.is_success());
}
