//! A workspace held in memory.

mod clock;
mod config;
mod error;
mod files;
mod memory;
mod shell;

pub use clock::{Alarm, Clock, ManualClock, Ring, SystemClock};
pub use config::MemoryConfig;
pub use memory::{Memory, Snapshot};
pub use shell::{MemoryShell, Outcome, Recorded, Reply, Script};
