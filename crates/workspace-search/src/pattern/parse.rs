//! Text to tokens: the one place where the characters of a pattern have a meaning.

use workspace_core::{Backslash, Error, ErrorKind, PathRules, Platform, Result};

/// How deep `{a,b}` may stand inside `{a,b}`.
const MAX_NESTING: usize = 2;

/// A piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// This character.
    Char(char),
    /// `?`: any one character.
    One,
    /// `*`: any characters of a name.
    Many,
    /// `[a-z]`: one character of these.
    Class(Class),
    /// `/`.
    Separator,
    /// `{a,b}`: one of these.
    Choice(Vec<Vec<Token>>),
}

/// The characters of `[a-z]` or, negated, all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) negated: bool,
    /// First and last character of each range.
    pub(super) ranges: Vec<(char, char)>,
}

/// Whether a backslash separates components here, as it does in paths.
pub(super) fn backslash_separates(rules: &PathRules) -> bool {
    rules.backslash == Backslash::Separator || rules.platform == Platform::Windows
}

/// Whether a character separates components.
pub(super) fn is_separator(c: char, backslash_separates: bool) -> bool {
    c == '/' || (c == '\\' && backslash_separates)
}

/// The tokens of a pattern.
pub(super) fn parse(text: &str, backslash_separates: bool) -> Result<Vec<Token>> {
    let mut parser = Parser { rest: text.chars().collect(), at: 0, backslash_separates };
    let tokens = parser.sequence(0)?;
    match parser.peek() {
        // A sequence outside of braces ends at the end of the text or at a brace too many.
        Some(_) => Err(parser.refuse(parser.at, "`}` closes a brace that was never opened")),
        None => Ok(tokens),
    }
}

struct Parser {
    rest: Vec<char>,
    at: usize,
    backslash_separates: bool,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Tokens up to the end or to what ends a branch: `,` inside of braces, `}` anywhere.
    fn sequence(&mut self, depth: usize) -> Result<Vec<Token>> {
        let mut tokens = Vec::new();
        while let Some(c) = self.peek() {
            if c == '}' || (c == ',' && depth > 0) {
                break;
            }
            self.at += 1;
            tokens.push(match c {
                '*' => Token::Many,
                '?' => Token::One,
                '[' => self.class()?,
                '{' => self.choice(depth + 1)?,
                c if is_separator(c, self.backslash_separates) => Token::Separator,
                c => Token::Char(c),
            });
        }
        Ok(tokens)
    }

    fn choice(&mut self, depth: usize) -> Result<Token> {
        let opened = self.at - 1;
        if depth > MAX_NESTING {
            return Err(self.refuse(opened, "braces may be nested two deep and not deeper"));
        }
        let mut branches = vec![self.sequence(depth)?];
        loop {
            match self.next() {
                Some(',') => branches.push(self.sequence(depth)?),
                Some(_) => return Ok(Token::Choice(branches)),
                None => return Err(self.refuse(opened, "`{` is not closed by `}`")),
            }
        }
    }

    fn class(&mut self) -> Result<Token> {
        let opened = self.at - 1;
        let negated = matches!(self.peek(), Some('!' | '^'));
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        loop {
            let Some(first) = self.next() else {
                return Err(self.refuse(opened, "`[` is not closed by `]`"));
            };
            // A bracket that stands first is one of the characters.
            if first == ']' && !ranges.is_empty() {
                return Ok(Token::Class(Class { negated, ranges }));
            }
            if is_separator(first, self.backslash_separates) {
                return Err(
                    self.refuse(self.at - 1, "a class stands for a character of a name, never for `/`")
                );
            }
            let last = match (self.peek(), self.rest.get(self.at + 1)) {
                (Some('-'), Some(&last)) if last != ']' => {
                    self.at += 2;
                    last
                }
                _ => first,
            };
            if last < first {
                return Err(self.refuse(self.at - 3, "a range of a class ends before it begins"));
            }
            ranges.push((first, last));
        }
    }

    fn refuse(&self, at: usize, why: &str) -> Error {
        let shown = self.rest.get(at).map(|c| format!(" (`{}`)", c.escape_debug())).unwrap_or_default();
        invalid(format!("the pattern cannot be read at character {}{shown}: {why}", at + 1))
    }
}

/// A pattern that cannot be read, with what can.
pub(super) fn invalid(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidPattern, message).hint(
        "a pattern is made of `*`, `?`, `**`, `[a-z]`, `[!a]` and `{a,b}`; \
         a name that holds such characters is found by its exact path or with `?` in their place",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let error = parse(text, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPattern);
        assert_eq!(error.message(), format!("the pattern cannot be read at {expected}"));
    }

    #[test]
    fn r_glob_1_what_cannot_be_read_is_told_with_its_position() {
        check_refused("a[b", "character 2 (`[`): `[` is not closed by `]`");
        check_refused("é[", "character 2 (`[`): `[` is not closed by `]`");
        check_refused("[]", "character 1 (`[`): `[` is not closed by `]`");
        check_refused("[a/b]", "character 3 (`/`): a class stands for a character of a name, never for `/`");
        check_refused("x[z-a]", "character 3 (`z`): a range of a class ends before it begins");
        check_refused("{a,b", "character 1 (`{`): `{` is not closed by `}`");
        check_refused("a}", "character 2 (`}`): `}` closes a brace that was never opened");
        check_refused("{a,{b,{c}}}", "character 7 (`{`): braces may be nested two deep and not deeper");
    }

    #[test]
    fn a_class_takes_odd_characters_as_they_are() {
        let class =
            |negated, ranges: &[(char, char)]| vec![Token::Class(Class { negated, ranges: ranges.to_vec() })];
        assert_eq!(parse("[]a]", true).unwrap(), class(false, &[(']', ']'), ('a', 'a')]));
        assert_eq!(parse("[!]]", true).unwrap(), class(true, &[(']', ']')]));
        assert_eq!(parse("[^a-c,-]", true).unwrap(), class(true, &[('a', 'c'), (',', ','), ('-', '-')]));
        assert_eq!(parse("[*?{]", true).unwrap(), class(false, &[('*', '*'), ('?', '?'), ('{', '{')]));
        assert_eq!(parse("[\\]", false).unwrap(), class(false, &[('\\', '\\')]));
    }

    #[test]
    fn r_glob_1_a_backslash_separates_where_it_does_in_paths() {
        assert_eq!(parse("a\\b", true).unwrap()[1], Token::Separator);
        assert_eq!(parse("a\\b", false).unwrap()[1], Token::Char('\\'));
        assert!(backslash_separates(&PathRules::default()));
        let literal = PathRules::default().with_backslash(Backslash::Literal);
        assert!(!backslash_separates(&literal));
        assert!(backslash_separates(&literal.with_platform(Platform::Windows)));
    }
}
