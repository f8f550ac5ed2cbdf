//! What goes wrong with bodies.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Poll;

use workspace_core::ErrorKind::Io;
use workspace_core::{Body, Error, Feed, FsProvider, ReadOptions, Result, WorkspacePath};

use super::fault::Fault;
use super::files::Broken;

/// Bodies and what goes wrong with them.
impl Broken {
    pub(super) async fn body(&self, body: Body, path: &WorkspacePath, options: ReadOptions) -> Result<Body> {
        let (memory, path) = (self.memory.clone(), path.clone());
        Ok(match self.fault {
            Some(Fault::CutsTheEnd) => {
                let mut bytes = body.collect(1 << 30).await?;
                bytes.pop();
                Body::from(bytes)
            }
            Some(Fault::ReadsTextOnly) => {
                let bytes = body.collect(1 << 30).await?;
                Body::from(String::from_utf8_lossy(&bytes).into_owned().into_bytes())
            }
            Some(Fault::OpensLate) => Feed::unfold(false, move |done| {
                let (memory, path, options) = (memory.clone(), path.clone(), options.clone());
                async move {
                    if done {
                        return Ok(None);
                    }
                    let bytes = memory.read(&path, options).await?.body.collect(1 << 30).await?;
                    Ok(Some((bytes, true)))
                }
            }),
            Some(Fault::NeverEndsABody) => {
                let mut body = body;
                Feed::from_poll_fn(move |cx| match body.poll_next(cx) {
                    Poll::Ready(None) => Poll::Pending,
                    other => other,
                })
            }
            Some(Fault::MixesBodies) => {
                let open = Arc::clone(&self.open);
                let number = open.fetch_add(1, Relaxed);
                let mut body = body;
                Feed::from_poll_fn(move |cx| match body.poll_next(cx) {
                    Poll::Ready(Some(Ok(bytes))) if open.load(Relaxed) > number + 1 => {
                        Poll::Ready(Some(Ok(vec![b'?'; bytes.len()])))
                    }
                    other => other,
                })
            }
            Some(Fault::BindsBodiesToTheTask) => {
                let task = tokio::task::try_id();
                let mut body = body;
                Feed::from_poll_fn(move |cx| {
                    if tokio::task::try_id() == task {
                        return body.poll_next(cx);
                    }
                    Poll::Ready(Some(Err(Error::new(Io, "the body is of another task"))))
                })
            }
            Some(Fault::ReadsOneFileAtATime) => {
                if self.open.fetch_add(1, Relaxed) > 0 {
                    self.open.fetch_sub(1, Relaxed);
                    return Err(Error::new(Io, "another file is open"));
                }
                tokio::task::yield_now().await;
                self.returning_handle(body)
            }
            Some(Fault::KeepsHandles) => {
                self.take_handle()?;
                self.returning_handle(body)
            }
            _ => body,
        })
    }

    pub(super) fn take_handle(&self) -> Result<()> {
        if self.open.fetch_add(1, Relaxed) >= 2 {
            return Err(Error::new(Io, "too many open files"));
        }
        Ok(())
    }

    /// A feed that gives its handle back at its end, but not when it is dropped before.
    pub(super) fn returning_handle<T: Send + 'static>(&self, mut feed: Feed<T>) -> Feed<T> {
        let open = Arc::clone(&self.open);
        let counted = self.is(Fault::KeepsHandles) || self.is(Fault::ReadsOneFileAtATime);
        Feed::from_poll_fn(move |cx| {
            let next = feed.poll_next(cx);
            if counted && matches!(next, Poll::Ready(None)) {
                open.fetch_sub(1, Relaxed);
            }
            next
        })
    }
}
