//! Jest: a heading for each test that failed, and totals in the end.

use super::{Counts, Found, Reader, counted};

#[derive(Debug, Default)]
pub(super) struct Jest {
    /// The file that failed last.
    file: String,
}

impl Reader for Jest {
    fn line(&mut self, line: &str, found: &mut Found) {
        if let Some(counts) = totals(line) {
            found.set(counts);
        } else if let Some(file) = line.strip_prefix("FAIL ") {
            file.split(" (").next().unwrap_or(file).trim().clone_into(&mut self.file);
        } else if let Some(heading) = line.strip_prefix("  ● ") {
            match heading {
                "Console" => {}
                "Test suite failed to run" => {
                    found.failed(&self.file);
                }
                name => {
                    found.failed(name);
                }
            }
        }
    }
}

/// The numbers of `Tests:       2 failed, 1 skipped, 1 todo, 2 passed, 6 total`.
fn totals(line: &str) -> Option<Counts> {
    let numbers = line.strip_prefix("Tests: ")?.trim_start();
    let mut counts = Counts::ZERO;
    let mut is_whole = false;
    for part in numbers.split(", ") {
        let (number, word) = counted(part)?;
        match word {
            "passed" => counts.passed = Some(number),
            "failed" => counts.failed = Some(number),
            "skipped" => counts.skipped = Some(number),
            "todo" => {}
            "total" => is_whole = true,
            _ => return None,
        }
    }
    is_whole.then_some(counts)
}
