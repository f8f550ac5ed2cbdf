//! Here-documents.

use super::expansions::Context;
use super::parser::{Around, Parse, Parser};
use super::{Effects, Span};
use crate::Refusal;

/// A here-document whose body is still to come.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) number: usize,
    pub(super) delimiter: String,
    /// The body is text: nothing in it is expanded.
    pub(super) quoted: bool,
    /// Tabs at the start of lines are removed.
    pub(super) strips: bool,
    pub(super) span: Span,
}

impl Parser<'_> {
    /// The end word after `<<`, and whether any part of it is quoted.
    pub(super) fn delimiter(&mut self, start: usize) -> Parse<(String, bool)> {
        let mut ignored = Effects::default();
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let from = self.at;
        let arg = if self.peek() == Some(b'#') { None } else { Some(self.target(start, &mut ignored)?) };
        let source = self.source.get(from..self.at).unwrap_or_default();
        match arg.as_ref().and_then(|arg| arg.text()) {
            // bash does not find an empty end word inside a substitution.
            Some(text) if !text.is_empty() && !text.contains('\n') && !source.contains(['\n', '$', '`']) => {
                Ok((text.to_owned(), source.contains(['\'', '"', '\\'])))
            }
            _ => Err(self
                .refuse_from(start, "the end word of a here-document is not a plain word on one line")
                .hint("use a plain word such as `'EOF'`")),
        }
    }

    /// Passes a newline and reads the bodies that begin behind it.
    pub(super) fn newline(&mut self) -> Parse<()> {
        if self.place.document_waits {
            return Err(self
                .refuse(
                    1,
                    "a newline inside a substitution stands between a here-document's operator and its body",
                )
                .hint("put the here-document's operator last on its line"));
        }
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            self.body(&pending)?;
        }
        Ok(())
    }

    fn body(&mut self, pending: &Pending) -> Parse<()> {
        let start = self.at;
        let mut line_start = start;
        loop {
            let rest = self.source.get(line_start..self.end).unwrap_or_default();
            let line = rest.split('\n').next().unwrap_or_default();
            let compared = if pending.strips { line.trim_start_matches('\t') } else { line };
            let ends = line_start + line.len() >= self.end;
            if compared == pending.delimiter {
                let after = (line_start + line.len() + 1).min(self.end);
                if !pending.quoted {
                    self.expanded_body(start..line_start, pending.number)?;
                }
                self.at = after;
                return Ok(());
            }
            // Bash may take `EOF …)` for the end word and the end of the substitution.
            if self.place.around != Around::Nothing && compared.starts_with(&pending.delimiter) {
                self.at = line_start;
                return Err(self
                    .refuse(
                        line.len(),
                        "a line that begins with the end word of a here-document in `$( )` is read differently by shells",
                    )
                    .hint("use an end word with which no line begins"));
            }
            if ends {
                return Err(self.unended(&pending.span));
            }
            line_start += line.len() + 1;
        }
    }

    /// The body of an unquoted here-document: quotes mean nothing in it.
    fn expanded_body(&mut self, range: Span, number: usize) -> Parse<()> {
        let (end, place) = (self.end, self.place);
        self.at = range.start;
        self.end = range.end;
        self.place.in_document = true;
        self.enter(range)?;
        let mut lists = Vec::new();
        loop {
            let rest = self.rest();
            let Some(length) = rest.find(['\\', '$', '`']) else { break };
            self.at += length;
            match self.peek() {
                Some(b'$') => {
                    self.dollar(Context::Document, &mut lists)?;
                }
                Some(b'`') => self.backticks(false, &mut lists)?,
                _ => {
                    match self.peek_at(1) {
                        Some(b'\n') => {
                            return Err(self
                            .refuse(1, "a line continuation in a here-document is read differently by shells")
                            .hint("join the lines, or quote the end word (`<<'EOF'`) to pass the text as it is"));
                        }
                        Some(b'\\' | b'$' | b'`') => self.at += 2,
                        _ => self.at += 1,
                    }
                }
            }
        }
        self.leave();
        self.end = end;
        self.place = place;
        if let Some(slot) = self.documents.get_mut(number) {
            *slot = lists;
        }
        Ok(())
    }

    #[allow(clippy::unused_self)] // A refusal of the parser, like those that need its place.
    pub(super) fn unended(&self, span: &Span) -> Box<Refusal> {
        Refusal::syntax(span.clone(), "a here-document has no end")
            .hint("put its end word alone on a line after the text")
    }
}
