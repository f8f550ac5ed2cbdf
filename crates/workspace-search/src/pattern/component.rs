//! One component of a pattern against one name.

use std::fmt::Write as _;

use regex::{Regex, RegexBuilder};
use workspace_core::{Error, ErrorKind, Result};

use super::parse::{Class, Token};

/// The largest compiled form of one component, in bytes.
const MAX_COMPILED: usize = 1 << 20;

/// Which names a component stands for.
#[derive(Debug, Clone)]
pub(super) enum Component {
    /// `**`: any number of names.
    AnyDepth,
    /// This name.
    Literal(String),
    /// One `*` and plain text around it, the form of most patterns: `*`, `*.rs`, `test_*`.
    Around { before: String, after: String },
    /// Anything else.
    Regex(Regex),
}

impl Component {
    pub(super) fn new(tokens: &[&Token]) -> Result<Self> {
        if matches!(tokens, [Token::Many, Token::Many]) {
            return Ok(Self::AnyDepth);
        }
        let mut parts = tokens.split(|token| **token == Token::Many).map(plain);
        Ok(match (parts.next().flatten(), parts.next(), parts.next()) {
            (Some(name), None, _) => Self::Literal(name),
            (Some(before), Some(Some(after)), None) => Self::Around { before, after },
            _ => Self::Regex(compile(&to_regex(tokens))?),
        })
    }

    /// Whether it is exactly this name, rather than a wildcard that lets it through.
    pub(super) fn is_literal(&self, name: &str) -> bool {
        matches!(self, Self::Literal(literal) if literal == name)
    }

    pub(super) fn accepts(&self, name: &str) -> bool {
        match self {
            Self::AnyDepth => true,
            Self::Literal(literal) => literal == name,
            Self::Around { before, after } => {
                name.strip_prefix(before.as_str()).is_some_and(|rest| rest.ends_with(after.as_str()))
            }
            Self::Regex(regex) => regex.is_match(name),
        }
    }

    /// Whether both stand for the same names and are written in the same way.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::AnyDepth, Self::AnyDepth) => true,
            (Self::Literal(a), Self::Literal(b)) => a == b,
            (Self::Around { before, after }, Self::Around { before: b, after: a }) => {
                before == b && after == a
            }
            (Self::Regex(a), Self::Regex(b)) => a.as_str() == b.as_str(),
            _ => false,
        }
    }
}

/// The text of tokens that are nothing but text.
fn plain(tokens: &[&Token]) -> Option<String> {
    tokens.iter().map(|token| if let Token::Char(c) = token { Some(*c) } else { None }).collect()
}

/// A regular expression matches characters; the byte-wise one of a glob crate would let `?` stand for half an `é`.
fn to_regex(tokens: &[&Token]) -> String {
    let mut regex = String::from(r"\A(?s:");
    for token in tokens {
        match token {
            Token::Char(c) => push_char(&mut regex, *c),
            Token::One => regex.push('.'),
            Token::Many => regex.push_str(".*"),
            Token::Class(class) => push_class(&mut regex, class),
            // Neither is left in a component.
            Token::Separator | Token::Choice(_) => {}
        }
    }
    regex.push_str(r")\z");
    regex
}

fn push_class(regex: &mut String, class: &Class) {
    regex.push('[');
    if class.negated {
        regex.push('^');
    }
    for (first, last) in &class.ranges {
        push_char(regex, *first);
        regex.push('-');
        push_char(regex, *last);
    }
    regex.push(']');
}

/// By its number, which needs no escaping anywhere.
fn push_char(regex: &mut String, c: char) {
    // Writing to a string does not fail.
    let _ = write!(regex, r"\x{{{:x}}}", u32::from(c));
}

fn compile(regex: &str) -> Result<Regex> {
    RegexBuilder::new(regex).size_limit(MAX_COMPILED).build().map_err(|error| {
        Error::new(ErrorKind::UnsafePattern, "a component of the pattern is too large to compile")
            .hint("use a shorter pattern")
            .because(error)
    })
}
