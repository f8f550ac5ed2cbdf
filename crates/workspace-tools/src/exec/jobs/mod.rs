//! Commands that run on while other calls are made.

mod job;
mod table;

pub use job::JobStatus;
pub(crate) use job::{Job, JobEnd, Start};
pub(crate) use table::Jobs;
