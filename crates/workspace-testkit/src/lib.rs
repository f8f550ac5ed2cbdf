//! The conformance kit: one set of cases that every backend and every layer of
//! a workspace passes.
//!
//! A [`Subject`] is what is put to the test: the files of a backend, with its
//! commands where it has some. A [`Plant`] is the backend's back door, for what
//! the contract has no call for: links, pipes, files outside the root, a look
//! at the storage. A [`Report`] is what came out. [`conform!`] makes a test of
//! the three:
//!
//! ```
//! use workspace_memory::Memory;
//! use workspace_testkit::{Subject, conform};
//!
//! conform!(|| async { Subject::new(Memory::new()) });
//! # fn main() {}
//! ```
//!
//! A program, which has no test harness, runs the cases itself:
//!
//! ```
//! use workspace_memory::Memory;
//! use workspace_testkit::{Subject, run_where};
//!
//! # #[tokio::main]
//! # async fn main() {
//! let fresh = || async { Subject::new(Memory::new()) };
//! let report = run_where(fresh, &[], |case| case.starts_with("read::")).await;
//! assert!(report.is_success(), "{report}");
//! # }
//! ```
//!
//! # How cases are chosen
//! Each case names the capabilities that it needs
//! ([`Capabilities`](workspace_core::Capabilities),
//! [`ShellCapabilities`](workspace_core::ShellCapabilities)) and is skipped
//! without them; what a capability denies has cases of its own, which see that
//! it is refused. A case that needs something of the plant is skipped where the
//! plant does not make it. Every skip tells its reason, and a backend's author
//! reads them: a skip for want of a plant is a hole in the test.
//!
//! | group | what it is about |
//! | --- | --- |
//! | `paths` | text that leads outside, names of every kind, the root |
//! | `capabilities` | what is denied is refused |
//! | `read`, `write`, `list`, `walk`, `dirs`, `remove`, `rename` | one operation each |
//! | `preconditions`, `atomicity` | writes that depend on a state; readers beside writers |
//! | `links` | followed inside, refused outside, never created through |
//! | `filters` | rules on the resolved path, for each access |
//! | `feeds` | bodies that are read slowly, together, or not to their end |
//! | `errors` | the path as asked, and nothing of the host |
//! | `search` | native search against the portable one ([`Subject::with_portable_search`]) |
//! | `model` | random [`operations`] against the [`Model`] |
//! | `shell::output`, `shell::input`, `shell::place`, `shell::end` | commands ([`Commands`]) |
//!
//! # Layers
//! A layer is tested as a backend is: put it over a good provider. Where it
//! takes something away, [`Subject::with_seed`] gives the way to set up below it.
//!
//! # Limits
//! - Cases run one after the other, each on a fresh subject: a backend that
//!   takes a second to start takes minutes to test. [`run_where`] runs a part.
//! - What a backend may do a moment after a call (removing a temporary file,
//!   ending a process) is looked for again and again for half of
//!   [`Subject::with_patience`].
//! - A provider that blocks its thread for ever fails its case and keeps the thread.
//! - There are no cases for limits, quotas, further roots and durability: the
//!   contract says too little about them to test them from outside.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod case;
mod cases;
mod commands;
mod conform;
#[cfg(unix)]
mod disk;
mod model;
mod plant;
mod report;
mod run;
mod scene;
mod subject;

pub use commands::Commands;
#[cfg(unix)]
pub use disk::DiskPlant;
pub use model::{Answer, Expected, Model, Operation, State, compare, operations};
pub use plant::Plant;
pub use report::{CaseReport, Outcome, Report};
pub use run::{case_names, run, run_blocking, run_where};
pub use subject::Subject;
