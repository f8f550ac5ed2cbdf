//! What the checker says about a line.

use std::fmt;
use std::ops::Range;

/// A word of a command, after quotes are removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Word {
    /// The program gets exactly this text.
    Known(String),
    /// Only the shell will know: the source text of an expansion, a
    /// substitution or an unquoted glob.
    Raw(String),
}

impl Word {
    /// The text: the value where it is known, else the source.
    pub fn text(&self) -> &str {
        match self {
            Self::Known(text) | Self::Raw(text) => text,
        }
    }
}

/// Why a line is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// An operator or an invisible character where one simple command is needed.
    Metacharacter,
    /// A quote is not closed.
    UnbalancedQuotes,
    /// A command of the line is a program of `deny`.
    DeniedExecutable,
    /// A command's program is not covered by what the policy allows.
    NotAllowed,
    /// A command matches a deny pattern, or cannot be shown not to.
    DeniedPattern,
    /// A command hides another one that the checker cannot read.
    NestedCommand,
    /// The line is invalid, outside the subset, or read differently by dash and bash.
    UnsupportedSyntax,
    /// A path leads out of the jail, or into a closed part of it.
    PathEscape,
}

impl Reason {
    /// The stable name, in kebab case: `denied-executable`, `path-escape`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Metacharacter => "metacharacter",
            Self::UnbalancedQuotes => "unbalanced-quotes",
            Self::DeniedExecutable => "denied-executable",
            Self::NotAllowed => "not-allowed",
            Self::DeniedPattern => "denied-pattern",
            Self::NestedCommand => "nested-command",
            Self::UnsupportedSyntax => "unsupported-syntax",
            Self::PathEscape => "path-escape",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal: nothing of the line may be started.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The class of the refusal: the part that programs decide on.
    pub reason: Reason,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// The next try that works, where there is one.
    pub hint: Option<String>,
    /// Where in the line, in bytes. On character boundaries, never past the end.
    pub span: Range<usize>,
    /// The command that is refused; empty where no single command is.
    pub command: Vec<Word>,
    /// The line as separate commands, where running them one after the other
    /// comes close to what was meant.
    pub split: Vec<String>,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, span: Range<usize>, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            reason,
            message: message.into(),
            hint: None,
            span,
            command: Vec::new(),
            split: Vec::new(),
        })
    }

    pub(crate) fn syntax(span: Range<usize>, message: impl Into<String>) -> Box<Self> {
        Self::new(Reason::UnsupportedSyntax, span, message)
    }

    pub(crate) fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    /// The part of the line that is refused.
    pub fn token<'l>(&self, line: &'l str) -> &'l str {
        line.get(self.span.clone()).unwrap_or_default()
    }

    /// The lines of the command line that hold the refused part, each with a
    /// row of carets under that part, for a person to read.
    ///
    /// Tabs are shown as one blank and other control characters as `?`, so that
    /// the carets stand where they should.
    pub fn underlined(&self, line: &str) -> String {
        let mut shown = String::new();
        let mut start = 0;
        for row in line.split('\n') {
            let end = start + row.len();
            let from = self.span.start.clamp(start, end) - start;
            let to = self.span.end.clamp(start, end) - start;
            let touches = self.span.start <= end && self.span.end >= start;
            if touches && (from < to || self.span.start == self.span.end) {
                shown.extend(row.chars().map(visible));
                shown.push('\n');
                let width = |text: Option<&str>| text.map_or(0, |text| text.chars().count());
                shown.extend(std::iter::repeat_n(' ', width(row.get(..from))));
                shown.extend(std::iter::repeat_n('^', width(row.get(from..to)).max(1)));
                shown.push('\n');
            }
            start = end + 1;
        }
        shown
    }
}

fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '?',
        c => c,
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.message)
    }
}

impl std::error::Error for Refusal {}

/// The verdict on a line: all of it may run, or nothing of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// Why nothing may run; `None` means that the whole line may.
    pub refusal: Option<Refusal>,
    /// Every command that was seen, in the order of the line, a wrapper before
    /// what it runs. On a refusal the list may be shorter than the line.
    ///
    /// In argv mode the first one is what is to be spawned.
    pub commands: Vec<Vec<Word>>,
}

impl Verdict {
    /// Whether the line may run.
    pub const fn runs(&self) -> bool {
        self.refusal.is_none()
    }

    /// The verdict in one word: `run` or `refuse`.
    pub const fn as_str(&self) -> &'static str {
        if self.runs() { "run" } else { "refuse" }
    }

    /// The reason of the refusal.
    pub fn reason(&self) -> Option<Reason> {
        self.refusal.as_ref().map(|refusal| refusal.reason)
    }

    /// The words to spawn for an accepted line of argv mode: those that were judged.
    pub fn argv(&self) -> Option<Vec<String>> {
        if !self.runs() {
            return None;
        }
        let words = self.commands.first()?.iter();
        words
            .map(|word| match word {
                Word::Known(text) => Some(text.clone()),
                Word::Raw(_) => None,
            })
            .collect()
    }
}

impl From<Refusal> for Verdict {
    fn from(refusal: Refusal) -> Self {
        Self { refusal: Some(refusal), commands: Vec::new() }
    }
}
