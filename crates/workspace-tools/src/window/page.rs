//! What reading a file gives: a page of it, or a refusal.

/// A part of a text file and the facts about the whole of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one file")]
pub(crate) struct Page {
    /// The text shown.
    pub(crate) content: String,
    /// The first line shown; the line asked for when none is.
    pub(crate) start_line: u64,
    /// The last line shown, whole or in part; `start_line - 1` when none is.
    pub(crate) end_line: u64,
    /// Lines of the file. A final newline begins no further line.
    pub(crate) total_lines: u64,
    /// Bytes of the file, byte order mark included.
    pub(crate) total_bytes: u64,
    /// Whether the file goes on after `content`.
    pub(crate) truncated: bool,
    /// Whether the ceiling left out something that was asked for.
    pub(crate) bytes_capped: bool,
    /// The first line not shown to its end; `None` when there is none, or for a tail.
    pub(crate) next_offset: Option<u64>,
    /// Bytes of that line already shown, when it was cut.
    pub(crate) next_byte: Option<u64>,
    /// SHA-256 of the whole file in lower-case hex.
    pub(crate) hash: String,
    /// How the lines of the file end.
    pub(crate) eol: Eol,
    /// Whether the file begins with a UTF-8 byte order mark, which is not shown.
    pub(crate) bom: bool,
    /// Whether the text shows U+FFFD for bytes that are not UTF-8, anywhere in the file.
    pub(crate) lossy: bool,
    /// A word to the reader, when the fields alone could mislead.
    pub(crate) notice: Option<String>,
}

/// How the lines of a file end. A lone CR ends no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eol {
    /// All with LF.
    Lf,
    /// All with CR LF.
    Crlf,
    /// Some with LF, some with CR LF.
    Mixed,
    /// There is no line ending.
    None,
}

impl Eol {
    /// The word used in results.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "lf",
            Self::Crlf => "crlf",
            Self::Mixed => "mixed",
            Self::None => "none",
        }
    }
}

/// Why there is no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is a NUL in the first 8 KiB.
    Binary {
        /// Bytes of the file; of a reader that stopped early, those it read.
        size: u64,
    },
    /// The file is not UTF-8.
    NotUtf8 {
        /// Where the first invalid sequence begins.
        byte_offset: u64,
        /// The encoding that a byte order mark names.
        encoding: Option<&'static str>,
    },
    /// The line asked for lies past the end.
    LineOutOfRange {
        /// The line asked for, counted from 1.
        line: u64,
        /// Lines of the file.
        total_lines: u64,
    },
    /// The line asked for ends before the byte asked for: the file is not the one
    /// an earlier page told about.
    ByteOutOfRange {
        /// The line asked for, counted from 1.
        line: u64,
        /// The byte asked for.
        byte: u64,
        /// Bytes of that line, line ending included.
        line_bytes: u64,
    },
}
