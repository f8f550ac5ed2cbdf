//! What is sent again, how often, and when.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder, Retryable};
use tokio::time::{Instant, timeout_at};

use crate::failure::{Again, Failure};

/// Whether a request may be sent again where it is not known what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// A second time does what one time does.
    Harmless,
    /// Only where the first surely did nothing.
    Unsent,
}

/// No call is waited for longer.
const LONGEST: Duration = Duration::from_hours(24);

/// How patient a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Patience {
    /// How long a call may take, with all that is sent again.
    pub(crate) deadline: Duration,
    /// How often a request is sent again at most.
    pub(crate) retries: u32,
}

impl Patience {
    /// Takes a deadline of a day at most: no clock runs over by it.
    pub(crate) fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = deadline.min(LONGEST);
    }

    fn pauses(&self) -> impl BackoffBuilder {
        ExponentialBuilder::default()
            .with_min_delay(Duration::from_millis(100))
            .with_max_delay(Duration::from_secs(5))
            .with_factor(2.0)
            .with_max_times(self.retries as usize)
            .with_jitter()
    }
}

/// Sends a request until it is answered, as often as is allowed and not past the deadline.
///
/// # Errors
/// The last failure; [`Failure::silent`] where a request has no answer by the deadline.
pub(crate) async fn retry<T, Fut>(
    patience: Patience,
    repeat: Repeat,
    mut send: impl FnMut() -> Fut,
) -> Result<T, Failure>
where
    Fut: Future<Output = Result<T, Failure>>,
{
    // Each attempt keeps the deadline for itself, so that the failure before it is not lost.
    retry_within(patience, repeat, |end| {
        let answer = send();
        async move {
            match timeout_at(end, answer).await {
                Ok(outcome) => outcome,
                Err(_) => Err(Failure { again: Again::No, ..Failure::silent() }),
            }
        }
    })
    .await
}

/// Like [`retry`], for a request that keeps the deadline itself: it is told when that is.
pub(crate) async fn retry_within<T, Fut>(
    patience: Patience,
    repeat: Repeat,
    mut send: impl FnMut(Instant) -> Fut,
) -> Result<T, Failure>
where
    Fut: Future<Output = Result<T, Failure>>,
{
    let end = Instant::now() + patience.deadline;
    let attempt = || send(end);
    attempt
        .retry(patience.pauses())
        .when(|failure| may(failure, repeat))
        .adjust(|failure, pause| {
            let pause = match failure.again {
                Again::Unsent(Some(asked)) => pause.map(|pause| pause.max(asked)),
                _ => pause,
            };
            // Who may come back after the deadline alone is told now.
            pause.filter(|pause| *pause < end.saturating_duration_since(Instant::now()))
        })
        .notify(|failure, pause| {
            tracing::debug!(error = %failure.error, ?pause, "a request is sent again");
        })
        .await
}

fn may(failure: &Failure, repeat: Repeat) -> bool {
    match failure.again {
        Again::No => false,
        Again::Unsent(_) => true,
        Again::Unknown => repeat == Repeat::Harmless,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use workspace_core::{Error, ErrorKind};

    use super::*;

    fn failure(again: Again) -> Failure {
        Failure::new(Error::new(ErrorKind::Unavailable, "x"), again)
    }

    /// How often a request is sent that fails each time, and how long that takes.
    fn sent(repeat: Repeat, again: Again, seconds: u64) -> (u32, Duration) {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let count = Cell::new(0);
            let begun = Instant::now();
            let patience = Patience { deadline: Duration::from_secs(seconds), retries: 3 };
            let outcome: Result<(), _> = retry(patience, repeat, || {
                count.set(count.get() + 1);
                async { Err(failure(again)) }
            })
            .await;
            assert!(outcome.is_err());
            (count.get(), begun.elapsed())
        })
    }

    #[test]
    fn r_e2b_1_only_what_does_no_harm_is_sent_again() {
        for (repeat, again, times) in [
            (Repeat::Harmless, Again::No, 1),
            (Repeat::Harmless, Again::Unknown, 4),
            (Repeat::Harmless, Again::Unsent(None), 4),
            (Repeat::Unsent, Again::Unknown, 1),
            (Repeat::Unsent, Again::Unsent(None), 4),
        ] {
            assert_eq!(sent(repeat, again, 60).0, times, "{repeat:?} {again:?}");
        }
    }

    #[test]
    fn r_e2b_1_the_time_that_the_other_side_asks_for_is_kept() {
        let (times, took) = sent(Repeat::Unsent, Again::Unsent(Some(Duration::from_secs(7))), 60);
        assert_eq!(times, 4);
        assert!(took >= Duration::from_secs(21), "{took:?}");
        // Where that is past the deadline, nobody waits for nothing.
        for asked in [Duration::from_secs(70), Duration::MAX] {
            let (times, took) = sent(Repeat::Unsent, Again::Unsent(Some(asked)), 60);
            assert_eq!((times, took), (1, Duration::ZERO));
        }
    }

    #[test]
    fn r_e2b_1_a_call_ends_by_its_deadline() {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let begun = Instant::now();
            let patience = Patience { deadline: Duration::from_secs(9), retries: 3 };
            let outcome: Result<(), Failure> = retry(patience, Repeat::Harmless, std::future::pending).await;
            assert_eq!(outcome.unwrap_err().error.kind(), ErrorKind::TimedOut);
            assert_eq!(begun.elapsed(), Duration::from_secs(9));
        });
    }
}
