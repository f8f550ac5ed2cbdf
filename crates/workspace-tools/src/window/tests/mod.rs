//! Whole files through a window.

mod follow;
mod model;
mod rules;

use super::page::Eol;
use super::*;

/// A request for a whole file without a ceiling; tests change what they are about.
fn everything(format: Format) -> Request {
    Request {
        span: Span::From { line: 1, byte: 0, limit: None },
        format,
        max_bytes: None,
        encoding: Encoding::Utf8,
        first_number: 1,
    }
}

fn from(line: u64, byte: u64, limit: Option<u64>) -> Span {
    Span::From { line, byte, limit }
}

fn read_in_chunks(bytes: &[u8], size: usize, request: &Request) -> Result<Page, Refusal> {
    let mut window = Window::new(request.clone());
    for chunk in bytes.chunks(size) {
        window.push(chunk);
    }
    window.finish()
}

/// Reads a file, cut into chunks in several ways that all have to give the same.
#[track_caller]
fn read(bytes: impl AsRef<[u8]>, request: &Request) -> Result<Page, Refusal> {
    let bytes = bytes.as_ref();
    let whole = read_in_chunks(bytes, bytes.len().max(1), request);
    for size in [1, 2, 3, 7, 64] {
        assert_eq!(read_in_chunks(bytes, size, request), whole, "in chunks of {size}");
    }
    whole
}
