//! Redirections.

use super::documents::Pending;
use super::parser::{Around, Parse, Parser};
use super::{Arg, Effects, Redirect};

impl Parser<'_> {
    /// Reads a redirection, if one begins here.
    pub(super) fn redirect(&mut self, effects: &mut Effects) -> Parse<bool> {
        let start = self.at;
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if !matches!(self.peek_at(digits), Some(b'<' | b'>')) {
            return Ok(false);
        }
        if digits > 1 {
            return Err(self
                .refuse(digits + 1, "a descriptor of two digits is read differently by shells")
                .hint("use a descriptor from 0 to 9"));
        }
        let descriptor = if digits == 1 { self.peek() } else { None };
        self.at += digits;
        let operator = [self.peek(), self.peek_at(1), self.peek_at(2)];
        let writes = match operator {
            [Some(b'<'), Some(b'<'), Some(b'<')] => {
                return Err(self
                    .refuse(3, "`<<<` is read by bash only")
                    .hint("pipe the text in: `printf '%s\\n' 'text' | …`"));
            }
            [Some(b'<'), Some(b'<'), Some(b'-')] => {
                return self.here_document(3, start, effects).map(|()| true);
            }
            [Some(b'<'), Some(b'<'), _] => return self.here_document(2, start, effects).map(|()| true),
            [Some(b'<' | b'>'), Some(b'('), _] => {
                return Err(self
                    .refuse(2, "process substitution is read by bash only")
                    .hint("use a pipe, or write to a file first"));
            }
            [Some(byte), Some(b'&'), _] => {
                return self.duplicate(byte == b'>', start, effects).map(|()| true);
            }
            [Some(b'<'), Some(b'>'), _] | [Some(b'>'), Some(b'>' | b'|'), _] => {
                self.at += 2;
                true
            }
            [Some(byte), ..] => {
                self.at += 1;
                byte == b'>'
            }
            [None, ..] => return Ok(false),
        };
        let target = self.target(start, effects)?;
        effects.feeds |= matches!(operator, [Some(b'<'), ..]) && matches!(descriptor, None | Some(b'0'));
        effects.redirects.push(Redirect { writes, target });
        Ok(true)
    }

    /// `>&2`, `2>&1`, `2>&-`: copies and closes; the target is one literal digit or `-`.
    fn duplicate(&mut self, writes: bool, start: usize, effects: &mut Effects) -> Parse<()> {
        self.at += 2;
        let target = self.target(start, effects)?;
        let plain =
            self.source.get(..self.at).is_some_and(|read| read.ends_with(target.text().unwrap_or("\0")));
        match target.text() {
            Some("0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "-") if plain => {
                effects.feeds |= !writes;
                Ok(())
            }
            Some(_) if writes => Err(self
                .refuse_from(start, "`>&` before a file is read by bash only")
                .hint("write `> file 2>&1` to redirect both streams")),
            _ => Err(self
                .refuse_from(start, "the descriptor to copy is not a literal digit")
                .hint("write the number of the descriptor, such as `2>&1`")),
        }
    }

    /// The word after a redirection's operator.
    pub(super) fn target(&mut self, start: usize, effects: &mut Effects) -> Parse<Arg> {
        self.blanks()?;
        match self.peek() {
            None | Some(b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>') => Err(self
                .refuse_from(start, "a redirection has no target")
                .hint("write the file after the operator, or put quotes around a literal `<` or `>`")),
            Some(_) => {
                let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                if digits > 0 && matches!(self.peek_at(digits), Some(b'<' | b'>')) {
                    return Err(self
                        .refuse_from(start, "a redirection has another one for its target")
                        .hint("write the file after the operator, and a space before the next redirection"));
                }
                Ok(self.word(effects)?.arg)
            }
        }
    }

    fn here_document(&mut self, length: usize, start: usize, effects: &mut Effects) -> Parse<()> {
        if self.place.in_backticks || self.place.in_document {
            return Err(self
                .refuse(length, "a here-document inside backticks or another here-document is not supported")
                .hint("write the text to a file first"));
        }
        let strips = length == 3;
        self.at += length;
        let (delimiter, quoted) = self.delimiter(start)?;
        let number = self.documents.len();
        self.documents.push(Vec::new());
        effects.documents.push(number);
        effects.feeds = true;
        if self.place.around == Around::Substitution {
            self.place.around = Around::SubstitutionWithDocument;
        }
        let span = self.span(start..self.at);
        self.pending.push(Pending { number, delimiter, quoted, strips, span });
        Ok(())
    }
}
