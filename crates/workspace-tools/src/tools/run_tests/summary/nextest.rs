//! `cargo nextest run`: one summary, with the names of what failed below it.

use super::{Counts, Found, Reader, counted};

#[derive(Debug, Default)]
pub(super) struct Nextest {
    /// Whether the summary was told: what failed is told once more after it.
    is_over: bool,
}

impl Reader for Nextest {
    fn line(&mut self, line: &str, found: &mut Found) {
        let line = line.trim_start();
        if let Some(counts) = totals(line) {
            self.is_over = true;
            found.set(counts);
        } else if let Some(name) = name(line).filter(|_| self.is_over) {
            found.failed(name);
        }
    }
}

/// The numbers of `Summary [   0.624s] 3/5 tests run: 1 passed (1 slow), 2 failed, 1 skipped`.
fn totals(line: &str) -> Option<Counts> {
    let (_, rest) = line.strip_prefix("Summary [")?.split_once(']')?;
    let (run, numbers) = rest.split_once(" run: ")?;
    if !run.ends_with("test") && !run.ends_with("tests") {
        return None;
    }
    let mut counts = Counts::ZERO;
    for part in without_parentheses(numbers).split(',') {
        let (number, word) = counted(part)?;
        let count = match word {
            "passed" => &mut counts.passed,
            "skipped" => &mut counts.skipped,
            // What failed to start and what took too long.
            _ => &mut counts.failed,
        };
        *count = count.map(|count| count + number);
    }
    Some(counts)
}

/// A text without what stands in parentheses: `7 passed (1 slow, 2 leaky), 1 failed`.
fn without_parentheses(text: &str) -> String {
    let mut depth = 0_usize;
    let outside = text.chars().filter(|&c| {
        depth += usize::from(c == '(');
        let is_outside = depth == 0;
        depth -= usize::from(c == ')' && depth > 0);
        is_outside
    });
    outside.collect()
}

/// The name in `FAIL [   0.047s] (2/5) demo tests::panics`.
fn name(line: &str) -> Option<&str> {
    let (word, rest) = line.split_once(" [")?;
    let (_, name) = rest.split_once(']')?;
    let is_bad = !matches!(word, "PASS" | "SLOW" | "LEAK" | "FLAKY")
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "- ".contains(c));
    let name = name.trim_start();
    let name = match name.strip_prefix('(') {
        Some(counted) => counted.split_once(')').map_or(name, |(_, name)| name),
        None => name,
    };
    (is_bad && !word.is_empty()).then_some(name)
}
