//! Commands: from a line to what is told of its end.

mod drain;
mod jobs;
mod judge;
mod lifetime;

pub(crate) use drain::{Ended, LAST_WORDS, drain};
pub use jobs::JobStatus;
pub(crate) use jobs::{Job, JobEnd, Jobs, Start};
pub(crate) use judge::Judge;
pub(crate) use lifetime::Lifetime;
