//! The way to the other side: shells that stay open, one command a request, or one script a request.

mod agent;
mod once;
mod pool;
mod requests;

use std::sync::Arc;

use workspace_core::{Body, Result};

use crate::error;

pub(crate) use once::{Commands, SharedCommands};
pub(crate) use pool::{Pool, Streamed};
pub(crate) use requests::{Asking, SharedRequests};
pub use requests::{Request, Requests, script_arguments};

/// What may be done again where a shell was lost before it answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It changes nothing.
    Yes,
    /// It may have happened.
    No,
}

/// Carries scripts there and answers back. A clone is the same way.
#[derive(Clone)]
pub(crate) enum Wire {
    Shells(Arc<Pool>),
    Commands(Arc<Commands>),
    Requests(Arc<Asking>),
}

impl Wire {
    /// Adds to what each shell, or each command, is told first. At most one shell is open yet.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask).
    pub(crate) async fn greet(&self, more: &str) -> Result<()> {
        match self {
            Self::Shells(pool) => pool.greet(more).await,
            Self::Commands(commands) => {
                commands.greet(more);
                Ok(())
            }
            Self::Requests(asking) => {
                asking.greet(more);
                Ok(())
            }
        }
    }

    /// Runs a script and gives all that it printed.
    ///
    /// # Errors
    /// [`TimedOut`](workspace_core::ErrorKind::TimedOut), [`Unavailable`](workspace_core::ErrorKind::Unavailable),
    /// [`TooLarge`](workspace_core::ErrorKind::TooLarge), and those of the vendor.
    pub(crate) async fn ask(&self, script: &str, again: Again) -> Result<Vec<u8>> {
        match self {
            Self::Shells(pool) => pool.ask(script, again).await,
            Self::Commands(commands) => commands.ask(script).await,
            Self::Requests(asking) => asking.ask(script, again).await,
        }
    }

    /// Runs a script in which `w_ready; w_in` stands where it takes these bytes in.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask).
    pub(crate) async fn give(&self, script: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        match self {
            Self::Shells(pool) => pool.give(script, bytes).await,
            Self::Commands(commands) => commands.give(script, bytes).await,
            Self::Requests(asking) => asking.give(script, bytes, Again::No).await,
        }
    }

    /// How many bytes a script takes in at most.
    pub(crate) fn piece(&self) -> usize {
        match self {
            Self::Shells(_) => 1 << 20,
            Self::Commands(_) => once::PIECE,
            Self::Requests(_) => requests::PIECE,
        }
    }

    /// Runs a script that takes bytes in and changes nothing.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask).
    pub(crate) async fn look_up(&self, script: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        match self {
            Self::Requests(asking) => asking.give(script, bytes, Again::Yes).await,
            _ => self.give(script, bytes).await,
        }
    }

    /// Bodies up to this many bytes are sent with the script that writes them.
    pub(crate) fn small(&self) -> usize {
        match self {
            Self::Shells(_) | Self::Commands(_) => 48 << 10,
            Self::Requests(_) => requests::PIECE,
        }
    }

    /// Whether each question is a request of its own over a network, so that few large ones are better.
    pub(crate) fn is_requests(&self) -> bool {
        matches!(self, Self::Requests(_))
    }

    /// The requests of a vendor that takes whole files beside its scripts.
    pub(crate) fn uploads(&self) -> Option<&Asking> {
        match self {
            Self::Requests(asking) if asking.uploads() => Some(asking),
            _ => None,
        }
    }

    /// Runs a script whose answer may be long: the first `lines` lines, then the rest as a body.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask).
    pub(crate) async fn stream(&self, script: &str, lines: usize) -> Result<Streamed> {
        match self {
            Self::Shells(pool) => pool.stream(script, lines).await,
            Self::Commands(commands) => {
                let answer = commands.ask(script).await?;
                let (head, rest) = split_lines(&answer, lines).ok_or_else(error::garbled)?;
                Ok(Streamed { head: head.to_vec(), body: Body::from(rest.to_vec()) })
            }
            Self::Requests(asking) => asking.stream(script, lines).await,
        }
    }

    /// How many bytes of a file are asked for at once, or `None` where any number is streamed.
    pub(crate) fn window(&self) -> Option<u64> {
        match self {
            Self::Shells(_) | Self::Requests(_) => None,
            Self::Commands(_) => Some(once::WINDOW),
        }
    }
}

/// Cuts the first lines off, or fewer where the answer holds no more.
pub(crate) fn split_lines(answer: &[u8], lines: usize) -> Option<(&[u8], &[u8])> {
    let mut end = 0;
    for _ in 0..lines {
        match memchr::memchr(b'\n', answer.get(end..)?) {
            Some(at) => end += at + 1,
            None => return Some((answer, &[])),
        }
    }
    answer.split_at_checked(end)
}
