//! The files of a workspace over nothing but a POSIX shell.
//!
//! Who can start `sh` somewhere and stream its input and output has a full
//! backend: implement [`Sessions`], or wrap a
//! [`ShellProvider`](workspace_core::ShellProvider) in [`ShellSessions`], and
//! [`PosixFiles::over_sessions`] gives the files. Who can only run one command
//! and is handed back what it printed implements
//! [`RunOnce`](workspace_core::RunOnce): [`PosixFiles::over_commands`] gives the
//! files and [`PosixShell`] the commands. A vendor behind a network, who starts a
//! script a request and streams what it prints, implements [`Requests`]:
//! [`PosixFiles::over_requests`] gives the files.
//!
//! ```no_run
//! use workspace_core::{Command, Finished, Result, RunOnce};
//! use workspace_posix::{PosixConfig, PosixFiles, PosixShell};
//!
//! struct Vendor;
//!
//! impl RunOnce for Vendor {
//!     async fn run(&self, command: Command) -> Result<Finished> {
//!         # let _ = command;
//!         // One request: the line of the command in, its output back.
//!         Ok(Finished::new(0))
//!     }
//! }
//!
//! # async fn open() -> Result<()> {
//! let files = PosixFiles::over_commands(Vendor, PosixConfig::new("/workspace")).await?;
//! let shell = PosixShell::new(Vendor, files.clone());
//! # let _ = shell;
//! # Ok(())
//! # }
//! ```
//!
//! # What the other side needs
//! `sh` as POSIX has it, and `stat`, `cat`, `head`, `tail`, `mv`, `ln`, `rm`,
//! `mkdir`, `chmod`, `base64` and `sha256sum` of coreutils or busybox. With
//! `find` and `xargs` a walk, a glob or a grep is one command; without them the
//! tools search file by file. Where `perl` on Linux sees the same as `stat`, one stays open
//! beside each open shell, and looks and moves cost no process.
//!
//! # What it holds to
//! - Every name is quoted, begins with `./`, and is one argument: no name is an
//!   option, a pattern or a command.
//! - Links are followed by this crate, step by step, and judged; a command is
//!   sent for a path without links on it, and looks again before it acts.
//! - A write fills a temporary file beside the target and moves it there.
//! - A search fetches names and bytes and is decided by
//!   [`workspace_search`], so that its answer is the portable one.
//! - An answer ends with a mark of 128 random bits. A shell that breaks off,
//!   stays silent for [`PosixConfig::with_deadline`] or talks too much is thrown
//!   away, never resynchronised.
//!
//! # Limits
//! The other side is believed: whoever controls its programs can fake its files.
//! Preconditions are checked right before the file is moved, and writers that
//! share a handle take turns there; another writer has a gap of milliseconds.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod config;
mod error;
mod facts;
mod files;
mod launch;
mod marks;
mod quote;
mod record;
mod search;
mod sessions;
mod shell;
mod token;
mod way;
mod wire;

pub use config::PosixConfig;
pub use files::{AtTheEnd, PosixFiles};
pub use launch::{LaunchOptions, launch_line};
pub use marks::Marked;
pub use sessions::{Sessions, ShellSessions};
pub use shell::PosixShell;
pub use wire::{Request, Requests, script_arguments};
