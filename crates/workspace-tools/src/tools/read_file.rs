//! `read_file`: a page of a text file.

use serde::{Deserialize, Serialize};
use workspace_core::{FsProvider, ReadOptions, Visible, WorkspacePath};

use super::answer::{Answer, with_notice};
use super::failure::{binary, not_utf8, too_large};
use super::names::ToolName;
use crate::spec::{Field, Shape, ToolSpec};
use crate::window::{Encoding, Format, Page, Refusal, Request, Span, Window};
use crate::{EncodingRule, Guard, Result, ToolError, ToolErrorKind, Workspace};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "read_file",
    title: "Read a file",
    description: "Reads a text file, by default its first 2,000 lines, with line numbers. Lines are numbered from 1; \
                  a tab divides the number from the text, and neither is part of the file. A longer file is read in \
                  pages: continue with `offset` set to `next_offset`. The answer's `hash` can be given to edits as \
                  `expect_hash`.",
    input: &[
        Field::new("path", Shape::Text, "File to read, relative to the root of the workspace.")
            .required()
            .aliases(&["file_path", "filePath"]),
        Field::new("offset", Shape::COUNT, "First line to show, counted from 1. Default 1.")
            .aliases(&["startLine", "start_line"]),
        Field::new(
            "limit",
            Shape::COUNT,
            "How many lines to show. 0 gives the facts about the file alone. Default 2000.",
        ),
        Field::new("tail", Shape::COUNT, "Show the last so many lines instead. Not together with offset."),
        Field::new(
            "byte",
            Shape::COUNT,
            "Continue inside the line at offset, after so many bytes of it: the next_byte of an earlier answer.",
        ),
        Field::new(
            "format",
            Shape::Choice(&["numbered", "raw"]),
            "numbered (default) shows line numbers; raw gives the text exactly as it is.",
        ),
    ],
    output: &[
        Field::new("content", Shape::Text, "The text.").required(),
        Field::new("start_line", Shape::COUNT, "First line shown.").required(),
        Field::new("end_line", Shape::COUNT, "Last line shown, whole or in part.").required(),
        Field::new("total_lines", Shape::COUNT, "Lines of the file.").required(),
        Field::new("total_bytes", Shape::COUNT, "Bytes of the file.").required(),
        Field::new("truncated", Shape::Boolean, "Whether the file goes on after the content.").required(),
        Field::new("bytes_capped", Shape::Boolean, "Whether the cap on bytes left something out.").required(),
        Field::new(
            "next_offset",
            Shape::Nullable(&Shape::COUNT),
            "The line to continue from; null where nothing is left.",
        )
        .required(),
        Field::new("next_byte", Shape::COUNT, "How many bytes of that line were shown already."),
        Field::new("hash", Shape::Text, "SHA-256 of the whole file.").required(),
        Field::new("eol", Shape::Choice(&["lf", "crlf", "mixed", "none"]), "How lines end.").required(),
        Field::new(
            "bom",
            Shape::Boolean,
            "Whether the file begins with a UTF-8 byte order mark, which is not shown.",
        )
        .required(),
        Field::new("lossy", Shape::Boolean, "Whether bytes that are not UTF-8 are shown as U+FFFD."),
        Field::new("notice", Shape::Text, "What to know about this answer."),
    ],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

/// How `read_file` writes lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadFormat {
    /// With their numbers, without their endings.
    #[default]
    Numbered,
    /// As the file has them.
    Raw,
}

/// What `read_file` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ReadFileInput {
    /// The file, relative to the root.
    pub path: String,
    /// First line, from 1; 0 is read as 1.
    pub offset: Option<u64>,
    /// How many lines; 0 for the facts alone. By default the policy's `read.default_lines`.
    pub limit: Option<u64>,
    /// The last so many lines instead.
    pub tail: Option<u64>,
    /// Bytes of the line at `offset` to pass over.
    pub byte: Option<u64>,
    /// How lines are written.
    pub format: ReadFormat,
}

impl ReadFileInput {
    /// The first page of a file.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Begins at a line.
    #[must_use]
    pub fn from_line(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// Shows so many lines.
    #[must_use]
    pub fn lines(mut self, limit: u64) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Gives the text as it is.
    #[must_use]
    pub fn raw(mut self) -> Self {
        self.format = ReadFormat::Raw;
        self
    }
}

/// What `read_file` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(clippy::struct_excessive_bools)] // Independent facts about one file.
pub struct ReadFileOutput {
    /// The text.
    pub content: String,
    /// First line shown.
    pub start_line: u64,
    /// Last line shown, whole or in part.
    pub end_line: u64,
    /// Lines of the file.
    pub total_lines: u64,
    /// Bytes of the file.
    pub total_bytes: u64,
    /// Whether the file goes on after the content.
    pub truncated: bool,
    /// Whether the cap on bytes left something out.
    pub bytes_capped: bool,
    /// The line to continue from.
    pub next_offset: Option<u64>,
    /// How many bytes of that line were shown already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_byte: Option<u64>,
    /// SHA-256 of the whole file, lower-case hex.
    pub hash: String,
    /// How lines end: `lf`, `crlf`, `mixed`, `none`.
    pub eol: &'static str,
    /// Whether the file begins with a byte order mark.
    pub bom: bool,
    /// Whether bytes that are not UTF-8 are shown as U+FFFD.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Answer for ReadFileOutput {
    fn text(&self) -> String {
        with_notice(self.content.clone(), self.notice.as_deref())
    }
}

impl Workspace {
    /// Reads a page of a text file.
    ///
    /// The file is streamed: memory is bounded by `read.max_bytes`, 64 KiB by default.
    ///
    /// # Errors
    /// `not-found`, `is-a-directory`, `not-a-file`, `binary`, `not-utf8`,
    /// `too-large` over `read.max_file_bytes`, `out-of-range` for an offset past
    /// the end, and those of the path rules.
    pub async fn read_file(&self, input: ReadFileInput) -> Result<ReadFileOutput> {
        self.or_cancelled(self.read_page(&input)).await?
    }

