//! `go test`: a line for each test that failed, or with `-v` for each test, and one for each package.

use super::{Counts, Found, Reader};

#[derive(Debug, Default)]
pub(super) struct Go {
    passed: u64,
    failed: u64,
    skipped: u64,
    /// Whether each test is told, as with `-v`.
    is_verbose: bool,
}

impl Reader for Go {
    fn line(&mut self, line: &str, found: &mut Found) {
        if line.starts_with("=== RUN ") {
            self.is_verbose = true;
        } else if let Some(told) = line.trim_start_matches(' ').strip_prefix("--- ") {
            self.test(told, found);
        } else if let Some(package) = package(line) {
            if let Some(package) = package {
                found.failed(package);
            }
            let verbose = |count| Some(count).filter(|_| self.is_verbose);
            found.set(Counts {
                passed: verbose(self.passed),
                failed: Some(self.failed),
                skipped: verbose(self.skipped),
            });
        }
    }
}

impl Go {
    /// Takes `FAIL: TestTable/two (0.00s)`. A test with subtests counts beside them, as in Go's own events.
    fn test(&mut self, told: &str, found: &mut Found) {
        let Some((outcome, rest)) = told.split_once(": ") else { return };
        let Some((name, _)) = rest.rsplit_once(" (") else { return };
        match outcome {
            "PASS" => self.passed += 1,
            "SKIP" => self.skipped += 1,
            "FAIL" => {
                self.failed += 1;
                found.failed(name);
            }
            _ => {}
        }
    }
}

/// Whether a line is one about a package, and the package whose tests could not be run.
fn package(line: &str) -> Option<Option<&str>> {
    let mut columns = line.split('\t');
    match columns.next()?.trim_end() {
        "ok" | "?" => columns.next().map(|_| None),
        "FAIL" => {
            let package = columns.next()?;
            Some(Some(package).filter(|package| package.ends_with("failed]")))
        }
        _ => None,
    }
}
