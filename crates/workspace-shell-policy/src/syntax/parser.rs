//! The parser's state, and the lists of a line.
//!
//! A recursive-descent parser without a separate lexer: what a byte means
//! depends on where it stands. One counter bounds the recursion; a budget
//! bounds the work. Whatever dash and bash read differently is an error here.

use super::characters::{is_deceptive, name_of};
use super::documents::Pending;
use super::{AndOr, Joint, List, Pipeline, Span, Stage, Tree};
use crate::limits::{MAX_COMMANDS, MAX_DEPTH, MAX_WORDS};
use crate::steps::step;
use crate::{Reason, Refusal};

/// What a reading function gives; the refusal is boxed to keep the good path small.
pub(crate) type Parse<T> = Result<T, Box<Refusal>>;

/// Where a text stands in the line.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// It is the line.
    Line,
    /// It was made from this part of the line, so its own offsets mean nothing there.
    Within(Span),
}

/// What may still be read.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    pub(crate) commands: usize,
    pub(crate) words: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { commands: MAX_COMMANDS, words: MAX_WORDS }
    }
}

/// Reads a text as a line of the subset.
///
/// `depth` is how deep the text itself is nested. Without `substitution`,
/// every `$( )` and backtick that would be evaluated is refused.
///
/// # Errors
/// A refusal for syntax, for an open quote, or for a spent budget.
pub(crate) fn parse(
    text: &str,
    origin: Origin,
    depth: usize,
    substitution: bool,
    budget: &mut Budget,
) -> Parse<Tree> {
    step(text.len());
    let mut parser = Parser {
        source: text,
        at: 0,
        end: text.len(),
        origin,
        depth,
        substitution,
        budget: std::mem::take(budget),
        pending: Vec::new(),
        documents: Vec::new(),
        place: Place::default(),
    };
    let list = parser.whole();
    *budget = parser.budget;
    Ok(Tree { list: list?, documents: parser.documents })
}

/// Facts about where the parser is that a nested text inherits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// A here-document of an outer command is still to be read.
    pub(super) document_waits: bool,
    /// Inside the body of a here-document.
    pub(super) in_document: bool,
    /// Inside backticks.
    pub(super) in_backticks: bool,
    pub(super) around: Around,
}

/// The innermost `$( )` around a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Around {
    /// None.
    #[default]
    Nothing,
    /// One without a here-document up to this place.
    Substitution,
    /// One in which a here-document began.
    SubstitutionWithDocument,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
    End,
    Parenthesis,
}

pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) at: usize,
    /// Where reading stops: the end of the text, or of a here-document's body.
    pub(super) end: usize,
    pub(super) origin: Origin,
    pub(super) depth: usize,
    pub(super) substitution: bool,
    pub(super) budget: Budget,
    pub(super) pending: Vec<Pending>,
    pub(super) documents: Vec<Vec<List>>,
    pub(super) place: Place,
}

impl<'s> Parser<'s> {
    fn whole(&mut self) -> Parse<List> {
        if let Some(at) = self.source.find('\0') {
            return Err(Refusal::syntax(self.span(at..at + 1), "the line holds a NUL character")
                .hint("remove the NUL character"));
        }
        let list = self.list(Closer::End)?;
        match self.pending.first() {
            Some(pending) => Err(self.unended(&pending.span.clone())),
            None => Ok(list),
        }
    }

    /// And-or lists up to the closer, which is left to be read.
    pub(super) fn list(&mut self, closer: Closer) -> Parse<List> {
        let mut items = Vec::new();
        loop {
            self.line_breaks()?;
            if self.closes(closer) {
                return Ok(List(items));
            }
            items.push(self.and_or()?);
            self.blanks()?;
            match self.peek() {
                None | Some(b'\n') => {}
                Some(b')') if closer == Closer::Parenthesis => {}
                Some(b';') if self.peek_at(1) == Some(b';') => {
                    return Err(self
                        .refuse(2, "`;;` belongs to `case`, which is not supported")
                        .hint("use one `;`"));
                }
                // Bash 5.2 writes the text of a `$( )` anew before it runs it, and loses this `;`.
                Some(b';') if self.place.around == Around::SubstitutionWithDocument => {
                    return Err(self
                        .refuse(1, "a `;` behind a here-document in `$( )` is read differently by shells")
                        .hint("put a newline in its place"));
                }
                Some(b';') => self.at += 1,
                Some(_) => return Err(self.unexpected()),
            }
        }
    }

    fn closes(&self, closer: Closer) -> bool {
        match self.peek() {
            None => true,
            Some(byte) => closer == Closer::Parenthesis && byte == b')',
        }
    }

