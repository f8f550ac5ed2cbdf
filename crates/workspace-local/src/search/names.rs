//! The names in one directory, sorted, in one piece of memory.

use std::ffi::CStr;
use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;
use workspace_core::{FileKind, is_temporary_name};

use super::stop::{Steps, Stop};
use crate::attributes::kind_of;
use crate::files::for_each;

/// What a directory holds but for files in the making, sorted bytewise by what is shown.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// One after the other, each with a NUL at its end.
    text: Vec<u8>,
    sorted: Vec<Name>,
    /// Whether the search ended before all were read. Then there are none.
    pub(super) cut: bool,
}

/// A name, by its place in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name {
    start: usize,
    length: u16,
    pub(super) kind: FileKind,
    /// The text shows it with U+FFFD, and no file answers to that.
    pub(super) non_utf8: bool,
}

impl Names {
    /// Reads a directory that has just been opened for it. Where the search ends meanwhile, there are no names.
    pub(super) fn read(dir: BorrowedFd<'_>, stop: &Stop) -> Result<Self, Errno> {
        let mut read = Self::default();
        let mut failed = Ok(());
        let mut steps = Steps::later();
        for_each(dir, |name, file_type| {
            if steps.is_over(stop) {
                read.cut = true;
                return ControlFlow::Break(());
            }
            match read.push(dir, name, file_type) {
                Ok(()) => ControlFlow::Continue(()),
                Err(errno) => {
                    failed = Err(errno);
                    ControlFlow::Break(())
                }
            }
        })?;
        failed?;
        if read.cut {
            read.sorted.clear();
        }
        let text = &read.text;
        read.sorted.sort_unstable_by(|a, b| bytes_of(text, a).cmp(bytes_of(text, b)));
        Ok(read)
    }

    fn push(&mut self, dir: BorrowedFd<'_>, name: &CStr, file_type: FileType) -> Result<(), Errno> {
        let shown = name.to_string_lossy();
        if is_temporary_name(&shown) {
            return Ok(());
        }
        // Not every file system tells the type along with the name.
        let file_type = match file_type {
            FileType::Unknown => match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(raw) => FileType::from_raw_mode(raw.st_mode),
                // It has gone meanwhile.
                Err(Errno::NOENT) => return Ok(()),
                Err(errno) => return Err(errno),
            },
            known => known,
        };
        let length = u16::try_from(shown.len()).map_err(|_| Errno::NAMETOOLONG)?;
        let non_utf8 = shown.as_bytes() != name.to_bytes();
        self.sorted.push(Name { start: self.text.len(), length, kind: kind_of(file_type), non_utf8 });
        self.text.extend_from_slice(shown.as_bytes());
        self.text.push(0);
        Ok(())
    }

    /// Leaves out the names that are not wanted.
    pub(super) fn retain(&mut self, mut wanted: impl FnMut(&str) -> bool) {
        let text = &self.text;
        self.sorted.retain(|name| wanted(shown_of(text, name)));
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Name> {
        self.sorted.iter().copied()
    }

    /// The entry of a name that is UTF-8.
    pub(super) fn find(&self, shown: &str) -> Option<Name> {
        let at =
            self.sorted.binary_search_by(|name| bytes_of(&self.text, name).cmp(shown.as_bytes())).ok()?;
        self.sorted.get(at).copied().filter(|name| !name.non_utf8)
    }

    /// The name as it is shown.
    pub(super) fn shown(&self, name: Name) -> &str {
        shown_of(&self.text, &name)
    }

    /// The name as the system takes it.
    pub(super) fn for_system(&self, name: Name) -> &CStr {
        let end = name.start + usize::from(name.length) + 1;
        self.text
            .get(name.start..end)
            .and_then(|bytes| CStr::from_bytes_with_nul(bytes).ok())
            .unwrap_or_default()
    }
}

fn bytes_of<'a>(text: &'a [u8], name: &Name) -> &'a [u8] {
    text.get(name.start..name.start + usize::from(name.length)).unwrap_or_default()
}

fn shown_of<'a>(text: &'a [u8], name: &Name) -> &'a str {
    std::str::from_utf8(bytes_of(text, name)).unwrap_or_default()
}
