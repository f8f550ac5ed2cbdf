//! Shows a change as a unified diff.

use std::{
    fmt::{self, Write as _},
    ops::Range,
    time::{Duration, Instant},
};

use memchr::{memchr, memchr_iter, memrchr};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline, group_diff_ops};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// How long the comparison may look for the shortest diff. What it has not
/// compared by then is shown as removed and added.
const PATIENCE: Duration = Duration::from_millis(50);

/// The unified diff from `old` to `new`, at most `max_bytes` long; empty where
/// they are equal.
///
/// A longer one is cut behind a whole line and its last line says how many
/// lines are left out; where not even that fits, it is empty. Lines are shown
/// with their own endings, so that a change of endings alone can be seen.
pub(crate) fn unified(path: &str, old: &str, new: &str, max_bytes: usize) -> String {
    if old == new {
        return String::new();
    }
    let changed = Changed::between(old, new);
    let deadline = Some(Instant::now() + PATIENCE);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &changed.old, &changed.new, deadline);
    let mut page = Page::new(max_bytes);
    page.line(format_args!("--- a/{}\n", Shown(path)));
    page.line(format_args!("+++ b/{}\n", Shown(path)));
    for hunk in group_diff_ops(ops, CONTEXT) {
        page.hunk(&changed, &hunk);
    }
    page.finish()
}

/// The lines that two texts do not begin or end with in common, and a few lines
/// around them. Most edits are small, so this is all there is to compare.
struct Changed<'a> {
    /// Lines before the first of these.
    before: usize,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
}

impl<'a> Changed<'a> {
    fn between(old: &'a str, new: &'a str) -> Self {
        let (ours, theirs) = (old.as_bytes(), new.as_bytes());
        let prefix = common_prefix(ours, theirs);
        let suffix = common_suffix(&ours[prefix..], &theirs[prefix..]);
        let mut start = prefix;
        for _ in 0..=CONTEXT {
            start = memrchr(b'\n', &ours[..start]).unwrap_or(0);
        }
        if start > 0 {
            start += 1;
        }
        // What follows is the same in both, so one offset from the end serves.
        let mut rest = suffix;
        for _ in 0..=CONTEXT {
            let tail = &ours[ours.len() - rest..];
            rest = memchr(b'\n', tail).map_or(0, |lf| rest - lf - 1);
        }
        let lines = |text: &'a str| text[start..text.len() - rest].split_inclusive('\n').collect();
        Self { before: memchr_iter(b'\n', &ours[..start]).count(), old: lines(old), new: lines(new) }
    }
}

/// Bytes compared at once.
const BLOCK: usize = 4096;

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK)).take_while(|(a, b)| a == b);
    let same: usize = blocks.map(|(block, _)| block.len()).sum();
    same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks(BLOCK).zip(b.rchunks(BLOCK)).take_while(|(a, b)| a == b);
    let same: usize = blocks.map(|(block, _)| block.len()).sum();
    let (a, b) = (&a[..a.len() - same], &b[..b.len() - same]);
    same + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// A diff in the making that stays within a number of bytes.
struct Page {
    out: String,
    max_bytes: usize,
    /// All lines, those left out included.
    lines: usize,
    /// Where to cut so that a note still fits, and how many lines are before.
    cut: (usize, usize),
    is_full: bool,
}

/// Bytes that a note on lines left out can take.
const NOTE: usize = "... 18446744073709551615 more lines left out\n".len();

impl Page {
    fn new(max_bytes: usize) -> Self {
        Self { out: String::new(), max_bytes, lines: 0, cut: (0, 0), is_full: false }
    }

    /// Adds one line, newline included; only counts it once a line did not fit.
    fn line(&mut self, line: fmt::Arguments<'_>) {
        self.lines += 1;
        if self.is_full {
            return;
        }
        // Writing to a string can't fail.
        let _ = self.out.write_fmt(line);
        if self.out.len() > self.max_bytes {
            self.is_full = true;
            self.out.truncate(self.cut.0);
        } else if self.out.len() + NOTE <= self.max_bytes {
            self.cut = (self.out.len(), self.lines);
        }
    }

    fn hunk(&mut self, changed: &Changed<'_>, ops: &[DiffOp]) {
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else { return };
        let range = |start: Range<usize>, end: Range<usize>| LineRange {
            before: changed.before + start.start,
            count: end.end - start.start,
        };
        let old = range(first.old_range(), last.old_range());
        let new = range(first.new_range(), last.new_range());
        self.line(format_args!("@@ -{old} +{new} @@\n"));
        for op in ops {
            if op.tag() == DiffTag::Equal {
                self.text(' ', changed.old.get(op.old_range()));
            } else {
                self.text('-', changed.old.get(op.old_range()));
                self.text('+', changed.new.get(op.new_range()));
            }
        }
    }