    async fn read_page(&self, input: &ReadFileInput) -> Result<ReadFileOutput> {
        let path = self.parse_entry("path", &input.path)?;
        let request = self.page_request(input)?;
        self.approve_path(ToolName::ReadFile, &path).await?;
        let file = match self.files().read(&path, ReadOptions::default()).await {
            Ok(file) => file,
            Err(error) => return Err(self.explain(error, &path).await),
        };
        let limit = self.policy().read.max_file_bytes;
        if limit.is_exceeded_by(file.stat.size) {
            return Err(too_large(&path, file.stat.size, limit).hint("search it for what you need instead"));
        }
        let mut window = Window::new(request);
        let mut body = file.body;
        let mut size = 0u64;
        while let Some(chunk) = body.next().await {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(error) => return Err(self.explain(error, &path).await),
            };
            size = size.saturating_add(chunk.len() as u64);
            if limit.is_exceeded_by(size) {
                return Err(too_large(&path, size, limit));
            }
            window.push(&chunk);
            if window.is_refused() {
                break;
            }
        }
        let page = window.finish().map_err(|refusal| self.refused(&refusal, &path, file.stat.size))?;
        if self.policy().edit.guard == Guard::ReadFirst {
            let resolved = self.resolved(&path, &input.path).await?;
            self.shared().stamps.note(self.key(&resolved), &page.hash);
        }
        Ok(self.page_output(page))
    }

    fn page_request(&self, input: &ReadFileInput) -> Result<Request> {
        let policy = &self.policy().read;
        let limit = input.limit.unwrap_or(policy.default_lines);
        let span = match input.tail {
            Some(_) if input.offset.is_some() || input.byte.is_some() => {
                return Err(ToolError::new(
                    ToolErrorKind::InvalidInput,
                    "`tail` counts from the end and `offset` from the start; give one of them",
                )
                .with("field", "tail"));
            }
            Some(lines) => Span::Tail(input.limit.map_or(lines, |limit| lines.min(limit))),
            None => {
                let line = match policy.line_base {
                    0 => input.offset.unwrap_or(0).saturating_add(1),
                    _ => input.offset.unwrap_or(1).max(1),
                };
                Span::From { line, byte: input.byte.unwrap_or(0), limit: Some(limit) }
            }
        };
        Ok(Request {
            span,
            format: match input.format {
                ReadFormat::Numbered => Format::Numbered,
                ReadFormat::Raw => Format::Raw,
            },
            max_bytes: policy.max_bytes.as_usize(),
            encoding: match policy.encoding {
                EncodingRule::Utf8 => Encoding::Utf8,
                EncodingRule::Lossy => Encoding::Lossy,
            },
            first_number: policy.line_base.min(1),
        })
    }

    fn refused(&self, refusal: &Refusal, path: &WorkspacePath, size: u64) -> ToolError {
        let shown = Visible(path.as_str());
        match *refusal {
            Refusal::Binary { .. } => binary(path, size),
            Refusal::NotUtf8 { byte_offset, encoding } => not_utf8(path, byte_offset, encoding),
            Refusal::LineOutOfRange { line, total_lines } => ToolError::new(
                ToolErrorKind::OutOfRange,
                format!("`{shown}` has {total_lines} lines; there is no line {line}"),
            )
            .with("path", path.to_string())
            .with("total_lines", total_lines)
            .with("field", "offset")
            .hint("give an `offset` within the file, or `tail` for its end"),
            Refusal::ByteOutOfRange { line, byte, line_bytes } => ToolError::new(
                ToolErrorKind::OutOfRange,
                format!("line {line} of `{shown}` has {line_bytes} bytes; there is no byte {byte}"),
            )
            .with("path", path.to_string())
            .with("field", "byte")
            .hint(format!("the file has changed since; {}", self.read_again())),
        }
    }

    fn page_output(&self, page: Page) -> ReadFileOutput {
        let shift = 1 - self.policy().read.line_base.min(1);
        ReadFileOutput {
            content: page.content,
            start_line: page.start_line.saturating_sub(shift),
            end_line: page.end_line.saturating_sub(shift),
            total_lines: page.total_lines,
            total_bytes: page.total_bytes,
            truncated: page.truncated,
            bytes_capped: page.bytes_capped,
            next_offset: page.next_offset.map(|line| line.saturating_sub(shift)),
            next_byte: page.next_byte,
            hash: page.hash,
            eol: page.eol.as_str(),
            bom: page.bom,
            lossy: page.lossy,
            notice: page.notice,
        }
    }
}
