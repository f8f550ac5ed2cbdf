//! All that a running fake holds.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::Options;
use crate::control::Remembered;
use crate::fault::Armed;
use crate::requests::Log;
use crate::sandbox::{Phase, Sandbox, Tools};

/// What requests are answered from.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) key: String,
    pub(crate) tools: Arc<Tools>,
    pub(crate) log: Log,
    pub(crate) faults: Armed,
    pub(crate) latency: Mutex<Duration>,
    /// How many requests are worked on.
    pub(crate) working: Working,
    /// Answers by idempotency key.
    pub(crate) remembered: Mutex<HashMap<String, Remembered>>,
    sandboxes: Mutex<Sandboxes>,
    /// Distinguishes this fake from others, and its names from each other.
    seed: [u8; 32],
    made: AtomicU64,
}

/// How many pieces of work are under way.
#[derive(Debug, Clone, Default)]
pub(crate) struct Working(Arc<AtomicUsize>);

/// One piece of work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Work(Working);

impl Working {
    pub(crate) fn begin(&self) -> Work {
        self.0.fetch_add(1, Ordering::Relaxed);
        Work(self.clone())
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// By id; none is let in once it is closed.
#[derive(Debug, Default)]
struct Sandboxes {
    known: BTreeMap<String, Arc<Sandbox>>,
    closed: bool,
}

impl State {
    pub(crate) fn new(options: Options, tools: Arc<Tools>) -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let here = &raw const *tools as usize;
        let seed = Sha256::digest(format!("{} {} {here}", since.as_nanos(), std::process::id())).into();
        let mut state = Self {
            options,
            key: String::new(),
            tools,
            log: Log::default(),
            faults: Armed::default(),
            latency: Mutex::default(),
            working: Working::default(),
            remembered: Mutex::default(),
            sandboxes: Mutex::default(),
            seed,
            made: AtomicU64::new(0),
        };
        state.key = format!("e2b_{}", state.new_name(40));
        state
    }

    /// A new name of small letters and digits, as hard to guess as tests need.
    pub(crate) fn new_name(&self, length: usize) -> String {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let mut name = String::new();
        for part in 0_u8.. {
            let digest =
                Sha256::new().chain_update(self.seed).chain_update(number.to_be_bytes()).chain_update([part]);
            let digits = b"0123456789abcdefghijklmnopqrstuvwxyz";
            name.extend(
                digest
                    .finalize()
                    .iter()
                    .filter_map(|byte| digits.get(usize::from(*byte) % 36))
                    .map(|d| char::from(*d)),
            );
            if name.len() >= length {
                break;
            }
        }
        name.truncate(length);
        name
    }

    /// The sandbox of that id, running or paused. Old ids with a suffix are known too.
    pub(crate) fn sandbox(&self, id: &str) -> Option<Arc<Sandbox>> {
        let id = id.split('-').next().unwrap_or(id);
        self.lock().known.get(id).filter(|sandbox| sandbox.life.phase() != Phase::Dead).cloned()
    }

    /// All that are running or paused, by id.
    pub(crate) fn sandboxes(&self) -> Vec<Arc<Sandbox>> {
        self.lock().known.values().filter(|sandbox| sandbox.life.phase() != Phase::Dead).cloned().collect()
    }

    /// Takes in a new sandbox, and forgets those that have died. `false`, and the
    /// end of the new one, where the fake has ended meanwhile.
    pub(crate) fn admit(&self, sandbox: &Arc<Sandbox>) -> bool {
        let mut sandboxes = self.lock();
        if sandboxes.closed {
            drop(sandboxes);
            sandbox.end_now();
            return false;
        }
        sandboxes.known.retain(|_, other| other.life.phase() != Phase::Dead);
        sandboxes.known.insert(sandbox.id.clone(), Arc::clone(sandbox));
        true
    }

    /// Ends all sandboxes at once, for a fake that is dropped.
    pub(crate) fn end_all(&self) {
        let sandboxes =
            std::mem::replace(&mut *self.lock(), Sandboxes { closed: true, ..Sandboxes::default() });
        for sandbox in sandboxes.known.values() {
            sandbox.end_now();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Sandboxes> {
        self.sandboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
