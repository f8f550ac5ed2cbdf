//! Files of a container without a shell: the engine's archive calls, to look at alone.

use std::io::{Cursor, Read};

use bollard::query_parameters::{ContainerArchiveInfoOptionsBuilder, DownloadFromContainerOptionsBuilder};
use futures_util::StreamExt as _;
use tokio::time::timeout;
use workspace_core::{
    Access, Body, Entry, Error, ErrorKind, Feed, FileBody, FileKind, ListOptions, PathRules, ReadOptions,
    Result, Stat, StatOptions, WalkOptions, WorkspacePath, is_temporary_name,
};

use crate::container::SharedContainer;
use crate::error;

/// A file or a directory over this size in bytes is not fetched to be looked at.
const MOST: u64 = 64 << 20;

// The bits of a mode as the engine tells it, which are not those of `stat`.
const DIRECTORY: u32 = 1 << 31;
const LINK: u32 = 1 << 27;
const SPECIAL: u32 = (1 << 26) | (1 << 25) | (1 << 24) | (1 << 21) | (1 << 19);
const SETUID: u32 = 1 << 23;
const SETGID: u32 = 1 << 22;
const STICKY: u32 = 1 << 20;

/// The files below a root, which links do not lead through.
///
/// The engine reads as root of its host and follows links on its own, so each
/// component of a path is asked about first, and a link on it is refused. A
/// process of the container could swap one in between; none runs here.
#[derive(Clone)]
pub(crate) struct Archive {
    container: SharedContainer,
    root: String,
}

impl Archive {
    pub(crate) fn new(container: SharedContainer, root: String) -> Self {
        Self { container, root }
    }

    pub(crate) fn rules(&self) -> PathRules {
        PathRules::default().with_root(&self.root)
    }

    fn at(&self, path: &WorkspacePath) -> String {
        if path.is_root() { self.root.clone() } else { format!("{}/{path}", self.root) }
    }

    pub(crate) async fn stat(&self, path: &WorkspacePath, options: &StatOptions) -> Result<Stat> {
        options.filter.check(path, Access::Read)?;
        self.look(path, options.follow).await
    }

