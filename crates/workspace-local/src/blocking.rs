//! Work that waits for the disk, kept off the threads that drive futures.

use std::future::{Future, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use workspace_core::{Error, ErrorKind, Result};

/// Runs work on the blocking threads of the tokio runtime at hand, and begins at once.
///
/// Where there is no runtime, the work is done on the spot, so that these files
/// serve any executor. Dropping the future does not stop work that has begun:
/// it runs to its end and its result is dropped.
pub(crate) fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> OffThread<T> {
    match Handle::try_current() {
        Ok(runtime) => OffThread::Elsewhere(runtime.spawn_blocking(work)),
        Err(_) => OffThread::Done(ready(work())),
    }
}

/// The result of [`off_thread`], to come.
#[derive(Debug)]
pub(crate) enum OffThread<T> {
    Elsewhere(JoinHandle<T>),
    Done(std::future::Ready<T>),
}

impl<T> Future for OffThread<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Elsewhere(task) => Pin::new(task).poll(cx).map_err(|error| {
                if error.is_cancelled() {
                    Error::new(ErrorKind::Cancelled, "the runtime is shutting down")
                } else {
                    Error::new(ErrorKind::Io, "the operation failed inside").because(error)
                }
            }),
            Self::Done(value) => Pin::new(value).poll(cx).map(Ok),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_runtime_the_work_is_done_on_the_spot() {
        let mut future = off_thread(|| 7);
        let polled = Pin::new(&mut future).poll(&mut Context::from_waker(std::task::Waker::noop()));
        assert!(matches!(polled, Poll::Ready(Ok(7))));
    }

    #[tokio::test]
    async fn work_that_panics_is_an_error() {
        let error = off_thread(|| panic!("on purpose")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
    }
}
