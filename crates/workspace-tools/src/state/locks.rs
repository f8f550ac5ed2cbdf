//! One writer a file, in arrival order, whatever spelling it used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;
use workspace_core::WorkspacePath;

/// The locks of a workspace's files.
///
/// A call first queues under the path as it was spelled, so that calls of one
/// spelling keep their order while links are resolved; then under the path as
/// it was resolved, where all spellings meet.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    spelled: Arc<Table>,
    resolved: Arc<Table>,
}

impl Locks {
    /// Waits for a path as spelled. Dropping the future leaves the queue.
    pub(crate) async fn spelled(&self, path: WorkspacePath) -> PathLock {
        PathLock::acquire(Arc::clone(&self.spelled), path).await
    }

    /// Waits for a path as resolved. Dropping the future leaves the queue.
    pub(crate) async fn resolved(&self, path: WorkspacePath) -> PathLock {
        PathLock::acquire(Arc::clone(&self.resolved), path).await
    }
}

#[derive(Debug, Default)]
struct Table(Mutex<HashMap<WorkspacePath, Arc<tokio::sync::Mutex<()>>>>);

/// The right to change one file; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct PathLock {
    table: Arc<Table>,
    path: WorkspacePath,
    guard: Option<OwnedMutexGuard<()>>,
}

impl PathLock {
    async fn acquire(table: Arc<Table>, path: WorkspacePath) -> Self {
        let queue = {
            let mut queues = table.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(queues.entry(path.clone()).or_default())
        };
        // Made before the wait, so that a dropped wait cleans up as a finished call does.
        let mut lock = Self { table, path, guard: None };
        lock.guard = Some(queue.lock_owned().await);
        lock
    }
}

impl Drop for PathLock {
    fn drop(&mut self) {
        drop(self.guard.take());
        let mut queues = self.table.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Waiters take their share of the queue under this very lock: one share means nobody waits.
        if queues.get(&self.path).is_some_and(|queue| Arc::strong_count(queue) == 1) {
            queues.remove(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workspace_core::PathRules;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text, &PathRules::default()).unwrap()
    }

    fn open(locks: &Locks) -> usize {
        locks.resolved.0.lock().unwrap().len() + locks.spelled.0.lock().unwrap().len()
    }

    #[tokio::test]
    async fn r_lock_1_one_file_is_served_in_arrival_order_and_others_at_once() {
        let locks = Arc::new(Locks::default());
        let first = locks.resolved(path("a")).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = tokio::task::JoinSet::new();
        for number in 0..5 {
            let (locks, order) = (Arc::clone(&locks), Arc::clone(&order));
            let started = Arc::new(tokio::sync::Notify::new());
            let told = Arc::clone(&started);
            waiting.spawn(async move {
                let lock = locks.resolved(path("a"));
                told.notify_one();
                let _lock = lock.await;
                order.lock().unwrap().push(number);
            });
            started.notified().await;
            tokio::task::yield_now().await;
        }
        drop(locks.resolved(path("b")).await);
        assert!(order.lock().unwrap().is_empty());
        drop(first);
        waiting.join_all().await;
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(open(&locks), 0);
    }

    #[tokio::test]
    async fn r_lock_2_a_cancelled_waiter_leaves_the_queue() {
        let locks = Locks::default();
        let first = locks.spelled(path("a")).await;
        {
            let mut waiter = std::pin::pin!(locks.spelled(path("a")));
            assert!(
                std::future::poll_fn(|cx| std::task::Poll::Ready(waiter.as_mut().poll(cx).is_pending()))
                    .await
            );
        }
        drop(first);
        assert_eq!(open(&locks), 0);
        drop(locks.spelled(path("a")).await);
    }
}
