//! Vitest: a heading for each test that failed, and totals in the end, on different streams.

use super::{Counts, Found, Reader, counted};

#[derive(Debug, Default)]
pub(super) struct Vitest;

impl Reader for Vitest {
    fn line(&mut self, line: &str, found: &mut Found) {
        if let Some(counts) = totals(line) {
            found.set(counts);
        } else if let Some(name) = line.strip_prefix(" FAIL  ") {
            // A file that could not be loaded is told twice: `a.test.js [ a.test.js ]`.
            found.failed(name.split_once(" [ ").map_or(name, |(file, _)| file));
        }
    }
}

/// The numbers of `      Tests  2 failed | 2 passed | 1 skipped (6)`.
fn totals(line: &str) -> Option<Counts> {
    let rest = line.trim_start().strip_prefix("Tests  ")?;
    if rest.trim() == "no tests" {
        return Some(Counts::ZERO);
    }
    let (numbers, total) = rest.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    total.parse::<u64>().ok()?;
    let mut counts = Counts::ZERO;
    for part in numbers.split('|') {
        let (number, word) = counted(part)?;
        match word {
            "passed" => counts.passed = Some(number),
            "failed" => counts.failed = Some(number),
            "skipped" => counts.skipped = Some(number),
            _ => {}
        }
    }
    Some(counts)
}
