//! One breach of a rule, told so that its reader can mend it.

use std::fmt;

/// Where, what is wrong, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    place: String,
    wrong: String,
    mend: String,
}

impl Finding {
    /// A breach in a file or a package.
    pub(super) fn new(place: impl Into<String>, wrong: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { place: place.into(), wrong: wrong.into(), mend: mend.into() }
    }

    /// A breach in a line of a file.
    pub(super) fn at(path: &str, line: usize, wrong: impl Into<String>, mend: impl Into<String>) -> Self {
        Self::new(format!("{path}:{line}"), wrong, mend)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.wrong, self.mend)
    }
}

/// What the findings are about, for tests that plant a breach and expect it alone.
#[cfg(test)]
pub(super) fn places(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.place.as_str()).collect()
}
