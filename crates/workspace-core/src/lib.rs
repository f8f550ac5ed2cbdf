//! The contract of an agent's workspace: how files and commands look to
//! whoever uses them, wherever they live.
//!
//! A backend implements [`FsProvider`] for its files and, where it has them,
//! [`ShellProvider`] for its commands, in plain `async fn`. Who uses a backend
//! holds a [`SharedFs`] and a [`SharedShell`]. A file is named by a
//! [`WorkspacePath`], which text becomes in one place only:
//! [`WorkspacePath::parse`].
//!
//! ```
//! use workspace_core::{Access, FsProvider, Guarded, PathFilter, ReadOnly, SharedFs, WorkspacePath};
//!
//! /// The files of any backend, to be looked at, without those that hold secrets.
//! fn for_review(files: impl FsProvider) -> SharedFs {
//!     let secrets = PathFilter::deny("secrets", |path, _: Access| path.name() == Some(".env"));
//!     SharedFs::new(ReadOnly::new(Guarded::new(files, secrets)))
//! }
//! ```
//!
//! # What it holds to
//! - Dependencies: none, and no input or output. `std` alone.
//! - Optional power is a field of [`Capabilities`] and a method with a body,
//!   never a downcast.
//! - Layers ([`ReadOnly`], [`Scoped`], [`Guarded`]) are providers over
//!   providers. They narrow and never widen; what they add to a call travels in
//!   its options ([`PathFilter`]) to where links are resolved.
//! - One [`Error`], whose [`kind`](Error::kind) programs match and whose text
//!   people and models read.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod error;
mod feed;
mod filter;
mod fs;
mod layers;
mod path;
mod progress;
mod shell;

pub use error::{Error, ErrorKind, Result, Visible};
pub use feed::{Body, Feed};
pub use filter::{Access, PathFilter};
pub use fs::{
    Atomicity, Capabilities, CreateDirOptions, Durability, Entry, FileBody, FileCount, FileKind, FsProvider,
    GlobAnswer, GlobQuery, GlobSort, GrepAnswer, GrepLine, GrepMode, GrepQuery, ListOptions, Precondition,
    ReadOptions, RemoveOptions, RenameOptions, ResolveOptions, SearchLimits, SearchScope, SearchTally,
    SharedFs, Skipped, Stat, StatOptions, Version, WalkOptions, WriteMode, WriteOptions, Written,
};
pub use layers::{Guarded, ReadOnly, Scoped, ScopedShell};
pub use path::{
    AbsolutePaths, Backslash, MAX_NAME_BYTES, MAX_PATH_BYTES, Mount, PathRules, Platform, WorkspacePath,
    is_temporary_name, temporary_name,
};
pub use progress::Progress;
pub use shell::{
    Cancel, Cause, Collected, Command, Control, EnvBase, Environment, Event, Exit, ExitStatus, Finished,
    KillReach, Leftovers, Process, ProcessControl, Program, RunOnce, SharedShell, ShellCapabilities,
    ShellProvider, Stdin, Stream,
};
