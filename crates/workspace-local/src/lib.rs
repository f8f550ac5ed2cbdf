//! A directory of this machine as an agent's workspace.
//!
//! [`Local`] is an [`FsProvider`](workspace_core::FsProvider) over a directory.
//! [`Local::open`] takes it with the defaults; [`Local::builder`] adds further
//! roots and sets what becomes of links.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let project = tempfile::tempdir()?;
//! use workspace_core::{Body, FsProvider, ReadOptions, WorkspacePath, WriteOptions};
//! use workspace_local::Local;
//!
//! let files = Local::open(project.path())?;
//! let notes = WorkspacePath::parse("notes.txt", &files.path_rules())?;
//! files.write(&notes, Body::from(b"buy milk".to_vec()), WriteOptions::default()).await?;
//! let read = files.read(&notes, ReadOptions::default()).await?;
//! assert_eq!(read.body.collect(1024).await?, b"buy milk");
//! # Ok(())
//! # }
//! ```
//!
//! # What it holds to
//! - Each root is opened once, and every operation walks from that handle. No
//!   operation opens a path of the host. A directory that is swapped for a link
//!   in the middle of an operation leads nowhere.
//! - Rules ([`PathFilter`](workspace_core::PathFilter)) are judged on the path
//!   behind all links, and what was judged is what is opened: the open itself
//!   refuses links.
//! - Links are followed inside their root, also where their text is absolute,
//!   and `..` in a text means what it means to any program. A link that leaves
//!   its root is refused, even where it comes back, as is one from root to root.
//! - A write goes to a temporary file, which then takes the place of the target.
//!   The file keeps its permission bits, owner, access list and `user.`
//!   attributes as far as the system lets us; the set-user-ID and set-group-ID
//!   bits are dropped, as the kernel does for any write.
//! - On Linux that file has no name until it is complete, so a process that is
//!   killed in the middle of a write leaves nothing. If it dies between the
//!   last two steps, a hidden name is left in the top of the root, and goes
//!   when a [`Local`] is next made over that root.
//! - Where the system has no files without a name, a killed write leaves one
//!   hidden file beside its target. It goes when a [`Local`] is next made over
//!   that directory, or first writes into it, unless its writer lives.
//! - Search ([`glob`](workspace_core::FsProvider::glob),
//!   [`grep`](workspace_core::FsProvider::grep)) is native: several threads, at most
//!   8, read the tree through the handles of its directories, and the answer is
//!   that of the portable search, to the last count. At most 64 directories are
//!   held open. Files are read, never mapped: one that shrinks meanwhile is no fault.
//! - No error names a path of the host, but for those of construction, which
//!   name the path given there.
//!
//! # Limits
//! - A file with a second name outside the root can be read
//!   ([`HardLinks`]), and file systems mounted below a root belong to it.
//! - A precondition is checked right before the last step of a write. Writers
//!   in one process take turns; one in another process may still come between.
//! - Linux is complete. Other Unix systems run the same code, path by path
//!   instead of by `openat2`. On Windows, construction is
//!   [`Unsupported`](workspace_core::ErrorKind::Unsupported).
//! - Work that waits for the disk runs on the blocking threads of the tokio
//!   runtime at hand; without one, on the spot.
#![cfg_attr(docsrs, feature(doc_cfg))]
// The tests meddle with the files behind the workspace.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

#[cfg(unix)]
mod attributes;
#[cfg(unix)]
mod beneath;
#[cfg(unix)]
mod blocking;
#[cfg(unix)]
mod case;
#[cfg_attr(not(unix), allow(dead_code))] // What is set up there is never opened.
mod config;
#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod error;
#[cfg(unix)]
mod files;
#[cfg(unix)]
mod jail;
#[cfg(unix)]
mod local;
#[cfg(unix)]
mod open_roots;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod resolve;
#[cfg(unix)]
mod roots;
#[cfg(unix)]
mod search;
mod shell;

pub use config::{HardLinks, LinkPolicy, LocalBuilder};
#[cfg(not(unix))]
pub use elsewhere::Local;
#[cfg(unix)]
pub use local::Local;
pub use shell::{KillLevel, LocalShell};
