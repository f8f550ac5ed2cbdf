//! What users note about a file: `X-Metadata-*`, kept in extended attributes.

use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};

use axum::http::HeaderMap;
use rustix::fs::{XattrFlags, getxattr, listxattr, removexattr, setxattr};

const HEADER: &str = "x-metadata-";
const ATTRIBUTE: &str = "user.e2b.";
const LONGEST_KEY: usize = 246;
const LARGEST: usize = 4096;

/// The set that the headers of an upload give, or why it is refused.
pub(super) fn asked_for(headers: &HeaderMap) -> Result<BTreeMap<String, String>, String> {
    let mut set = BTreeMap::new();
    let mut size = 0;
    for (name, value) in headers {
        let Some(key) = name.as_str().strip_prefix(HEADER) else { continue };
        let value =
            value.to_str().map_err(|_| format!("metadata value of '{key}' must be printable ASCII"))?;
        if key.is_empty() || key.len() > LONGEST_KEY {
            return Err(format!("metadata key '{key}' must have 1 to {LONGEST_KEY} bytes"));
        }
        size += key.len() + value.len();
        set.insert(key.to_owned(), value.to_owned());
    }
    if size > LARGEST { Err(format!("metadata must not exceed {LARGEST} bytes")) } else { Ok(set) }
}

/// Gives a file this set in place of the one that it has.
pub(super) fn replace(file: &impl AsRawFd, set: &BTreeMap<String, String>) -> rustix::io::Result<()> {
    let path = reachable(file);
    for old in keys(&path) {
        if !set.contains_key(&old) {
            removexattr(&path, format!("{ATTRIBUTE}{old}"))?;
        }
    }
    for (key, value) in set {
        setxattr(&path, format!("{ATTRIBUTE}{key}"), value.as_bytes(), XattrFlags::empty())?;
    }
    Ok(())
}

/// The set of what a handle stands for; empty where it can have none.
pub(crate) fn metadata_of(handle: &OwnedFd) -> BTreeMap<String, String> {
    let path = reachable(handle);
    let value = |key: &str| {
        let mut buffer = vec![0; LARGEST];
        let length = getxattr(&path, format!("{ATTRIBUTE}{key}"), &mut buffer[..]).ok()?;
        buffer.truncate(length);
        String::from_utf8(buffer).ok()
    };
    keys(&path).into_iter().filter_map(|key| Some((key.clone(), value(&key)?))).collect()
}

fn keys(path: &str) -> Vec<String> {
    let mut buffer = vec![0_u8; 1 << 16];
    let Ok(length) = listxattr(path, &mut buffer[..]) else { return Vec::new() };
    buffer.truncate(length);
    let names = buffer.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
    names.filter_map(|name| name.strip_prefix(ATTRIBUTE)).map(str::to_owned).collect()
}

/// A path of this process to a handle, which also serves those opened with `O_PATH`.
fn reachable(handle: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}
