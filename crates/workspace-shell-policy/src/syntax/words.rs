//! Words.

use super::parser::{Parse, Parser};
use super::{Arg, Count, Effects, Runtime, Span, Value};
use crate::Refusal;
use crate::tables::outputs::Shape;

/// A word as read.
pub(super) struct Read {
    pub(super) arg: Arg,
    /// Nothing of it is quoted or expanded, so it may be a word of the grammar.
    pub(super) plain: bool,
    /// How many bytes at the start of the text are unquoted and literal.
    unquoted: usize,
}

impl Read {
    /// The variable that the word assigns to, if it is an assignment.
    pub(super) fn assigned_name(&self) -> Parse<Option<String>> {
        let text = self.arg.prefix();
        let Some(equals) = text.get(..self.unquoted).and_then(|text| text.find('=')) else { return Ok(None) };
        let name = text.get(..equals).unwrap_or_default();
        if is_name(name) {
            return Ok(Some(name.to_owned()));
        }
        match name.strip_suffix('+') {
            Some(name) if is_name(name) => {
                Err(Refusal::syntax(self.arg.span.clone(), "`+=` is read by bash only")
                    .hint(format!("write `{name}=` with the whole value")))
            }
            _ => Ok(None),
        }
    }
}

/// Whether a text is the name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte == b'_' || byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// A word on its way.
pub(super) struct Builder {
    start: usize,
    text: String,
    /// Length of the text before the first part that only the shell knows.
    prefix: Option<usize>,
    /// Length of the text after the last such part.
    suffix: usize,
    count: Count,
    /// What the part looks like; nothing is known of several parts.
    shape: Shape,
    quoted: bool,
    continued: bool,
    unquoted: Option<usize>,
    /// Unquoted braces that are open.
    braces: usize,
    /// A comma or two dots stand in open braces: with a closing brace, bash would expand them.
    separated: bool,
}

impl Builder {
    fn new(start: usize) -> Self {
        Self {
            start,
            text: String::new(),
            prefix: None,
            suffix: 0,
            count: Count::One,
            shape: Shape::Any,
            quoted: false,
            continued: false,
            unquoted: None,
            braces: 0,
            separated: false,
        }
    }

    /// Adds text that is quoted.
    pub(super) fn quoted(&mut self, text: &str) {
        self.mark_quoted();
        self.text.push_str(text);
    }

    pub(super) fn mark_quoted(&mut self) {
        self.quoted = true;
        self.unquoted.get_or_insert(self.text.len());
    }

    /// Adds a `$` that stands for itself.
    pub(super) fn literal_dollar(&mut self) {
        self.text.push('$');
    }

    /// Adds a part that only the shell knows.
    pub(super) fn dynamic(&mut self, count: Count, shape: Shape) {
        self.unquoted.get_or_insert(self.text.len());
        if self.prefix.is_none() {
            self.prefix = Some(self.text.len());
            self.shape = shape;
        } else {
            self.shape = Shape::Any;
        }
        self.suffix = self.text.len();
        self.count = self.count.max(count);
    }

    fn finish(self, source: &str, span: Span) -> Read {
        let unquoted = self.unquoted.unwrap_or(self.text.len());
        // A lone `[` is the program of that name: without `]` there is no glob.
        let (value, plain) = match self.prefix {
            Some(prefix) if source != "[" => {
                let runtime = Runtime {
                    source: source.to_owned(),
                    prefix: self.text.get(..prefix).unwrap_or_default().to_owned(),
                    suffix: self.text.get(self.suffix..).unwrap_or_default().to_owned(),
                    count: self.count,
                    shape: self.shape,
                };
                (Value::Runtime(Box::new(runtime)), false)
            }
            _ => (Value::Known(self.text), !self.quoted),
        };
        Read { arg: Arg { value, span }, plain, unquoted }
    }
}

