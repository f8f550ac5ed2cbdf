//! What one reader has found so far.

use super::Summary;

/// Most names that are kept.
const MOST_NAMES: usize = 20;
/// Most bytes of a name that are kept.
const LONGEST_NAME: usize = 300;

/// How many tests, as far as the runner tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) skipped: Option<u64>,
}

impl Counts {
    /// All three, none of them yet seen.
    pub(super) const ZERO: Self = Self { passed: Some(0), failed: Some(0), skipped: Some(0) };
}

/// Totals and names, and when the totals were last told.
#[derive(Debug, Default)]
pub(super) struct Found {
    line: u64,
    counts: Option<Counts>,
    counted_at: u64,
    names: Vec<String>,
}

impl Found {
    /// The number of the line that is read now.
    pub(super) fn at(&mut self, line: u64) {
        self.line = line;
    }

    /// Totals, which stand for all that were told before.
    pub(super) fn set(&mut self, counts: Counts) {
        self.counts = Some(counts);
        self.counted_at = self.line;
    }

    /// Totals of a part of the tests, which add to those before.
    pub(super) fn add(&mut self, counts: Counts) {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        let before = self.counts.unwrap_or_default();
        self.set(Counts {
            passed: sum(before.passed, counts.passed),
            failed: sum(before.failed, counts.failed),
            skipped: sum(before.skipped, counts.skipped),
        });
    }

    /// The totals so far.
    pub(super) fn counts(&self) -> Option<Counts> {
        self.counts
    }

    /// A name of what failed. One that was told before is not repeated. Tells whether it is kept.
    pub(super) fn failed(&mut self, name: &str) -> bool {
        let name = name.trim();
        let name = &name[..name.floor_char_boundary(LONGEST_NAME)];
        let is_new =
            self.names.len() < MOST_NAMES && !name.is_empty() && !self.names.iter().any(|n| n == name);
        if is_new {
            self.names.push(name.to_owned());
        }
        is_new
    }

    /// Forgets the name that was kept last.
    pub(super) fn take_back(&mut self) {
        self.names.pop();
    }

    /// What was found in both streams.
    pub(super) fn and(mut self, other: &Self) -> Self {
        for name in &other.names {
            self.failed(name);
        }
        match (self.counts, other.counts) {
            (None, Some(_)) => {
                self.counts = other.counts;
                self.counted_at = other.counted_at;
            }
            (Some(_), Some(counts)) => {
                self.line = self.counted_at.max(other.counted_at);
                self.add(counts);
            }
            _ => {}
        }
        self
    }

    /// The summary, and when its totals were told; `None` where none were.
    pub(super) fn into_last(self) -> Option<(u64, Summary)> {
        Some((self.counted_at, Summary { counts: self.counts?, failures: self.names }))
    }
}
