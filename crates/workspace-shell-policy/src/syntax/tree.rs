//! What a line of the subset is made of.

use std::ops::Range;
use std::sync::Arc;

use crate::Word;
use crate::steps::step;
use crate::tables::outputs::Shape;

/// A byte range of the line.
pub(crate) type Span = Range<usize>;

/// A whole line, or the text of a nested command.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) list: List,
    /// What the bodies of here-documents run, by the number in [`Effects::documents`].
    pub(crate) documents: Vec<Vec<List>>,
}

/// And-or lists one after the other.
#[derive(Debug, Default)]
pub(crate) struct List(pub(crate) Vec<AndOr>);

#[derive(Debug)]
pub(crate) struct AndOr {
    pub(crate) first: Pipeline,
    pub(crate) rest: Vec<(Joint, Pipeline)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    And,
    Or,
}

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) negated: bool,
    pub(crate) stages: Vec<Stage>,
}

#[derive(Debug)]
pub(crate) enum Stage {
    Simple(Simple),
    Subshell { list: List, effects: Effects },
}

/// A simple command.
#[derive(Debug)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) args: Arc<[Arg]>,
    pub(crate) effects: Effects,
    pub(crate) span: Span,
}

/// What happens around a command: redirections, and substitutions anywhere in it.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) substitutions: Vec<List>,
    pub(crate) documents: Vec<usize>,
    /// Its standard input comes from a file or a here-document.
    pub(crate) feeds: bool,
}

#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// A redirection that opens a file.
#[derive(Debug)]
pub(crate) struct Redirect {
    pub(crate) writes: bool,
    pub(crate) target: Arg,
}

/// A word with its place in the line.
#[derive(Debug, Clone)]
pub(crate) struct Arg {
    pub(crate) value: Value,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Known(String),
    Runtime(Box<Runtime>),
}

/// What is known of a word that only the shell will know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Runtime {
    pub(crate) source: String,
    /// Every word it becomes begins with this text, but for [`Count::Many`]: there only the first.
    pub(crate) prefix: String,
    /// Likewise the end of the word, or of the last one.
    pub(crate) suffix: String,
    pub(crate) count: Count,
    /// What the part looks like that the shell fills in.
    pub(crate) shape: Shape,
}

/// How many words a run-time word may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Count {
    /// Exactly one.
    One,
    /// File names that match a glob, each with its prefix and suffix.
    Glob,
    /// None or more.
    Many,
}

impl Arg {
    pub(crate) fn known(text: impl Into<String>, span: Span) -> Self {
        Self { value: Value::Known(text.into()), span }
    }

    /// The value, where it is known.
    pub(crate) fn text(&self) -> Option<&str> {
        step(1);
        match &self.value {
            Value::Known(text) => Some(text),
            Value::Runtime(_) => None,
        }
    }

    pub(crate) fn runtime(&self) -> Option<&Runtime> {
        step(1);
        match &self.value {
            Value::Known(_) => None,
            Value::Runtime(runtime) => Some(runtime),
        }
    }

    /// The text that the word is sure to begin with.
    pub(crate) fn prefix(&self) -> &str {
        step(1);
        match &self.value {
            Value::Known(text) => text,
            Value::Runtime(runtime) => &runtime.prefix,
        }
    }

    pub(crate) fn is(&self, text: &str) -> bool {
        self.text() == Some(text)
    }

    /// Whether it stands for exactly one word.
    pub(crate) fn is_one(&self) -> bool {
        self.runtime().is_none_or(|runtime| runtime.count == Count::One)
    }

    pub(crate) fn to_word(&self) -> Word {
        match &self.value {
            Value::Known(text) => Word::Known(text.clone()),
            Value::Runtime(runtime) => Word::Raw(runtime.source.clone()),
        }
    }

    /// The text for a person: the value, or the source.
    pub(crate) fn shown(&self) -> &str {
        match &self.value {
            Value::Known(text) => text,
            Value::Runtime(runtime) => &runtime.source,
        }
    }
}