    fn and_or(&mut self) -> Parse<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks()?;
            let joint = match (self.peek(), self.peek_at(1)) {
                (Some(b'&'), Some(b'&')) => Joint::And,
                (Some(b'|'), Some(b'|')) => Joint::Or,
                _ => return Ok(AndOr { first, rest }),
            };
            self.at += 2;
            self.line_breaks()?;
            rest.push((joint, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Parse<Pipeline> {
        let negated = self.negation()?;
        let mut stages = vec![self.stage()?];
        loop {
            self.blanks()?;
            match (self.peek(), self.peek_at(1)) {
                (Some(b'|'), Some(b'|')) => break,
                (Some(b'|'), Some(b'&')) => {
                    return Err(self
                        .refuse(2, "`|&` is read by bash only")
                        .hint("write `2>&1 |` to pipe both streams"));
                }
                (Some(b'|'), _) => {
                    self.at += 1;
                    self.line_breaks()?;
                    stages.push(self.stage()?);
                }
                _ => break,
            }
        }
        Ok(Pipeline { negated, stages })
    }

    /// Takes a `!` that negates the pipeline.
    fn negation(&mut self) -> Parse<bool> {
        self.blanks()?;
        if self.peek() == Some(b'!') && matches!(self.peek_at(1), Some(b' ' | b'\t')) {
            self.at += 1;
            self.blanks()?;
            return Ok(true);
        }
        Ok(false)
    }

    fn stage(&mut self) -> Parse<Stage> {
        self.blanks()?;
        match self.peek() {
            Some(b'(') => self.subshell(),
            None | Some(b'\n' | b';' | b'&' | b'|' | b')') => Err(self.unexpected()),
            Some(_) => self.simple().map(Stage::Simple),
        }
    }

    /// Passes blanks, line continuations and a comment, but no newline.
    pub(super) fn blanks(&mut self) -> Parse<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                Some(b'#') => {
                    let rest = self.rest();
                    let length = rest.find('\n').unwrap_or(rest.len());
                    self.check_characters(self.at..self.at + length)?;
                    self.at += length;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Passes blanks and newlines; the bodies of here-documents are read at a newline.
    fn line_breaks(&mut self) -> Parse<()> {
        loop {
            self.blanks()?;
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// The refusal of what stands where it cannot.
    pub(super) fn unexpected(&self) -> Box<Refusal> {
        match (self.peek(), self.peek_at(1)) {
            (None, _) => {
                self.refuse(0, "a command is missing at the end of the line").hint("complete the line")
            }
            (Some(b'&'), Some(b'>')) => self
                .refuse(2, "`&>` is read by bash only")
                .hint("write `> file 2>&1` to redirect both streams"),
            (Some(b'&'), Some(b'&')) => self.missing(2),
            (Some(b'&'), _) => self.refuse(1, "`&` starts a background job, which is not supported").hint(
                "leave out `&`; to run a command in the background use the background option of the call",
            ),
            (Some(b'|'), Some(b'|')) => self.missing(2),
            (Some(b')'), _) => self
                .refuse(1, "`)` closes nothing here")
                .hint("remove it, or put quotes around a literal `)`"),
            (Some(b'('), _) => self
                .refuse(1, "`(` cannot stand here: functions and arrays are not supported")
                .hint("put quotes around a literal parenthesis"),
            _ => self.missing(1),
        }
    }

    fn missing(&self, length: usize) -> Box<Refusal> {
        let token = self.source.get(self.at..self.at + length).unwrap_or_default();
        let shown = if token == "\n" { "the end of the line" } else { token };
        self.refuse(length, format!("a command is missing before `{shown}`"))
            .hint("write a command on both sides of each operator")
    }

    /// Goes one level deeper.
    pub(super) fn enter(&mut self, span: Span) -> Parse<()> {
        if self.depth >= MAX_DEPTH {
            return Err(Refusal::syntax(
                self.span(span),
                format!("the line nests deeper than {MAX_DEPTH} levels"),
            )
            .hint("run the inner commands on their own"));
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Refuses characters that a person would not see.
    pub(super) fn check_characters(&self, range: Span) -> Parse<()> {
        let text = self.source.get(range.clone()).unwrap_or_default();
        match text.char_indices().find(|(_, c)| is_deceptive(*c)) {
            None => Ok(()),
            Some((offset, c)) => Err(self.deceptive(range.start + offset, c)),
        }
    }

    pub(super) fn deceptive(&self, at: usize, c: char) -> Box<Refusal> {
        Refusal::syntax(self.span(at..at + c.len_utf8()), format!("{} stands outside quotes", name_of(c)))
            .hint("separate words by spaces, and put quotes around text that needs the character")
    }

    pub(super) fn unclosed(&self, start: usize, what: &str) -> Box<Refusal> {
        Refusal::new(Reason::UnbalancedQuotes, self.span(start..self.end), format!("a {what} is not closed"))
            .hint("close it; a literal quote goes inside quotes of the other kind, or after a backslash")
    }

    /// A refusal of the next bytes.
    pub(super) fn refuse(&self, length: usize, message: impl Into<String>) -> Box<Refusal> {
        Refusal::syntax(self.span(self.at..(self.at + length).min(self.end)), message)
    }

    /// The place in the line of a range of this text, widened to whole characters.
    pub(super) fn span(&self, range: Span) -> Span {
        match &self.origin {
            Origin::Line => {
                self.source.floor_char_boundary(range.start)..self.source.ceil_char_boundary(range.end)
            }
            Origin::Within(span) => span.clone(),
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        step(1);
        let at = self.at + ahead;
        if at < self.end { self.source.as_bytes().get(at).copied() } else { None }
    }

    pub(super) fn rest(&self) -> &'s str {
        self.source.get(self.at..self.end).unwrap_or_default()
    }
}
