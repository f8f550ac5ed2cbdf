//! Giving a file a name that must be free.

use std::os::fd::BorrowedFd;

use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::place::look_at;

/// Renames where nothing stands at the new name: [`Errno::EXIST`] otherwise.
///
/// It is one step where the system can do that. Where it cannot, a file is
/// linked to its new name first, which is as exact; a directory, and a file on
/// a file system without hard links, is moved after a look at the new name.
pub(super) fn rename_to_free(
    (from_dir, from): (BorrowedFd<'_>, &str),
    (to_dir, to): (BorrowedFd<'_>, &str),
    is_dir: bool,
) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    match rustix::fs::renameat_with(from_dir, from, to_dir, to, rustix::fs::RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        done => return done,
    }
    rename_by_link((from_dir, from), (to_dir, to), is_dir)
}

fn rename_by_link(
    (from_dir, from): (BorrowedFd<'_>, &str),
    (to_dir, to): (BorrowedFd<'_>, &str),
    is_dir: bool,
) -> Result<(), Errno> {
    if !is_dir {
        match rustix::fs::linkat(from_dir, from, to_dir, to, AtFlags::empty()) {
            Ok(()) => return rustix::fs::unlinkat(from_dir, from, AtFlags::empty()),
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) => {}
            Err(errno) => return Err(errno),
        }
    }
    if look_at(to_dir, to)?.is_some() {
        return Err(Errno::EXIST);
    }
    rustix::fs::renameat(from_dir, from, to_dir, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    type Rename = fn((BorrowedFd<'_>, &str), (BorrowedFd<'_>, &str), bool) -> Result<(), Errno>;

    #[test]
    fn a_name_that_is_taken_is_kept_by_either_way() {
        for rename in [rename_to_free as Rename, rename_by_link as Rename] {
            let root = tempfile::tempdir().unwrap();
            let at = |name: &str| root.path().join(name);
            std::fs::write(at("a"), "a").unwrap();
            std::fs::write(at("b"), "b").unwrap();
            std::fs::create_dir(at("d")).unwrap();
            let dir = std::fs::File::open(root.path()).unwrap();
            let dir = dir.as_fd();

            assert_eq!(rename((dir, "a"), (dir, "b"), false), Err(Errno::EXIST));
            assert_eq!(rename((dir, "d"), (dir, "b"), true), Err(Errno::EXIST));
            assert_eq!(std::fs::read_to_string(at("b")).unwrap(), "b");
            rename((dir, "a"), (dir, "c"), false).unwrap();
            rename((dir, "d"), (dir, "e"), true).unwrap();
            assert!(!at("a").exists() && !at("d").exists() && at("e").is_dir());
            assert_eq!(std::fs::read_to_string(at("c")).unwrap(), "a");
        }
    }
}