    fn text(&mut self, sign: char, lines: Option<&[&str]>) {
        for line in lines.unwrap_or_default() {
            if line.ends_with('\n') {
                self.line(format_args!("{sign}{line}"));
            } else {
                self.line(format_args!("{sign}{line}\n"));
                self.line(format_args!("\\ No newline at end of file\n"));
            }
        }
    }

    fn finish(mut self) -> String {
        if self.is_full {
            let left_out = self.lines - self.cut.1;
            let noun = if left_out == 1 { "line" } else { "lines" };
            let note = format!("... {left_out} more {noun} left out\n");
            if self.out.len() + note.len() <= self.max_bytes {
                self.out.push_str(&note);
            }
        }
        self.out
    }
}

/// Lines of one side of a hunk, as its header counts them.
struct LineRange {
    before: usize,
    count: usize,
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            // No line stands for the one before.
            0 => write!(f, "{},0", self.before),
            1 => write!(f, "{}", self.before + 1),
            count => write!(f, "{},{count}", self.before + 1),
        }
    }
}

/// A path on one line: control characters escaped.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            if c.is_control() {
                write!(f, "{}", c.escape_default())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, hunks: &str) {
        let expected = format!("--- a/f.txt\n+++ b/f.txt\n{hunks}");
        assert_eq!(unified("f.txt", old, new, 4096), expected);
        assert_eq!(unified("f.txt", old, new, expected.len()), expected);
    }

    fn numbers(count: usize) -> String {
        (1..=count).map(|i| format!("{i}\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn changes_are_shown_with_three_lines_around_them() {
        let old = numbers(20);
        check(&old, &old.replace("10\n", "ten\n"), "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n");
        check(&old, &old.replace("10\n", ""), "@@ -7,7 +7,6 @@\n 7\n 8\n 9\n-10\n 11\n 12\n 13\n");
        check(&old, &format!("0\n{old}"), "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n");
        check(&old, &format!("{old}21\n"), "@@ -18,3 +18,4 @@\n 18\n 19\n 20\n+21\n");
        check(
            &old,
            &old.replace("2\n3\n", "two\n3\n").replace("19\n", "nineteen\n"),
            "@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -16,5 +16,5 @@\n 16\n 17\n 18\n-19\n+nineteen\n 20\n",
        );
    }

    #[test]
    fn ends_of_files_are_shown() {
        check("a", "b", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
        check("a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
        check("a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
        check("", "a\n", "@@ -0,0 +1 @@\n+a\n");
        check("a\n", "", "@@ -1 +0,0 @@\n-a\n");
        check("a\na\n", "a\n", "@@ -1,2 +1 @@\n a\n-a\n");
    }

    #[test]
    fn endings_are_shown_as_they_are() {
        check("a\r\nb\r\n", "a\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n");
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified("f", "a\n", "a\n", 4096), "");
    }

    #[test]
    fn a_path_stays_on_its_line() {
        let diff = unified("a\n+++ b\u{1b}", "a\n", "b\n", 4096);
        assert!(diff.starts_with("--- a/a\\n+++ b\\u{1b}\n+++ b/a\\n+++ b\\u{1b}\n@@"), "{diff}");
    }

    #[test]
    fn a_long_diff_is_cut_behind_a_line_and_says_so() {
        let (old, new) = (numbers(1000), "x\n".repeat(1000));
        let all = unified("f", &old, &new, usize::MAX);
        for max_bytes in (0..300).chain([all.len() - 1]) {
            let cut = unified("f", &old, &new, max_bytes);
            assert!(cut.len() <= max_bytes, "{max_bytes}");
            let Some(last) = cut.lines().last() else {
                assert!(max_bytes < NOTE);
                continue;
            };
            let kept = cut.len() - last.len() - 1;
            assert!(all.starts_with(&cut[..kept]) && (kept == 0 || cut[..kept].ends_with('\n')));
            let left_out = all[kept..].lines().count();
            assert_eq!(last, format!("... {left_out} more lines left out"));
        }
        assert_eq!(unified("f", &old, &new, all.len()), all);
    }

    #[test]
    fn large_texts_without_a_common_line_are_compared_in_bounded_time() {
        let old = numbers(200_000);
        let new = (1..=200_000).rev().map(|i| format!("{i} \n")).collect::<Vec<_>>().concat();
        let diff = unified("f", &old, &new, 4096);
        assert!(diff.len() <= 4096 && diff.ends_with("left out\n"));
    }
}
