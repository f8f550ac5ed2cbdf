//! Jobs that several threads share, so that all are busy near to where the answer is told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use super::slot::{Filling, Look, Slot, lock};

/// How much may be found and not yet told, in entries of directories. It bounds
/// what a search holds in memory while the thread that tells the answer waits for something slow.
const MOST_AHEAD: usize = 1 << 16;

/// The jobs that wait for a thread. The last one put is the first one done.
#[derive(Debug)]
pub(super) struct Board<J> {
    queue: Mutex<Queue<J>>,
    more: Condvar,
    /// How much has been found and not yet told.
    ahead: AtomicUsize,
}

#[derive(Debug)]
struct Queue<J> {
    jobs: Vec<J>,
    sleeping: usize,
    closed: bool,
}

impl<J> Board<J> {
    pub(super) fn new() -> Self {
        let queue = Queue { jobs: Vec::new(), sleeping: 0, closed: false };
        Self { queue: Mutex::new(queue), more: Condvar::new(), ahead: AtomicUsize::new(0) }
    }

    /// Puts jobs, of which the first in order comes last.
    pub(super) fn put(&self, jobs: impl IntoIterator<Item = J>) {
        let mut queue = lock(&self.queue);
        queue.jobs.extend(jobs);
        if queue.sleeping > 0 && !queue.jobs.is_empty() {
            self.more.notify_all();
        }
    }

    /// How many jobs wait.
    pub(super) fn waiting(&self) -> usize {
        lock(&self.queue).jobs.len()
    }

    /// The next job for a helper, which sleeps until there is one. `None` when the board is closed.
    pub(super) fn next(&self) -> Option<J> {
        let mut queue = lock(&self.queue);
        loop {
            if queue.closed {
                return None;
            }
            if !self.is_far_ahead()
                && let Some(job) = queue.jobs.pop()
            {
                return Some(job);
            }
            queue.sleeping += 1;
            queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.sleeping -= 1;
        }
    }

    /// Puts what a job has found into its slot.
    pub(super) fn fill<W, R>(&self, filling: Filling<'_, W, R>, result: R, weight: usize) {
        self.ahead.fetch_add(weight, Ordering::Relaxed);
        filling.fill(result, weight);
    }

    /// What the next thing to tell is made of: its result or, where nobody has
    /// begun, the work. While someone else works on it, `help` does other jobs.
    pub(super) fn next_result<W, R>(&self, slot: &Slot<W, R>, mut help: impl FnMut(J)) -> Look<W, R> {
        loop {
            match slot.look() {
                Look::Running => match self.try_next() {
                    Some(job) => help(job),
                    None => slot.wait(),
                },
                Look::Done(result, weight) => {
                    self.told(weight);
                    return Look::Done(result, weight);
                }
                other => return other,
            }
        }
    }

    /// Sends all helpers home and forgets what is left to do.
    pub(super) fn close(&self) {
        let mut queue = lock(&self.queue);
        queue.closed = true;
        queue.jobs.clear();
        self.more.notify_all();
    }

    /// A job to pass the time with, unless enough has been found already.
    fn try_next(&self) -> Option<J> {
        if self.is_far_ahead() { None } else { lock(&self.queue).jobs.pop() }
    }

    /// Lets helpers go on that sleep because enough had been found.
    fn told(&self, weight: usize) {
        let before = self.ahead.fetch_sub(weight, Ordering::Relaxed);
        if before > MOST_AHEAD && before - weight <= MOST_AHEAD && lock(&self.queue).sleeping > 0 {
            self.more.notify_all();
        }
    }

    fn is_far_ahead(&self) -> bool {
        self.ahead.load(Ordering::Relaxed) > MOST_AHEAD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_job_put_is_the_first_one_done() {
        let board = Board::new();
        board.put([3, 2, 1]);
        board.put([0]);
        assert_eq!((board.waiting(), board.next(), board.next()), (4, Some(0), Some(1)));
        board.close();
        assert_eq!((board.waiting(), board.next()), (0, None));
    }

    #[test]
    fn helpers_sleep_while_enough_has_been_found_and_go_on_when_it_is_told() {
        let (board, slot) = (Board::new(), Slot::new(()));
        let ((), filling) = slot.claim().unwrap();
        board.fill(filling, "much", MOST_AHEAD + 1);
        board.put([7]);
        assert_eq!(board.try_next(), None);
        std::thread::scope(|scope| {
            let helper = scope.spawn(|| board.next());
            // It sleeps now or will see at once that it may go on.
            assert!(matches!(board.next_result(&slot, |_| ()), Look::Done("much", _)));
            assert_eq!(helper.join().unwrap(), Some(7));
        });
    }
}
