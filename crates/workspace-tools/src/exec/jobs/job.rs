//! One background command: what it printed, how it stands, the hand on it.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::timeout;
use workspace_core::{Cause, Event, Exit, Feed, ProcessControl, Result};

use super::super::drain::lost;
use crate::output::{Log, Since};

/// How a background command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum JobStatus {
    /// It runs.
    Running,
    /// Its program ended.
    Exited,
    /// It was killed: by a call, or with the workspace.
    Killed,
    /// It ran longer than it may and was killed.
    TimedOut,
}

impl JobStatus {
    /// The stable name, in kebab case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Exited => "exited",
            Self::Killed => "killed",
            Self::TimedOut => "timed-out",
        }
    }
}

/// What is known of a command when it starts.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    /// The line, as it was given.
    pub(crate) command: String,
    /// Where it started, relative to the root of the whole workspace.
    pub(crate) cwd: String,
    /// When.
    pub(crate) at: SystemTime,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JobEnd {
    pub(crate) status: JobStatus,
    /// The program's own, 128 + n for signal n, 124 after a timeout; `None` where nobody knows.
    pub(crate) exit_code: Option<i32>,
    pub(crate) leftovers_killed: u32,
    pub(crate) note: Option<String>,
}

impl JobEnd {
    fn told(exit: Exit) -> Self {
        let status = match exit.cause {
            Cause::TimedOut => JobStatus::TimedOut,
            Cause::Killed => JobStatus::Killed,
            _ => JobStatus::Exited,
        };
        let code = if status == JobStatus::TimedOut { 124 } else { exit.status.code() };
        Self {
            status,
            exit_code: Some(code),
            leftovers_killed: exit.leftovers_killed,
            note: (exit.cause == Cause::OutOfMemory)
                .then(|| "the command was killed because memory ran out".to_owned()),
        }
    }

    /// The end of a job of which its backend told none.
    pub(super) fn untold(status: JobStatus, note: impl Into<String>) -> Self {
        Self { status, exit_code: None, leftovers_killed: 0, note: Some(note.into()) }
    }
}

/// A background command, running or ended. Its events belong to the task that follows it.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) start: Start,
    control: ProcessControl,
    /// Held by who sends to its standard input, so that two texts do not mix.
    input: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    log: Log,
    end: Option<JobEnd>,
}

impl Job {
    pub(super) fn new(id: String, start: Start, control: ProcessControl, log: Log) -> Self {
        Self {
            id,
            start,
            control,
            input: tokio::sync::Mutex::default(),
            state: Mutex::new(State { log, end: None }),
            changed: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what the command tells, and gives its end. Dropping the future kills it.
    pub(super) async fn follow(&self, mut events: Feed<Event>) -> JobEnd {
        loop {
            match events.next().await {
                Some(Ok(Event::Output(stream, bytes))) => {
                    self.state().log.push(stream, &bytes);
                    self.changed.notify_waiters();
                }
                Some(Ok(Event::Exit(exit))) => return JobEnd::told(exit),
                Some(Ok(_)) => {}
                Some(Err(error)) => return JobEnd::untold(JobStatus::Exited, error.message()),
                None => return JobEnd::untold(JobStatus::Exited, lost().message()),
            }
        }
    }

    /// Notes the end; the first one stands.
    pub(super) fn ended(&self, end: JobEnd) {
        let mut state = self.state();
        if state.end.is_none() {
            state.log.finish();
            state.end = Some(end);
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// How it ended, if it has.
    pub(crate) fn end(&self) -> Option<JobEnd> {
        self.state().end.clone()
    }

    /// How it stands.
    pub(crate) fn status(&self) -> JobStatus {
        self.state().end.as_ref().map_or(JobStatus::Running, |end| end.status)
    }

    /// The cursor after all that was printed by now.
    pub(crate) fn cursor(&self) -> u64 {
        self.state().log.end()
    }

    /// What it printed after a cursor, and how it stands at this very moment.
    pub(crate) fn since(&self, cursor: u64) -> (Since, Option<JobEnd>) {
        let mut state = self.state();
        (state.log.since(cursor), state.end.clone())
    }

    /// Waits until something was printed after a cursor, or the end, or so long.
    pub(crate) async fn news(&self, cursor: u64, longest: Duration) {
        self.until(longest, |state| state.end.is_some() || state.log.end() > cursor).await;
    }

    /// Waits for its end, or so long.
    pub(crate) async fn over(&self, longest: Duration) {
        self.until(longest, |state| state.end.is_some()).await;
    }

    async fn until(&self, longest: Duration, ready: impl Fn(&mut State) -> bool) {
        let waiting = async {
            loop {
                let mut changed = pin!(self.changed.notified());
                // Before the look: what changes after it must not be missed.
                changed.as_mut().enable();
                if ready(&mut self.state()) {
                    return;
                }
                changed.await;
            }
        };
        // Whether it was in time is told by the state.
        let _ = timeout(longest, waiting).await;
    }

    /// Kills it with its tree. The end follows, and is waited for no longer than given.
    ///
    /// The kill is a task of its own: a caller who gives up does not leave it half done.
    ///
    /// # Errors
    /// Those of [`ProcessControl::kill`].
    pub(crate) async fn kill(self: &Arc<Self>, longest: Duration) -> Result<()> {
        if self.end().is_some() {
            return Ok(());
        }
        let control = self.control.clone();
        let killing = tokio::spawn(async move { control.kill().await });
        let ended = self.over(longest);
        let mut ended = pin!(ended);
        tokio::select! {
            biased;
            killed = killing => {
                // A panic of the backend is told as what it means: nobody knows.
                killed.unwrap_or_else(|_| Err(lost()))?;
                ended.await;
            }
            () = &mut ended => {}
        }
        Ok(())
    }

    /// Sends bytes to its standard input, after all that was sent before, and ends it where `close` says so.
    ///
    /// # Errors
    /// Those of [`ProcessControl::write_stdin`].
    pub(crate) async fn send(&self, bytes: Vec<u8>, close: bool) -> Result<()> {
        let _turn = self.input.lock().await;
        if !bytes.is_empty() {
            self.control.write_stdin(bytes).await?;
        }
        if close {
            self.control.close_stdin().await?;
        }
        Ok(())
    }
}
