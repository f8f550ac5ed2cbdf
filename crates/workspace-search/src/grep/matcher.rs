//! The pattern of a grep, compiled once for all files.

use std::io;
use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::{ErrorKind as RegexErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use memchr::{memchr, memrchr};
use workspace_core::{Error, ErrorKind, GrepQuery, Result};

use super::syntax;

/// The largest compiled form of a pattern, in bytes.
const MAX_COMPILED: usize = 1 << 20;
/// What the engine may keep of the states that it has met, in bytes.
const STATE_CACHE: usize = 8 << 20;

/// A compiled pattern that finds lines.
///
/// The engine is that of ripgrep: its time grows with the text times the
/// pattern and never faster. A pattern has at most 1,000 characters, 1 MiB when
/// compiled, and 50 levels of nesting; it matches within one line unless it
/// was made for a query that lets matches go over the ends of lines.
///
/// Clone it for another thread; the clones share the compiled pattern.
#[derive(Debug, Clone)]
pub struct LineMatcher {
    regex: RegexMatcher,
    searcher: Searcher,
    multiline: bool,
}

impl LineMatcher {
    /// Compiles a regular expression or, where `literal`, a plain text, to match within lines.
    ///
    /// # Errors
    /// [`InvalidPattern`](ErrorKind::InvalidPattern) with the position in the message where it
    /// cannot be read, also for look-around and back-references, or where it would
    /// match the end of a line; [`UnsafePattern`](ErrorKind::UnsafePattern) over a limit.
    pub fn new(pattern: &str, literal: bool, ignore_case: bool) -> Result<Self> {
        Self::build(pattern, literal, ignore_case, false)
    }

    /// Compiles the pattern of a query.
    ///
    /// # Errors
    /// Those of [`new`](Self::new); the end of a line may be matched where the query says so.
    pub fn of(query: &GrepQuery) -> Result<Self> {
        Self::build(&query.pattern, query.literal, query.ignore_case, query.multiline)
    }

    fn build(pattern: &str, literal: bool, ignore_case: bool, multiline: bool) -> Result<Self> {
        syntax::check_length(pattern)?;
        let ast = if literal { None } else { Some(syntax::parse(pattern)?) };
        let regex = RegexMatcherBuilder::new()
            .fixed_strings(literal)
            .case_insensitive(ignore_case)
            .multi_line(true)
            .line_terminator((!multiline).then_some(b'\n'))
            .size_limit(MAX_COMPILED)
            .dfa_size_limit(STATE_CACHE)
            .build(pattern)
            .map_err(|error| {
                let refusal = match error.kind() {
                    RegexErrorKind::NotAllowed(_) => syntax::spans_lines(pattern, ast.as_ref()),
                    // Its syntax is known to be right, so what is left is its size.
                    _ => syntax::too_large(MAX_COMPILED),
                };
                refusal.because(error)
            })?;
        let searcher = SearcherBuilder::new()
            .line_number(false)
            .bom_sniffing(false)
            .binary_detection(BinaryDetection::none())
            .build();
        Ok(Self { regex, searcher, multiline })
    }

    /// Whether a match may go over the ends of lines, so that a text must be searched as a whole.
    pub const fn is_multiline(&self) -> bool {
        self.multiline
    }

    /// The first match in a line without its ending, or in several.
    pub fn find(&self, line: &[u8]) -> Option<Range<usize>> {
        let found = self.regex.find(line).ok().flatten()?;
        Some(found.start()..found.end())
    }

    /// Calls `found` with the place of each line that matches, or of the lines that a
    /// match goes over, until it returns false.
    pub(super) fn search(&mut self, text: &[u8], found: impl FnMut(Range<usize>) -> bool) -> Result<()> {
        if self.multiline {
            self.search_over_lines(text, found);
            return Ok(());
        }
        self.searcher
            .search_slice(&self.regex, text, Lines(found))
            .map_err(|error| Error::new(ErrorKind::Io, "the search engine failed").because(error))
    }

    /// Matches that share a line are one. The searcher of ripgrep would also join
    /// matches in lines that follow each other.
    fn search_over_lines(&self, text: &[u8], mut found: impl FnMut(Range<usize>) -> bool) {
        let mut held: Option<Range<usize>> = None;
        let mut wanted = true;
        // The engine cannot fail on bytes at hand: its error type has no value.
        let _ = self.regex.find_iter(text, |place| {
            let lines = lines_of(text, place.start()..place.end());
            // What matches behind the last line ending is in no line.
            if lines.is_empty() {
                return true;
            }
            match &mut held {
                Some(held) if lines.start < held.end => held.end = held.end.max(lines.end),
                _ => wanted = held.replace(lines).is_none_or(&mut found),
            }
            wanted
        });
        if let Some(last) = held.filter(|_| wanted) {
            found(last);
        }
    }
}

/// The lines that a match lies in, with the ending of the last.
fn lines_of(text: &[u8], place: Range<usize>) -> Range<usize> {
    let start = memrchr(b'\n', &text[..place.start]).map_or(0, |newline| newline + 1);
    let ends_a_line = place.end > start && text[place.end - 1] == b'\n';
    let end = if ends_a_line { Some(place.end) } else { None };
    let rest = || memchr(b'\n', &text[place.end..]).map_or(text.len(), |rest| place.end + rest + 1);
    start..end.unwrap_or_else(rest)
}

struct Lines<F>(F);

impl<F: FnMut(Range<usize>) -> bool> Sink for Lines<F> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        Ok((self.0)(line.bytes_range_in_buffer()))
    }
}