impl Parser<'_> {
    /// Reads the word that begins here.
    pub(super) fn word(&mut self, effects: &mut Effects) -> Parse<Read> {
        let mut word = Builder::new(self.at);
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => break,
                b'<' | b'>' => {
                    self.check_before_redirect(&word)?;
                    break;
                }
                b'\'' => self.single_quotes(&mut word)?,
                b'"' => self.double_quotes(&mut word, effects)?,
                b'\\' => self.escape(&mut word)?,
                b'$' => self.dollar_in_word(&mut word, effects, false)?,
                b'`' => {
                    self.backticks(false, &mut effects.substitutions)?;
                    word.dynamic(Count::Many, Shape::Any);
                }
                _ => self.literal(&mut word, byte)?,
            }
        }
        let source = self.source.get(word.start..self.at).unwrap_or_default();
        if !word.quoted && matches!(word.text.as_str(), "{" | "}") {
            return Err(self
                .refuse_from(word.start, "groups in braces are not supported")
                .hint("use a subshell `( … )`, or put quotes around a literal brace"));
        }
        let span = self.span(word.start..self.at);
        Ok(word.finish(source, span))
    }

    /// A character that stands for itself, or for a part that the shell fills in.
    fn literal(&mut self, word: &mut Builder, byte: u8) -> Parse<()> {
        if !byte.is_ascii() || byte.is_ascii_control() {
            let Some(c) = self.rest().chars().next() else { return Ok(()) };
            if super::characters::is_deceptive(c) {
                return Err(self.deceptive(self.at, c));
            }
            word.text.push(c);
            self.at += c.len_utf8();
            return Ok(());
        }
        match byte {
            b'*' | b'?' | b'[' => {
                word.dynamic(Count::Glob, Shape::Any);
                word.text.push(char::from(byte));
                word.suffix = word.text.len();
                self.at += 1;
                return Ok(());
            }
            // A shell may read a tilde as a home directory here.
            b'~' if word.text.is_empty() && !word.quoted || word.text.ends_with(['=', ':']) => {
                word.dynamic(Count::One, Shape::Any);
                word.suffix = word.text.len();
            }
            b'{' => word.braces += 1,
            b',' => word.separated |= word.braces > 0,
            b'.' => word.separated |= word.braces > 0 && self.peek_at(1) == Some(b'.'),
            b'}' if word.separated => {
                return Err(self
                    .refuse_from(word.start, "brace expansion is read by bash only")
                    .hint("write the words out, or put quotes around literal braces"));
            }
            b'}' => word.braces = word.braces.saturating_sub(1),
            _ => {}
        }
        word.text.push(char::from(byte));
        self.at += 1;
        Ok(())
    }

    fn escape(&mut self, word: &mut Builder) -> Parse<()> {
        match self.source.get(self.at + 1..self.end).and_then(|rest| rest.chars().next()) {
            Some('\n') => {
                word.continued = true;
                self.at += 2;
            }
            Some(escaped) => {
                word.mark_quoted();
                word.text.push(escaped);
                self.at += 1 + escaped.len_utf8();
            }
            None => {
                return Err(self
                    .refuse(1, "the line ends in a backslash")
                    .hint("remove the backslash, or write it as `\\\\`"));
            }
        }
        Ok(())
    }

    /// Words that, right before `<` or `>`, some shell takes for a descriptor.
    fn check_before_redirect(&self, word: &Builder) -> Parse<()> {
        if word.quoted || word.prefix.is_some() {
            return Ok(());
        }
        if word.text.starts_with('{') && word.text.ends_with('}') {
            return Err(self
                .refuse_from(word.start, "`{name}` before a redirection is read by bash only")
                .hint("use a descriptor number from 0 to 9, or put a space before the redirection"));
        }
        if word.continued && !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self
                .refuse_from(word.start, "a descriptor number is broken over two lines")
                .hint("write the redirection on one line"));
        }
        Ok(())
    }

    /// A refusal of what was read since `start`.
    pub(super) fn refuse_from(&self, start: usize, message: impl Into<String>) -> Box<Refusal> {
        Refusal::syntax(self.span(start..(self.at + 1).min(self.end)), message)
    }
}
