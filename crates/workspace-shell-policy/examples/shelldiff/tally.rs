//! What a hunt has done and found.

use std::fmt;

/// How many findings are kept besides holes.
const KEPT: usize = 40;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) lines: usize,
    pub(crate) accepted: usize,
    pub(crate) runs: usize,
    pub(crate) started: usize,
    pub(crate) holes: Vec<String>,
    pub(crate) faults: Vec<String>,
    /// Lines that the two shells run differently.
    pub(crate) differences: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.accepted += other.accepted;
        self.runs += other.runs;
        self.started += other.started;
        self.holes.extend(other.holes);
        self.faults.extend(other.faults);
        self.differences.extend(other.differences);
    }

    /// Whether nothing was found that must not be. A difference is for people to look at:
    /// all that either shell started was reported.
    pub(crate) fn is_clean(&self) -> bool {
        self.holes.is_empty() && self.faults.is_empty()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, findings) in
            [("HOLE", &self.holes), ("FAULT", &self.faults), ("DIFFERENCE", &self.differences)]
        {
            for finding in findings.iter().take(KEPT) {
                writeln!(f, "{kind} {finding}")?;
            }
        }
        write!(
            f,
            "{} lines checked, {} accepted, {} run in each shell, {} programs started; \
             {} holes, {} invalid, {} run differently",
            self.lines,
            self.accepted,
            self.runs,
            self.started,
            self.holes.len(),
            self.faults.len(),
            self.differences.len()
        )
    }
}
