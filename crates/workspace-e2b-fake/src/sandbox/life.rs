//! How long a sandbox lives, and how it is paused, resumed and ended.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;

use super::Sandbox;

const STOP: i32 = 19;
const CONTINUE: i32 = 18;
const KILL: i32 = 9;

/// All processes of a sandbox but the first.
const EVERYONE: i64 = -1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Running,
    Paused,
    Dead,
}

/// The phase of a sandbox and the end of its time.
#[derive(Debug)]
pub(crate) struct Life {
    now: Mutex<(Phase, SystemTime)>,
    changed: Notify,
    /// Held while the phase changes, so that changes come one after the other.
    turn: tokio::sync::Mutex<()>,
}

impl Life {
    pub(crate) fn new(end_at: SystemTime) -> Self {
        Self {
            now: Mutex::new((Phase::Running, end_at)),
            changed: Notify::new(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        self.lock().0
    }

    pub(crate) fn end_at(&self) -> SystemTime {
        self.lock().1
    }

    /// The time to live, from now on.
    pub(crate) fn set_timeout(&self, timeout: Duration) {
        self.lock().1 = SystemTime::now() + timeout;
        self.changed.notify_one();
    }

    /// At least this time to live, from now on.
    pub(crate) fn extend(&self, timeout: Duration) {
        let mut now = self.lock();
        now.1 = now.1.max(SystemTime::now() + timeout);
        drop(now);
        self.changed.notify_one();
    }

    fn set_phase(&self, phase: Phase) {
        self.lock().0 = phase;
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, (Phase, SystemTime)> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sandbox {
    /// Stops all processes where they are, or ends them where memory is not kept.
    /// `false` where it was not running.
    pub(crate) async fn pause(&self, memory: bool) -> bool {
        let _turn = self.life.turn.lock().await;
        if self.life.phase() != Phase::Running {
            return false;
        }
        self.life.set_phase(Phase::Paused);
        self.cut_connections();
        self.namespace.signal(EVERYONE, if memory { STOP } else { KILL }).await;
        true
    }

    /// Lets a paused sandbox run on, for this time at least. `false` where it was not paused.
    pub(crate) async fn resume(&self, timeout: Duration) -> bool {
        let _turn = self.life.turn.lock().await;
        if self.life.phase() != Phase::Paused {
            return false;
        }
        self.namespace.signal(EVERYONE, CONTINUE).await;
        self.processes.wake();
        self.life.set_timeout(timeout);
        self.life.set_phase(Phase::Running);
        true
    }

    /// Ends all processes and removes the files. `false` where that was done before.
    pub(crate) async fn kill(self: &Arc<Self>) -> bool {
        let _turn = self.life.turn.lock().await;
        if self.life.phase() == Phase::Dead {
            return false;
        }
        self.life.set_phase(Phase::Dead);
        self.cut_connections();
        self.watchers.clear();
        let sandbox = Arc::clone(self);
        let ended = tokio::task::spawn_blocking(move || sandbox.namespace.end());
        ended.await.is_ok()
    }

    /// The same, for callers that cannot wait for their turn.
    pub(crate) fn end_now(&self) {
        self.life.set_phase(Phase::Dead);
        self.cut_connections();
        self.watchers.clear();
        self.namespace.end();
    }

    /// What happens at the end of its time.
    pub(crate) async fn expire(self: &Arc<Self>) -> bool {
        if self.wish.auto_pause { self.pause(self.wish.keeps_memory()).await } else { self.kill().await }
    }

    /// Waits for the end of its time, however often that moves, and then expires it.
    /// Returns when it is dead.
    pub(crate) async fn follow_clock(self: Arc<Self>) {
        loop {
            let left = self.life.end_at().duration_since(SystemTime::now()).unwrap_or_default();
            match self.life.phase() {
                Phase::Dead => return,
                Phase::Running if left.is_zero() => drop(self.expire().await),
                Phase::Running => {
                    let _ = tokio::time::timeout(left, self.life.changed.notified()).await;
                }
                Phase::Paused => self.life.changed.notified().await,
            }
        }
    }
}
