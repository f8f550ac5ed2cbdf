//! When a search ends before its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use workspace_core::{Error, ErrorKind};

/// How many small steps go by between two looks at the clock.
const STEPS: u32 = 256;

/// The side of whoever waits for the answer: dropping it ends the search.
#[derive(Debug)]
pub(super) struct Caller(Arc<AtomicBool>);

impl Drop for Caller {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The side of the search. All of its threads look at it at every file, at
/// every directory and within large ones.
#[derive(Debug)]
pub(super) struct Stop {
    given_up: Arc<AtomicBool>,
    end: Option<Instant>,
}

/// The two sides of a search that begins now.
pub(super) fn begin(limit: Option<Duration>) -> (Caller, Stop) {
    let given_up = Arc::new(AtomicBool::new(false));
    // A limit that no clock reaches is none.
    let end = limit.and_then(|limit| Instant::now().checked_add(limit));
    (Caller(Arc::clone(&given_up)), Stop { given_up, end })
}

impl Stop {
    /// Whether nobody waits for the answer any more.
    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Whether the work is to end, for either reason.
    pub(super) fn is_over(&self) -> bool {
        self.is_given_up() || self.is_late()
    }

    fn is_late(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// A search that nobody waits for has no answer.
    ///
    /// # Errors
    /// [`Cancelled`](ErrorKind::Cancelled) where it was given up.
    pub(super) fn must_be_wanted(&self) -> Result<(), Error> {
        if self.is_given_up() {
            return Err(Error::new(ErrorKind::Cancelled, "the search was given up"));
        }
        Ok(())
    }
}

/// Looks at the clock now and then, among many small steps.
#[derive(Debug)]
pub(super) struct Steps(u32);

impl Steps {
    /// It looks at the very first step.
    pub(super) fn at_once() -> Self {
        Self(0)
    }

    /// It looks after some steps: most directories are done by then.
    pub(super) fn later() -> Self {
        Self(1)
    }

    pub(super) fn is_over(&mut self, stop: &Stop) -> bool {
        let looks = self.0 == 0;
        self.0 = (self.0 + 1) % STEPS;
        looks && stop.is_over()
    }
}
