//! File bodies, command events and long listings, without a stream crate.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::{Error, ErrorKind, Result};

/// The bytes of a file, in pieces.
pub type Body = Feed<Vec<u8>>;

type PollItem<T> = Box<dyn FnMut(&mut Context<'_>) -> Poll<Option<Result<T>>> + Send>;

/// Items that arrive one after the other. Dropping it cancels the work behind it.
///
/// After an error or the end it gives nothing more.
///
/// # Examples
/// ```
/// use workspace_core::{Body, Feed};
///
/// // A vendor that fetches page after page: state in, item and next state out.
/// let pages: Feed<u32> = Feed::unfold(0, |page| async move {
///     Ok((page < 3).then_some((page, page + 1)))
/// });
/// let body = Body::from(b"whole files are one piece".to_vec());
/// # let _ = (pages, body);
/// ```
pub struct Feed<T>(Option<PollItem<T>>);

impl<T> Feed<T> {
    /// A feed from a poll function: the bridge from any stream.
    pub fn from_poll_fn(
        poll: impl FnMut(&mut Context<'_>) -> Poll<Option<Result<T>>> + Send + 'static,
    ) -> Self {
        Self(Some(Box::new(poll)))
    }

    /// A feed without items.
    pub fn empty() -> Self {
        Self(None)
    }

    /// Polls for the next item: the bridge to any stream.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        let Some(poll) = &mut self.0 else { return Poll::Ready(None) };
        let item = poll(cx);
        if matches!(item, Poll::Ready(None | Some(Err(_)))) {
            self.0 = None;
        }
        item
    }

    /// The next item, or `None` at the end.
    pub async fn next(&mut self) -> Option<Result<T>> {
        poll_fn(|cx| self.poll_next(cx)).await
    }
}

impl<T: Send + 'static> Feed<T> {
    /// A feed of items at hand.
    pub fn from_items(items: impl IntoIterator<Item = Result<T>>) -> Self {
        let mut items: VecDeque<_> = items.into_iter().collect();
        Self::from_poll_fn(move |_| Poll::Ready(items.pop_front()))
    }

    /// A feed made step by step: `step` takes the state and gives an item with
    /// the next state, or `None` at the end.
    pub fn unfold<S, F, Fut>(state: S, mut step: F) -> Self
    where
        S: Send + 'static,
        F: FnMut(S) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Option<(T, S)>>> + Send + 'static,
    {
        let mut state = Some(state);
        let mut running: Option<Pin<Box<Fut>>> = None;
        Self::from_poll_fn(move |cx| {
            if running.is_none() {
                let Some(state) = state.take() else { return Poll::Ready(None) };
                running = Some(Box::pin(step(state)));
            }
            let Some(future) = running.as_mut() else { return Poll::Ready(None) };
            let item = match future.as_mut().poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(item) => item,
            };
            running = None;
            Poll::Ready(match item {
                Ok(Some((item, next))) => {
                    state = Some(next);
                    Some(Ok(item))
                }
                Ok(None) => None,
                Err(error) => Some(Err(error)),
            })
        })
    }

    /// All items, at most `limit` of them.
    ///
    /// # Errors
    /// The feed's own, or [`TooLarge`](ErrorKind::TooLarge) where there are more.
    pub async fn collect_items(mut self, limit: usize) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while let Some(item) = self.next().await {
            if items.len() == limit {
                return Err(too_large(format!("there are more than {limit} items")));
            }
            items.push(item?);
        }
        Ok(items)
    }
}

impl Body {
    /// All bytes, at most `limit` of them, so that no caller swallows a file of any size.
    ///
    /// # Errors
    /// The feed's own, or [`TooLarge`](ErrorKind::TooLarge) where there are more.
    pub async fn collect(mut self, limit: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next().await {
            let piece = piece?;
            let total = (bytes.len() as u64).saturating_add(piece.len() as u64);
            if total > limit {
                return Err(too_large(format!("it has more than {limit} bytes")));
            }
            if bytes.is_empty() {
                bytes = piece;
            } else {
                bytes.extend_from_slice(&piece);
            }
        }
        Ok(bytes)
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        let mut bytes = Some(bytes).filter(|bytes| !bytes.is_empty());
        Self::from_poll_fn(move |_| Poll::Ready(bytes.take().map(Ok)))
    }
}

impl<T> fmt::Debug for Feed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Feed(open)" } else { "Feed(ended)" })
    }
}

fn too_large(message: String) -> Error {
    Error::new(ErrorKind::TooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    fn ready<F: Future>(future: F) -> F::Output {
        let mut future = std::pin::pin!(future);
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => output,
            Poll::Pending => panic!("the future waits for something"),
        }
    }

    #[test]
    fn a_body_is_collected_up_to_its_limit() {
        let body = || Body::from_items([Ok(b"ab".to_vec()), Ok(b"cd".to_vec())]);
        assert_eq!(ready(body().collect(4)).unwrap(), b"abcd");
        assert_eq!(ready(body().collect(3)).unwrap_err().kind(), ErrorKind::TooLarge);
    }

    #[test]
    fn a_feed_ends_after_an_error() {
        let mut feed: Feed<u8> = Feed::from_items([Err(Error::new(ErrorKind::Io, "broken")), Ok(1)]);
        assert!(ready(feed.next()).unwrap().is_err());
        assert!(ready(feed.next()).is_none());
    }

    #[test]
    fn unfold_hands_the_state_on() {
        let feed = Feed::unfold(1, |n| async move { Ok((n < 20).then_some((n, n * 3))) });
        assert_eq!(ready(feed.collect_items(9)).unwrap(), [1, 3, 9]);
    }
}
