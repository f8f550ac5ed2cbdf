//! The answer of a grep, file after file.

use std::ops::Range;

use memchr::memchr_iter;
use workspace_core::{
    Error, ErrorKind, FileCount, GrepAnswer, GrepLine, GrepMode, GrepQuery, Result, SearchTally,
    WorkspacePath,
};

use super::file::{FileSearch, Goal};
use super::matcher::LineMatcher;
use super::text::{Cut, chars};

/// The most lines of context before and after a match.
const MAX_CONTEXT: usize = 10;

/// What the search of one file found, as the answer shows it.
///
/// It is made wherever the file was searched and added to the answer in turn.
#[derive(Debug)]
pub struct FileFound {
    path: WorkspacePath,
    count: u64,
    /// How many results the file has, shown or not.
    results: usize,
    lines: Vec<GrepLine>,
    long_lines: u64,
    /// How many long lines there are before each result.
    long_before: Vec<u64>,
}

impl FileFound {
    /// What a search found, of which the answer takes at most `room` results.
    pub fn new(
        path: &WorkspacePath,
        search: &FileSearch,
        matcher: &LineMatcher,
        query: &GrepQuery,
        room: usize,
    ) -> Self {
        let is_content = !matches!(query.mode, GrepMode::Files | GrepMode::Count);
        let results = if is_content { search.hits().len() } else { usize::from(search.count() > 0) };
        let lines = if is_content { show_lines(path, search, matcher, query, room) } else { Vec::new() };
        let long_before = match query.skip_long_lines {
            false => Vec::new(),
            true if is_content => {
                search.hits().iter().map(|hit| search.long_lines_before(hit.bytes.start)).collect()
            }
            true => search.first().map(|first| search.long_lines_before(first)).into_iter().collect(),
        };
        let long_lines = search.long_lines();
        Self { path: path.clone(), count: search.count(), results, lines, long_lines, long_before }
    }

    /// How many lines were too long to be searched.
    pub const fn long_lines(&self) -> u64 {
        self.long_lines
    }

    /// How many results the file has, shown or not.
    pub const fn results(&self) -> usize {
        self.results
    }
}

/// What was found so far. Files are added in the order of the answer.
#[derive(Debug)]
pub struct GrepFound<'q> {
    query: &'q GrepQuery,
    answer: GrepAnswer,
    /// How many more results the answer takes.
    room: usize,
}

impl<'q> GrepFound<'q> {
    /// Nothing yet.
    ///
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) for more than 10 lines of context.
    pub fn new(query: &'q GrepQuery) -> Result<Self> {
        if query.context > MAX_CONTEXT {
            return Err(Error::new(
                ErrorKind::InvalidInput,
                format!("`context` is {}; the limit is {MAX_CONTEXT}", query.context),
            )
            .hint("ask for fewer lines of context, and read the file where more are needed"));
        }
        let room = query.limits.max_results.unwrap_or(usize::MAX);
        Ok(Self { query, answer: GrepAnswer::default(), room })
    }

    /// What is wanted of the next file: no more than tells that there is more than the answer takes.
    pub fn goal(&self) -> Goal {
        Goal::new(self.query, self.room)
    }

    /// How many more results the answer takes.
    pub const fn room(&self) -> usize {
        self.room
    }

    /// Whether results are known to be left out, so that no further file can add any.
    pub fn is_truncated(&self) -> bool {
        self.answer.tally.truncated
    }

    /// Adds what the search of a file found; gives the number of lines in it
    /// that were too long to be searched.
    ///
    /// Results over what the answer takes are left out, as is what lies behind
    /// the first of them: whoever searches files one after the other does not see it.
    pub fn add(&mut self, found: FileFound) -> u64 {
        let taken = found.results.min(self.room);
        let left_out = taken < found.results;
        let long_lines = match found.long_before.get(taken) {
            Some(&before) if left_out => before,
            _ => found.long_lines,
        };
        self.room -= taken;
        self.answer.tally.truncated |= left_out;
        match self.query.mode {
            _ if taken == 0 => {}
            GrepMode::Files => self.answer.files.push(found.path),
            GrepMode::Count => self.answer.counts.push(FileCount::new(found.path, found.count)),
            _ => self.answer.lines.extend(found.lines.into_iter().take(taken)),
        }
        long_lines
    }

    /// The answer, with how far the search came. Whether it is truncated is known here alone.
    pub fn into_answer(mut self, tally: SearchTally) -> GrepAnswer {
        let truncated = self.answer.tally.truncated;
        self.answer.tally = tally;
        self.answer.tally.truncated = truncated;
        self.answer
    }
}

/// The first `room` lines that match, as the answer shows them.
fn show_lines(
    path: &WorkspacePath,
    search: &FileSearch,
    matcher: &LineMatcher,
    query: &GrepQuery,
    room: usize,
) -> Vec<GrepLine> {
    let cut = Cut { longest: query.max_line_chars, to: query.cut_line_chars };
    let (text, context) = (search.text(), query.context);
    let show = |line: Range<usize>| cut.show(&text.as_bytes()[line], 0..0).0;
    // Where the lines begin that no answer has shown yet.
    let mut unseen = 0;
    let mut nexts = search.hits().iter().skip(1);
    let mut lines = Vec::with_capacity(search.hits().len().min(room));
    for hit in search.hits().iter().take(room) {
        let line = hit.bytes.clone();
        let next = nexts.next().map_or(usize::MAX, |next| next.bytes.start);
        let before = text.lines_before(line.start, context, unseen);
        let after = text.lines_after(line.end, context, next);
        unseen = after.last().unwrap_or(&line).end + 1;

        // A match over lines may need the ending of the last one.
        let ending = usize::from(matcher.is_multiline() && line.end < text.as_bytes().len());
        let found = matcher.find(&text.as_bytes()[line.start..line.end + ending]).unwrap_or(0..0);
        let bytes = &text.as_bytes()[line];
        let found = found.start.min(bytes.len())..found.end.min(bytes.len());
        let mut shown = GrepLine::default();
        shown.path = path.clone();
        shown.line = hit.line;
        shown.last_line = hit.line + memchr_iter(b'\n', bytes).count() as u64;
        shown.column = chars(bytes.get(..found.start)) as u64 + 1;
        (shown.text, shown.cut) = cut.show(bytes, found);
        shown.before = before.into_iter().map(show).collect();
        shown.after = after.into_iter().map(show).collect();
        lines.push(shown);
    }
    lines
}
