//! Quotes.

use super::Effects;
use super::parser::{Parse, Parser};
use super::words::Builder;
use crate::tables::outputs::Shape;

impl Parser<'_> {
    /// `'…'`: everything up to the next quote, as it stands.
    pub(super) fn single_quotes(&mut self, word: &mut Builder) -> Parse<()> {
        let start = self.at;
        let rest = self.source.get(start + 1..self.end).unwrap_or_default();
        let Some(length) = rest.find('\'') else { return Err(self.unclosed(start, "`'` quote")) };
        let text = rest.get(..length).unwrap_or_default();
        self.check_no_document_waits(text)?;
        word.quoted(text);
        self.at = start + length + 2;
        Ok(())
    }

    /// `"…"`: expansions are read, and a backslash escapes five characters.
    pub(super) fn double_quotes(&mut self, word: &mut Builder, effects: &mut Effects) -> Parse<()> {
        let start = self.at;
        word.mark_quoted();
        self.at += 1;
        loop {
            let rest = self.rest();
            let Some(length) = rest.find(['"', '\\', '$', '`']) else {
                return Err(self.unclosed(start, "`\"` quote"));
            };
            let text = rest.get(..length).unwrap_or_default();
            self.check_no_document_waits(text)?;
            word.quoted(text);
            self.at += length;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'$') => self.dollar_in_word(word, effects, true)?,
                Some(b'`') => {
                    self.backticks(true, &mut effects.substitutions)?;
                    word.dynamic(super::Count::One, Shape::Any);
                }
                _ => match self.peek_at(1) {
                    Some(b'\n') => {
                        self.check_no_document_waits("\n")?;
                        self.at += 2;
                    }
                    Some(escaped @ (b'"' | b'\\' | b'$' | b'`')) => {
                        word.quoted(char::from(escaped).encode_utf8(&mut [0; 4]));
                        self.at += 2;
                    }
                    Some(_) => {
                        word.quoted("\\");
                        self.at += 1;
                    }
                    None => return Err(self.unclosed(start, "`\"` quote")),
                },
            }
        }
    }

    /// Shells do not agree on where a here-document begins when the line goes
    /// on behind a quoted newline.
    pub(super) fn check_no_document_waits(&self, text: &str) -> Parse<()> {
        if text.contains('\n') && (self.place.document_waits || !self.pending.is_empty()) {
            return Err(self
                .refuse(1, "a newline inside quotes stands between a here-document's operator and its body")
                .hint("put the here-document's operator last on its line"));
        }
        Ok(())
    }
}
