//! What the system knows about a file, as the contract says it.

use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, RawMode};
use workspace_core::{FileKind, Stat, Version};

/// The attributes as the system gives them.
pub(crate) type Raw = rustix::fs::Stat;

/// Which file it is, whatever its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    // The system's own types differ in width and sign from platform to platform.
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, clippy::cast_lossless)]
    pub(crate) fn of(raw: &Raw) -> Self {
        Self { device: raw.st_dev as u64, inode: raw.st_ino as u64 }
    }
}

pub(crate) fn kind_of(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Dir,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}

pub(crate) fn kind(raw: &Raw) -> FileKind {
    kind_of(FileType::from_raw_mode(raw.st_mode as RawMode))
}

/// The permission bits.
#[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
pub(crate) fn mode(raw: &Raw) -> u32 {
    raw.st_mode as u32 & 0o7777
}

/// Whether it has more names than the one it was found by.
pub(crate) fn has_other_names(raw: &Raw) -> bool {
    kind(raw) == FileKind::File && raw.st_nlink > 1
}

#[allow(clippy::cast_sign_loss)]
pub(crate) fn size(raw: &Raw) -> u64 {
    raw.st_size as u64
}

/// When the content last changed.
#[allow(clippy::unnecessary_cast, clippy::cast_lossless)]
pub(crate) fn modified(raw: &Raw) -> Option<SystemTime> {
    let seconds = raw.st_mtime as i64;
    let nanoseconds = Duration::from_nanos(raw.st_mtime_nsec as u64);
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(whole)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(whole)
    };
    base.and_then(|base| base.checked_add(nanoseconds))
}

/// The state of the file: device, inode, size and both times.
///
/// The time of the last change of the attributes is among them, because a
/// program can set the other one back.
#[allow(clippy::unnecessary_cast, clippy::cast_lossless, clippy::cast_sign_loss)]
pub(crate) fn version(raw: &Raw) -> Version {
    let identity = Identity::of(raw);
    let parts = [
        identity.device,
        identity.inode,
        size(raw),
        raw.st_mtime as u64,
        raw.st_mtime_nsec as u64,
        raw.st_ctime as u64,
        raw.st_ctime_nsec as u64,
    ];
    Version::new(parts.map(u64::to_le_bytes).as_flattened())
}

pub(crate) fn stat(raw: &Raw) -> Stat {
    let kind = kind(raw);
    let bytes = if kind == FileKind::File { size(raw) } else { 0 };
    let stat = Stat::new(kind, bytes).with_mode(mode(raw)).with_version(version(raw));
    match modified(raw) {
        Some(time) => stat.with_modified(time),
        None => stat,
    }
}
