//! Commands that the test plays: it sees each start, prints, ends them, and sees kills.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use workspace_core::{
    Cancel, Cause, Command, Control, Error, ErrorKind, Event, Exit, ExitStatus, Feed, KillReach, Process,
    Program, Result, ShellCapabilities, ShellProvider, Stdin, Stream,
};

/// A shell whose commands do nothing but what the test makes them do.
#[derive(Clone)]
pub(super) struct Shell(Arc<Stage>);

struct Stage {
    capabilities: ShellCapabilities,
    started: mpsc::UnboundedSender<Puppet>,
    waiting: tokio::sync::Mutex<mpsc::UnboundedReceiver<Puppet>>,
    /// Whether a kill is answered by an exit.
    stubborn: bool,
    /// Closed: a start waits until it is opened.
    gate: watch::Sender<bool>,
    /// Starts that wait at the gate.
    at_gate: Notify,
    refusal: Mutex<Option<Error>>,
}

/// One command that was started.
#[derive(Clone)]
pub(super) struct Puppet {
    pub(super) command: Command,
    events: mpsc::UnboundedSender<Result<Event>>,
    inside: Arc<Inside>,
}

struct Inside {
    state: watch::Sender<State>,
    stubborn: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct State {
    /// How often it was killed.
    pub(super) kills: u32,
    /// Whether its events were dropped.
    pub(super) dropped: bool,
    pub(super) stdin: Vec<u8>,
    pub(super) stdin_closed: bool,
}

impl Shell {
    pub(super) fn new() -> Self {
        Self::build(
            ShellCapabilities::default()
                .with_argv(true)
                .with_streaming(true)
                .with_stdin(true)
                .with_background(true)
                .with_kill_reach(KillReach::Tree),
            false,
        )
    }

    /// Commands that do not end when they are killed.
    pub(super) fn stubborn() -> Self {
        Self::build(Self::new().0.capabilities, true)
    }

    /// Commands that cannot be killed, on a backend that says so.
    pub(super) fn detaching() -> Self {
        Self::build(Self::new().0.capabilities.with_cancel(Cancel::Detach), true)
    }

    pub(super) fn with(change: impl FnOnce(ShellCapabilities) -> ShellCapabilities) -> Self {
        Self::build(change(Self::new().0.capabilities), false)
    }

    fn build(capabilities: ShellCapabilities, stubborn: bool) -> Self {
        let (started, waiting) = mpsc::unbounded_channel();
        Self(Arc::new(Stage {
            capabilities,
            started,
            waiting: tokio::sync::Mutex::new(waiting),
            stubborn,
            gate: watch::Sender::new(true),
            at_gate: Notify::new(),
            refusal: Mutex::default(),
        }))
    }

    /// The next command that was started; waits for it.
    pub(super) async fn next(&self) -> Puppet {
        let mut waiting = self.0.waiting.lock().await;
        in_time(waiting.recv()).await.unwrap()
    }

    /// Whether a command was started that the test has not taken.
    pub(super) fn has_started(&self) -> bool {
        !self.0.waiting.try_lock().unwrap().is_empty()
    }

    /// Makes the next start fail.
    pub(super) fn refuse(&self, error: Error) {
        *self.0.refusal.lock().unwrap() = Some(error);
    }

    /// Makes starts wait.
    pub(super) fn close_gate(&self) {
        self.0.gate.send_replace(false);
    }

    pub(super) fn open_gate(&self) {
        self.0.gate.send_replace(true);
    }

    /// Waits until a start waits.
    pub(super) async fn somebody_at_gate(&self) {
        self.0.at_gate.notified().await;
    }
}

impl ShellProvider for Shell {
    fn capabilities(&self) -> ShellCapabilities {
        self.0.capabilities
    }

    async fn spawn(&self, command: Command) -> Result<Process> {
        if let Some(error) = self.0.refusal.lock().unwrap().take() {
            return Err(error);
        }
        if !*self.0.gate.borrow() {
            self.0.at_gate.notify_one();
            self.0.gate.subscribe().wait_for(|open| *open).await.unwrap();
        }
        let (events, mut receiver) = mpsc::unbounded_channel();
        let inside = Arc::new(Inside { state: watch::Sender::default(), stubborn: self.0.stubborn });
        let open = command.stdin == Stdin::Open;
        let puppet = Puppet { command, events: events.clone(), inside: Arc::clone(&inside) };
        self.0.started.send(puppet).unwrap();
        let held = Held(Arc::clone(&inside));
        let feed = Feed::from_poll_fn(move |cx| {
            let _ = &held;
            receiver.poll_recv(cx)
        });
        Ok(Process::new(feed, Hand { inside, events: events.downgrade(), open }))
    }
}

/// Tells that the events were dropped.
struct Held(Arc<Inside>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.state.send_modify(|state| state.dropped = true);
    }
}

struct Hand {
    inside: Arc<Inside>,
    events: mpsc::WeakUnboundedSender<Result<Event>>,
    open: bool,
}

impl Control for Hand {
    async fn kill(&self) -> Result<()> {
        self.inside.state.send_modify(|state| state.kills += 1);
        if let Some(events) = self.events.upgrade().filter(|_| !self.inside.stubborn) {
            let _ = events.send(Ok(Event::Exit(Exit::new(ExitStatus::Signal(15)).with_cause(Cause::Killed))));
        }
        Ok(())
    }

    async fn write_stdin(&self, bytes: Vec<u8>) -> Result<()> {
        if !self.open {
            return Err(Error::new(ErrorKind::Unsupported, "the standard input of this command is closed"));
        }
        self.inside.state.send_modify(|state| state.stdin.extend(bytes));
        Ok(())
    }

    async fn close_stdin(&self) -> Result<()> {
        self.inside.state.send_modify(|state| state.stdin_closed = true);
        Ok(())
    }
}

impl Puppet {
    pub(super) fn print(&self, text: impl AsRef<[u8]>) {
        self.tell(Event::Output(Stream::Stdout, text.as_ref().to_vec()));
    }

    pub(super) fn complain(&self, text: impl AsRef<[u8]>) {
        self.tell(Event::Output(Stream::Stderr, text.as_ref().to_vec()));
    }

    pub(super) fn exit(&self, code: i32) {
        self.end(Exit::new(ExitStatus::Code(code)));
    }

    pub(super) fn end(&self, exit: Exit) {
        self.tell(Event::Exit(exit));
    }

    pub(super) fn fail(&self, error: Error) {
        let _ = self.events.send(Err(error));
    }

    fn tell(&self, event: Event) {
        let _ = self.events.send(Ok(event));
    }

    pub(super) fn argv(&self) -> Vec<String> {
        match &self.command.program {
            Program::Argv(words) => words.clone(),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn state(&self) -> State {
        self.inside.state.borrow().clone()
    }

    /// Waits until its state is like that.
    pub(super) async fn until(&self, like: impl FnMut(&State) -> bool) -> State {
        let mut state = self.inside.state.subscribe();
        in_time(state.wait_for(like)).await.unwrap().clone()
    }
}

/// What a test waits for must come; without it the test is to fail, not to hang.
async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(1), future).await.unwrap()
}
