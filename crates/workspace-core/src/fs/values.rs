//! What providers answer with.

use std::fmt;
use std::time::SystemTime;

use crate::{Body, WorkspacePath};

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// An opaque mark of a file's state: it differs whenever the content may differ.
///
/// On a local disk it holds device, inode, size and both times; in memory a
/// counter. It is a point check, not a lock, and means nothing across backends.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Version(Box<[u8]>);

impl Version {
    /// A version from a backend's own bytes.
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Version(")?;
        for byte in &self.0 {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// The attributes of what stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Size in bytes; 0 for what is no regular file.
    pub size: u64,
    /// Permission bits (`0o7777`), where the backend has them.
    pub mode: Option<u32>,
    /// When the content last changed, where known.
    pub modified: Option<SystemTime>,
    /// Mark of the state, where the backend has one.
    pub version: Option<Version>,
}

impl Stat {
    /// Attributes of a kind and size, the rest unknown.
    pub const fn new(kind: FileKind, size: u64) -> Self {
        Self { kind, size, mode: None, modified: None, version: None }
    }

    /// Sets the permission bits.
    #[must_use]
    pub fn with_mode(mut self, mode: u32) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets the time of the last change.
    #[must_use]
    pub fn with_modified(mut self, modified: SystemTime) -> Self {
        self.modified = Some(modified);
        self
    }

    /// Sets the mark of the state.
    #[must_use]
    pub fn with_version(mut self, version: Version) -> Self {
        self.version = Some(version);
        self
    }
}

/// One entry of a directory. A link is reported as a link, never followed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Where it is, relative to the root of the workspace.
    pub path: WorkspacePath,
    /// What it is.
    pub kind: FileKind,
    /// Size in bytes, for a regular file where the backend knows it without asking again.
    pub size: Option<u64>,
    /// When it last changed, where the backend knows it without asking again.
    pub modified: Option<SystemTime>,
    /// The name is not UTF-8: `path` shows it with U+FFFD and cannot be used to reach it.
    pub non_utf8: bool,
    /// Set by [`walk`](crate::FsProvider::walk) on a directory that it could not list.
    pub unreadable: bool,
}

impl Entry {
    /// An entry of a kind, the rest unknown.
    pub const fn new(path: WorkspacePath, kind: FileKind) -> Self {
        Self { path, kind, size: None, modified: None, non_utf8: false, unreadable: false }
    }

    /// Sets the size in bytes.
    #[must_use]
    pub fn with_size(mut self, size: u64) -> Self {
        self.size = Some(size);
        self
    }

    /// Sets the time of the last change.
    #[must_use]
    pub fn with_modified(mut self, modified: SystemTime) -> Self {
        self.modified = Some(modified);
        self
    }

    /// Says whether the name is not UTF-8.
    #[must_use]
    pub fn with_non_utf8(mut self, yes: bool) -> Self {
        self.non_utf8 = yes;
        self
    }

    /// Says whether the directory could not be listed.
    #[must_use]
    pub fn with_unreadable(mut self, yes: bool) -> Self {
        self.unreadable = yes;
        self
    }
}

/// An opened file: its attributes and its bytes, of one and the same file.
#[derive(Debug)]
#[non_exhaustive]
pub struct FileBody {
    /// The attributes at the time of opening.
    pub stat: Stat,
    /// The bytes of the window that was asked.
    pub body: Body,
}

impl FileBody {
    /// A file of these attributes and bytes.
    pub const fn new(stat: Stat, body: Body) -> Self {
        Self { stat, body }
    }
}

/// What a write did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Whether the file did not exist before.
    pub created: bool,
    /// Whether readers could see nothing but the old or the new content.
    pub atomic: bool,
    /// The attributes after the write.
    pub stat: Stat,
}

impl Written {
    /// An atomic write that left a file of these attributes.
    pub const fn new(created: bool, stat: Stat) -> Self {
        Self { created, atomic: true, stat }
    }

    /// Says whether the write was atomic.
    #[must_use]
    pub fn with_atomic(mut self, yes: bool) -> Self {
        self.atomic = yes;
        self
    }
}
