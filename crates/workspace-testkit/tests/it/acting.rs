//! A stand-in for a real shell: it knows the lines of `Commands::posix()` and
//! acts them out on a tree in memory, with tasks for processes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use workspace_core::{
    Access, Cancel, Cause, Command, Control, EnvBase, Error, ErrorKind, Event, Exit, ExitStatus, Feed,
    FileKind, FsProvider, KillReach, PathFilter, Process, Program, ResolveOptions, Result, ShellCapabilities,
    ShellProvider, StatOptions, Stdin, Stream, WorkspacePath,
};
use workspace_memory::Memory;

use Acts::{
    Beats, Copies, Ends, Hangs, LeavesAChild, MakesAFile, PrintsArguments, PrintsItsEnvironment, ShowsAFile,
};

/// What one line does.
enum Acts {
    Ends(ExitStatus, &'static str, &'static str),
    Hangs,
    Beats,
    LeavesAChild,
    Copies,
    PrintsItsEnvironment,
    PrintsArguments(Vec<String>),
    ShowsAFile,
    MakesAFile,
}

/// One way to be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wrong {
    ChangesTheExitCode,
    MixesTheStreams,
    TellsSignalsAsCodes,
    GoesOnAfterTheExit,
    EndsWithoutAnExit,
    TellsALeftover,
    BlamesTheTimeout,
    SaysNothingOfAMissingProgram,
    ExpandsArguments,
    CutsMuchOutput,
    RunsOneAtATime,
    OffersLinesAndRunsNone,
    InheritsTheEnvironment,
    LeaksTheEnvironment,
    KeepsNoPath,
    FirstVariableWins,
    ExpandsValues,
    InventsInput,
    LosesInput,
    LosesTheEndOfInput,
    ReadsTheFirstPieceOnly,
    TakesInputWhenClosed,
    ClaimsNoInput,
    StartsAtHome,
    StartsInTheRoot,
    StartsAnywhere,
    StartsBehindNoLink,
    StartsOutside,
    ForgetsTheFilter,
    FiltersThePathAsAsked,
    RunsWhatItRefuses,
    KeepsFilesOfItsOwn,
    DropsOutputAtTheTimeout,
    TimesOutAtOnce,
    HoldsOutputBack,
    IgnoresKills,
    FailsToKillTwice,
    BlocksOthers,
    OutlivesItsEvents,
    KillsTheProgramAlone,
    TimesOutTheProgramAlone,
    WaitsForChildren,
}

#[derive(Clone)]
pub(crate) struct Acting {
    memory: Memory,
    wrong: Option<Wrong>,
    one: Arc<tokio::sync::Mutex<()>>,
}

impl Acting {
    pub(crate) fn new(memory: Memory) -> Self {
        Self { memory, wrong: None, one: Arc::default() }
    }

    pub(crate) fn wrong(memory: Memory, wrong: Wrong) -> Self {
        Self { wrong: Some(wrong), ..Self::new(memory) }
    }

    fn is(&self, wrong: Wrong) -> bool {
        self.wrong == Some(wrong)
    }

    async fn directory(&self, command: &Command) -> Result<WorkspacePath> {
        if self.is(Wrong::StartsInTheRoot) {
            return Ok(WorkspacePath::root());
        }
        if self.is(Wrong::StartsAtHome) && command.cwd.is_root() {
            return command.cwd.child("home");
        }
        if self.is(Wrong::StartsAnywhere) || self.is(Wrong::RunsWhatItRefuses) {
            return Ok(command.cwd.clone());
        }
        if self.is(Wrong::FiltersThePathAsAsked) {
            command.filter.check(&command.cwd, Access::Read)?;
        }
        let filter = match self.wrong {
            Some(Wrong::ForgetsTheFilter | Wrong::FiltersThePathAsAsked) => PathFilter::default(),
            _ => command.filter.clone(),
        };
        let stat = self.memory.stat(&command.cwd, StatOptions::default().with_filter(filter)).await;
        match stat {
            Err(error) if error.kind() == ErrorKind::PathEscape && self.is(Wrong::StartsOutside) => {
                return Ok(WorkspacePath::root());
            }
            Err(error) => return Err(error),
            Ok(_) if self.is(Wrong::StartsBehindNoLink) && command.cwd.as_str() == "alias" => {
                return Err(Error::new(ErrorKind::PathEscape, "links are not followed"));
            }
            Ok(stat) if stat.kind != FileKind::Dir => {
                return Err(Error::new(
                    ErrorKind::NotADirectory,
                    "a file stands where a directory is needed",
                ));
            }
            Ok(_) => {}
        }
        self.memory.resolve(&command.cwd, ResolveOptions::default()).await
    }

