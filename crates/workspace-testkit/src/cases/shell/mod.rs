//! Commands.

mod end;
mod input;
mod output;
mod place;

use std::time::Duration;

use workspace_core::{
    Command, EnvBase, Environment, Event, Exit, Feed, FsProvider, Process, Program, Result, ShellProvider,
    StatOptions, Stream,
};

use crate::case::{Case, Verdict, failed, holds, skipped};
use crate::scene::{Scene, path};

pub(super) const CASES: [&[Case]; 4] = [output::CASES, input::CASES, place::CASES, end::CASES];

/// All that a command told.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    stdout: String,
    stderr: String,
    exit: Exit,
}

impl Told {
    fn code(&self) -> i32 {
        self.exit.status.code()
    }
}

/// The program of a case, or a reason to skip it.
fn program(program: Option<&Program>) -> Verdict<Command> {
    match program {
        Some(Program::Argv(words)) => Ok(Command::argv(words.clone())),
        Some(Program::Sh(line)) => Ok(Command::sh(line.clone())),
        _ => Err(skipped("there is no command for it")),
    }
}

async fn spawn(scene: &Scene, command: Command) -> Verdict<Result<Process>> {
    let capabilities = scene.shell()?.capabilities();
    match command.program {
        Program::Argv(_) if !capabilities.argv => Err(skipped("programs are not started without a shell")),
        Program::Sh(_) if !capabilities.sh => Err(skipped("there is no shell for lines")),
        _ => Ok(scene.shell()?.spawn(command).await),
    }
}

/// Runs a command to its end.
async fn run(scene: &Scene, command: Command) -> Verdict<Told> {
    let mut process = spawn(scene, command).await??;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let exit = loop {
        match process.events.next().await {
            Some(Ok(Event::Output(Stream::Stdout, bytes))) => stdout.extend(bytes),
            Some(Ok(Event::Output(Stream::Stderr, bytes))) => stderr.extend(bytes),
            Some(Ok(Event::Exit(exit))) => break exit,
            Some(Ok(other)) => return Err(failed(format!("an event that the kit does not know: {other:?}"))),
            Some(Err(error)) => return Err(error.into()),
            None => return Err(failed("the events end without an exit")),
        }
    };
    let last = process.events.next().await;
    holds(last.is_none(), format!("after the exit comes {last:?}"))?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Told { stdout: text(stdout), stderr: text(stderr), exit })
}

/// Reads standard output up to the end of a line.
async fn first_line(events: &mut Feed<Event>) -> Verdict<String> {
    let mut line = Vec::new();
    while !line.contains(&b'\n') {
        match events.next().await {
            Some(Ok(Event::Output(Stream::Stdout, bytes))) => line.extend(bytes),
            other => return Err(failed(format!("instead of the first line came {other:?}"))),
        }
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// The exit, after what may still be printed.
async fn exit(events: &mut Feed<Event>) -> Verdict<Exit> {
    loop {
        match events.next().await {
            Some(Ok(Event::Exit(exit))) => return Ok(exit),
            Some(Ok(Event::Output(..))) => {}
            other => return Err(failed(format!("instead of the exit came {other:?}"))),
        }
    }
}

/// No variables but these.
fn only(variables: &[(&str, &str)]) -> Environment {
    let empty = Environment::default().with_base(EnvBase::Empty);
    variables.iter().fold(empty, |env, (name, value)| env.with_set(*name, *value))
}

/// Whether a process that adds to `beat.txt` many times a second still lives.
async fn beats(scene: &Scene) -> Verdict<bool> {
    let size = async || match scene.fs().stat(&path("beat.txt")?, StatOptions::default()).await {
        Ok(stat) => Verdict::Ok(stat.size),
        Err(_) => Ok(0),
    };
    let before = size().await?;
    // Ten times as long as the process needs for one more line.
    tokio::time::sleep(Duration::from_millis(200)).await;
    Ok(size().await? != before)
}
