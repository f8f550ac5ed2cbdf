//! What a directory holds.

use std::ffi::{CStr, CString};
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{AtFlags, FileType, Mode};
use rustix::io::Errno;
use workspace_core::{FileKind, is_temporary_name};

use crate::attributes::kind_of;
use crate::beneath::LISTING;

/// An entry as the system gives it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) name: CString,
    /// The name as it is shown: with U+FFFD where it is not UTF-8.
    pub(super) shown: String,
    pub(super) kind: FileKind,
}

impl Found {
    pub(super) fn is_utf8(&self) -> bool {
        self.shown.as_bytes() == self.name.to_bytes()
    }
}

/// Which entries are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// All but files in the making.
    Visible,
    /// All.
    All,
}

/// Reads a directory that has just been opened for it, and sorts it bytewise by what is shown.
pub(super) fn entries(dir: impl AsFd, which: Which) -> Result<Vec<Found>, Errno> {
    let dir = dir.as_fd();
    let mut found = Vec::new();
    for_each(dir, |name, file_type| {
        let shown = name.to_string_lossy();
        if which == Which::All || !is_temporary_name(&shown) {
            found.push((name.to_owned(), shown.into_owned(), file_type));
        }
        ControlFlow::Continue(())
    })?;
    found.sort_unstable_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
    found.into_iter().filter_map(|(name, shown, file_type)| with_kind(dir, name, shown, file_type)).collect()
}

/// Not every file system tells the type along with the name.
fn with_kind(
    dir: BorrowedFd<'_>,
    name: CString,
    shown: String,
    file_type: FileType,
) -> Option<Result<Found, Errno>> {
    let file_type = match file_type {
        FileType::Unknown => match rustix::fs::statat(dir, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(raw) => FileType::from_raw_mode(raw.st_mode),
            // It has gone meanwhile.
            Err(Errno::NOENT) => return None,
            Err(errno) => return Some(Err(errno)),
        },
        known => known,
    };
    Some(Ok(Found { name, shown, kind: kind_of(file_type) }))
}

/// Some names of a directory, as many as are asked for at most. What cannot be read is left out.
pub(crate) fn first_names(dir: BorrowedFd<'_>, count: usize) -> Vec<String> {
    let mut names = Vec::new();
    if let Ok(listing) = rustix::fs::openat(dir, ".", LISTING, Mode::empty()) {
        // A directory that fails in the middle has told enough.
        let _ = for_each(listing.as_fd(), |name, _| {
            names.extend(name.to_str().ok().map(str::to_owned));
            if names.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    names
}

/// Tells each entry but `.` and `..`, in the order of the directory, until it is enough.
pub(crate) fn for_each(
    dir: BorrowedFd<'_>,
    mut tell: impl FnMut(&CStr, FileType) -> ControlFlow<()>,
) -> Result<(), Errno> {
    let mut tell = |name: &CStr, file_type| match name.to_bytes() {
        b"." | b".." => ControlFlow::Continue(()),
        _ => tell(name, file_type),
    };
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let mut buffer = Vec::with_capacity(32 * 1024);
        let mut reader = rustix::fs::RawDir::new(dir, buffer.spare_capacity_mut());
        while let Some(entry) = reader.next() {
            let entry = entry?;
            if tell(entry.file_name(), entry.file_type()).is_break() {
                break;
            }
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    for entry in rustix::fs::Dir::read_from(dir)? {
        let entry = entry?;
        if tell(entry.file_name(), entry.file_type()).is_break() {
            break;
        }
    }
    Ok(())
}
