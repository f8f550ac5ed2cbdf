//! The calls of one connection that have no answer yet.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::ErrorData;
use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

/// What ends each, by the id that its client gave it.
///
/// The SDK knows that too, but forgets a call as soon as another comes under its id; then a client
/// that errs so, and then gives up, would leave a command that runs on. Lines are looked through
/// before they get here; over HTTP this is where the second call is seen.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<HashMap<RequestId, CancellationToken>>);

/// A call that has no answer yet.
#[derive(Debug)]
pub(super) struct Underway<'a> {
    calls: &'a Calls,
    id: RequestId,
}

impl Calls {
    /// Takes a call up.
    ///
    /// # Errors
    /// `invalid request` where another has its id.
    pub(super) fn begin(&self, id: &RequestId, ends: &CancellationToken) -> Result<Underway<'_>, ErrorData> {
        let mut open = self.open();
        if open.contains_key(id) {
            return Err(in_use(id));
        }
        open.insert(id.clone(), ends.clone());
        Ok(Underway { calls: self, id: id.clone() })
    }

    /// Ends a call, if there is one of this id.
    pub(super) fn cancel(&self, id: &RequestId) {
        if let Some(ends) = self.open().get(id) {
            ends.cancel();
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<RequestId, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        self.calls.open().remove(&self.id);
    }
}

/// The error of a request whose id another has that is still being answered.
pub(super) fn in_use(id: &RequestId) -> ErrorData {
    ErrorData::invalid_request(format!("a request with the id {id} is still being answered"), None)
}
