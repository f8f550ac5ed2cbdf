//! Commands as real processes.

mod ends;
mod environment;
mod host;
mod kill;
mod leftovers;
mod many;
mod program;
mod start;
mod stdin;

use std::fs;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::time::Duration;

use workspace_core::{
    Cause, Command, Event, Exit, ExitStatus, KillReach, Process, Result, ShellProvider, Stream,
};
use workspace_local::{KillLevel, LocalShell};

use crate::support::{Scene, skip};

/// A root with the shell over it.
struct Stage {
    scene: Scene,
    shell: LocalShell,
    level: KillLevel,
}

impl Stage {
    fn new() -> Self {
        Self::at(KillLevel::Auto).unwrap()
    }

    fn at(level: KillLevel) -> Result<Self> {
        let scene = Scene::new();
        let shell = scene.open().shell().with_kill_level(level.clone())?;
        Ok(Self { scene, shell, level })
    }

    /// One for each level that this machine has.
    fn levels() -> Vec<Self> {
        let mut stages = vec![Self::at(KillLevel::Group).unwrap()];
        for (level, why) in [
            (KillLevel::Cgroup(None), "the control groups of this machine cannot be written"),
            (KillLevel::Namespace, "this machine lets nobody make namespaces"),
        ] {
            match Self::at(level) {
                Ok(stage) => stages.push(stage),
                Err(_) => skip(why),
            }
        }
        stages
    }

    fn reach(&self) -> KillReach {
        self.shell.capabilities().kill_reach
    }

    async fn spawn(&self, command: Command) -> Process {
        self.shell.spawn(command).await.unwrap()
    }

    async fn run(&self, command: Command) -> Ran {
        ran(self.spawn(command).await).await
    }

    async fn sh(&self, line: &str) -> Ran {
        self.run(Command::sh(line)).await
    }
}

/// All that a command told.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    stdout: String,
    stderr: String,
    exit: Exit,
}

impl Ran {
    #[track_caller]
    fn assert(&self, stdout: &str, stderr: &str, code: i32) {
        let told = (self.stdout.as_str(), self.stderr.as_str(), self.exit.status, self.exit.cause);
        assert_eq!(told, (stdout, stderr, ExitStatus::Code(code), Cause::Exited));
    }
}

/// Listens to a command up to its exit, which must be the last event.
async fn ran(mut process: Process) -> Ran {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    loop {
        match process.events.next().await.unwrap().unwrap() {
            Event::Output(Stream::Stdout, bytes) => stdout.extend(bytes),
            Event::Output(Stream::Stderr, bytes) => stderr.extend(bytes),
            Event::Exit(exit) => {
                assert!(process.events.next().await.is_none(), "an exit is the last event");
                let text = |bytes| String::from_utf8(bytes).unwrap();
                return Ran { stdout: text(stdout), stderr: text(stderr), exit };
            }
            event => panic!("an event of another kind: {event:?}"),
        }
    }
}

/// Listens until the command has printed this on its standard output.
async fn printed(process: &mut Process, expected: &str) {
    let mut text = String::new();
    while text != expected {
        match process.events.next().await.unwrap().unwrap() {
            Event::Output(Stream::Stdout, bytes) => text.push_str(std::str::from_utf8(&bytes).unwrap()),
            event => panic!("{event:?} after {text:?}"),
        }
        assert!(expected.starts_with(&text), "{text:?}");
    }
}

/// A number of seconds to sleep that no other process of this machine has among its
/// arguments: `sleep` with it can be found and counted, whoever its parent is.
struct Mark(String);

impl Mark {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("987.{}{next:05}", std::process::id()))
    }

    /// The processes that sleep so long, zombies not counted.
    fn sleepers(&self) -> Vec<u32> {
        let asleep = format!("sleep\0{}\0", self.0);
        pids()
            .filter(|pid| fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line == asleep))
            .collect()
    }

    /// The shell whose line names it.
    fn shell(&self) -> u32 {
        let line = |pid| fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        pids().find(|pid| line(*pid).starts_with("sh\0") && line(*pid).contains(&self.0)).unwrap()
    }

    /// Waits until exactly so many sleep.
    async fn wait_for(&self, count: usize) {
        eventually(
            || self.sleepers().len() == count,
            || format!("{count} sleepers, there are {}", self.sleepers().len()),
        )
        .await;
    }

    /// Ends what a test has let live on purpose.
    fn clear(&self) {
        self.sleepers().into_iter().for_each(kill);
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.clear();
    }
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

fn pids() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Waits for what no event tells, by looking again and again.
async fn eventually(mut holds: impl FnMut() -> bool, expected: impl Fn() -> String) {
    let look = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let met = tokio::time::timeout(Duration::from_secs(30), look).await;
    assert!(met.is_ok(), "expected {}", expected());
}

/// Whether an event is there without waiting.
async fn is_silent(process: &mut Process) -> bool {
    poll_fn(|cx| Poll::Ready(process.events.poll_next(cx).is_pending())).await
}
