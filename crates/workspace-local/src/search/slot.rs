//! One piece of work that several threads may do and one takes the result of.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// One piece of work: whoever claims it does it, and whoever tells the answer takes the result.
#[derive(Debug)]
pub(super) struct Slot<W, R> {
    state: Mutex<State<W, R>>,
    ready: Condvar,
}

#[derive(Debug)]
enum State<W, R> {
    /// Nobody does it yet.
    Waiting(W),
    /// Someone does it; whether someone waits for it.
    Running { awaited: bool },
    /// The result, with how much of the memory of a search it takes.
    Done(R, usize),
    /// The result has been taken, or whoever did the work panicked.
    Gone,
}

/// What a look at a slot shows to whoever needs its result.
#[derive(Debug)]
pub(super) enum Look<W, R> {
    /// Nobody does the work, so it is the caller's to do now.
    Claimed(W),
    /// Someone else does it.
    Running,
    /// The result, with how much it takes.
    Done(R, usize),
    /// There is nothing to come.
    Gone,
}

impl<W, R> Slot<W, R> {
    pub(super) fn new(work: W) -> Self {
        Self { state: Mutex::new(State::Waiting(work)), ready: Condvar::new() }
    }

    /// Takes the work, unless someone else was faster. Whoever has it fills the slot.
    pub(super) fn claim(&self) -> Option<(W, Filling<'_, W, R>)> {
        let mut state = lock(&self.state);
        if !matches!(*state, State::Waiting(_)) {
            return None;
        }
        match std::mem::replace(&mut *state, State::Running { awaited: false }) {
            State::Waiting(work) => Some((work, Filling { slot: self, done: false })),
            _ => None,
        }
    }

    /// Takes the result or, where nobody has begun, the work.
    pub(super) fn look(&self) -> Look<W, R> {
        let mut state = lock(&self.state);
        if matches!(*state, State::Running { .. }) {
            return Look::Running;
        }
        match std::mem::replace(&mut *state, State::Gone) {
            State::Waiting(work) => Look::Claimed(work),
            State::Done(result, weight) => Look::Done(result, weight),
            State::Running { .. } | State::Gone => Look::Gone,
        }
    }

    /// Waits until whoever does the work is done.
    pub(super) fn wait(&self) {
        let mut state = lock(&self.state);
        while let State::Running { awaited } = &mut *state {
            *awaited = true;
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn fill(&self, state: State<W, R>) {
        let before = std::mem::replace(&mut *lock(&self.state), state);
        if matches!(before, State::Running { awaited: true }) {
            self.ready.notify_all();
        }
    }
}

/// The duty to fill a slot. Where the work ends in a panic, nothing is to come.
#[derive(Debug)]
pub(super) struct Filling<'a, W, R> {
    slot: &'a Slot<W, R>,
    done: bool,
}

impl<W, R> Filling<'_, W, R> {
    pub(super) fn fill(mut self, result: R, weight: usize) {
        self.done = true;
        self.slot.fill(State::Done(result, weight));
    }
}

impl<W, R> Drop for Filling<'_, W, R> {
    fn drop(&mut self) {
        if !self.done {
            self.slot.fill(State::Gone);
        }
    }
}

/// What a thread that panicked has left is not used: the search fails as a whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_claimed_once_and_its_result_taken_once() {
        let slot = Slot::new("work");
        let (work, filling) = slot.claim().unwrap();
        assert!(slot.claim().is_none());
        assert!(matches!(slot.look(), Look::Running));
        filling.fill(work.len(), 3);
        slot.wait();
        assert!(matches!(slot.look(), Look::Done(4, 3)));
        assert!(matches!(slot.look(), Look::Gone));
    }

    #[test]
    fn whoever_needs_the_result_does_work_that_nobody_has_begun() {
        let slot: Slot<_, ()> = Slot::new("work");
        assert!(matches!(slot.look(), Look::Claimed("work")));
        assert!(slot.claim().is_none());
    }

    #[test]
    fn work_that_panics_leaves_nobody_waiting() {
        let slot: Slot<_, ()> = Slot::new("work");
        std::thread::scope(|scope| {
            let (_, filling) = slot.claim().unwrap();
            let waiting = scope.spawn(|| slot.wait());
            let panicking = scope.spawn(move || {
                let _filling = filling;
                panic!("on purpose");
            });
            assert!(panicking.join().is_err());
            waiting.join().unwrap();
        });
        assert!(matches!(slot.look(), Look::Gone));
    }
}
