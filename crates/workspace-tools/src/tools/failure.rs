//! Failures that several tools share.

use workspace_core::{Visible, WorkspacePath};

use crate::{Limit, ToolError, ToolErrorKind};

pub(super) fn too_large(path: &WorkspacePath, size: u64, limit: Limit) -> ToolError {
    let limit = limit.0.unwrap_or(u64::MAX);
    ToolError::new(
        ToolErrorKind::TooLarge,
        format!("`{}` has {size} bytes; the limit is {limit}", Visible(&path.to_string())),
    )
    .with("path", path.to_string())
    .with("size", size)
    .with("limit", limit)
    .hint("leave it as it is, or use a program made for large files")
}

pub(super) fn binary(path: &WorkspacePath, size: u64) -> ToolError {
    ToolError::new(
        ToolErrorKind::Binary,
        format!("`{}` is a binary file of {size} bytes, not text", Visible(&path.to_string())),
    )
    .with("path", path.to_string())
    .with("size", size)
    .hint("text tools do not work on it; leave it as it is, or use a program made for its format")
}

pub(super) fn not_utf8(path: &WorkspacePath, byte_offset: u64, encoding: Option<&str>) -> ToolError {
    let shown = Visible(path.as_str());
    let message = match encoding {
        Some(encoding) => format!("`{shown}` is in {encoding}, not in UTF-8"),
        None => format!("`{shown}` is not in UTF-8: the byte at {byte_offset} begins no valid character"),
    };
    let error = ToolError::new(ToolErrorKind::NotUtf8, message)
        .with("path", path.to_string())
        .with("byte_offset", byte_offset)
        .hint("the file is as it was; convert it to UTF-8 with a program first, or leave it alone");
    match encoding {
        Some(encoding) => error.with("encoding", encoding),
        None => error,
    }
}
