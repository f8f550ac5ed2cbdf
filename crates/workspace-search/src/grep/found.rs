//! The answer of a grep, file after file.

use workspace_core::{
    Error, ErrorKind, FileCount, GrepAnswer, GrepLine, GrepMode, GrepQuery, Result, SearchTally,
    WorkspacePath,
};

use super::file::{FileSearch, Goal};
use super::matcher::LineMatcher;
use super::text::{Cut, chars};

/// The most lines of context before and after a match.
const MAX_CONTEXT: usize = 10;

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
        let keep_lines = !matches!(self.query.mode, GrepMode::Files | GrepMode::Count);
        let stop_after = match self.query.mode {
            GrepMode::Files => Some(1),
            GrepMode::Count if self.room == 0 => Some(1),
            GrepMode::Count => None,
            _ => (self.room as u64).checked_add(1),
        };
        let longest = self.query.skip_long_lines.then_some(self.query.max_line_chars);
        Goal { stop_after, keep_lines, longest }
    }

    /// Whether results are known to be left out, so that no further file can add any.
    pub fn is_truncated(&self) -> bool {
        self.answer.tally.truncated
    }

    /// Adds what the search of a file found.
    pub fn add(&mut self, path: &WorkspacePath, search: &FileSearch, matcher: &LineMatcher) {
        if search.count() == 0 {
            return;
        }
        let results = match self.query.mode {
            GrepMode::Files | GrepMode::Count => 1,
            _ => search.hits().len(),
        };
        let taken = results.min(self.room);
        self.room -= taken;
        self.answer.tally.truncated |= taken < results;
        match self.query.mode {
            _ if taken == 0 => {}
            GrepMode::Files => self.answer.files.push(path.clone()),
            GrepMode::Count => self.answer.counts.push(FileCount::new(path.clone(), search.count())),
            _ => self.add_lines(path, search, matcher, taken),
        }
    }

    /// The answer, with how far the search came. Whether it is truncated is known here alone.
    pub fn into_answer(mut self, tally: SearchTally) -> GrepAnswer {
        let truncated = self.answer.tally.truncated;
        self.answer.tally = tally;
        self.answer.tally.truncated = truncated;
        self.answer
    }

    fn add_lines(&mut self, path: &WorkspacePath, search: &FileSearch, matcher: &LineMatcher, taken: usize) {
        let cut = Cut { longest: self.query.max_line_chars, to: self.query.cut_line_chars };
        let (text, context) = (search.text(), self.query.context);
        let show = |line: std::ops::Range<usize>| cut.show(&text.as_bytes()[line], 0..0).0;
        // Where the lines begin that no answer has shown yet.
        let mut unseen = 0;
        let mut nexts = search.hits().iter().skip(1);
        for hit in search.hits().iter().take(taken) {
            let line = text.line_at(hit.start);
            let next = nexts.next().map_or(usize::MAX, |next| next.start);
            let before = text.lines_before(hit.start, context, unseen);
            let after = text.lines_after(line.end, context, next);
            unseen = after.last().unwrap_or(&line).end + 1;

            let bytes = &text.as_bytes()[line];
            let found = matcher.find(bytes).unwrap_or(0..0);
            let mut shown = GrepLine::default();
            shown.path = path.clone();
            shown.line = hit.line;
            shown.column = chars(bytes.get(..found.start)) as u64 + 1;
            (shown.text, shown.cut) = cut.show(bytes, found);
            shown.before = before.into_iter().map(show).collect();
            shown.after = after.into_iter().map(show).collect();
            self.answer.lines.push(shown);
        }
    }
}
