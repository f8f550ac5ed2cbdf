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
        } else if let Some(package) = Package::read(line) {
            if !package.could_run {
                found.failed(package.name);
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

/// A line about a package.
struct Package<'a> {
    name: &'a str,
    /// Whether its tests could be built and set up.
    could_run: bool,
}

impl<'a> Package<'a> {
    /// Reads `ok  \tNAME\t0.005s`, `?   \tNAME\t[no test files]` and `FAIL\tNAME [build failed]`.
    fn read(line: &'a str) -> Option<Self> {
        let mut columns = line.split('\t');
        let word = columns.next()?.trim_end();
        let name = columns.next()?;
        let could_run = word != "FAIL" || !name.ends_with("failed]");
        matches!(word, "ok" | "?" | "FAIL").then_some(Self { name, could_run })
    }
}
