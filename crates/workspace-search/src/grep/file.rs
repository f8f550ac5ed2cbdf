//! The search of one file, in pieces.

use std::ops::Range;

use memchr::{memchr, memchr_iter};
use workspace_core::{GrepMode, GrepQuery, Result};

use super::matcher::LineMatcher;
use super::text::{FileText, chars};

/// How many bytes are searched at a time. It bounds how long a costly pattern can hold up a cancellation.
const PIECE: usize = 64 << 10;

/// What is wanted of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Goal {
    /// After how many matching lines the search ends; `None` for the end of the file.
    pub stop_after: Option<u64>,
    /// Whether the places of the lines are kept, or their number alone.
    pub keep_lines: bool,
    /// Lines of more characters than this are not searched but counted.
    pub longest: Option<usize>,
}

impl Goal {
    /// What a query wants of a file while its answer takes `room` more results:
    /// no more than tells that there is more than the answer takes.
    pub fn new(query: &GrepQuery, room: usize) -> Self {
        let keep_lines = !matches!(query.mode, GrepMode::Files | GrepMode::Count);
        let stop_after = match query.mode {
            GrepMode::Files => Some(1),
            GrepMode::Count if room == 0 => Some(1),
            GrepMode::Count => None,
            _ => (room as u64).checked_add(1),
        };
        let longest = query.skip_long_lines.then_some(query.max_line_chars);
        Self { stop_after, keep_lines, longest }
    }
}

/// The search of one file. It goes on piece by piece, so that the caller can
/// look at the clock and at cancellation in between.
///
/// # Examples
/// ```
/// use workspace_search::{FileSearch, FileText, Goal, LineMatcher};
///
/// let mut matcher = LineMatcher::new("b$", false, false)?;
/// let text = FileText::from_bytes(b"a\r\nab\r\nb\r\n".to_vec()).expect("it has no NUL");
/// let goal = Goal { stop_after: None, keep_lines: false, longest: None };
/// let mut search = FileSearch::new(text, goal);
/// while search.step(&mut matcher)? {}
/// assert_eq!(search.count(), 2);
/// # Ok::<(), workspace_core::Error>(())
/// ```
#[derive(Debug)]
pub struct FileSearch {
    text: FileText,
    goal: Goal,
    progress: Progress,
}

/// A line that matches, or the lines that a match goes over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    /// Its bytes without the ending of the last line.
    pub(super) bytes: Range<usize>,
    /// Its number, from 1; of several the first.
    pub(super) line: u64,
}

#[derive(Debug, Default)]
struct Progress {
    hits: Vec<Hit>,
    count: u64,
    /// Where the first line begins that matches.
    first: Option<usize>,
    /// Where the next piece begins.
    next: usize,
    /// Up to where newlines are counted, and how many there are.
    counted: usize,
    newlines: u64,
    /// Where the line begins at which the search ended before the end of the file.
    ended: Option<usize>,
}

impl FileSearch {
    /// The search of a text, before its first piece.
    pub fn new(text: FileText, goal: Goal) -> Self {
        Self { text, goal, progress: Progress::default() }
    }

    /// Searches the next piece; tells whether there is more to search.
    ///
    /// # Errors
    /// The engine's own, which does not fail on bytes at hand.
    pub fn step(&mut self, matcher: &mut LineMatcher) -> Result<bool> {
        let text = self.text.as_bytes();
        let start = self.progress.next;
        if self.progress.ended.is_some() || start >= text.len() {
            return Ok(false);
        }
        let end = (start + PIECE).min(text.len());
        // A piece ends where a line does; a match that goes over lines may end anywhere.
        let end = match memchr(b'\n', &text[end..]) {
            Some(rest) if !matcher.is_multiline() => end + rest + 1,
            _ => text.len(),
        };
        self.progress.next = end;
        let (goal, progress) = (self.goal, &mut self.progress);
        matcher.search(&text[start..end], |lines| {
            progress.take(text, start + lines.start..start + lines.end, goal)
        })?;
        Ok(self.progress.ended.is_none() && end < text.len())
    }

    /// How many lines match, of those searched.
    pub fn count(&self) -> u64 {
        self.progress.count
    }

    /// How many lines were too long to be searched.
    pub fn long_lines(&self) -> u64 {
        self.long_lines_before(self.progress.ended.unwrap_or(self.progress.next))
    }

    /// How many lines before an offset were too long.
    pub(super) fn long_lines_before(&self, offset: usize) -> u64 {
        let Some(longest) = self.goal.longest else { return 0 };
        let searched = self.text.as_bytes().get(..offset).unwrap_or_default();
        searched.split(|&byte| byte == b'\n').filter(|line| is_long(line, longest)).count() as u64
    }

    /// Where the first line begins that matches.
    pub(super) fn first(&self) -> Option<usize> {
        self.progress.first
    }

    /// The text, when the search is over.
    pub fn into_text(self) -> FileText {
        self.text
    }

    pub(super) fn text(&self) -> &FileText {
        &self.text
    }

    pub(super) fn hits(&self) -> &[Hit] {
        &self.progress.hits
    }
}

impl Progress {
    /// Takes a line, or several; tells whether the search goes on.
    fn take(&mut self, text: &[u8], lines: Range<usize>, goal: Goal) -> bool {
        let start = lines.start;
        let end = if text[lines.clone()].ends_with(b"\n") { lines.end - 1 } else { lines.end };
        if let Some(longest) = goal.longest
            && text[start..end].split(|&byte| byte == b'\n').any(|line| is_long(line, longest))
        {
            return true;
        }
        self.count += 1;
        self.first.get_or_insert(start);
        if goal.keep_lines {
            self.newlines += memchr_iter(b'\n', &text[self.counted..start]).count() as u64;
            self.counted = start;
            self.hits.push(Hit { bytes: start..end, line: self.newlines + 1 });
        }
        if goal.stop_after.is_some_and(|wanted| self.count >= wanted) {
            self.ended = Some(start);
        }
        self.ended.is_none()
    }
}

fn is_long(line: &[u8], longest: usize) -> bool {
    line.len() > longest && chars(Some(line)) > longest
}