    fn acts(&self, program: &Program) -> Result<Acts> {
        Ok(match program {
            Program::Sh(line) => match line.as_str() {
                "exit 7" => {
                    Ends(ExitStatus::Code(if self.is(Wrong::ChangesTheExitCode) { 1 } else { 7 }), "", "")
                }
                "echo out; echo err >&2" if self.is(Wrong::MixesTheStreams) => {
                    Ends(ExitStatus::Code(0), "out\nerr\n", "")
                }
                "echo out; echo err >&2" => Ends(ExitStatus::Code(0), "out\n", "err\n"),
                "kill -9 $$" if self.is(Wrong::TellsSignalsAsCodes) => Ends(ExitStatus::Code(9), "", ""),
                "kill -9 $$" => Ends(ExitStatus::Signal(9), "", ""),
                "env" => PrintsItsEnvironment,
                "cat marker.txt" => ShowsAFile,
                "printf made > made.txt" => MakesAFile,
                "cat" => Copies,
                "echo begun; exec sleep 1000" => Hangs,
                "sleep 1000 & echo hi" => LeavesAChild,
                line if line.starts_with("head -c 4194304") => {
                    let size = if self.is(Wrong::CutsMuchOutput) { 1 << 20 } else { 4 << 20 };
                    Ends(ExitStatus::Code(0), "x".repeat(size).leak(), "")
                }
                line if line.starts_with("(while :;") => Beats,
                _ => Ends(ExitStatus::Code(127), "", "not found\n"),
            },
            Program::Argv(words) if words[0] == "printf" => PrintsArguments(words[2..].to_vec()),
            _ if self.is(Wrong::SaysNothingOfAMissingProgram) => Ends(ExitStatus::Code(127), "", ""),
            _ => return Err(Error::new(ErrorKind::SpawnFailed, "there is no such program").during("run")),
        })
    }

    fn variables(&self, command: &Command) -> String {
        let mut all = BTreeMap::new();
        if command.env.base == EnvBase::Minimal {
            for (name, value) in
                [("PATH", "/bin"), ("HOME", "/home"), ("NO_COLOR", "1"), ("TERM", "dumb"), ("LANG", "C")]
            {
                all.insert(name.to_owned(), value.to_owned());
            }
        }
        if self.is(Wrong::LeaksTheEnvironment) {
            all.extend(std::env::vars().filter(|(name, _)| name.starts_with("CARGO")));
        }
        if self.is(Wrong::KeepsNoPath) {
            all.remove("PATH");
        }
        if self.is(Wrong::InheritsTheEnvironment) {
            all.insert("CARGO_SECRET".to_owned(), "1".to_owned());
        }
        for (name, value) in &command.env.set {
            if self.is(Wrong::FirstVariableWins) && all.contains_key(name) {
                continue;
            }
            let value =
                if self.is(Wrong::ExpandsValues) { value.replace("$HOME", "/home") } else { value.clone() };
            all.insert(name.clone(), value);
        }
        all.iter().fold(String::new(), |text, (name, value)| text + name + "=" + value + "\n")
    }
}

impl ShellProvider for Acting {
    fn capabilities(&self) -> ShellCapabilities {
        ShellCapabilities::default()
            .with_argv(true)
            .with_sh(!self.is(Wrong::OffersLinesAndRunsNone))
            .with_streaming(true)
            .with_stdin(!self.is(Wrong::ClaimsNoInput))
            .with_background(true)
            .with_real(true)
            .with_cancel(Cancel::Kill)
            .with_kill_reach(KillReach::Tree)
    }

