//! When a search is over, and when it lets others run.

use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};

/// How many small steps go by between two breaths.
const STEPS: u32 = 256;

/// The clock of one search.
#[derive(Debug)]
pub(crate) struct Clock {
    start: Instant,
    limit: Option<Duration>,
    steps: u32,
}

impl Clock {
    pub(crate) fn new(limit: Option<Duration>) -> Self {
        // The first step breathes, so that no search does all of its work on a clock that has run out.
        Self { start: Instant::now(), limit, steps: STEPS - 1 }
    }

    /// Lets others run once, then tells whether there is time left.
    ///
    /// This is where a search whose future is dropped, or whose runtime has other
    /// work, stops: the answers of a backend in memory never wait for anything.
    pub(crate) async fn breathe(&self) -> bool {
        let mut given_way = false;
        poll_fn(|cx| {
            if given_way {
                return Poll::Ready(());
            }
            given_way = true;
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.limit.is_none_or(|limit| self.start.elapsed() < limit)
    }

    /// As [`breathe`](Self::breathe), for work so small that most calls need not.
    pub(crate) async fn step(&mut self) -> bool {
        self.steps = (self.steps + 1) % STEPS;
        self.steps != 0 || self.breathe().await
    }
}
