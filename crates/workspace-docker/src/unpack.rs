//! An archive that arrives, entry by entry.

use std::io::{self, Read};

use bytes::{Buf as _, Bytes};
use tokio::sync::mpsc;
use workspace_core::{Error, ErrorKind, Result, WorkspacePath};

/// Bodies come in pieces of this size in bytes.
const PIECE: u64 = 256 << 10;
/// How many pieces wait on either side.
const WAITING: usize = 16;

/// What an archive holds. The bytes of a file follow it, and then its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Directory(WorkspacePath),
    File {
        path: WorkspacePath,
        size: u64,
        mode: u32,
    },
    Bytes(Vec<u8>),
    End,
    /// What is not taken over, by its name, and why.
    Passed(String, &'static str),
}

/// Reads an archive on a thread of its own; the sender takes its bytes.
///
/// Nothing is written by it, and no name leads anywhere: each is a path of a
/// workspace or is passed by.
pub(crate) fn unpack(prefix: &str) -> (mpsc::Sender<Bytes>, mpsc::Receiver<Result<Item>>) {
    let (bytes, source) = mpsc::channel(WAITING);
    let (items, found) = mpsc::channel(WAITING);
    let prefix = prefix.to_owned();
    tokio::task::spawn_blocking(move || {
        let source = Source { pieces: source, held: Bytes::new() };
        if let Err(broken) = read(source, &prefix, &items) {
            let error = Error::new(ErrorKind::Io, "the container sent an archive that cannot be read");
            // Nobody who listens is nobody who minds.
            let _ = items.blocking_send(Err(error.because(broken)));
        }
    });
    (bytes, found)
}

struct Source {
    pieces: mpsc::Receiver<Bytes>,
    held: Bytes,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.held.is_empty() {
            match self.pieces.blocking_recv() {
                Some(held) => self.held = held,
                None => return Ok(0),
            }
        }
        let length = self.held.len().min(buffer.len());
        if let Some(to) = buffer.get_mut(..length) {
            self.held.copy_to_slice(to);
        }
        Ok(length)
    }
}

fn read(source: Source, prefix: &str, items: &mpsc::Sender<Result<Item>>) -> io::Result<()> {
    let send = |item| items.blocking_send(Ok(item)).map_err(|_| io::Error::other("nobody listens"));
    let mut archive = tar::Archive::new(source);
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path_bytes().into_owned();
        let kind = entry.header().entry_type();
        let Some(path) = path_of(&name, prefix) else {
            send(Item::Passed(shown(&name), "its name is no path of a workspace"))?;
            continue;
        };
        match kind {
            tar::EntryType::Directory if path.is_root() => {}
            tar::EntryType::Directory => send(Item::Directory(path))?,
            tar::EntryType::Regular | tar::EntryType::Continuous => {
                let mode = entry.header().mode()? & 0o7777;
                send(Item::File { path, size: entry.size(), mode })?;
                loop {
                    let mut piece = Vec::new();
                    if entry.by_ref().take(PIECE).read_to_end(&mut piece)? == 0 {
                        break;
                    }
                    send(Item::Bytes(piece))?;
                }
                send(Item::End)?;
            }
            tar::EntryType::Symlink => send(Item::Passed(shown(&name), "it is a link"))?,
            tar::EntryType::Link => send(Item::Passed(shown(&name), "it is a second name of a file"))?,
            _ => send(Item::Passed(shown(&name), "it is neither a file nor a directory"))?,
        }
    }
    Ok(())
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// A name of an archive as a path, below a first component where there is one.
fn path_of(name: &[u8], prefix: &str) -> Option<WorkspacePath> {
    let name = std::str::from_utf8(name).ok()?;
    if name.starts_with('/') {
        return None;
    }
    let mut names = name.split('/').filter(|name| !name.is_empty() && *name != ".");
    if !prefix.is_empty() && names.next()? != prefix {
        return None;
    }
    names.try_fold(WorkspacePath::root(), |path, name| path.child(name)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, prefix: &str, expected: Option<&str>) {
        let path = path_of(name.as_bytes(), prefix);
        assert_eq!(path.as_ref().map(WorkspacePath::as_str), expected, "{name}");
    }

    #[test]
    fn no_name_leads_out() {
        check("./a/b", "", Some("a/b"));
        check("./", "", Some(""));
        check("ws/a", "ws", Some("a"));
        check("other/a", "ws", None);
        check("../a", "", None);
        check("a/../b", "", None);
        check("/etc/passwd", "", None);
    }

    #[tokio::test]
    async fn an_archive_is_told_entry_by_entry() {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(5);
        header.set_mode(0o750);
        builder.append_data(&mut header, "./a/file", &b"bytes"[..]).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        builder.append_link(&mut header, "./link", "/etc").unwrap();
        let (bytes, mut items) = unpack("");
        for piece in builder.into_inner().unwrap().chunks(100) {
            // The reader has done with an archive before its padding.
            if bytes.send(Bytes::copy_from_slice(piece)).await.is_err() {
                break;
            }
        }
        drop(bytes);
        let mut told = Vec::new();
        while let Some(item) = items.recv().await {
            told.push(item.unwrap());
        }
        let path = path_of(b"a/file", "").unwrap();
        assert_eq!(
            told,
            [
                Item::File { path, size: 5, mode: 0o750 },
                Item::Bytes(b"bytes".to_vec()),
                Item::End,
                Item::Passed("link".into(), "it is a link"),
            ]
        );
    }
}
