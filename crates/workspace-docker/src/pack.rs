//! An archive in the making: pieces of it go out while its files come in.

use std::io;

use bytes::Bytes;
use tokio::sync::mpsc;
use workspace_core::{Body, Error, ErrorKind, FileBody, Result, WorkspacePath};

use crate::config::User;

/// Files up to this many bytes are gathered, larger ones are sent as they come.
const SMALL: u64 = 256 << 10;
/// What was gathered is sent in pieces of about this size in bytes.
const PIECE: usize = 1 << 20;
/// The unit of an archive in bytes.
const BLOCK: u64 = 512;

/// Packs files for a user. None of them is held as a whole, but for small ones.
pub(crate) struct Packer {
    builder: tar::Builder<Vec<u8>>,
    user: User,
    pieces: mpsc::Sender<Bytes>,
}

/// Whether anybody still takes the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    Yes,
    No,
}

impl Packer {
    /// A packer, and the pieces of its archive.
    pub(crate) fn new(user: User) -> (Self, mpsc::Receiver<Bytes>) {
        let (pieces, archive) = mpsc::channel(4);
        (Self { builder: tar::Builder::new(Vec::new()), user, pieces }, archive)
    }

    /// Adds a directory.
    ///
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) for a name that no archive holds.
    pub(crate) async fn directory(&mut self, path: &WorkspacePath) -> Result<Taken> {
        self.header(path, tar::EntryType::Directory, 0o755, 0)?;
        self.send_gathered(PIECE).await
    }

    /// Adds a file; tells its size.
    ///
    /// # Errors
    /// Those of its body, [`Conflict`](ErrorKind::Conflict) where a large file has not the size that
    /// it had when it was opened, and [`InvalidInput`](ErrorKind::InvalidInput) as above.
    pub(crate) async fn file(&mut self, path: &WorkspacePath, file: FileBody) -> Result<(u64, Taken)> {
        let mode = file.stat.mode.unwrap_or(0o644);
        let size = file.stat.size;
        if size <= SMALL {
            let bytes = file.body.collect(u64::MAX).await?;
            let size = bytes.len() as u64;
            self.header(path, tar::EntryType::Regular, mode, size)?;
            self.builder.get_mut().extend_from_slice(&bytes);
            self.pad(size);
            return Ok((size, self.send_gathered(PIECE).await?));
        }
        self.header(path, tar::EntryType::Regular, mode, size)?;
        let taken = self.stream(file.body, size).await.map_err(|error| error.at(path))?;
        self.pad(size);
        Ok((size, taken))
    }

    /// Ends the archive.
    ///
    /// # Errors
    /// None in practice: memory takes all that is written to it.
    pub(crate) async fn finish(mut self) -> Result<()> {
        self.builder.finish().map_err(|cause| unpackable(&WorkspacePath::root(), cause))?;
        self.send_gathered(0).await.map(drop)
    }

    async fn stream(&mut self, mut body: Body, size: u64) -> Result<Taken> {
        let changed = || {
            Error::new(ErrorKind::Conflict, "the file has changed while it was sent")
                .hint("send it again when nothing writes to it")
        };
        let mut taken = self.send_gathered(0).await?;
        let mut left = size;
        while let Some(piece) = body.next().await {
            let piece = piece?;
            left = left.checked_sub(piece.len() as u64).ok_or_else(changed)?;
            if taken == Taken::Yes && self.pieces.send(piece.into()).await.is_err() {
                taken = Taken::No;
            }
            if taken == Taken::No {
                return Ok(taken);
            }
        }
        if left == 0 { Ok(taken) } else { Err(changed()) }
    }

    fn header(&mut self, path: &WorkspacePath, kind: tar::EntryType, mode: u32, size: u64) -> Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_mode(mode);
        header.set_uid(self.user.uid.into());
        header.set_gid(self.user.gid.into());
        // The bytes follow, and are no business of the builder.
        let added = self.builder.append_data(&mut header, path.as_str(), io::empty());
        added.map_err(|cause| unpackable(path, cause))
    }

    fn pad(&mut self, size: u64) {
        let over = usize::try_from(size.next_multiple_of(BLOCK) - size).unwrap_or_default();
        let gathered = self.builder.get_mut();
        gathered.resize(gathered.len() + over, 0);
    }

    /// Sends what was gathered where it is so much.
    async fn send_gathered(&mut self, least: usize) -> Result<Taken> {
        if self.builder.get_ref().len() <= least {
            return Ok(Taken::Yes);
        }
        let gathered = std::mem::take(self.builder.get_mut());
        Ok(if self.pieces.send(gathered.into()).await.is_ok() { Taken::Yes } else { Taken::No })
    }
}

fn unpackable(path: &WorkspacePath, cause: io::Error) -> Error {
    Error::new(ErrorKind::InvalidInput, "the file has a name or a size that no archive holds")
        .at(path)
        .because(cause)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use workspace_core::{Feed, FileKind, Stat};

    use super::*;

    fn path(text: &str) -> WorkspacePath {
        text.split('/').try_fold(WorkspacePath::root(), |path, name| path.child(name)).unwrap()
    }

    fn file(size: u64, pieces: &[&[u8]]) -> FileBody {
        let pieces: Vec<_> = pieces.iter().map(|piece| Ok(piece.to_vec())).collect();
        FileBody::new(Stat::new(FileKind::File, size).with_mode(0o750), Feed::from_items(pieces))
    }

    #[tokio::test]
    async fn what_is_packed_can_be_read() {
        let large = vec![7; usize::try_from(SMALL).unwrap() + 3];
        let (mut packer, mut archive) = Packer::new(User::new(1000, 1001));
        let long = format!("a/{}", "long".repeat(40));
        let gathering = async {
            let mut bytes = Vec::new();
            while let Some(piece) = archive.recv().await {
                bytes.extend_from_slice(&piece);
            }
            bytes
        };
        let packing = async move {
            packer.file(&path(&long), file(2, &[b"h", b"i"])).await.unwrap();
            packer.file(&path("large"), file(large.len() as u64, &[&large[..9], &large[9..]])).await.unwrap();
            packer.directory(&path("empty")).await.unwrap();
            // It is small, and has grown since it was opened.
            packer.file(&path("grown"), file(1, &[b"three"])).await.unwrap();
            packer.finish().await.unwrap();
        };
        let (bytes, ()) = tokio::join!(gathering, packing);
        let mut archive = tar::Archive::new(&*bytes);
        let mut told = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            let header = entry.header();
            assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (1000, 1001));
            told.push((
                entry.path().unwrap().display().to_string().len(),
                header.mode().unwrap(),
                content.len(),
            ));
        }
        assert_eq!(told, [(162, 0o750, 2), (5, 0o750, 262_147), (5, 0o755, 0), (5, 0o750, 5)]);
    }

    #[tokio::test]
    async fn a_large_file_that_changes_is_told() {
        let longer = vec![0; 1 << 19];
        for pieces in [&[&b"short"[..]][..], &[&longer]] {
            let (mut packer, mut archive) = Packer::new(User::new(0, 0));
            let taking = tokio::spawn(async move { while archive.recv().await.is_some() {} });
            let error = packer.file(&path("a"), file(SMALL + 1, pieces)).await.unwrap_err();
            assert_eq!((error.kind(), error.path()), (ErrorKind::Conflict, Some("a")));
            drop(packer);
            taking.await.unwrap();
        }
    }
}
