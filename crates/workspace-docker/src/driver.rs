//! A command from its start to its end, whoever listens.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bollard::container::LogOutput;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, timeout_at};
use workspace_core::{Cause, Event, Exit, ExitStatus, KillReach, Leftovers, Result, Stream};
use workspace_posix::Marked;

use crate::brand::{Branded, Reach};
use crate::container::SharedContainer;
use crate::error;
use crate::exec::{Output, next, told};

/// How long the second output may lag behind the first at the end. Both end
/// with a mark, so that nobody waits for it where the engine is not overloaded.
const LAG: Duration = Duration::from_secs(5);
/// How long the end of a killed command's output is waited for.
const LAST: Duration = Duration::from_secs(2);
/// Output of a command that is being killed is kept up to this many bytes.
const KEPT: usize = 4 << 20;
/// Rounds of a sweep that must leave nothing.
const ROUNDS: u32 = 50;

/// What drives a command.
pub(crate) struct Driver {
    pub(crate) container: SharedContainer,
    pub(crate) id: String,
    pub(crate) output: Output,
    pub(crate) branded: Branded,
    pub(crate) mark: String,
    pub(crate) deadline: Option<Instant>,
    pub(crate) grace: Duration,
    pub(crate) leftovers: Leftovers,
    pub(crate) killed: Arc<Notify>,
    pub(crate) events: mpsc::Sender<Result<Event>>,
    pub(crate) reach: KillReach,
}

/// Why a command is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    TimedOut,
    Killed,
    /// Nobody listens any more.
    Dropped,
}

/// Both outputs, each up to its mark.
struct Outputs {
    stdout: Marked,
    stderr: Marked,
    queue: VecDeque<Event>,
    queued: usize,
    closed: bool,
}

impl Outputs {
    fn take(&mut self, output: LogOutput) {
        let (stream, bytes) = told(output);
        let marked = if stream == Stream::Stdout { &mut self.stdout } else { &mut self.stderr };
        let bytes = marked.take(&bytes);
        self.push(stream, bytes);
    }

    fn push(&mut self, stream: Stream, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.queued += bytes.len();
            self.queue.push_back(Event::Output(stream, bytes));
        }
    }

    fn pop(&mut self) -> Option<Event> {
        let event = self.queue.pop_front()?;
        if let Event::Output(_, bytes) = &event {
            self.queued = self.queued.saturating_sub(bytes.len());
        }
        Some(event)
    }

    /// The streams have ended without their marks.
    fn close(&mut self) {
        self.closed = true;
        let (stdout, stderr) = (self.stdout.rest(), self.stderr.rest());
        self.push(Stream::Stdout, stdout);
        self.push(Stream::Stderr, stderr);
    }

    /// Exit code and process of the launcher, once the program has ended: `CODE PID;`.
    fn ended(&self) -> Option<(i32, u32)> {
        let text = std::str::from_utf8(self.stdout.after()?).ok()?;
        let (code, pid) = text.split_once(';')?.0.split_once(' ')?;
        Some((code.parse().ok()?, pid.parse().ok()?))
    }
}

impl Driver {
    pub(crate) async fn run(mut self, first: Vec<u8>, complaint: Vec<u8>) {
        let mut outputs = Outputs {
            stdout: Marked::new(&self.mark),
            stderr: Marked::new(&self.mark),
            queue: VecDeque::new(),
            queued: 0,
            closed: false,
        };
        outputs.take(LogOutput::StdErr { message: complaint.into() });
        outputs.take(LogOutput::StdOut { message: first.into() });
        let why = self.listen(&mut outputs).await;
        let end = match why {
            None => self.ended(&mut outputs).await,
            Some(why) => Ok(self.kill(why, &mut outputs).await),
        };
        while let Some(event) = outputs.pop() {
            if self.events.send(Ok(event)).await.is_err() {
                return;
            }
        }
        // A feed that ends without an exit says that the container was lost.
        let last = end.map(|exit| Event::Exit(exit.with_kill_reach(self.reach)));
        let _ = self.events.send(last).await;
    }

