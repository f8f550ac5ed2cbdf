//! A command from its start to its end, over as many streams as it takes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, timeout_at};
use workspace_core::{Cause, Error, Event, Exit, ExitStatus, KillReach, Leftovers, Result, Stream};
use workspace_posix::Marked;

use crate::connect::Told;
use crate::error;
use crate::failure::Failure;
use crate::launch::Launch;
use crate::process::{Next, Running};
use crate::retry::{Repeat, retry_within};
use crate::sandbox::{InUse, SharedSandbox};
use crate::scripts::Scripts;

/// How long the end of a stream may lag behind the word that the command is over.
const LAG: Duration = Duration::from_secs(1);
/// How long the end of a killed command is waited for.
const LAST: Duration = Duration::from_secs(3);
/// So much later than the command's own clock ours gives it up.
const SLACK: Duration = Duration::from_secs(10);
/// Output of a command that is being killed is kept up to this many bytes.
const KEPT: usize = 4 << 20;
/// So many streams in a row may break off without a byte.
const FRUITLESS: u32 = 5;
/// No file of kept output covers what is asked for.
const GAP: i32 = 3;

/// A stream of a command that is attached to.
pub(crate) struct Attached {
    running: Running,
    /// What came with the first byte.
    first: Vec<u8>,
    /// What came of the other output before it: a sandbox reads the two each for itself.
    before: Vec<u8>,
    /// The stream is the command's own; another one follows it.
    own: bool,
}

/// What an attempt to attach gives.
pub(crate) enum Attempt {
    Attached(Box<Attached>),
    /// No place was found for the command; nothing has run.
    NoPlace,
    /// It is not known any more.
    Gone,
}

/// Attaches to a command once.
pub(crate) async fn attach(sandbox: &SharedSandbox, script: &str, end: Instant) -> Result<Attempt, Failure> {
    let begin = async {
        let mut running = sandbox.envd.start(script, None).await?;
        let mut before = Vec::new();
        loop {
            match running.next().await? {
                Next::Told(Told::Stdout(mut bytes)) if !bytes.is_empty() => {
                    let first = bytes.split_off(1);
                    let attached =
                        |own| Attempt::Attached(Box::new(Attached { running, first, before, own }));
                    return Ok(match bytes.as_slice() {
                        b"+" => attached(true),
                        b"=" => attached(false),
                        b"!" => Attempt::NoPlace,
                        b"-" => Attempt::Gone,
                        _ => return Err(Failure::garbled("a launcher begins with another word".into())),
                    });
                }
                Next::Told(Told::Stderr(bytes)) => before.extend(bytes),
                Next::Told(Told::Ended { .. }) | Next::Over => {
                    return Err(Failure::broken(Some("a launcher ended before its first word".into())));
                }
                Next::Told(_) => {}
            }
        }
    };
    match timeout_at(end, begin).await {
        Ok(attempt) => attempt,
        Err(_) => Err(Failure::silent()),
    }
}

/// What drives a command.
pub(crate) struct Driver {
    pub(crate) sandbox: SharedSandbox,
    pub(crate) launch: Arc<Launch>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) grace: Duration,
    pub(crate) leftovers: Leftovers,
    pub(crate) killed: Arc<Notify>,
    pub(crate) events: mpsc::Sender<Result<Event>>,
    pub(crate) reach: KillReach,
    pub(crate) in_use: InUse,
}

/// Why a command is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    TimedOut,
    Killed,
    /// Nobody listens any more.
    Dropped,
}

/// How a stream of a command ended, or why it is listened to no more.
enum Ending {
    /// The launcher has told the end of the program.
    Told,
    /// The launcher itself is over, and has not told.
    Untold {
        code: Option<i32>,
        signal: Option<i32>,
    },
    Why(Why),
    Lost(Error),
}

/// Both outputs, each up to its mark.
struct Outputs {
    stdout: Marked,
    stderr: Marked,
    queue: VecDeque<Event>,
    queued: usize,
}

