//! A request that failed: our error, and what may be done about it.

use std::time::Duration;

use workspace_core::{Error, ErrorKind};

/// Whether the request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// The answer stands.
    No,
    /// It surely did nothing: it may, after this time where the other side named one.
    Unsent(Option<Duration>),
    /// It may have done what it asks for: only where that does no harm.
    Unknown,
}

/// Why a request failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    pub(crate) again: Again,
    /// The proxy before the sandbox says that there is none: gone or paused.
    pub(crate) absent: bool,
}

impl Failure {
    pub(crate) fn new(error: Error, again: Again) -> Self {
        Self { error, again, absent: false }
    }

    /// An answer that stands.
    pub(crate) fn told(error: Error) -> Self {
        Self::new(error, Again::No)
    }

    pub(crate) fn absent(mut self) -> Self {
        self.absent = true;
        self
    }

    /// What came is not what a sandbox says.
    pub(crate) fn garbled(cause: String) -> Self {
        let error = Error::new(ErrorKind::Unavailable, "the answer of the sandbox arrived damaged")
            .hint("see whether a proxy changes what it passes on, then try again")
            .because(cause);
        Self::new(error, Again::Unknown)
    }

    /// The stream ended before its end.
    pub(crate) fn broken(cause: Option<String>) -> Self {
        let error = Error::new(ErrorKind::Unavailable, "the connection to the sandbox broke off")
            .hint("see whether the sandbox still runs, then try again");
        Self::new(with_cause(error, cause), Again::Unknown)
    }

    /// Nothing came in time.
    pub(crate) fn silent() -> Self {
        let error = Error::new(ErrorKind::TimedOut, "the sandbox did not answer in time")
            .hint("see whether the network is there and the sandbox is not overloaded, then try again");
        Self::new(error, Again::Unknown)
    }

    /// What a client of HTTP says, which never holds a header.
    pub(crate) fn of_transport(cause: reqwest::Error) -> Self {
        let cause = cause.without_url();
        if cause.is_connect() {
            let error = Error::new(ErrorKind::Unavailable, "no connection can be made")
                .hint("see whether the network is there and the address is right")
                .because(cause);
            return Self::new(error, Again::Unsent(None));
        }
        if cause.is_builder() {
            let error = Error::new(ErrorKind::InvalidInput, "the request cannot be made").because(cause);
            return Self::told(error);
        }
        Self::broken(Some(chain(&cause)))
    }
}

fn with_cause(error: Error, cause: Option<String>) -> Error {
    match cause {
        Some(cause) => error.because(cause),
        None => error,
    }
}

/// An error with all that stands behind it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut behind = error.source();
    while let Some(cause) = behind {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        behind = cause.source();
    }
    text
}
