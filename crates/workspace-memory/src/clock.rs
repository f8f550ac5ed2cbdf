//! Time that a test can hold in its hand.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use workspace_core::{Error, ErrorKind, Result};

/// What a clock calls when an alarm is due.
pub type Ring = Box<dyn FnOnce() + Send>;

/// Where a [`Memory`](crate::Memory) takes its time from: the times of files,
/// and the delays and timeouts of scripted commands.
///
/// A closure that gives the time is a clock; its alarms are those of [`SystemClock`].
///
/// # Examples
/// ```
/// use std::time::UNIX_EPOCH;
/// use workspace_memory::MemoryConfig;
///
/// let memory = MemoryConfig::new().with_clock(|| UNIX_EPOCH).build()?;
/// # Ok::<(), workspace_core::Error>(())
/// ```
pub trait Clock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> SystemTime;

    /// Calls `ring` once, when this time has come, unless the alarm is dropped
    /// before. It must not call it before it returns.
    ///
    /// By default a thread sleeps as long as it takes from [`now`](Self::now) on.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) where the system gives no thread.
    fn alarm(&self, at: SystemTime, ring: Ring) -> Result<Alarm> {
        Alarm::in_real_time(at.duration_since(self.now()).unwrap_or_default(), ring)
    }
}

impl<F: Fn() -> SystemTime + Send + Sync + 'static> Clock for F {
    fn now(&self) -> SystemTime {
        self()
    }
}

/// The clock of the machine. Each pending alarm is a thread of its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// An alarm that is set. Dropping it takes it back.
pub struct Alarm(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Alarm {
    /// An alarm that `cancel` takes back.
    pub fn new(cancel: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(cancel)))
    }

    fn in_real_time(after: Duration, ring: Ring) -> Result<Self> {
        let due = Instant::now().checked_add(after);
        let cancelled = Arc::new((Mutex::new(false), Condvar::new()));
        let seen = Arc::clone(&cancelled);
        let sleep = move || {
            let (flag, changed) = &*seen;
            let mut stop = lock(flag);
            while !*stop {
                // A time that the machine cannot count up to never comes.
                let left = due.map_or(Duration::MAX, |due| due.saturating_duration_since(Instant::now()));
                if left.is_zero() {
                    drop(stop);
                    return ring();
                }
                stop = changed.wait_timeout(stop, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        std::thread::Builder::new().name("workspace-memory alarm".into()).spawn(sleep).map_err(|error| {
            Error::new(ErrorKind::Io, "no thread could be started to wait for the command").because(error)
        })?;
        Ok(Self::new(move || {
            let (flag, changed) = &*cancelled;
            *lock(flag) = true;
            changed.notify_all();
        }))
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some(cancel) = self.0.take() {
            cancel();
        }
    }
}

impl fmt::Debug for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Alarm")
    }
}

/// A clock that stands still until a test moves it. A clone is the same clock.
///
/// # Examples
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use workspace_memory::{Clock, ManualClock};
///
/// let clock = ManualClock::new(UNIX_EPOCH);
/// clock.advance(Duration::from_secs(5));
/// assert_eq!(clock.now(), UNIX_EPOCH + Duration::from_secs(5));
/// ```
#[derive(Clone)]
pub struct ManualClock(Arc<Mutex<Hands>>);

struct Hands {
    now: SystemTime,
    /// By the time when they are due; the number tells alarms of one time apart.
    alarms: BTreeMap<(SystemTime, u64), Ring>,
    set: u64,
}

impl ManualClock {
    /// A clock that shows this time.
    pub fn new(now: SystemTime) -> Self {
        Self(Arc::new(Mutex::new(Hands { now, alarms: BTreeMap::new(), set: 0 })))
    }

    /// Moves the time on and rings the alarms that are due by then, the earliest first.
    ///
    /// A time that the machine cannot hold leaves the clock as it is.
    pub fn advance(&self, by: Duration) {
        let due = {
            let mut hands = lock(&self.0);
            let Some(now) = hands.now.checked_add(by) else { return };
            hands.now = now;
            let later = hands.alarms.split_off(&(now, u64::MAX));
            std::mem::replace(&mut hands.alarms, later)
        };
        for ring in due.into_values() {
            ring();
        }
    }

    /// How many alarms are set: who waits for time to pass has set one.
    pub fn alarms(&self) -> usize {
        lock(&self.0).alarms.len()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> SystemTime {
        lock(&self.0).now
    }

    fn alarm(&self, at: SystemTime, ring: Ring) -> Result<Alarm> {
        let mut hands = lock(&self.0);
        hands.set += 1;
        let key = (at, hands.set);
        hands.alarms.insert(key, ring);
        let clock = Arc::downgrade(&self.0);
        Ok(Alarm::new(move || {
            let ring = clock.upgrade().and_then(|hands| lock(&hands).alarms.remove(&key));
            // What it holds may set or drop alarms itself, so it goes after the lock.
            drop(ring);
        }))
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ManualClock").field(&self.now()).finish()
    }
}

/// What a panic elsewhere has left is still a consistent value here.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