    pub(crate) async fn read(&self, path: &WorkspacePath, options: &ReadOptions) -> Result<FileBody> {
        options.filter.check(path, Access::Read)?;
        let stat = self.look(path, true).await?;
        match stat.kind {
            FileKind::File => {}
            FileKind::Dir => {
                return Err(Error::new(ErrorKind::IsADirectory, "it is a directory, not a file"));
            }
            _ => return Err(Error::new(ErrorKind::NotAFile, "it is neither a regular file nor a directory")),
        }
        let bytes = self.fetch(path).await?;
        let mut archive = tar::Archive::new(Cursor::new(bytes));
        let mut entries = archive.entries().map_err(unreadable)?;
        let mut entry = entries.next().ok_or_else(|| unreadable("it is empty"))?.map_err(unreadable)?;
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(unreadable)?;
        let size = content.len();
        let from = usize::try_from(options.offset).unwrap_or(usize::MAX).min(size);
        let length =
            options.length.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(usize::MAX));
        let window = content.get(from..from.saturating_add(length).min(size)).unwrap_or_default();
        Ok(FileBody::new(stat, Body::from(window.to_vec())))
    }

    pub(crate) async fn list(&self, path: &WorkspacePath, options: &ListOptions) -> Result<Vec<Entry>> {
        options.filter.check(path, Access::Read)?;
        if self.look(path, true).await?.kind != FileKind::Dir {
            return Err(Error::new(ErrorKind::NotADirectory, "a file stands where a directory is needed"));
        }
        let bytes = self.fetch(path).await?;
        let mut archive = tar::Archive::new(Cursor::new(bytes));
        let mut found = Vec::new();
        for entry in archive.entries().map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.path_bytes();
            // The directory itself comes first, and is the first component of all.
            let mut names = name.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).skip(1);
            let (Some(name), None) = (names.next(), names.next()) else { continue };
            let kind = match entry.header().entry_type() {
                tar::EntryType::Regular | tar::EntryType::Continuous | tar::EntryType::Link => FileKind::File,
                tar::EntryType::Directory => FileKind::Dir,
                tar::EntryType::Symlink => FileKind::Link,
                _ => FileKind::Other,
            };
            found.push((name.to_vec(), kind, entry.size()));
        }
        found.sort();
        let mut entries = Vec::new();
        for (name, kind, size) in found {
            let shown = String::from_utf8_lossy(&name);
            let at = path.child(&shown)?;
            if is_temporary_name(&shown) || !options.filter.shows(&at) {
                continue;
            }
            let entry = Entry::new(at, kind).with_non_utf8(std::str::from_utf8(&name).is_err());
            entries.push(if kind == FileKind::File { entry.with_size(size) } else { entry });
        }
        Ok(entries)
    }

    /// One listing a directory, parents first.
    pub(crate) async fn walk(&self, path: &WorkspacePath, options: &WalkOptions) -> Result<Feed<Entry>> {
        let list = ListOptions::default().with_filter(options.filter.clone());
        let deepest = options.max_depth.unwrap_or(usize::MAX);
        let mut ahead = self.list(path, &list).await?;
        ahead.reverse();
        let mut told = Vec::new();
        while let Some(mut entry) = ahead.pop() {
            let deep = entry.path.depth() - path.depth();
            if deep > deepest {
                continue;
            }
            if entry.kind == FileKind::Dir && !entry.non_utf8 && deep < deepest {
                match self.list(&entry.path, &list).await {
                    Ok(below) => ahead.extend(below.into_iter().rev()),
                    Err(_) => entry.unreadable = true,
                }
            }
            told.push(Ok(entry));
        }
        Ok(Feed::from_items(told))
    }

    /// Looks at each component; a link is told about itself at the end alone.
    async fn look(&self, path: &WorkspacePath, follow: bool) -> Result<Stat> {
        let mut at = WorkspacePath::root();
        let mut stat = Stat::new(FileKind::Dir, 0).with_mode(0o755);
        for name in path.components() {
            if stat.kind != FileKind::Dir {
                return Err(Error::new(
                    ErrorKind::NotADirectory,
                    "a file stands where a directory is needed",
                ));
            }
            at = at.child(name)?;
            stat = self.head(&at).await?;
            if stat.kind == FileKind::Link && (follow || at != *path) {
                return Err(Error::new(
                    ErrorKind::PathEscape,
                    "links are not followed in an image without a shell",
                )
                .hint("use the path of the target itself"));
            }
        }
        Ok(stat)
    }

    async fn head(&self, path: &WorkspacePath) -> Result<Stat> {
        let options = ContainerArchiveInfoOptionsBuilder::default().path(&self.at(path)).build();
        let engine = &self.container.engine;
        let told =
            engine.raw(engine.client().get_container_archive_info(&self.container.id, Some(options))).await;
        let told = told.map_err(|theirs| match error::status(&theirs) {
            Some(404) => Error::new(ErrorKind::NotFound, "there is nothing here")
                .hint("list the directory to see what it holds")
                .because(theirs),
            _ => error::ours(theirs),
        })?;
        let mode = told.file_mode;
        let kind = match mode {
            mode if mode & DIRECTORY != 0 => FileKind::Dir,
            mode if mode & LINK != 0 => FileKind::Link,
            mode if mode & SPECIAL != 0 => FileKind::Other,
            _ => FileKind::File,
        };
        let size = if kind == FileKind::File { u64::try_from(told.size).unwrap_or_default() } else { 0 };
        Ok(Stat::new(kind, size).with_mode(permissions(mode)))
    }

    /// The archive of a path.
    async fn fetch(&self, path: &WorkspacePath) -> Result<Vec<u8>> {
        let options = DownloadFromContainerOptionsBuilder::default().path(&self.at(path)).build();
        let engine = &self.container.engine;
        let mut pieces = Box::pin(engine.client().download_from_container(&self.container.id, Some(options)));
        let mut bytes = Vec::new();
        loop {
            match timeout(engine.deadline(), pieces.next()).await {
                Err(_) => return Err(error::silent()),
                Ok(None) => return Ok(bytes),
                Ok(Some(piece)) => bytes.extend_from_slice(&piece.map_err(error::ours)?),
            }
            if bytes.len() as u64 > MOST {
                return Err(Error::new(ErrorKind::TooLarge, format!("it holds more than {MOST} bytes"))
                    .hint("use an image with a shell, which reads files in parts"));
            }
        }
    }
}

fn permissions(mode: u32) -> u32 {
    let bit = |theirs: u32, ours: u32| if mode & theirs != 0 { ours } else { 0 };
    (mode & 0o777) | bit(SETUID, 0o4000) | bit(SETGID, 0o2000) | bit(STICKY, 0o1000)
}

fn unreadable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Io, "the engine gave an archive that cannot be read").because(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_of_the_contract() {
        assert_eq!(permissions(DIRECTORY | STICKY | 0o777), 0o1777);
        assert_eq!(permissions(SETUID | 0o755), 0o4755);
        assert_eq!(permissions(LINK | 0o777), 0o777);
    }
}
