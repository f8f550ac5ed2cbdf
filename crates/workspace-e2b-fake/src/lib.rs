//! An E2B control plane and its sandboxes on this machine, for tests.
//!
//! [`Fake`] serves what the official SDKs and our own backend speak: the
//! control plane in both generations of its routes, the proxy in front of
//! sandboxes, and in each sandbox envd, with files over HTTP, and directories and
//! processes over Connect RPC with JSON. One port serves all; `E2B_API_URL`
//! and `E2B_SANDBOX_URL` may both point at it. It speaks HTTP/1.1, and HTTP/2 to
//! clients that begin with it.
//!
//! ```no_run
//! use workspace_e2b_fake::{Call, Fake, Fault};
//!
//! # async fn test() -> std::io::Result<()> {
//! let fake = Fake::start().await?;
//! fake.inject(Fault::reset_after().on(Call::Create));
//! // … a client works with `fake.url()` and `fake.api_key()` …
//! let created = fake.requests().iter().filter(|request| request.call == Some(Call::Create)).count();
//! # let _ = created;
//! fake.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! # What is real in it
//! A sandbox is a temporary directory that is the root of mount and process
//! namespaces: it has a `/home/user`, `/tmp`, `/etc` and `/root` of its own,
//! `/usr` of the host for reading, a user `user` with number 1000 beside root,
//! and processes that are real and see no others. With the sandbox, all its
//! processes end, also where the program that holds the [`Fake`] is killed.
//!
//! # What is not
//! The network is that of the host, whatever a sandbox is told about its own,
//! and ports of a sandbox other than envd's are always shut. There are no
//! snapshots and no forks. The template's name is kept and means nothing.
//! Sandboxes need Linux, util-linux and the rights of root; without these they
//! are made in a user namespace, where all files belong to one user. A command
//! that stops itself by `SIGSTOP` is not seen to go on.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod answer;
mod call;
mod connect;
mod control;
mod envd;
mod fake;
mod fault;
mod filesystem;
mod meddle;
mod options;
mod process;
mod proxy;
mod ready;
mod requests;
mod sandbox;
mod server;
mod state;
mod wire;

pub use call::Call;
pub use fake::Fake;
pub use fault::Fault;
pub use options::Options;
pub use requests::Recorded;
