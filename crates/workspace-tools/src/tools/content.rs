//! The present content of a file, as far as changing it needs it.

use std::str::Utf8Error;

use sha2::{Digest, Sha256};
use workspace_core::{ErrorKind, FsProvider, Precondition, ReadOptions, Stat, WorkspacePath};

use super::failure::{binary, not_utf8, too_large};
use crate::{Limit, Result, ToolError, ToolErrorKind, Workspace};

/// How far into a file a NUL makes it binary.
const SNIFFED: usize = 8 << 10;

/// A text file as it was read, and the state that a write must find.
pub(super) struct Content {
    pub(super) text: String,
    pub(super) hash: String,
    pub(super) state: Precondition,
}

/// A file of any content as it was read.
pub(super) struct FileBytes {
    pub(super) bytes: Vec<u8>,
    pub(super) sha256: [u8; 32],
    pub(super) stat: Stat,
}

impl FileBytes {
    /// Its hash as tools show it.
    pub(super) fn hash(&self) -> String {
        hex(&self.sha256)
    }

    /// The state that a write must find.
    pub(super) fn state(&self) -> Precondition {
        state_of(&self.stat, self.sha256)
    }

    /// Its text.
    pub(super) fn text(&self, path: &WorkspacePath) -> Result<&str> {
        check_text(path, &self.bytes)
    }

    fn into_text(self, path: &WorkspacePath) -> Result<String> {
        check_kind(path, &self.bytes)?;
        String::from_utf8(self.bytes).map_err(|error| no_text(path, error.utf8_error()))
    }
}

/// What an overwrite needs to know of the old content.
pub(super) struct OldContent {
    pub(super) hash: String,
    pub(super) state: Precondition,
    pub(super) bom: bool,
    /// Whether every line ends with CR LF, and at least one does.
    pub(super) all_crlf: bool,
}

impl Workspace {
    /// Reads a whole text file for an edit.
    pub(super) async fn read_text(&self, path: &WorkspacePath, limit: Limit) -> Result<Content> {
        let file = self.read_bytes(path, limit).await?;
        let (hash, state) = (file.hash(), file.state());
        Ok(Content { text: file.into_text(path)?, hash, state })
    }

    /// Reads a whole file that is to be changed.
    pub(super) async fn read_bytes(&self, path: &WorkspacePath, limit: Limit) -> Result<FileBytes> {
        let file = match self.files().read(path, ReadOptions::default()).await {
            Ok(file) => file,
            Err(error) => return Err(self.explain(error, path).await),
        };
        check_owner_may_write(path, &file.stat)?;
        if limit.is_exceeded_by(file.stat.size) {
            return Err(too_large(path, file.stat.size, limit));
        }
        let stat = file.stat;
        let bytes = match file.body.collect(limit.0.unwrap_or(u64::MAX)).await {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::TooLarge => {
                return Err(too_large(path, stat.size, limit));
            }
            Err(error) => return Err(self.explain(error, path).await),
        };
        let sha256 = Sha256::digest(&bytes).into();
        Ok(FileBytes { bytes, sha256, stat })
    }

    /// Streams over the content that a write is to replace; `None` where there is none.
    pub(super) async fn read_old(&self, path: &WorkspacePath) -> Result<Option<OldContent>> {
        let file = match self.files().read(path, ReadOptions::default()).await {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.explain(error, path).await),
        };
        check_owner_may_write(path, &file.stat)?;
        let mut hasher = Sha256::new();
        let mut head: Vec<u8> = Vec::with_capacity(3);
        let (mut newlines, mut pairs, mut after_cr) = (0u64, 0u64, false);
        let mut body = file.body;
        while let Some(chunk) = body.next().await {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(error) => return Err(self.explain(error, path).await),
            };
            hasher.update(&chunk);
            head.extend(chunk.iter().take(3 - head.len()));
            for at in memchr::memchr_iter(b'\n', &chunk) {
                newlines += 1;
                let before = if at == 0 { after_cr } else { chunk.get(at - 1) == Some(&b'\r') };
                pairs += u64::from(before);
            }
            after_cr = chunk.last().map_or(after_cr, |&last| last == b'\r');
        }
        let hash = hasher.finalize();
        Ok(Some(OldContent {
            hash: hex(&hash),
            state: state_of(&file.stat, hash.into()),
            bom: head == *b"\xef\xbb\xbf",
            all_crlf: newlines > 0 && pairs == newlines,
        }))
    }

    /// Refuses where the file is not the one whose hash was given.
    pub(super) fn check_hash(
        &self,
        path: &WorkspacePath,
        expected: Option<&str>,
        current: Option<&str>,
    ) -> Result<()> {
        let Some(expected) = expected else { return Ok(()) };
        if current.is_some_and(|current| current.eq_ignore_ascii_case(expected)) {
            return Ok(());
        }
        let error = match current {
            Some(current) => ToolError::new(
                ToolErrorKind::StaleHash,
                format!("`{path}` has changed since the hash was taken; it was left as it is"),
            )
            .with("current_hash", current)
            .hint(self.read_again()),
            None => ToolError::new(ToolErrorKind::StaleHash, format!("`{path}` does not exist any more"))
                .hint("to make it anew, call without `expect_hash`"),
        };
        Err(error.with("path", path.to_string()))
    }
}

/// The state in which the file was read, as closely as the backend can tell it.
fn state_of(stat: &Stat, sha256: [u8; 32]) -> Precondition {
    match &stat.version {
        Some(version) => Precondition::Version(version.clone()),
        None => Precondition::Sha256(sha256),
    }
}

/// A file that its owner has closed to writing stays closed, although replacing it would work.
fn check_owner_may_write(path: &WorkspacePath, stat: &Stat) -> Result<()> {
    if stat.mode.is_some_and(|mode| mode & 0o200 == 0) {
        return Err(ToolError::new(
            ToolErrorKind::Permission,
            format!(
                "`{path}` is write-protected (mode {:04o}); it was left as it is",
                stat.mode.unwrap_or(0) & 0o7777
            ),
        )
        .with("path", path.to_string())
        .hint("leave it, or ask the owner of the workspace to make it writable"));
    }
    Ok(())
}

fn check_text<'b>(path: &WorkspacePath, bytes: &'b [u8]) -> Result<&'b str> {
    check_kind(path, bytes)?;
    std::str::from_utf8(bytes).map_err(|error| no_text(path, error))
}

fn no_text(path: &WorkspacePath, error: Utf8Error) -> ToolError {
    not_utf8(path, error.valid_up_to() as u64, None)
}

/// Refuses what begins as no text in UTF-8 does.
fn check_kind(path: &WorkspacePath, bytes: &[u8]) -> Result<()> {
    let encoding = match bytes {
        [0xff, 0xfe, ..] => Some("UTF-16LE"),
        [0xfe, 0xff, ..] => Some("UTF-16BE"),
        _ => None,
    };
    if let Some(encoding) = encoding {
        return Err(not_utf8(path, 0, Some(encoding)));
    }
    if memchr::memchr(0, &bytes[..bytes.len().min(SNIFFED)]).is_some() {
        return Err(binary(path, bytes.len() as u64));
    }
    Ok(())
}

/// The hash of bytes as tools show it: SHA-256 in lower-case hex.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
