//! `pytest`: names in the short summary, numbers in the last line.

use super::{Counts, Found, Reader, counted};

#[derive(Debug, Default)]
pub(super) struct Pytest {
    /// Whether the lines are those of the short summary.
    in_summary: bool,
}

impl Reader for Pytest {
    fn line(&mut self, line: &str, found: &mut Found) {
        if line.starts_with('=') && line.contains(" short test summary info ") {
            self.in_summary = true;
        } else if let Some(counts) = totals(line) {
            self.in_summary = false;
            found.set(counts);
        } else if self.in_summary
            && let Some(told) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "))
        {
            found.failed(name(told));
        }
    }
}

/// The numbers of `=== 2 failed, 2 passed, 1 error in 0.16s ===`, with or without the bars.
fn totals(line: &str) -> Option<Counts> {
    let (numbers, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    if numbers == "no tests ran" {
        return Some(Counts::ZERO);
    }
    let mut counts = Counts::ZERO;
    for part in numbers.split(", ") {
        let (number, word) = counted(part)?;
        let count = match word {
            "passed" => &mut counts.passed,
            "failed" | "error" | "errors" => &mut counts.failed,
            "skipped" => &mut counts.skipped,
            "xfailed" | "xpassed" | "deselected" | "warning" | "warnings" | "rerun" => continue,
            word if word.starts_with("subtests ") => continue,
            _ => return None,
        };
        *count = count.map(|count| count + number);
    }
    Some(counts)
}

/// The test in `test_a.py::test_p[x - y] - AssertionError: assert …`.
fn name(told: &str) -> &str {
    let message = told.find(" - ");
    let parameters = told.find('[').filter(|open| message.is_none_or(|message| *open < message));
    if let Some(end) = parameters.and_then(|open| told[open..].find("] - ").map(|close| open + close + 1)) {
        return &told[..end];
    }
    match message {
        // Where the name ends the line, the dash is one of its parameters.
        Some(message) if parameters.is_none() || !told.ends_with(']') => &told[..message],
        _ => told,
    }
}
