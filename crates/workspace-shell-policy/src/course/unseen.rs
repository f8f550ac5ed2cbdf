//! What a command gets besides the words of the line.

use crate::syntax::{Arg, Count, Runtime, Span, Value};
use crate::tables::outputs::Shape;
use crate::{Reason, Refusal};

/// Arguments that a command gets besides its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unseen {
    None,
    /// The path of a file that was found, in place of `{}`.
    Found,
    /// More words behind its own.
    Appended,
    /// Words in place of this text.
    Replacing(String),
}

impl Unseen {
    /// The refusal of a program that is put in, also behind wrappers.
    pub(super) fn hides(&self, program: &Arg) -> Option<Box<Refusal>> {
        let text = self.replaced().filter(|text| program.shown().contains(text))?;
        let message = format!("`{}` is not known: something is put in place of `{text}`", program.shown());
        Some(
            Refusal::new(Reason::NestedCommand, program.span.clone(), message)
                .hint("name the program itself"),
        )
    }

    /// The text in whose place something is put.
    fn replaced(&self) -> Option<&str> {
        match self {
            Self::None | Self::Appended => None,
            Self::Found => Some("{}"),
            Self::Replacing(text) => Some(text),
        }
    }
}

/// A word that comes from the input, of which only this much is known.
pub(super) fn from_input(span: Span, prefix: &str, suffix: &str, count: Count) -> Arg {
    let runtime = Runtime {
        source: "…".to_owned(),
        prefix: prefix.to_owned(),
        suffix: suffix.to_owned(),
        count,
        shape: Shape::Any,
    };
    Arg { value: Value::Runtime(Box::new(runtime)), span }
}
