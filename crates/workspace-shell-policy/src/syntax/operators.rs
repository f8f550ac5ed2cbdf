//! Shell operators outside quotes, for lines that must be one simple command.

use super::Span;

/// An operator that stands outside quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    And,
    Or,
    Sequence,
    Newline,
    Pipe,
    Background,
    Redirect,
    Expansion,
    Substitution,
    Group,
    Comment,
}

impl Operator {
    /// The operator at the start of `rest`, and its length in bytes.
    pub(crate) fn at(rest: &str, starts_word: bool) -> Option<(Self, usize)> {
        let mut bytes = rest.bytes();
        let first = bytes.next()?;
        let second = bytes.next();
        Some(match (first, second) {
            (b'&', Some(b'&')) => (Self::And, 2),
            (b'&', Some(b'>')) => (Self::Redirect, 2),
            (b'&', _) => (Self::Background, 1),
            (b'|', Some(b'|')) => (Self::Or, 2),
            (b'|', Some(b'&')) => (Self::Pipe, 2),
            (b'|', _) => (Self::Pipe, 1),
            (b';', _) => (Self::Sequence, 1),
            (b'\n' | b'\r', _) => (Self::Newline, 1),
            (b'>', Some(b'>' | b'&' | b'|')) | (b'<', Some(b'<' | b'&' | b'>')) => (Self::Redirect, 2),
            (b'<' | b'>', _) => (Self::Redirect, 1),
            (b'$', Some(b'(')) => (Self::Substitution, 2),
            (b'$', _) => (Self::Expansion, 1),
            (b'`', _) => (Self::Substitution, 1),
            (b'(' | b')', _) => (Self::Group, 1),
            (b'#', _) if starts_word => (Self::Comment, 1),
            _ => return None,
        })
    }
}

/// The first operator of a line, outside quotes; with `expanded`, also a `$` or
/// a backtick inside double quotes, as a shell sees them.
/// `None` also where a quote is not closed: the parser says so.
pub(crate) fn first_operator(line: &str, expanded: bool) -> Option<(Operator, Span)> {
    let bytes = line.as_bytes();
    let mut at = 0;
    let mut starts_word = true;
    let mut quoted = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => {
                at += 1 + bytes.get(at + 1).map_or(0, |_| line.get(at + 1..).map_or(0, first_length));
                starts_word = false;
                continue;
            }
            b'\'' if !quoted => {
                at += 2 + line.get(at + 1..)?.find('\'')?;
                starts_word = false;
                continue;
            }
            b'"' => {
                quoted = !quoted;
                starts_word = false;
            }
            b'$' | b'`' if quoted && expanded => {
                let (operator, length) = Operator::at(line.get(at..)?, false)?;
                return Some((operator, at..at + length));
            }
            _ if quoted => {}
            b' ' | b'\t' => starts_word = true,
            _ => {
                if let Some((operator, length)) =
                    line.get(at..).and_then(|rest| Operator::at(rest, starts_word))
                {
                    return Some((operator, at..at + length));
                }
                starts_word = false;
            }
        }
        at += 1;
    }
    None
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::{Operator, first_operator};

    #[track_caller]
    fn check(line: &str, operator: Option<Operator>) {
        assert_eq!(first_operator(line, true).map(|(operator, _)| operator), operator, "{line}");
    }

    #[test]
    fn finds_operators_outside_quotes() {
        check("a 'b;c' \"d|e\" f\\;g", None);
        check("a; b", Some(Operator::Sequence));
        check("a && b", Some(Operator::And));
        check("a \"$b\"", Some(Operator::Expansion));
        check("a \"`b`\"", Some(Operator::Substitution));
        check("a '$b' \\$c", None);
        check("a#b", None);
        check("a #b", Some(Operator::Comment));
        check("é\\é | b", Some(Operator::Pipe));
        assert_eq!(first_operator("a \"$b\"", false), None);
    }
}
