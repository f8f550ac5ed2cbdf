//! A workspace inside a Docker container.
//!
//! [`Docker::from_image`] makes a container, hardened by default, and
//! [`Docker::attach`] uses one that exists. [`Docker`] is the files, and
//! [`Docker::shell`] the commands:
//!
//! ```no_run
//! use workspace_core::{FsProvider, ListOptions, Result, WorkspacePath};
//! use workspace_docker::{Docker, Memory, Network};
//!
//! # async fn open() -> Result<()> {
//! let docker = Docker::from_image("debian:12-slim")
//!     .with_memory(Memory::mebibytes(1024))
//!     .with_network(Network::None)
//!     .open()
//!     .await?;
//! let names = docker.list(&WorkspacePath::root(), ListOptions::default()).await?;
//! # let _ = names;
//! docker.dispose().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//! - Files go through a few shells that stay open in the container, as the
//!   user of the sandbox ([`workspace_posix`]): about a millisecond a call,
//!   where a process that is started for each call takes a hundred.
//! - A command is an `exec` of its own. It carries a brand that all that it
//!   starts inherits, by which a kill finds each process, however it hides.
//! - An image without a shell can be looked at alone: its container is never
//!   started, and the archive calls of the engine serve its files.
//!
//! # How it ends
//! The container is removed by [`Docker::dispose`], and when the last handle is
//! dropped inside a runtime. Where the program is killed, the engine closes the
//! pipe on which the container waits, and the container ends by itself after
//! [`DockerBuilder::with_dead_man`]. [`reap_orphans`] removes at once what dead
//! programs have left, also a container that was made and not started yet when
//! its program was killed, which nothing else ends. A container that was attached is never removed.
//!
//! # Limits
//! What is enforced and what is not stands in `docs/security-model.md`. The
//! engine is local, behind a socket or a named pipe.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod archive;
mod brand;
mod config;
mod container;
mod directories;
mod driver;
mod engine;
mod error;
mod exec;
mod files;
mod handle;
mod orphans;
mod owner;
mod pack;
mod pull;
mod push;
mod shell;
mod unpack;

pub use config::{DockerBuilder, Memory, Network, User};
pub use handle::Docker;
pub use orphans::{Reaped, engine_version, reap_orphans};
pub use pull::{PullOptions, Pulled};
pub use push::{PushOptions, Pushed};
pub use shell::DockerShell;
