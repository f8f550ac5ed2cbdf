//! A workspace held in memory, with scripted commands: for tests of agents and
//! of tools, and for work that is to leave no trace.
//!
//! A [`Memory`] is a tree of files, directories and links. A [`Script`] says
//! what commands print and how they end. [`Memory::shell`] puts the two
//! together to a [`MemoryShell`], which records each command that is run.
//!
//! ```
//! use workspace_core::{Command, Finished, FsProvider, ReadOptions, ShellProvider};
//! use workspace_memory::{Memory, Script};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> workspace_core::Result<()> {
//! let memory = Memory::new().with_file("src/lib.rs", "pub fn answer() -> u32 { 41 }\n");
//! let script = Script::new().with_line("cargo test", Finished::new(101).with_stderr("1 failed\n"));
//! let shell = memory.shell(script);
//!
//! // What is under test uses both by the contract of any workspace.
//! let path = workspace_core::WorkspacePath::parse("src/lib.rs", &memory.path_rules())?;
//! let source = memory.read(&path, ReadOptions::default()).await?.body.collect(1024).await?;
//! assert!(source.starts_with(b"pub fn answer"));
//! shell.spawn(Command::sh("cargo test")).await?.events.collect_items(10).await?;
//!
//! // The test looks at what has become of it.
//! assert_eq!(shell.commands().len(), 1);
//! assert_eq!(memory.read_now("src/lib.rs")?, b"pub fn answer() -> u32 { 41 }\n");
//! # Ok(())
//! # }
//! ```
//!
//! # What it holds to
//! - Files follow the whole contract of
//!   [`FsProvider`](workspace_core::FsProvider): links, permission bits,
//!   versions, atomic writes. The root is known as `/workspace`, so absolute
//!   links can lie inside. Permission bits hold for the owner, whoever runs the
//!   process; the umask is `022`.
//! - A write happens at once or not at all, and a precondition is checked in
//!   the same moment: there is no race between writers.
//! - A [`Snapshot`] costs nothing, whatever the size of the tree. Contents are
//!   shared; the first change after it copies the table of paths.
//! - Time comes from a [`Clock`], also that of delays and timeouts of scripted
//!   commands. With a [`ManualClock`] a test moves it by hand and never waits.
//!   With the [`SystemClock`] a reader who waits for a command costs a thread
//!   that sleeps; no runtime is needed, and none is touched.
//! - A command answers from its script alone: no process is started.
//!
//! # Limits
//! - Names are UTF-8, case tells them apart, and there are no hard links.
//! - A file is held whole, as is the body of a write until it is done.
//!   [`MemoryConfig::with_max_bytes`] sets a limit; the default has none.
//! - Listing a directory looks at all that lies below it.
//! - There is no search of its own: tools search over the walk.
//! - A scripted command has its standard input from the start
//!   ([`Stdin::Open`](workspace_core::Stdin::Open) is unsupported), and its
//!   environment is recorded by name and handed to functions, not built.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

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
