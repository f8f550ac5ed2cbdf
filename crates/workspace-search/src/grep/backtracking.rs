//! What must not reach an engine that backtracks.

use regex_syntax::ast::{self, Ast, RepetitionKind, RepetitionOp, RepetitionRange, Span, Visitor};
use workspace_core::{Error, ErrorKind, Result};

use super::syntax;

/// The longest pattern for such an engine, in characters.
const MAX_CHARS: usize = 200;

/// Refuses a regular expression that could take an engine that backtracks exponential time.
///
/// The engine of this crate needs no such care. A backend whose own search is
/// built on another engine does: at most 200 characters, and no repetition
/// inside of a repetition, such as `(x+)+`.
///
/// # Errors
/// [`UnsafePattern`](ErrorKind::UnsafePattern), and [`InvalidPattern`](ErrorKind::InvalidPattern)
/// where it cannot be read.
///
/// # Examples
/// ```
/// use workspace_search::check_backtracking;
///
/// assert!(check_backtracking(r"fn \w+\(").is_ok());
/// assert!(check_backtracking(r"(\w+\s*)+$").is_err());
/// ```
pub fn check_backtracking(pattern: &str) -> Result<()> {
    let chars = pattern.chars().count();
    if chars > MAX_CHARS {
        return Err(Error::new(
            ErrorKind::UnsafePattern,
            format!("the pattern has {chars} characters; the limit here is {MAX_CHARS}"),
        )
        .hint("search for a shorter part of it"));
    }
    let ast = syntax::parse(pattern)?;
    ast::visit(&ast, FindNested { repeated: 0 }).map_err(|inner| {
        let position = syntax::position(pattern, &inner);
        Error::new(
            ErrorKind::UnsafePattern,
            format!("the repetition at character {position} of the pattern stands inside of another one"),
        )
        .hint("repeat a single character or class, or search for a simpler pattern")
    })
}

/// Ends, as with an error, at a repetition inside of another.
struct FindNested {
    /// How many repetitions are open.
    repeated: usize,
}

impl Visitor for FindNested {
    type Output = ();
    type Err = Span;

    fn finish(self) -> std::result::Result<(), Span> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> std::result::Result<(), Span> {
        let Ast::Repetition(repetition) = ast else { return Ok(()) };
        if self.repeated > 0 && varies(&repetition.op) {
            return Err(repetition.span);
        }
        self.repeated += usize::from(repeats(&repetition.op));
        Ok(())
    }

    fn visit_post(&mut self, ast: &Ast) -> std::result::Result<(), Span> {
        if let Ast::Repetition(repetition) = ast {
            self.repeated -= usize::from(repeats(&repetition.op));
        }
        Ok(())
    }
}

/// Whether it can match more than once.
fn repeats(op: &RepetitionOp) -> bool {
    match &op.kind {
        RepetitionKind::ZeroOrOne => false,
        RepetitionKind::Range(RepetitionRange::Exactly(n) | RepetitionRange::Bounded(_, n)) => *n > 1,
        _ => true,
    }
}

/// Whether it can match different numbers of times, more than one among them.
fn varies(op: &RepetitionOp) -> bool {
    repeats(op) && !matches!(op.kind, RepetitionKind::Range(RepetitionRange::Exactly(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: Option<ErrorKind>) {
        assert_eq!(check_backtracking(pattern).err().map(|error| error.kind()), expected, "{pattern}");
    }

    #[test]
    fn r_grep_1_nested_repetitions_are_refused() {
        for pattern in ["(x+)+", "(x+x+)+y", "(a|b*)*", "(?:a{1,3}){2,}", "((a+)b)+", "(a+){9}"] {
            check(pattern, Some(ErrorKind::UnsafePattern));
        }
        for pattern in ["x+", "(foo(bar)?)+", "(ab){3}", "(a{3})+", "a+b+", "(a+)?", "[a-z+]+", ""] {
            check(pattern, None);
        }
        check("(", Some(ErrorKind::InvalidPattern));
    }

    #[test]
    fn r_grep_1_long_patterns_are_refused() {
        check(&"é".repeat(200), None);
        check(&"é".repeat(201), Some(ErrorKind::UnsafePattern));
    }

    #[test]
    fn r_grep_1_the_refusal_tells_where() {
        let error = check_backtracking("é(x+)+").unwrap_err();
        assert_eq!(
            error.message(),
            "the repetition at character 3 of the pattern stands inside of another one"
        );
    }
}