    /// Hands output on until the program or the patience has ended.
    async fn listen(&mut self, outputs: &mut Outputs) -> Option<Why> {
        let far = Instant::now() + Duration::from_hours(365 * 24);
        loop {
            if outputs.closed || outputs.ended().is_some() {
                return None;
            }
            tokio::select! {
                item = next(&mut self.output), if outputs.queue.is_empty() => match item {
                    Some(Ok(output)) => outputs.take(output),
                    Some(Err(_)) | None => outputs.close(),
                },
                room = self.events.reserve(), if !outputs.queue.is_empty() => match room {
                    Ok(room) => if let Some(event) = outputs.pop() { room.send(Ok(event)) },
                    Err(_) => return Some(Why::Dropped),
                },
                () = tokio::time::sleep_until(self.deadline.unwrap_or(far)) => return Some(Why::TimedOut),
                () = self.killed.notified() => return Some(Why::Killed),
                () = self.events.closed() => return Some(Why::Dropped),
            }
        }
    }

    /// The program has ended by itself, or its stream has.
    async fn ended(&mut self, outputs: &mut Outputs) -> Result<Exit> {
        let Some((code, launcher)) = outputs.ended() else { return self.lost().await };
        let lag = Instant::now() + LAG;
        while outputs.stderr.after().is_none() && !outputs.closed {
            match timeout_at(lag, next(&mut self.output)).await {
                Ok(Some(Ok(output))) => outputs.take(output),
                Ok(_) => outputs.close(),
                Err(_) => break,
            }
        }
        let mut exit = Exit::new(status(code));
        if code == 137 && self.is_out_of_memory().await {
            exit = exit.with_cause(Cause::OutOfMemory);
        }
        if self.leftovers == Leftovers::Kill {
            let (count, _) =
                self.container.sweep(&self.branded, 9, ROUNDS, Some(launcher), Reach::Branded).await?;
            exit = exit.with_leftovers_killed(count);
        }
        Ok(exit)
    }

    /// The stream has ended without a word of the launcher: it was killed, or the container was.
    async fn lost(&mut self) -> Result<Exit> {
        let engine = &self.container.engine;
        let told = engine.call(engine.client().inspect_exec(&self.id)).await;
        let running = self.container.is_running().await.unwrap_or_default();
        match told.ok().and_then(|told| told.exit_code).and_then(|code| i32::try_from(code).ok()) {
            Some(code) if running => {
                let swept = self.container.sweep(&self.branded, 9, ROUNDS, None, Reach::Branded).await;
                if swept.is_err() && !self.container.goes_on().await {
                    return Err(error::gone().during("run"));
                }
                let mut exit = Exit::new(status(code));
                if code == 137 && self.is_out_of_memory().await {
                    exit = exit.with_cause(Cause::OutOfMemory);
                }
                Ok(exit)
            }
            _ => Err(error::gone().during("run")),
        }
    }

    async fn is_out_of_memory(&mut self) -> bool {
        let now = self.container.ended_for_memory().await;
        now > self.container.killed_for_memory.swap(now, Ordering::AcqRel)
    }

    /// Politely first, then for good, then whoever has thrown the brand away.
    async fn kill(&mut self, why: Why, outputs: &mut Outputs) -> Exit {
        let mut signal = 15;
        if self.grace.is_zero() {
            signal = 9;
        } else {
            self.signal(15, 1, Reach::Branded).await;
            if !self.drain(outputs, self.grace).await {
                signal = 9;
            }
        }
        self.signal(9, ROUNDS, Reach::Branded).await;
        if self.container.ours {
            self.container.purges.fetch_add(1, Ordering::AcqRel);
            self.signal(9, ROUNDS, Reach::AllButOthers).await;
            self.container.purges.fetch_add(1, Ordering::AcqRel);
        }
        self.drain(outputs, LAST).await;
        outputs.close();
        let cause = if why == Why::TimedOut { Cause::TimedOut } else { Cause::Killed };
        Exit::new(ExitStatus::Signal(signal)).with_cause(cause)
    }

    async fn signal(&mut self, signal: u8, rounds: u32, reach: Reach) {
        if let Err(error) = self.container.sweep(&self.branded, signal, rounds, None, reach).await {
            tracing::warn!(%error, "processes of a command could not be reached");
        }
    }

    /// Reads on for a while; tells whether the outputs have ended.
    async fn drain(&mut self, outputs: &mut Outputs, time: Duration) -> bool {
        let end = Instant::now() + time;
        loop {
            match timeout_at(end, next(&mut self.output)).await {
                Err(_) => return false,
                Ok(Some(Ok(output))) if outputs.queued < KEPT => outputs.take(output),
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(_)) | None) => return true,
            }
        }
    }
}

/// How a shell tells the end of a program.
fn status(code: i32) -> ExitStatus {
    match code {
        129..=192 => ExitStatus::Signal(code - 128),
        code => ExitStatus::Code(code),
    }
}
