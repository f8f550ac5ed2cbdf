//! What one entry's failure means to a whole search.

use workspace_core::{Error, ErrorKind, Result};

/// A failure that a search survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// As if the entry were not there: it has gone or changed since it was listed,
    /// a link on it leads nowhere inside the root, or a rule hides it.
    Absent,
    /// It is there and its content is not to be had: it is counted.
    Unreadable,
}

impl Failure {
    /// Sorts a failure about one entry.
    ///
    /// # Errors
    /// The failure itself where it is not about the entry but about the backend:
    /// what is left of the tree would be taken for the whole.
    pub fn of(error: Error) -> Result<Self> {
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::NotAFile
            | ErrorKind::PathEscape
            | ErrorKind::DeniedPath => Ok(Self::Absent),
            ErrorKind::Unavailable | ErrorKind::TimedOut | ErrorKind::Cancelled | ErrorKind::Unsupported => {
                Err(error)
            }
            _ => Ok(Self::Unreadable),
        }
    }
}
