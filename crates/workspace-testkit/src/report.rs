//! What came out.

use std::fmt;

/// How one case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The subject does as the contract says.
    Passed,
    /// It does not; what was seen instead.
    Failed(String),
    /// It was not tested, or the difference is known; why.
    Skipped(String),
}

/// One case and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaseReport {
    /// Its group and name: `read::a_window_gives_those_bytes`.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
}

impl CaseReport {
    pub(crate) const fn new(name: String, outcome: Outcome) -> Self {
        Self { name, outcome }
    }
}

/// All cases, in the order of the kit.
///
/// Shown, it gives a line for each case that failed or was skipped, then
/// `N passed, N failed, N skipped`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Report {
    /// The cases.
    pub cases: Vec<CaseReport>,
}

impl Report {
    /// Whether no case failed.
    pub fn is_success(&self) -> bool {
        self.failed().next().is_none()
    }

    /// How many cases passed.
    pub fn passed(&self) -> usize {
        self.cases.iter().filter(|case| case.outcome == Outcome::Passed).count()
    }

    /// The cases that failed, with what was seen.
    pub fn failed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cases.iter().filter_map(|case| match &case.outcome {
            Outcome::Failed(why) => Some((case.name.as_str(), why.as_str())),
            _ => None,
        })
    }

    /// The cases that were skipped, with the reason.
    pub fn skipped(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cases.iter().filter_map(|case| match &case.outcome {
            Outcome::Skipped(why) => Some((case.name.as_str(), why.as_str())),
            _ => None,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, why) in self.skipped() {
            writeln!(f, "skipped {name}: {why}")?;
        }
        for (name, why) in self.failed() {
            writeln!(f, "FAILED {name}: {why}")?;
        }
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed(),
            self.failed().count(),
            self.skipped().count()
        )
    }
}
