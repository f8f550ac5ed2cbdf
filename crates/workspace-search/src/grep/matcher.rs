//! The pattern of a grep, compiled once for all files.

use std::io;
use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::{ErrorKind as RegexErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use workspace_core::{Error, ErrorKind, Result};

use super::syntax;

/// The largest compiled form of a pattern, in bytes.
const MAX_COMPILED: usize = 1 << 20;
/// What the engine may keep of the states that it has met, in bytes.
const STATE_CACHE: usize = 8 << 20;

/// A compiled pattern that finds lines.
///
/// The engine is that of ripgrep: its time grows with the text times the
/// pattern and never faster. A pattern has at most 1,000 characters, 1 MiB when
/// compiled, and 50 levels of nesting; it matches within one line.
///
/// Clone it for another thread; the clones share the compiled pattern.
#[derive(Debug, Clone)]
pub struct LineMatcher {
    regex: RegexMatcher,
    searcher: Searcher,
}

impl LineMatcher {
    /// Compiles a regular expression or, where `literal`, a plain text.
    ///
    /// # Errors
    /// [`InvalidPattern`](ErrorKind::InvalidPattern) with the position in the message where it
    /// cannot be read, also for look-around and back-references, or where it would
    /// match the end of a line; [`UnsafePattern`](ErrorKind::UnsafePattern) over a limit.
    pub fn new(pattern: &str, literal: bool, ignore_case: bool) -> Result<Self> {
        syntax::check_length(pattern)?;
        let ast = if literal { None } else { Some(syntax::parse(pattern)?) };
        let regex = RegexMatcherBuilder::new()
            .fixed_strings(literal)
            .case_insensitive(ignore_case)
            .multi_line(true)
            .line_terminator(Some(b'\n'))
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
        Ok(Self { regex, searcher })
    }

    /// The first match in a line without its ending.
    pub fn find(&self, line: &[u8]) -> Option<Range<usize>> {
        let found = self.regex.find(line).ok().flatten()?;
        Some(found.start()..found.end())
    }

    /// Calls `found` with the place of each line that matches until it returns false.
    pub(super) fn search(&mut self, text: &[u8], found: impl FnMut(Range<usize>) -> bool) -> Result<()> {
        self.searcher
            .search_slice(&self.regex, text, Lines(found))
            .map_err(|error| Error::new(ErrorKind::Io, "the search engine failed").because(error))
    }
}

struct Lines<F>(F);

impl<F: FnMut(Range<usize>) -> bool> Sink for Lines<F> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        Ok((self.0)(line.bytes_range_in_buffer()))
    }
}
