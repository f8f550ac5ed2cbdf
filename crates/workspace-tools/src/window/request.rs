//! What of a file is to be shown, and how.

/// What a [`Window`](super::Window) is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    /// Which lines.
    pub(crate) span: Span,
    /// With line numbers or as the file has it.
    pub(crate) format: Format,
    /// Most UTF-8 bytes of content, numbers and newlines included; `None` for no ceiling.
    pub(crate) max_bytes: Option<usize>,
    /// What becomes of bytes that are not UTF-8.
    pub(crate) encoding: Encoding,
    /// The number written for the first line of the file, in content and notice: 1,
    /// or 0 for callers that count from there. Lines in requests and in the fields
    /// of a page are counted from 1 whatever it is.
    pub(crate) first_number: u64,
}

/// The lines asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// From a line on.
    From {
        /// The first line, counted from 1; 0 is read as 1.
        line: u64,
        /// Bytes of that line to pass over, as an earlier page said in `next_byte`.
        /// Inside a character it is moved back to the character's start.
        byte: u64,
        /// Most lines; 0 for none of them, only the facts about the file.
        limit: Option<u64>,
    },
    /// The last so many lines.
    Tail(u64),
}

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// The number right-aligned to six columns, a tab, the line without its line
    /// ending; joined by LF without a final one.
    Numbered,
    /// The file's own text, line endings included, the byte order mark apart.
    Raw,
}

/// How bytes are read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8; anything else refuses the file.
    Utf8,
    /// UTF-8, each invalid sequence being shown as U+FFFD. Bytes of a line are then
    /// counted in the text as shown.
    Lossy,
}
