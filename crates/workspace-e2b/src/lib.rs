//! A workspace inside an E2B sandbox, over a network that may drop, stall or lie.
//!
//! [`E2b::from_template`] makes a sandbox, [`E2b::attach`] uses one that exists, and
//! [`E2b::envd`] any envd by its address. [`E2b`] is the files, and [`E2b::shell`] the
//! commands:
//!
//! ```no_run
//! use workspace_core::{FsProvider, ListOptions, Result, WorkspacePath};
//! use workspace_e2b::{E2b, E2bAccount, Network};
//!
//! # async fn open(key: String) -> Result<()> {
//! let sandbox = E2b::from_template(E2bAccount::new(key), "base")
//!     .with_network(Network::closed().with_allowed("crates.io"))
//!     .open()
//!     .await?;
//! let names = sandbox.list(&WorkspacePath::root(), ListOptions::default()).await?;
//! # let _ = names;
//! sandbox.dispose().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//! - A call on files is one request: a script that follows links, judges, acts and
//!   answers inside the sandbox ([`workspace_posix`]). Bodies over 512 KiB are sent as
//!   they are, to a name beside the target, and moved there.
//! - A script that changes something first claims a name that only it has. So it may be
//!   sent again where its answer was lost, and runs once all the same.
//! - A command keeps what it prints in the sandbox for a while. Where its stream breaks
//!   off, another one goes on behind the last byte that was received.
//!
//! # What a failure says
//! Nothing is told to have happened that is not known to have. Where a change was sent and
//! no word came back, the error says that the outcome is not known. A command whose end
//! was not told is `backend-unavailable`, never a success. Keys and tokens are in no
//! error, no log and no `Debug`.
//!
//! # How it ends
//! A sandbox that was made here is ended by [`E2b::dispose`], and when the last handle is
//! dropped inside a runtime. Where the program is killed, the service ends the sandbox at
//! its timeout, which is put off only while it is in use. One that was attached to is
//! never ended.
//!
//! # Limits
//! What is enforced and what is not stands in `docs/security-model.md`. Commands have no
//! terminal.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod account;
mod api;
mod config;
mod connect;
mod driver;
mod envd;
mod error;
mod failure;
mod files;
mod handle;
mod http;
mod launch;
mod litter;
mod once;
mod prefetch;
mod process;
mod retry;
mod sandbox;
mod scripts;
mod secrets;
mod shell;
mod token;
mod version;

pub use account::{E2bAccount, SandboxInfo, SandboxQuery};
pub use config::{AtTimeout, E2bBuilder, Network};
pub use handle::E2b;
pub use shell::E2bShell;