    async fn spawn(&self, command: Command) -> Result<Process> {
        let directory = self.directory(&command).await.map_err(|error| error.during("run").at(&command.cwd));
        let directory = directory?;
        let acts = self.acts(&command.program)?;
        let alone = Arc::clone(&self.one).try_lock_owned().ok();
        if self.is(Wrong::RunsOneAtATime) && alone.is_none() {
            return Err(Error::new(ErrorKind::Unavailable, "another command runs").during("run"));
        }
        let alone = alone.filter(|_| self.is(Wrong::RunsOneAtATime));
        let (events, told) = mpsc::unbounded_channel();
        let (stop, stopped) = watch::channel(None);
        let (input, given) = mpsc::unbounded_channel();
        let stdin = match command.stdin.clone() {
            Stdin::Empty if self.is(Wrong::InventsInput) => Some(b"invented".to_vec()),
            Stdin::Bytes(bytes) if self.is(Wrong::LosesInput) => Some(Vec::with_capacity(bytes.len())),
            Stdin::Bytes(mut bytes) => {
                if self.is(Wrong::ReadsTheFirstPieceOnly) {
                    bytes.truncate(1 << 16);
                }
                Some(bytes)
            }
            Stdin::Open => None,
            _ => Some(Vec::new()),
        };
        let open = stdin.is_none() || self.is(Wrong::TakesInputWhenClosed);
        let run = Run { shell: self.clone(), command, directory, events, stopped, given, stdin };
        tokio::spawn(async move {
            run.act(acts).await;
            // Long enough for another command to come in between.
            if alone.is_some() {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        });
        let stop = Arc::new(stop);
        let over = Arc::new(AtomicBool::new(false));
        let guard = Guard {
            stop: Arc::clone(&stop),
            over: Arc::clone(&over),
            outlives: self.is(Wrong::OutlivesItsEvents),
        };
        let hand = Hand { stop, over, input: open.then_some(input).into(), wrong: self.wrong };
        Ok(Process::new(feed(told, guard), hand))
    }
}

fn feed(mut told: mpsc::UnboundedReceiver<Event>, guard: Guard) -> Feed<Event> {
    Feed::from_poll_fn(move |cx| {
        told.poll_recv(cx).map(|event| {
            if matches!(event, Some(Event::Exit(_))) {
                guard.over.store(true, Ordering::Release);
            }
            event.map(Ok)
        })
    })
}

/// Stops the command when its events are dropped.
struct Guard {
    stop: Arc<watch::Sender<Option<Cause>>>,
    /// Its end has been told.
    over: Arc<AtomicBool>,
    outlives: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.outlives {
            self.stop.send_replace(Some(Cause::Killed));
        }
    }
}

struct Hand {
    stop: Arc<watch::Sender<Option<Cause>>>,
    over: Arc<AtomicBool>,
    input: std::sync::Mutex<Option<mpsc::UnboundedSender<Vec<u8>>>>,
    wrong: Option<Wrong>,
}

impl Control for Hand {
    async fn kill(&self) -> Result<()> {
        if self.wrong == Some(Wrong::IgnoresKills) {
            return Ok(());
        }
        let over = self.over.load(Ordering::Acquire) || self.stop.borrow().is_some();
        self.stop.send_replace(Some(Cause::Killed));
        match self.wrong {
            Some(Wrong::FailsToKillTwice) if over => Err(Error::new(ErrorKind::NotFound, "no such process")),
            _ => Ok(()),
        }
    }

    async fn write_stdin(&self, bytes: Vec<u8>) -> Result<()> {
        match &*self.input.lock().unwrap() {
            Some(input) => {
                let _ = input.send(bytes);
                Ok(())
            }
            None => Err(Error::new(ErrorKind::Unsupported, "the standard input is closed")),
        }
    }

    async fn close_stdin(&self) -> Result<()> {
        if self.wrong != Some(Wrong::LosesTheEndOfInput) {
            self.input.lock().unwrap().take();
        }
        Ok(())
    }
}

/// A command in progress.
struct Run {
    shell: Acting,
    command: Command,
    directory: WorkspacePath,
    events: mpsc::UnboundedSender<Event>,
    stopped: watch::Receiver<Option<Cause>>,
    given: mpsc::UnboundedReceiver<Vec<u8>>,
    stdin: Option<Vec<u8>>,
}

