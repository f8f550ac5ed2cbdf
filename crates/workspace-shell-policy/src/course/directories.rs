//! Where a line may be: the set of directories at one place of it.

use std::sync::Arc;

use crate::jail::join;
use crate::limits::MAX_DIRECTORIES;

/// The directories in which a command may run, as path texts that start at the
/// root of the jail or are absolute.
///
/// More than one after a `cd` that may have failed.
#[derive(Debug, Clone)]
pub(crate) enum Directories {
    Known(Arc<[String]>),
    /// Too many, or a file that was read into the shell may have changed them.
    Unknown,
}

impl Directories {
    pub(crate) fn at(directory: &str) -> Self {
        Self::Known(Arc::from([directory.to_owned()]))
    }

    pub(crate) fn of(mut directories: Vec<String>) -> Self {
        directories.sort_unstable();
        directories.dedup();
        if directories.len() > MAX_DIRECTORIES { Self::Unknown } else { Self::Known(directories.into()) }
    }

    /// The directories; none where they are not known.
    pub(crate) fn known(&self) -> &[String] {
        match self {
            Self::Known(directories) => directories,
            Self::Unknown => &[],
        }
    }

    pub(crate) fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Known(left), Self::Known(right)) if Arc::ptr_eq(left, right) => self.clone(),
            (Self::Known(left), Self::Known(right)) => {
                Self::of(left.iter().chain(right.iter()).cloned().collect())
            }
            _ => Self::Unknown,
        }
    }

    /// A path as seen from each of the directories; `None` where it is relative
    /// and they are not known.
    pub(crate) fn join(&self, path: &str) -> Option<Vec<String>> {
        if path.starts_with('/') {
            return Some(vec![path.to_owned()]);
        }
        match self {
            Self::Known(directories) => {
                Some(directories.iter().map(|directory| join(directory, path)).collect())
            }
            Self::Unknown => None,
        }
    }
}
