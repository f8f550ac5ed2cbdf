//! What a file keeps when its content is replaced.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{Gid, Mode, Uid};
use rustix::io::Errno;
use workspace_core::WriteMode;

use crate::attributes::{self, Raw};
use crate::beneath::{READING, open_name};

/// Bits that lend a program its owner's or group's rights. New content has not
/// earned them: the kernel, too, takes them away when a file is written to.
const LENDING: u32 = 0o6000;

/// Gives a new file the owner, the extended attributes, the access list and the
/// permission bits of the one that it replaces, as far as the system lets us.
///
/// # Errors
/// Where permission bits that the caller has set outright cannot be given.
pub(super) fn keep(
    file: BorrowedFd<'_>,
    (dir, name, old): (BorrowedFd<'_>, &str, Option<&Raw>),
    mode: WriteMode,
) -> Result<(), Errno> {
    let mut wanted = None;
    if let Some(old) = old {
        // The owner first: a change of it takes bits away.
        let same_group = keep_owner(file, old)?;
        if let Ok(old) = open_name(dir, name, READING) {
            extended::copy(old.as_fd(), file);
        }
        let bits = attributes::mode(old) & !LENDING;
        // What the group could do is not for another group: it gets what everyone has.
        wanted = Some(if same_group { bits } else { bits & !0o070 | (bits & 0o007) << 3 });
    }
    let is_asked = matches!(mode, WriteMode::Set(_));
    if let WriteMode::Set(bits) = mode {
        wanted = Some(bits & 0o7777);
    }
    let Some(bits) = wanted else { return Ok(()) };
    match rustix::fs::fchmod(file, Mode::from_raw_mode(bits as rustix::fs::RawMode)) {
        // A file system without permission bits.
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) if !is_asked => Ok(()),
        done => done,
    }
}

/// Tells whether the group is the same in the end.
fn keep_owner(file: BorrowedFd<'_>, old: &Raw) -> Result<bool, Errno> {
    let new = rustix::fs::fstat(file)?;
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid) {
        return Ok(true);
    }
    let (owner, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
    if rustix::fs::fchown(file, Some(owner), Some(group)).is_ok() {
        return Ok(true);
    }
    // To give a file away takes rights that few have; to hand it to one of one's groups does not.
    Ok(new.st_gid == old.st_gid || rustix::fs::fchown(file, None, Some(group)).is_ok())
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod extended {
    //! Extended attributes, among which Linux keeps access lists.

    use std::ffi::CStr;
    use std::os::fd::BorrowedFd;

    use rustix::fs::XattrFlags;
    use rustix::io::Errno;

    const ACCESS_LIST: &CStr = c"system.posix_acl_access";
    /// The largest list of names, and the largest value, that Linux knows.
    const LARGEST: usize = 64 * 1024;

    pub(super) fn copy(from: BorrowedFd<'_>, to: BorrowedFd<'_>) {
        let Ok(names) = read(|buffer| rustix::fs::flistxattr(from, buffer)) else { return };
        let names =
            names.split_inclusive(|byte| *byte == 0).filter_map(|name| CStr::from_bytes_with_nul(name).ok());
        let mut has_access_list = false;
        for name in names.filter(|name| is_kept(name)) {
            has_access_list |= name == ACCESS_LIST;
            if let Ok(value) = read(|buffer| rustix::fs::fgetxattr(from, name, buffer)) {
                let _ = rustix::fs::fsetxattr(to, name, &value, XattrFlags::empty());
            }
        }
        if !has_access_list {
            // The directory may have given the new file a list that the old one never had.
            let _ = rustix::fs::fremovexattr(to, ACCESS_LIST);
        }
    }

    /// Labels of the system's own are left for it to give.
    fn is_kept(name: &CStr) -> bool {
        cfg!(target_vendor = "apple") || name == ACCESS_LIST || name.to_bytes().starts_with(b"user.")
    }

    fn read(get: impl Fn(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
        let mut buffer = vec![0; 1024];
        let length = match get(&mut buffer) {
            Err(Errno::RANGE) => {
                buffer.resize(LARGEST, 0);
                get(&mut buffer)?
            }
            length => length?,
        };
        buffer.truncate(length);
        Ok(buffer)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod extended {
    //! This system keeps no extended attributes that we could copy.

    pub(super) fn copy(_: std::os::fd::BorrowedFd<'_>, _: std::os::fd::BorrowedFd<'_>) {}
}
