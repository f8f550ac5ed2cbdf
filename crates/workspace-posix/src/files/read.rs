//! Opening a file: attributes and bytes of one and the same file.

use workspace_core::{Body, Feed, FileBody, ReadOptions, Result, WorkspacePath};

use super::PosixFiles;
use super::look::{code_of, reading, there};
use crate::error;
use crate::record::{Record, records};
use crate::way::{Act, Leaf, Stands, look};
use crate::wire::{Again, split_lines};

/// The lines before the bytes: the attributes, and a word.
const HEAD: usize = 2;

/// Which bytes of a file, as a shell counts.
#[derive(Debug, Clone, Copy)]
struct Window {
    offset: u64,
    length: Option<u64>,
}

impl Window {
    /// `w_read` with the first byte from 1, how many, and the size from which the file is not sent.
    fn script(self, limit: Option<u64>) -> String {
        const MOST: u64 = i64::MAX as u64;
        let first = self.offset.saturating_add(1).min(MOST);
        let length = self.length.map(|length| length.min(MOST).to_string()).unwrap_or_default();
        let limit = limit.map(|limit| limit.min(MOST).to_string()).unwrap_or_default();
        format!("w_read {first} '{length}' '{limit}'")
    }
}

impl PosixFiles {
    pub(super) async fn open(&self, path: &WorkspacePath, options: &ReadOptions) -> Result<FileBody> {
        let window = Window { offset: options.offset, length: options.length };
        // A vendor that collects output is asked for a large file in parts.
        let limit = self.wire().window().filter(|most| window.length.is_none_or(|length| length > *most));
        let limit = limit.map(|most| window.offset.saturating_add(most));
        let script = window.script(limit);
        let act = |_: &WorkspacePath, _| Some(Act::streaming(script.clone(), HEAD));
        let arrived = self.arrive(path, reading(Leaf::Follow, &options.filter), act).await?;
        there(&arrived)?;
        match arrived.stands {
            Stands::File => {}
            Stands::Directory => return Err(error::is_a_directory()),
            _ => return Err(error::not_a_file()),
        }
        if let Some(code) = code_of(&arrived.answer) {
            return Err(error::told(code));
        }
        let (record, word) = head(&arrived.answer)?;
        match word {
            b"data\n" => Ok(FileBody::new(record.stat(), arrived.body)),
            b"big\n" => {
                let stat = record.stat();
                Ok(FileBody::new(stat, self.in_parts(arrived.path, record, window)))
            }
            _ => Err(error::garbled()),
        }
    }

    /// The bytes of a large file, part after part. It fails where the file changes on the way.
    fn in_parts(&self, path: WorkspacePath, record: Record, window: Window) -> Body {
        let files = self.clone();
        let end = window.length.map_or(record.size, |length| window.offset.saturating_add(length));
        let end = end.min(record.size);
        Feed::unfold(window.offset, move |at| {
            let (files, path, record) = (files.clone(), path.clone(), record.clone());
            async move {
                let Some(most) = files.wire().window() else { return Err(error::garbled()) };
                let length = end.saturating_sub(at).min(most);
                if length == 0 {
                    return Ok(None);
                }
                let part = Window { offset: at, length: Some(length) };
                let script = format!("{}\n{}", look(&path, false), part.script(None));
                let answer = files.wire().ask(&script, Again::Yes).await?;
                let (first, rest) = split_lines(&answer, 1).ok_or_else(error::garbled)?;
                let (lines, bytes) = split_lines(rest, HEAD).ok_or_else(error::garbled)?;
                if !first.starts_with(b"f ") || head(lines)?.0 != record || bytes.len() as u64 != length {
                    return Err(error::conflict("the file has changed while it was read"));
                }
                Ok(Some((bytes.to_vec(), at + length)))
            }
        })
    }
}

fn head(answer: &[u8]) -> Result<(Record, &[u8])> {
    let (line, word) = split_lines(answer, 1).ok_or_else(error::garbled)?;
    let (attributes, _) = records(line).next().ok_or_else(error::not_found)?;
    Ok((Record::parse(attributes).ok_or_else(error::garbled)?, word))
}