impl Run {
    async fn act(mut self, acts: Acts) {
        let _one = if self.shell.is(Wrong::BlocksOthers) {
            Some(Arc::clone(&self.shell.one).lock_owned().await)
        } else {
            None
        };
        let at = |name: &str| self.directory.child(name).unwrap().as_str().to_owned();
        match acts {
            Ends(status, stdout, stderr) => {
                self.print(Stream::Stdout, stdout);
                self.print(Stream::Stderr, stderr);
                self.exit(status, Cause::Exited);
            }
            PrintsItsEnvironment => self.succeed(&self.shell.variables(&self.command)),
            PrintsArguments(words) => {
                let mut printed = words.join("|") + "|";
                if self.shell.is(Wrong::ExpandsArguments) {
                    printed = printed.replace('*', "a-file-that-a-star-would-name");
                }
                self.succeed(&printed);
            }
            ShowsAFile => {
                let marker = self.shell.memory.read_now(&at("marker.txt")).unwrap_or_default();
                self.succeed(&String::from_utf8(marker).unwrap());
            }
            MakesAFile => {
                if !self.shell.is(Wrong::KeepsFilesOfItsOwn) {
                    let _ = self.shell.memory.write_now(&at("made.txt"), "made");
                }
                self.succeed("");
            }
            Copies => {
                let mut copied = self.stdin.take();
                if copied.is_none() {
                    let mut all = Vec::new();
                    while let Some(bytes) = self.given.recv().await {
                        all.extend(bytes);
                    }
                    copied = Some(all);
                }
                self.succeed(&String::from_utf8(copied.unwrap_or_default()).unwrap());
            }
            LeavesAChild => {
                self.print(Stream::Stdout, "hi\n");
                if self.shell.is(Wrong::WaitsForChildren) {
                    std::future::pending::<()>().await;
                }
                self.exit(ExitStatus::Code(0), Cause::Exited);
            }
            Hangs => self.hang(false).await,
            Beats => self.hang(true).await,
        }
    }

    /// Runs until it is stopped or its time is up; a child beats meanwhile.
    async fn hang(&mut self, beats: bool) {
        let wrong = self.shell.wrong;
        let silent = match wrong {
            Some(Wrong::HoldsOutputBack) => true,
            Some(Wrong::DropsOutputAtTheTimeout) => self.command.timeout.is_some(),
            _ => false,
        };
        if !silent {
            self.print(Stream::Stdout, "begun\n");
        }
        let child = beats.then(|| {
            let memory = self.shell.memory.clone();
            let at = self.directory.child("beat.txt").unwrap();
            tokio::spawn(async move {
                for beat in 1.. {
                    let _ = memory.write_now(at.as_str(), "x".repeat(beat));
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            })
        });
        let timeout = self.command.timeout.unwrap_or(Duration::from_secs(1000));
        let cause = tokio::select! {
            stopped = self.stopped.wait_for(Option::is_some) => {
                stopped.ok().and_then(|cause| *cause).unwrap_or(Cause::Killed)
            }
            () = tokio::time::sleep(timeout) => Cause::TimedOut,
        };
        let alone = match cause {
            Cause::TimedOut => wrong == Some(Wrong::TimesOutTheProgramAlone),
            _ => wrong == Some(Wrong::KillsTheProgramAlone),
        };
        if let Some(child) = child.filter(|_| !alone) {
            child.abort();
        }
        self.exit(ExitStatus::Signal(15), cause);
    }

    fn succeed(&self, stdout: &str) {
        self.print(Stream::Stdout, stdout);
        self.exit(ExitStatus::Code(0), Cause::Exited);
    }

    fn print(&self, stream: Stream, text: &str) {
        for piece in text.as_bytes().chunks(60_000) {
            let _ = self.events.send(Event::Output(stream, piece.to_vec()));
        }
    }

    fn exit(&self, status: ExitStatus, mut cause: Cause) {
        let wrong = self.shell.wrong;
        if wrong == Some(Wrong::EndsWithoutAnExit) {
            return;
        }
        if wrong == Some(Wrong::BlamesTheTimeout)
            || (wrong == Some(Wrong::TimesOutAtOnce) && self.command.timeout.is_some())
        {
            cause = Cause::TimedOut;
        }
        let leftovers = u32::from(wrong == Some(Wrong::TellsALeftover));
        let exit = Exit::new(status).with_cause(cause).with_leftovers_killed(leftovers);
        let _ = self.events.send(Event::Exit(exit));
        if wrong == Some(Wrong::GoesOnAfterTheExit) {
            self.print(Stream::Stdout, "and more");
        }
    }
}
