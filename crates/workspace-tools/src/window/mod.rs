//! A page of a text file, computed while the file streams by.
//!
//! [`Window`] is fed the whole file in chunks, cut anywhere, and gives a [`Page`] at the
//! end. It does no I/O. It keeps what it shows and nothing else: under a ceiling its
//! memory does not grow with the file or with a line.
//!
//! Choices that the fields of a page do not tell:
//!
//! - A page never comes back without progress. However small the ceiling, it shows at
//!   least one character of its first line (see `shown.rs` and `tail.rs`).
//! - A numbered page that begins inside a line writes that line's number as always and
//!   then the rest of its text, with nothing added to it; the notice tells that the
//!   line is shown from such a byte on. The same holds for a tail whose first line is cut.
//! - A tail keeps to the ceiling by leaving out its beginning. So nothing ever comes after
//!   it: it is not `truncated`, and `bytes_capped` tells what happened.
//! - The final newline counts towards the ceiling although numbered content does not show
//!   it. Where it alone does not fit, its line is a cut one.
//! - Encodings named by a byte order mark are refused in lossy reading too: all of such a
//!   file would be replacement characters and NULs.

mod excerpt;
mod lines;
mod notice;
mod opening;
mod page;
mod request;
mod shown;
mod tail;
#[cfg(test)]
mod tests;
mod utf8;

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use self::excerpt::{Excerpt, Layout};
use self::lines::Lines;
use self::notice::Facts;
use self::opening::Opening;
pub(crate) use self::page::{Page, Refusal};
pub(crate) use self::request::{Encoding, Format, Request, Span};
use self::shown::Shown;
use self::tail::Tail;
use self::utf8::Decoder;

/// Reads a file that is pushed through it and cuts a page out of it.
#[derive(Debug)]
pub(crate) struct Window {
    request: Request,
    size: u64,
    hasher: Sha256,
    opening: Opening,
    decoder: Decoder,
    text: Text,
}

impl Window {
    /// Makes a window; no byte was read yet.
    pub(crate) fn new(request: Request) -> Self {
        Self {
            size: 0,
            hasher: Sha256::new(),
            opening: Opening::default(),
            decoder: Decoder::new(request.encoding),
            text: Text::new(&request),
            request,
        }
    }

    /// Takes the next bytes of the file.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        if self.is_refused() {
            return;
        }
        self.hasher.update(bytes);
        self.opening.push(bytes);
        let Self { decoder, text, .. } = self;
        decoder.push(bytes, |valid| text.push(valid));
    }

    /// Whether the file is known to be refused, so that the rest need not be read: it
    /// changes nothing but the size that [`Refusal::Binary`] tells.
    pub(crate) fn is_refused(&self) -> bool {
        self.opening.is_settled() && self.unreadable().is_some()
    }

    /// Ends the file.
    ///
    /// # Errors
    /// In this order: an encoding named by a byte order mark, a NUL in the first 8 KiB,
    /// an invalid byte anywhere, a line past the end, a byte past the end of its line.
    pub(crate) fn finish(mut self) -> Result<Page, Refusal> {
        let Self { decoder, text, .. } = &mut self;
        decoder.finish(|replacement| text.push(replacement));
        if let Some(refusal) = self.unreadable() {
            return Err(refusal);
        }
        let Text { bom, lines, view, .. } = self.text;
        let (total_lines, eol) = (lines.total(), lines.eol());
        let excerpt = view.finish(&lines)?;
        let lossy = self.decoder.invalid().is_some();
        let facts = Facts { request: &self.request, excerpt: &excerpt, total_lines, bom, lossy };
        Ok(Page {
            notice: facts.notice(),
            start_line: excerpt.start_line,
            end_line: excerpt.end_line,
            total_lines,
            total_bytes: self.size,
            truncated: excerpt.next.is_some(),
            bytes_capped: excerpt.capped,
            next_offset: excerpt.next.map(|next| next.line),
            next_byte: excerpt.next.and_then(|next| next.byte),
            hash: hex(&self.hasher.finalize()),
            eol,
            bom,
            lossy,
            content: excerpt.content,
        })
    }

    /// Why the file cannot be shown as text, as far as is known.
    fn unreadable(&self) -> Option<Refusal> {
        let encoding = self.opening.foreign_encoding();
        if encoding.is_some() {
            return Some(Refusal::NotUtf8 { byte_offset: 0, encoding });
        }
        if self.opening.has_nul() {
            return Some(Refusal::Binary { size: self.size });
        }
        let byte_offset = self.decoder.invalid()?;
        (self.request.encoding == Encoding::Utf8).then_some(Refusal::NotUtf8 { byte_offset, encoding: None })
    }
}

/// The text of the file: its mark is taken off, its lines are counted, and what is asked
/// for is kept.
#[derive(Debug)]
struct Text {
    begun: bool,
    bom: bool,
    lines: Lines,
    view: View,
}

#[derive(Debug)]
enum View {
    From(Shown),
    Tail(Tail),
}

impl Text {
    fn new(request: &Request) -> Self {
        let (layout, ceiling) = (Layout::of(request), request.max_bytes);
        let view = match request.span {
            Span::From { line, byte, limit } => View::From(Shown::new(layout, ceiling, line, byte, limit)),
            Span::Tail(lines) => View::Tail(Tail::new(layout, ceiling, lines)),
        };
        Self { begun: false, bom: false, lines: Lines::default(), view }
    }

    /// Takes the next text, which is never empty.
    fn push(&mut self, mut text: &str) {
        if !self.begun {
            self.begun = true;
            if let Some(rest) = text.strip_prefix('\u{feff}') {
                self.bom = true;
                text = rest;
            }
        }
        match &mut self.view {
            View::From(shown) => self.lines.push(text, |part| shown.push(part)),
            View::Tail(tail) => {
                self.lines.push(text, |_| {});
                tail.push(text);
            }
        }
    }
}

impl View {
    fn finish(self, lines: &Lines) -> Result<Excerpt, Refusal> {
        let (total_lines, terminated) = (lines.total(), lines.is_terminated());
        match self {
            Self::From(shown) => shown.finish(total_lines, terminated),
            Self::Tail(tail) => Ok(tail.finish(total_lines, terminated)),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
