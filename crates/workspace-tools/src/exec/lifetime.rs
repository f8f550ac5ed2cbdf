//! How long the commands of a workspace may run: until it is disposed of.

use tokio::sync::{RwLock, RwLockReadGuard};
use tokio_util::sync::CancellationToken;

use crate::{Result, ToolError, ToolErrorKind};

/// The common end of all commands of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Lifetime {
    over: CancellationToken,
    /// Read by each command that runs or starts; written by who waits for all of them.
    commands: RwLock<()>,
}

/// The right to have a command run. Who ends the workspace waits until it is given back.
#[derive(Debug)]
pub(crate) struct Stay<'a>(#[allow(dead_code)] RwLockReadGuard<'a, ()>); // Held, never read.

impl Lifetime {
    /// Waits until it is over.
    pub(crate) async fn over(&self) {
        self.over.cancelled().await;
    }

    /// Ends it. Commands that run notice by [`over`](Self::over); none begins any more.
    pub(crate) fn end(&self) {
        self.over.cancel();
    }

    /// Begins a command.
    ///
    /// # Errors
    /// `disposed`.
    pub(crate) fn enter(&self) -> Result<Stay<'_>> {
        // Taken before the look, so that a command is either refused or waited for.
        let stay = self.commands.try_read().map_err(|_| disposed())?;
        self.check().map(|()| Stay(stay))
    }

    /// Refuses a command after the end.
    ///
    /// # Errors
    /// `disposed`.
    pub(crate) fn check(&self) -> Result<()> {
        if self.over.is_cancelled() { Err(disposed()) } else { Ok(()) }
    }

    /// Waits until no command runs that was begun before the end.
    pub(crate) async fn left(&self) {
        drop(self.commands.write().await);
    }
}

fn disposed() -> ToolError {
    ToolError::new(ToolErrorKind::Disposed, "the workspace has ended; no command runs any more")
        .hint("go on with the file tools, which still work")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn r_job_5_the_end_waits_for_who_has_begun_and_lets_nobody_begin() {
        let lifetime = Lifetime::default();
        let stay = lifetime.enter().unwrap();
        lifetime.end();
        lifetime.over().await;
        assert_eq!(lifetime.enter().unwrap_err().kind(), ToolErrorKind::Disposed);
        let mut left = std::pin::pin!(lifetime.left());
        assert!(std::future::poll_fn(|cx| std::task::Poll::Ready(left.as_mut().poll(cx).is_pending())).await);
        assert_eq!(lifetime.enter().unwrap_err().kind(), ToolErrorKind::Disposed);
        drop(stay);
        left.await;
        lifetime.left().await;
    }
}
