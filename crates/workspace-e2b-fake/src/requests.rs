//! What has been asked of a fake, in the order of arrival.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::request::Parts;

use crate::Call;

/// One request as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// Which call it is; `None` for a route that does not exist.
    pub call: Option<Call>,
    /// The HTTP method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query without `?`; empty where there is none.
    pub query: String,
    /// The sandbox it is about, by its path or its address.
    pub sandbox: Option<String>,
    /// Names in lower case, in the order of arrival.
    pub headers: Vec<(String, String)>,
    /// The status of the answer; `None` while there is none, and where none was sent.
    pub status: Option<u16>,
}

impl Recorded {
    pub(crate) fn new(parts: &Parts, call: Option<Call>, sandbox: Option<String>) -> Self {
        let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Self {
            call,
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            sandbox,
            headers: parts.headers.iter().map(header).collect(),
            status: None,
        }
    }

    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// All requests since the start, or since they were cleared.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// The number of the first request that is kept, and those from there on.
    kept: Mutex<(usize, Vec<Recorded>)>,
}

impl Log {
    /// Keeps a request and gives its number.
    pub(crate) fn arrived(&self, request: Recorded) -> usize {
        let mut kept = self.lock();
        kept.1.push(request);
        kept.0 + kept.1.len() - 1
    }

    pub(crate) fn answered(&self, number: usize, status: u16) {
        let mut kept = self.lock();
        let at = number.checked_sub(kept.0);
        if let Some(request) = at.and_then(|at| kept.1.get_mut(at)) {
            request.status = Some(status);
        }
    }

    pub(crate) fn all(&self) -> Vec<Recorded> {
        self.lock().1.clone()
    }

    pub(crate) fn clear(&self) {
        let mut kept = self.lock();
        kept.0 += kept.1.len();
        kept.1.clear();
    }

    fn lock(&self) -> MutexGuard<'_, (usize, Vec<Recorded>)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