/// What the launcher tells of the end.
struct Trailer {
    code: i32,
    leftovers: u32,
    late: bool,
}

impl Outputs {
    fn new(mark: &str) -> Self {
        let (stdout, stderr) = (Marked::new(mark), Marked::new(mark));
        Self { stdout, stderr, queue: VecDeque::new(), queued: 0 }
    }

    fn received(&self) -> (u64, u64) {
        (self.stdout.received(), self.stderr.received())
    }

    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        let marked = if stream == Stream::Stdout { &mut self.stdout } else { &mut self.stderr };
        let bytes = marked.take(bytes);
        self.push(stream, bytes);
    }

    fn push(&mut self, stream: Stream, bytes: Vec<u8>) {
        if !bytes.is_empty() && self.queued < KEPT {
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

    /// What was held back as the begin of a mark that did not come.
    fn close(&mut self) {
        let (stdout, stderr) = (self.stdout.rest(), self.stderr.rest());
        self.push(Stream::Stdout, stdout);
        self.push(Stream::Stderr, stderr);
    }

    /// `CODE LEFTOVERS LATE;` once it has come.
    fn trailer(&self) -> Option<Trailer> {
        let text = std::str::from_utf8(self.stdout.after()?).ok()?;
        let mut words = text.split_once(';')?.0.split(' ');
        let (code, leftovers, late) = (words.next()?, words.next()?, words.next()?);
        Some(Trailer { code: code.parse().ok()?, leftovers: leftovers.parse().ok()?, late: late == "1" })
    }

    fn is_whole(&self) -> bool {
        self.trailer().is_some() && self.stderr.after().is_some()
    }

    /// Whether more came than a launcher says: bytes that were doubled on the way.
    fn is_doubled(&self) -> bool {
        let beyond = |after: Option<&[u8]>, end: usize| after.is_some_and(|after| after.len() > end);
        let trailer = self.stdout.after().and_then(|after| memchr::memchr(b';', after)).map(|at| at + 1);
        trailer.is_some_and(|end| beyond(self.stdout.after(), end))
    }
}

impl Driver {
    pub(crate) async fn run(mut self, attached: Attached) {
        let mut outputs = Outputs::new(&self.launch.mark);
        let mut attached = Some(attached);
        let ending = self.listen(&mut attached, &mut outputs).await;
        let runs_on = matches!(ending, Ending::Lost(_));
        let end = match ending {
            Ending::Told => self.told(&mut attached, &mut outputs).await,
            Ending::Untold { code, signal } => self.untold(code, signal).await,
            Ending::Why(why) => self.kill(why, &mut attached, &mut outputs).await,
            Ending::Lost(error) => {
                end_later(&self.sandbox, &self.launch);
                Err(error.during("run"))
            }
        };
        if outputs.trailer().is_none() {
            outputs.close();
        }
        while let Some(event) = outputs.pop() {
            if self.events.send(Ok(event)).await.is_err() {
                break;
            }
        }
        // A feed that ends without an exit says that the sandbox was lost.
        let last = end.map(|exit| Event::Exit(exit.with_kill_reach(self.reach)));
        let _ = self.events.send(last).await;
        if let Some(attached) = attached {
            attached.running.finish().await;
        }
        if !runs_on {
            self.sandbox.litter.drop_spools(self.launch.spools());
        }
        drop(self.in_use);
    }

    /// Hands output on until the program or the patience has ended.
    async fn listen(&mut self, attached: &mut Option<Attached>, outputs: &mut Outputs) -> Ending {
        let far = Instant::now() + Duration::from_hours(365 * 24);
        // The clock of the command is in the sandbox, and keeps time where no network is.
        let patience = self.deadline.and_then(|deadline| deadline.checked_add(self.grace + SLACK));
        let (mut fruitless, mut before) = (0, outputs.received());
        loop {
            let Some(stream) = attached else {
                fruitless = if outputs.received() == before { fruitless + 1 } else { 0 };
                before = outputs.received();
                if fruitless > FRUITLESS {
                    return Ending::Lost(error::lost_command());
                }
                let attaching = self.attach_again(outputs.received());
                let end = tokio::select! {
                    outcome = attaching => match outcome {
                        Ok(next) => { *attached = Some(next); continue }
                        Err(error) => Ending::Lost(error),
                    },
                    () = tokio::time::sleep_until(patience.unwrap_or(far)) => Ending::Why(Why::TimedOut),
                    () = self.killed.notified() => Ending::Why(Why::Killed),
                    () = self.events.closed() => Ending::Why(Why::Dropped),
                };
                return end;
            };
            if !stream.first.is_empty() {
                let first = std::mem::take(&mut stream.first);
                outputs.take(Stream::Stdout, &first);
            }
            if !stream.before.is_empty() {
                let before = std::mem::take(&mut stream.before);
                outputs.take(Stream::Stderr, &before);
            }
            if outputs.is_whole() {
                return Ending::Told;
            }
            tokio::select! {
                next = stream.running.next(), if outputs.queue.is_empty() => match next {
                    Ok(Next::Told(Told::Stdout(bytes))) => outputs.take(Stream::Stdout, &bytes),
                    Ok(Next::Told(Told::Stderr(bytes))) => outputs.take(Stream::Stderr, &bytes),
                    Ok(Next::Told(Told::Ended { code, signal })) => {
                        match (outputs.trailer().is_some(), stream.own, code) {
                            (true, ..) => return Ending::Told,
                            (false, true, _) => return Ending::Untold { code, signal },
                            (false, false, Some(GAP)) => return Ending::Lost(error::gap()),
                            (false, false, Some(_)) => return Ending::Lost(error::lost_command()),
                            // Whoever followed was ended, and the command was perhaps not.
                            (false, false, None) => *attached = None,
                        }
                    }
                    Ok(Next::Told(_)) => {}
                    Ok(Next::Over) => *attached = None,
                    Err(failure) => {
                        tracing::debug!(error = %failure.error, "the stream of a command is attached to again");
                        *attached = None;
                    }
                },
                room = self.events.reserve(), if !outputs.queue.is_empty() => match room {
                    Ok(room) => if let Some(event) = outputs.pop() { room.send(Ok(event)) },
                    Err(_) => return Ending::Why(Why::Dropped),
                },
                () = tokio::time::sleep_until(patience.unwrap_or(far)) => return Ending::Why(Why::TimedOut),
                () = self.killed.notified() => return Ending::Why(Why::Killed),
                () = self.events.closed() => return Ending::Why(Why::Dropped),
            }
        }
    }

    async fn attach_again(&self, (stdout, stderr): (u64, u64)) -> Result<Attached> {
        let script = self.launch.attach(false, stdout, stderr);
        let attempt = retry_within(self.sandbox.envd.patience(), Repeat::Harmless, |end| {
            attach(&self.sandbox, &script, end)
        });
        match attempt.await {
            Ok(Attempt::Attached(attached)) => Ok(*attached),
            Ok(_) => Err(error::lost_command()),
            Err(failure) => Err(self.sandbox.explain(failure).await),
        }
    }

    /// The launcher has told the end. What still comes says whether the bytes can be believed.
    async fn told(&mut self, attached: &mut Option<Attached>, outputs: &mut Outputs) -> Result<Exit> {
        if let Some(stream) = attached.as_mut().filter(|stream| stream.own) {
            // What was left to itself may hold the outputs for long.
            let lag = if self.leftovers == Leftovers::Kill { LAG } else { LAG / 20 };
            if drain(stream, outputs, Instant::now() + lag).await != Drained::Ended {
                *attached = None;
            }
        }
        if outputs.is_doubled() {
            return Err(Failure::garbled("the output of a command came twice".into()).error.during("run"));
        }
        let Some(trailer) = outputs.trailer() else { return Err(error::lost_command().during("run")) };
        if outputs.stderr.after().is_none() {
            return Err(error::lost_output().during("run"));
        }
        let mut exit = Exit::new(status(trailer.code)).with_leftovers_killed(trailer.leftovers);
        if trailer.late {
            exit = exit.with_cause(Cause::TimedOut);
        }
        Ok(exit)
    }

    /// The launcher was ended by a program, perhaps its own: how is all that is known.
    async fn untold(&mut self, code: Option<i32>, signal: Option<i32>) -> Result<Exit> {
        let killed = self.end_now().await;
        let status = match (code, signal) {
            (_, Some(signal)) => ExitStatus::Signal(signal),
            // It never ends by itself without a word.
            _ => return Err(error::lost_command().during("run")),
        };
        killed.map(|()| Exit::new(status))
    }

    async fn kill(
        &mut self,
        why: Why,
        attached: &mut Option<Attached>,
        outputs: &mut Outputs,
    ) -> Result<Exit> {
        let mut ended = false;
        {
            let mut killing = std::pin::pin!(self.end_now());
            loop {
                let stream = attached.as_mut().filter(|_| !ended);
                tokio::select! {
                    outcome = &mut killing => { outcome?; break }
                    next = next_of(stream) => ended = !taken(next, outputs),
                }
            }
        }
        if let Some(stream) = attached.as_mut().filter(|_| !ended && !outputs.is_whole()) {
            drain(stream, outputs, Instant::now() + LAST).await;
        }
        let cause = if why == Why::TimedOut { Cause::TimedOut } else { Cause::Killed };
        let status = outputs.trailer().map(|trailer| status(trailer.code));
        let signal = match status {
            Some(ExitStatus::Signal(signal)) => signal,
            Some(_) => 15,
            None => 9,
        };
        Ok(Exit::new(ExitStatus::Signal(signal)).with_cause(cause))
    }

    /// Ends all that the command has started; that it is asked for twice does no harm.
    async fn end_now(&self) -> Result<()> {
        let answer = Scripts(Arc::clone(&self.sandbox)).look(&self.launch.kill(), 4096).await;
        match answer.map_err(|error| error.during("kill"))? {
            answer if answer.ends_with(b"done\n") => Ok(()),
            _ => Err(error::lost_command().during("kill")),
        }
    }
}

/// Ends a command that was lost and may run on, or may yet begin.
pub(crate) fn end_later(sandbox: &SharedSandbox, launch: &Launch) {
    let (sandbox, script, spools) = (Arc::clone(sandbox), launch.kill(), launch.spools());
    tokio::spawn(async move {
        if let Err(error) = Scripts(Arc::clone(&sandbox)).look(&script, 4096).await {
            tracing::warn!(%error, "a command that was lost could not be ended");
        }
        // Its end is looked for in what it left.
        sandbox.litter.drop_spools(spools);
    });
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drained {
    /// The stream is over.
    Ended,
    /// Time is.
    Open,
}

async fn next_of(stream: Option<&mut Attached>) -> Result<Next, Failure> {
    match stream {
        Some(stream) => stream.running.next().await,
        None => std::future::pending().await,
    }
}

/// Takes what came; false at the end of the stream.
fn taken(next: Result<Next, Failure>, outputs: &mut Outputs) -> bool {
    match next {
        Ok(Next::Told(Told::Stdout(bytes))) => outputs.take(Stream::Stdout, &bytes),
        Ok(Next::Told(Told::Stderr(bytes))) => outputs.take(Stream::Stderr, &bytes),
        Ok(Next::Told(_)) => {}
        Ok(Next::Over) | Err(_) => return false,
    }
    true
}

async fn drain(stream: &mut Attached, outputs: &mut Outputs, end: Instant) -> Drained {
    loop {
        match timeout_at(end, stream.running.next()).await {
            Ok(next) => {
                if !taken(next, outputs) {
                    return Drained::Ended;
                }
            }
            Err(_) => return Drained::Open,
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
