//! The files of a glob, ranked and limited.

use std::cmp::Ordering;
use std::time::SystemTime;

use workspace_core::{GlobSort, WorkspacePath};

/// The files found so far, of which the answer takes the first in its order.
///
/// Files may come in any order. It holds at most about twice as many as the answer takes.
#[derive(Debug)]
pub struct GlobFound {
    sort: GlobSort,
    limit: usize,
    files: Vec<(WorkspacePath, Option<SystemTime>)>,
    truncated: bool,
}

impl GlobFound {
    /// Nothing yet, for an answer of this order and at most this many files.
    pub fn new(sort: GlobSort, limit: Option<usize>) -> Self {
        Self { sort, limit: limit.unwrap_or(usize::MAX), files: Vec::new(), truncated: false }
    }

    /// Adds a file, with its time of change where the order needs it.
    pub fn push(&mut self, path: WorkspacePath, modified: Option<SystemTime>) {
        let modified = modified.filter(|_| self.sort == GlobSort::Modified);
        self.files.push((path, modified));
        self.truncated |= self.files.len() > self.limit;
        if self.files.len() / 2 > self.limit {
            self.keep_first();
        }
    }

    /// Whether the answer leaves a file out.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// The files in order.
    pub fn into_files(mut self) -> Vec<(WorkspacePath, Option<SystemTime>)> {
        self.keep_first();
        self.files
    }

    fn keep_first(&mut self) {
        // Files in order already, as a walk gives them, take this no more than one look.
        self.files.sort_by(newest_first);
        self.files.truncate(self.limit);
    }
}

/// The newest first, files of unknown time last, then by path.
fn newest_first(
    a: &(WorkspacePath, Option<SystemTime>),
    b: &(WorkspacePath, Option<SystemTime>),
) -> Ordering {
    b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use workspace_core::PathRules;

    use super::*;

    /// The files of these names and seconds, the way an answer of at most `limit` has them.
    #[track_caller]
    fn check(sort: GlobSort, limit: Option<usize>, expected: &[&str], truncated: bool) {
        let mut found = GlobFound::new(sort, limit);
        for (name, second) in [("d", 1), ("b", 9), ("c", 9), ("a", 0), ("e", 5)] {
            let path = WorkspacePath::parse(name, &PathRules::default()).unwrap();
            let time = (second > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(second));
            found.push(path, time);
        }
        assert_eq!(found.is_truncated(), truncated);
        let files = found.into_files();
        assert_eq!(files.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn r_glob_4_the_first_in_order_stay_whatever_order_they_come_in() {
        check(GlobSort::Path, None, &["a", "b", "c", "d", "e"], false);
        check(GlobSort::Path, Some(5), &["a", "b", "c", "d", "e"], false);
        check(GlobSort::Path, Some(4), &["a", "b", "c", "d"], true);
        check(GlobSort::Path, Some(1), &["a"], true);
        check(GlobSort::Path, Some(0), &[], true);
        check(GlobSort::Modified, None, &["b", "c", "e", "d", "a"], false);
        check(GlobSort::Modified, Some(2), &["b", "c"], true);
    }
}
