//! How far a walk has come, entry after entry.

use workspace_core::{Progress, SearchTally};

/// What an entry is to a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing: neither a file nor a directory, or a directory in which nothing can match.
    Pass,
    /// A name that is not UTF-8.
    NonUtf8,
    /// A directory that an ignore file hides.
    IgnoredDir,
    /// One of the directories to pass by.
    SkippedDir,
    /// A directory that is entered.
    Enter,
    /// A file, or a link, that is not sought.
    Name,
    /// A file that an ignore file hides.
    IgnoredName,
    /// A file that is sought.
    Take,
}

impl Step {
    /// Whether a file, or a link, is looked at.
    pub const fn is_name(self) -> bool {
        matches!(self, Self::Name | Self::IgnoredName | Self::Take)
    }
}

/// The count of a walk, which its limit of names ends.
///
/// Entries are counted in the order of the answer, so that the same tree gives
/// the same counts, also where their directories were read in another order.
#[derive(Debug, Clone)]
pub struct Course {
    max_names: u64,
    names: u64,
    progress: Progress,
    /// What was passed by, and whether a limit ended the walk. Files are for the caller to count.
    pub tally: SearchTally,
}

impl Course {
    /// A walk that looks at so many names at most.
    /// It counts them for others to see as well.
    pub fn new(max_files: Option<usize>, progress: &Progress) -> Self {
        let max_names = max_files.map_or(u64::MAX, |limit| limit as u64);
        Self { max_names, names: 0, progress: progress.clone(), tally: SearchTally::default() }
    }

    /// Counts an entry; tells whether the walk goes on. Where it does not, the entry is not counted.
    pub fn count(&mut self, step: Step) -> bool {
        if step.is_name() {
            if self.names >= self.max_names {
                self.tally.file_limit = true;
                return false;
            }
            self.names += 1;
            self.progress.add(1);
        }
        let skipped = &mut self.tally.skipped;
        match step {
            Step::NonUtf8 => skipped.non_utf8 += 1,
            Step::IgnoredDir | Step::IgnoredName => skipped.ignored += 1,
            Step::SkippedDir => skipped.skip_dirs += 1,
            Step::Pass | Step::Enter | Step::Name | Step::Take => {}
        }
        true
    }

    /// Files and links whose names were looked at.
    pub const fn names(&self) -> u64 {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_glob_4_the_limit_of_names_ends_a_walk_before_the_next_name() {
        let mut course = Course::new(Some(2), &Progress::default());
        assert!(
            [Step::Take, Step::IgnoredDir, Step::IgnoredName, Step::Enter]
                .into_iter()
                .all(|step| course.count(step))
        );
        assert!(!course.tally.file_limit);
        assert!(course.count(Step::NonUtf8), "only names are limited");
        for name in [Step::Name, Step::IgnoredName, Step::Take] {
            assert!(!course.count(name));
        }
        assert!(course.tally.file_limit);
        let skipped = course.tally.skipped;
        assert_eq!((course.names(), skipped.ignored, skipped.non_utf8, skipped.skip_dirs), (2, 2, 1, 0));
    }
}
