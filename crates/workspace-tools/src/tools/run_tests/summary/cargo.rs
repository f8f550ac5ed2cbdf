//! `cargo test`: a summary for each binary.

use super::{Counts, Found, Reader, counted};

#[derive(Debug, Default)]
pub(super) struct Cargo {
    /// Whether the next lines are names: after the heading of the list at the end.
    in_list: bool,
}

impl Reader for Cargo {
    fn line(&mut self, line: &str, found: &mut Found) {
        if line == "failures:" {
            self.in_list = true;
        } else if let Some(name) = line.strip_prefix("    ").filter(|_| self.in_list) {
            // The list says it of the attribute, which is no part of the name.
            found.failed(name.strip_suffix(" - should panic").unwrap_or(name));
        } else {
            self.in_list = false;
            if let Some(counts) = totals(line) {
                found.add(counts);
            }
        }
    }
}

/// The numbers of `test result: FAILED. 1 passed; 2 failed; 1 ignored; …`.
fn totals(line: &str) -> Option<Counts> {
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = Counts::default();
    for (number, word) in numbers.split(';').filter_map(counted) {
        match word {
            "passed" => counts.passed = Some(number),
            "failed" => counts.failed = Some(number),
            "ignored" => counts.skipped = Some(number),
            _ => {}
        }
    }
    counts.passed.is_some().then_some(counts)
}
