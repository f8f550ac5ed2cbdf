//! Node's own runner, in both of its forms: for people, and as TAP.

use super::{Counts, Found, Reader};

#[derive(Debug, Default)]
pub(super) struct Node {
    /// Whether totals have begun.
    in_totals: bool,
    /// Whether the failing tests are being listed once more.
    in_failing: bool,
    /// Whether the line before kept the name of a test, which may yet turn out to be a suite.
    kept_name: bool,
}

impl Reader for Node {
    fn line(&mut self, line: &str, found: &mut Found) {
        if let Some((word, number)) = total(line) {
            self.total(word, number, found);
        } else if line == "✖ failing tests:" {
            self.in_failing = true;
        } else if let Some(name) = line.strip_prefix("✖ ").filter(|_| self.in_failing) {
            found.failed(without_time(name));
        } else if let Some(told) = line.trim_start().strip_prefix("not ok ") {
            self.kept_name = tap_name(told).is_some_and(|name| found.failed(&name));
        } else if line.trim() == "failureType: 'subtestsFailed'" && std::mem::take(&mut self.kept_name) {
            found.take_back();
        }
    }
}

impl Node {
    fn total(&mut self, word: &str, number: u64, found: &mut Found) {
        if word == "tests" {
            self.in_totals = true;
            found.set(Counts::ZERO);
        }
        let Some(mut counts) = found.counts().filter(|_| self.in_totals) else { return };
        let count = match word {
            "pass" => &mut counts.passed,
            "fail" | "cancelled" => &mut counts.failed,
            "skipped" => &mut counts.skipped,
            _ => return,
        };
        *count = count.map(|count| count + number);
        found.set(counts);
    }
}

/// The word and the number of `ℹ pass 2` and `# pass 2`.
fn total(line: &str) -> Option<(&str, u64)> {
    let told = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# "))?;
    let (word, number) = told.split_once(' ')?;
    Some((word, number.parse().ok()?))
}

/// The test in `breaks (6.080959ms)`.
fn without_time(name: &str) -> &str {
    match name.rsplit_once(" (") {
        Some((name, time)) if time.ends_with("ms)") => name,
        _ => name,
    }
}

/// The test in `2 - drops items`, unless it was expected to fail.
fn tap_name(told: &str) -> Option<String> {
    let (number, name) = told.split_once(" - ")?;
    number.parse::<u64>().ok()?;
    let is_expected = name.contains(" # TODO") || name.contains(" # SKIP");
    (!is_expected).then(|| name.replace("\\#", "#"))
}
