//! The files of a workspace: the trait that backends implement, its options and its handle.

mod capabilities;
mod options;
mod provider;
mod search;
mod shared;
mod values;
mod walk;

pub use capabilities::Capabilities;
pub use options::{
    Atomicity, CreateDirOptions, Durability, ListOptions, Precondition, ReadOptions, RemoveOptions,
    RenameOptions, ResolveOptions, StatOptions, WalkOptions, WriteMode, WriteOptions,
};
pub use provider::FsProvider;
pub use search::{
    FileCount, GlobAnswer, GlobQuery, GlobSort, GrepAnswer, GrepLine, GrepMode, GrepQuery, SearchLimits,
    SearchScope, SearchTally, Skipped,
};
pub use shared::SharedFs;
pub use values::{Entry, FileBody, FileKind, Stat, Version, Written};
