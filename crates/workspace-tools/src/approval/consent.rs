//! Where the yes to one call comes from.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ApprovalRequest;

/// How a handle of a workspace comes by approval.
#[derive(Debug, Clone, Default)]
pub(crate) enum Consent {
    /// The approver is asked.
    #[default]
    Asked,
    /// This one request was approved before the call.
    Given(Arc<ApprovalRequest>),
    /// The call is only to say what it would ask. It ends where it would have the answer.
    Rehearsed(Rehearsal),
}

/// What a call would ask.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rehearsal(Arc<Mutex<Option<(ApprovalRequest, bool)>>>);

impl Rehearsal {
    /// Notes a request, and whether the owner is to be asked about it.
    pub(super) fn note(&self, request: ApprovalRequest, needed: bool) {
        *self.slot() = Some((request, needed));
    }

    /// What was noted.
    pub(crate) fn take(&self) -> Option<(ApprovalRequest, bool)> {
        self.slot().take()
    }

    fn slot(&self) -> MutexGuard<'_, Option<(ApprovalRequest, bool)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
