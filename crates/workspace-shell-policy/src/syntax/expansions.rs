//! What begins with a dollar sign or a backtick.

use super::parser::{Around, Closer, Origin, Parse, Parser, Place};
use super::words::Builder;
use super::{Count, Effects, List, Stage};
use crate::Refusal;
use crate::tables::outputs::{Shape, output};

/// What a `$` turned out to be.
pub(super) enum Dollar {
    /// The character itself.
    Literal,
    /// A value; `list` where it stands for none or more words even in quotes.
    Value { list: bool, shape: Shape },
}

/// Where a `$` or a backtick stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    Bare,
    Quotes,
    Document,
}

const ARITHMETIC: &str = "compute the value first and write it into the line";

impl Parser<'_> {
    /// Reads the `$` here as a part of a word.
    pub(super) fn dollar_in_word(
        &mut self,
        word: &mut Builder,
        effects: &mut Effects,
        quoted: bool,
    ) -> Parse<()> {
        let context = if quoted { Context::Quotes } else { Context::Bare };
        match self.dollar(context, &mut effects.substitutions)? {
            Dollar::Literal if quoted => word.quoted("$"),
            Dollar::Literal => word.literal_dollar(),
            Dollar::Value { list, shape } => {
                let many = list || (!quoted && shape == Shape::Any);
                word.dynamic(if many { Count::Many } else { Count::One }, shape);
            }
        }
        Ok(())
    }

    /// Reads the `$` here and what belongs to it.
    pub(super) fn dollar(&mut self, context: Context, lists: &mut Vec<List>) -> Parse<Dollar> {
        let value = |list, shape| Ok(Dollar::Value { list, shape });
        match self.peek_at(1) {
            Some(b'(') if self.peek_at(2) == Some(b'(') => {
                Err(self.refuse(3, "arithmetic is not supported").hint(ARITHMETIC))
            }
            Some(b'(') => {
                let list = self.substitution()?;
                let shape = shape_of(&list);
                lists.push(list);
                value(false, shape)
            }
            Some(b'{') => self.braced_parameter(),
            Some(byte) if byte == b'_' || byte.is_ascii_alphabetic() => {
                self.at += 2;
                while self.peek().is_some_and(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                    self.at += 1;
                }
                value(false, Shape::Any)
            }
            Some(byte @ (b'?' | b'#' | b'$' | b'*' | b'@' | b'-' | b'!' | b'0'..=b'9')) => {
                // bash looks for the end of `$$(` as if a substitution began.
                if byte == b'$' && matches!(self.peek_at(2), Some(b'(' | b'{' | b'[' | b'\'')) {
                    return Err(self
                        .refuse(3, "`$$` before a bracket or quote is read differently by shells")
                        .hint("write the text apart from `$$`, or put single quotes around it"));
                }
                self.at += 2;
                let digits = matches!(byte, b'?' | b'#' | b'$');
                value(byte == b'@', if digits { Shape::Digits } else { Shape::Any })
            }
            Some(b'[') => Err(self.refuse(2, "`$[` is arithmetic in bash only").hint(ARITHMETIC)),
            Some(quote @ (b'\'' | b'"')) if context == Context::Bare => {
                let quote = char::from(quote);
                Err(self
                    .refuse(2, format!("`${quote}` is read by bash only"))
                    .hint(format!("use plain quotes, or `printf` for special characters; a literal dollar sign is `'$'{quote}`")))
            }
            Some(b'\\') if self.peek_at(2) == Some(b'\n') => Err(self
                .refuse(2, "a `$` is cut off from its name by a line break")
                .hint("write the expansion on one line")),
            Some(byte) if !byte.is_ascii() => Err(self
                .refuse(1, "a `$` before a letter that is not ASCII is read differently by shells")
                .hint("put single quotes around the text")),
            _ => {
                self.at += 1;
                Ok(Dollar::Literal)
            }
        }
    }

    /// `${NAME}` or `${1}`; the other forms are not in the subset.
    fn braced_parameter(&mut self) -> Parse<Dollar> {
        let rest = self.source.get(self.at + 2..self.end).unwrap_or_default();
        let length = rest.bytes().take_while(|byte| *byte == b'_' || byte.is_ascii_alphanumeric()).count();
        let name = rest.get(..length).unwrap_or_default();
        let numbered = name.bytes().all(|byte| byte.is_ascii_digit());
        if length == 0
            || rest.as_bytes().get(length) != Some(&b'}')
            || (name.starts_with(|c: char| c.is_ascii_digit()) && !numbered)
        {
            return Err(self
                .refuse(3 + length, "only the plain form `${NAME}` of an expansion is supported")
                .hint("write the value itself, or use `$NAME`"));
        }
        self.at += length + 3;
        Ok(Dollar::Value { list: false, shape: Shape::Any })
    }

    /// `$( … )`, read to its own parenthesis.
    fn substitution(&mut self) -> Parse<List> {
        let start = self.at;
        self.check_substitution(start..start + 2)?;
        self.enter(start..start + 2)?;
        let pending = std::mem::take(&mut self.pending);
        let place = self.place;
        self.place.document_waits |= !pending.is_empty();
        self.place.around = Around::Substitution;
        self.at += 2;
        let list = self.list(Closer::Parenthesis)?;
        if self.peek() != Some(b')') {
            return Err(Refusal::syntax(self.span(start..start + 2), "a `$(` is not closed")
                .hint("add the missing `)`"));
        }
        if let Some(unread) = self.pending.first() {
            return Err(self.unended(&unread.span.clone()));
        }
        self.at += 1;
        self.pending = pending;
        self.place = place;
        self.leave();
        Ok(list)
    }

    /// `` ` … ` ``: one layer of backslashes is undone and the result is read as a line.
    pub(super) fn backticks(&mut self, quoted: bool, lists: &mut Vec<List>) -> Parse<()> {
        let context = if self.place.in_document {
            Context::Document
        } else if quoted {
            Context::Quotes
        } else {
            Context::Bare
        };
        let start = self.at;
        self.check_substitution(start..start + 1)?;
        let mut inner = String::new();
        self.at += 1;
        loop {
            let rest = self.rest();
            let Some(length) = rest.find(['`', '\\']) else {
                return Err(Refusal::syntax(self.span(start..start + 1), "a backtick is not closed")
                    .hint("add the missing backtick, or use `$( … )`"));
            };
            inner.push_str(rest.get(..length).unwrap_or_default());
            self.at += length;
            if self.peek() == Some(b'`') {
                break;
            }
            match self.peek_at(1) {
                Some(escaped @ (b'`' | b'\\' | b'$')) => {
                    inner.push(char::from(escaped));
                    self.at += 2;
                }
                Some(b'"') if context == Context::Quotes => {
                    inner.push('"');
                    self.at += 2;
                }
                Some(b'"') if context == Context::Document => {
                    return Err(self
                        .refuse(
                            2,
                            "an escaped quote in backticks in a here-document is read differently by shells",
                        )
                        .hint("use `$( … )`"));
                }
                Some(b'\n') => {
                    return Err(self
                        .refuse(1, "a line continuation in backticks is read differently by shells")
                        .hint("use `$( … )`"));
                }
                _ => {
                    inner.push('\\');
                    self.at += 1;
                }
            }
        }
        self.check_no_document_waits(&inner)?;
        self.at += 1;
        self.enter(start..self.at)?;
        let origin = Origin::Within(self.span(start..self.at));
        lists.push(self.nested(&inner, origin)?);
        self.leave();
        Ok(())
    }

    /// Reads the text of backticks with the budget and the depth of this parser.
    fn nested(&mut self, text: &str, origin: Origin) -> Parse<List> {
        let mut parser = Parser {
            source: text,
            at: 0,
            end: text.len(),
            origin,
            depth: self.depth,
            substitution: self.substitution,
            budget: self.budget.clone(),
            pending: Vec::new(),
            documents: Vec::new(),
            place: Place { in_backticks: true, around: Around::Nothing, ..self.place },
        };
        let list = parser.list(Closer::End)?;
        self.budget = parser.budget;
        Ok(list)
    }

    fn check_substitution(&self, span: super::Span) -> Parse<()> {
        if self.substitution {
            return Ok(());
        }
        Err(Refusal::syntax(self.span(span), "this policy refuses command substitution")
            .hint("run the inner command first and write its output into the line"))
    }
}

/// What the output of a substitution looks like, where one command alone gives it.
fn shape_of(list: &List) -> Shape {
    let [only] = list.0.as_slice() else { return Shape::Any };
    let [Stage::Simple(command)] = only.first.stages.as_slice() else { return Shape::Any };
    if !only.rest.is_empty() || !command.assignments.is_empty() || !command.effects.redirects.is_empty() {
        return Shape::Any;
    }
    let words: Vec<Option<&str>> = command.args.iter().map(|arg| arg.text()).collect();
    output(&words)
}
