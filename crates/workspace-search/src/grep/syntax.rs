//! Regular expressions that are refused, and why: position, reason and next step as data.

use std::borrow::Cow;

use regex_syntax::ast::{self, Ast, ClassSetItem, Span, Visitor};
use workspace_core::{Error, ErrorKind, Result};

/// The longest pattern, in characters.
pub(super) const MAX_PATTERN_CHARS: usize = 1000;
/// How deep groups may nest.
const MAX_NESTING: u32 = 50;

const ESCAPE_HINT: &str =
    "escape the characters that are meant as they are with `\\`, or set `literal` to search for plain text";

/// Refuses a text that is too long, before anything is done with it.
pub(super) fn check_length(pattern: &str) -> Result<()> {
    let chars = pattern.chars().count();
    if chars > MAX_PATTERN_CHARS {
        return Err(Error::new(
            ErrorKind::UnsafePattern,
            format!("the pattern has {chars} characters; the limit is {MAX_PATTERN_CHARS}"),
        )
        .hint("search for a shorter part of it"));
    }
    Ok(())
}

/// Reads a regular expression, to say better than the engine would what is wrong with it.
pub(super) fn parse(pattern: &str) -> Result<Ast> {
    let ast = ast::parse::ParserBuilder::new()
        .nest_limit(MAX_NESTING)
        .build()
        .parse(pattern)
        .map_err(|error| refused(pattern, error.kind(), error.span()))?;
    let translated = regex_syntax::hir::translate::TranslatorBuilder::new()
        .utf8(false)
        .multi_line(true)
        .build()
        .translate(pattern, &ast);
    match translated {
        Ok(_) => Ok(ast),
        Err(error) => Err(invalid(pattern, error.span(), error.kind().to_string()).hint(ESCAPE_HINT)),
    }
}

fn refused(pattern: &str, kind: &ast::ErrorKind, span: &Span) -> Error {
    use ast::ErrorKind as Syntax;
    match kind {
        Syntax::NestLimitExceeded(limit) => {
            Error::new(ErrorKind::UnsafePattern, format!("the pattern nests deeper than {limit} levels"))
                .hint("use a flatter pattern, or set `literal` to search for plain text")
        }
        Syntax::UnsupportedLookAround => invalid(pattern, span, "look-around is not supported").hint(
            "search without it and look at the lines that are found, \
             or set `literal` to search for plain text",
        ),
        Syntax::UnsupportedBackreference => invalid(pattern, span, "back-references are not supported")
            .hint("write out what is to be repeated, or set `literal` to search for plain text"),
        other => invalid(pattern, span, other.to_string()).hint(ESCAPE_HINT),
    }
}

fn invalid(pattern: &str, span: &Span, why: impl Into<Cow<'static, str>>) -> Error {
    Error::new(
        ErrorKind::InvalidPattern,
        format!("the pattern cannot be read at character {}: {}", position(pattern, span), why.into()),
    )
}

/// Where a span begins, in characters from 1.
pub(super) fn position(pattern: &str, span: &Span) -> usize {
    pattern.get(..span.start.offset).unwrap_or(pattern).chars().count() + 1
}

/// A pattern that would have to match the end of a line.
pub(super) fn spans_lines(pattern: &str, ast: Option<&Ast>) -> Error {
    let newline = match ast {
        Some(ast) => ast::visit(ast, FindNewline).err(),
        None => pattern.find('\n').map(|offset| {
            let at = ast::Position::new(offset, 1, 1);
            Span::splat(at)
        }),
    };
    let why = "a match cannot span lines";
    let error = match newline {
        Some(span) => invalid(pattern, &span, why),
        None => Error::new(ErrorKind::InvalidPattern, why),
    };
    error.hint("set `multiline`, or search for one of the lines with `context` to see those around it")
}

/// Ends, as with an error, at the first newline.
struct FindNewline;

impl Visitor for FindNewline {
    type Output = ();
    type Err = Span;

    fn finish(self) -> Result<(), Span> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Span> {
        match ast {
            Ast::Literal(literal) if literal.c == '\n' => Err(literal.span),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Span> {
        match item {
            ClassSetItem::Literal(literal) if literal.c == '\n' => Err(literal.span),
            _ => Ok(()),
        }
    }
}

/// A pattern whose compiled form is over the limit.
pub(super) fn too_large(limit: usize) -> Error {
    Error::new(ErrorKind::UnsafePattern, format!("the pattern takes more than {limit} bytes when compiled"))
        .hint("use smaller repetition counts, or ASCII classes such as `[0-9]` in place of `\\d`")
}
