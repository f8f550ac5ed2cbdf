//! A scripted command that runs: its reply against the time.
//!
//! Nothing happens while nobody looks. Whoever polls, or asks for the outcome,
//! compares the reply with the time that has passed, so a command goes on in
//! the background without a task or a thread of its own. An alarm of the clock
//! wakes a reader who waits for the next step.

use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use workspace_core::{Cause, Event, Exit, ExitStatus, Result};

use super::{Outcome, Reply};
use crate::clock::{Alarm, Clock, lock};

/// The polite signal that ends a command which is killed.
const TERM: i32 = 15;

pub(super) struct Run {
    reply: Reply,
    timeout: Option<Duration>,
    started: SystemTime,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How many outputs were given.
    given: usize,
    /// The exit was given.
    over: bool,
    /// When it was killed, from the start, and whether that was by dropping its events.
    killed: Option<(Duration, bool)>,
    /// The time that has passed at least: an alarm that rang has waited, even if the clock stands still.
    passed: Duration,
    waiting: Option<Waker>,
    alarm: Option<(Duration, Alarm)>,
}

/// How and when a command ends, as far as it can be said by now.
#[derive(Clone, Copy)]
struct End {
    at: Duration,
    exit: Exit,
    dropped: bool,
}

impl Run {
    pub(super) fn start(reply: Reply, timeout: Option<Duration>, clock: Arc<dyn Clock>) -> Arc<Self> {
        let started = clock.now();
        Arc::new(Self { reply, timeout, started, clock, state: Mutex::default() })
    }

    pub(super) const fn started(&self) -> SystemTime {
        self.started
    }

    /// The next event, or `None` after the exit.
    pub(super) fn poll(self: &Arc<Self>, cx: &Context<'_>) -> Poll<Option<Result<Event>>> {
        let mut state = lock(&self.state);
        loop {
            if state.over {
                return Poll::Ready(None);
            }
            let passed = self.passed(&state);
            let end = self.end(&state);
            let until = end.map_or(passed, |end| end.at.min(passed));
            let output = self.reply.output.get(state.given);
            if let Some((at, stream, bytes)) = output
                && *at <= until
            {
                state.given += 1;
                return Poll::Ready(Some(Ok(Event::Output(*stream, bytes.clone()))));
            }
            if let Some(end) = end
                && end.at <= passed
            {
                state.over = true;
                state.alarm = None;
                return Poll::Ready(Some(Ok(Event::Exit(end.exit))));
            }
            let next = output.map(|(at, ..)| *at).into_iter().chain(end.map(|end| end.at)).min();
            state.waiting = Some(cx.waker().clone());
            if let Err(error) = self.wait_until(&mut state, next) {
                return Poll::Ready(Some(Err(error)));
            }
            // A clock that was moved before the alarm was set does not ring it.
            if next.is_none_or(|next| self.passed(&state) < next) {
                return Poll::Pending;
            }
        }
    }

    /// Sets the alarm for the next step, unless it is set.
    fn wait_until(self: &Arc<Self>, state: &mut State, next: Option<Duration>) -> Result<()> {
        // Alarms that rang on a clock that stands still are ahead of it.
        let ahead = state.passed.saturating_sub(self.clock_passed());
        let due = next.and_then(|next| Some((next, self.started.checked_add(next.saturating_sub(ahead))?)));
        let Some((next, at)) = due else {
            state.alarm = None;
            return Ok(());
        };
        if state.alarm.as_ref().is_none_or(|(set, _)| *set != next) {
            let run = Arc::downgrade(self);
            let alarm = self.clock.alarm(at, Box::new(move || rang(&run, next)))?;
            state.alarm = Some((next, alarm));
        }
        Ok(())
    }

    /// Kills it, where it still runs.
    pub(super) fn kill(&self) {
        self.end_now(false);
    }

    /// Kills it because nobody listens any more.
    pub(super) fn abandon(&self) {
        self.end_now(true);
    }

    fn end_now(&self, dropped: bool) {
        let (waiting, alarm) = {
            let mut state = lock(&self.state);
            let passed = self.passed(&state);
            if !state.over && self.end(&state).is_none_or(|end| end.at > passed) {
                state.killed = Some((passed, dropped));
            }
            (state.waiting.take(), state.alarm.take())
        };
        drop(alarm);
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }

    /// How it stands, whether or not its events were read.
    pub(super) fn outcome(&self) -> Outcome {
        let state = lock(&self.state);
        match self.end(&state) {
            Some(end) if end.at > self.passed(&state) => Outcome::Running,
            Some(End { dropped: true, .. }) => Outcome::Dropped,
            Some(end) => Outcome::Exited(end.exit),
            None => Outcome::Running,
        }
    }

    fn passed(&self, state: &State) -> Duration {
        self.clock_passed().max(state.passed)
    }

    fn clock_passed(&self) -> Duration {
        self.clock.now().duration_since(self.started).unwrap_or_default()
    }

    /// The first of its own end, its timeout and a kill.
    fn end(&self, state: &State) -> Option<End> {
        let killed = Exit::new(ExitStatus::Signal(TERM));
        let own = self.reply.end.map(|status| End {
            at: self.reply.length,
            exit: Exit::new(status),
            dropped: false,
        });
        let timeout =
            self.timeout.map(|at| End { at, exit: killed.with_cause(Cause::TimedOut), dropped: false });
        let kill =
            state.killed.map(|(at, dropped)| End { at, exit: killed.with_cause(Cause::Killed), dropped });
        // Of ends at one time the first stands: who is done in time is not timed out.
        [own, timeout, kill].into_iter().flatten().min_by_key(|end| end.at)
    }
}

/// The time of a step has come.
fn rang(run: &Weak<Run>, at: Duration) {
    let Some(run) = run.upgrade() else { return };
    let (waiting, alarm) = {
        let mut state = lock(&run.state);
        state.passed = state.passed.max(at);
        (state.waiting.take(), state.alarm.take())
    };
    drop(alarm);
    if let Some(waiting) = waiting {
        waiting.wake();
    }
}
