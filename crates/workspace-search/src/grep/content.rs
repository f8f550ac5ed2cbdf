//! The content of one file, read no further than the search needs.

use workspace_core::{Entry, FsProvider, GrepQuery, ReadOptions, Result, WorkspacePath};

use super::text::{BINARY_PROBE, FileText, is_binary};

/// What a file holds for a search.
#[derive(Debug)]
pub(super) enum Content {
    Text(FileText),
    /// It has a NUL byte near its start.
    Binary,
    /// It is over the limit of size.
    TooLarge,
}

/// The content of a file that a listing told of, which is not opened where its size is known to be too large.
pub(super) async fn of_entry<P: FsProvider>(fs: &P, entry: &Entry, query: &GrepQuery) -> Result<Content> {
    if entry.size.is_some_and(|size| is_over(size, query)) {
        return Ok(Content::TooLarge);
    }
    read(fs, &entry.path, query).await
}

/// The content of a file.
pub(super) async fn read<P: FsProvider>(fs: &P, path: &WorkspacePath, query: &GrepQuery) -> Result<Content> {
    // One byte more than the limit tells a file that grows from one that just fits.
    let length = query.file_limit().map(|limit| limit.saturating_add(1));
    let options = ReadOptions::default().with_length(length).with_filter(query.filter.clone());
    let file = fs.read(path, options).await?;
    if is_over(file.stat.size, query) {
        return Ok(Content::TooLarge);
    }
    let mut body = file.body;
    let mut bytes = Vec::new();
    let mut probed = false;
    while let Some(piece) = body.next().await {
        let piece = piece?;
        if bytes.is_empty() {
            bytes = piece;
        } else {
            bytes.extend_from_slice(&piece);
        }
        if is_over(bytes.len() as u64, query) {
            return Ok(Content::TooLarge);
        }
        if !probed && bytes.len() >= BINARY_PROBE {
            probed = true;
            if is_binary(&bytes) {
                return Ok(Content::Binary);
            }
        }
    }
    Ok(FileText::from_bytes(bytes).map_or(Content::Binary, Content::Text))
}

fn is_over(size: u64, query: &GrepQuery) -> bool {
    query.file_limit().is_some_and(|limit| size > limit)
}
