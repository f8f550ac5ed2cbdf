//! `EntryInfo`: what a path is.

use chrono::{DateTime, SecondsFormat};
use rustix::fs::{FileType, Stat};
use rustix::io::Result;
use serde_json::{Map, Value, json};

use crate::envd::metadata_of;
use crate::sandbox::{Names, View, stat_of};

const PERMISSIONS: u32 = 0o777;

/// The entry of a path whose last name is not followed.
pub(super) fn of(view: &View, path: &str) -> Result<Value> {
    named(view, &Names::of(view), path)
}

/// The same, with the names of owners at hand.
pub(super) fn named(view: &View, names: &Names, path: &str) -> Result<Value> {
    let handle = view.at_link(path)?;
    let own = stat_of(&handle)?;
    let is_link = FileType::from_raw_mode(own.st_mode) == FileType::Symlink;
    // A link has the type and the mode of what it leads to, if that is there.
    let (target, kind) = if is_link { (view.at(path).ok(), None) } else { (Some(handle), Some(own)) };
    let led_to = target.as_ref().and_then(|target| kind.or_else(|| stat_of(target).ok()));

    let mut entry = Map::new();
    let name = path.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("/");
    entry.insert("name".into(), json!(name));
    if let Some(kind) = led_to.and_then(|stat| type_of(&stat)) {
        entry.insert("type".into(), json!(kind));
    }
    entry.insert("path".into(), json!(path));
    if own.st_size != 0 {
        entry.insert("size".into(), json!(own.st_size.to_string()));
    }
    let mode = led_to.map_or(0, |stat| stat.st_mode & PERMISSIONS);
    if mode != 0 {
        entry.insert("mode".into(), json!(mode));
    }
    entry.insert("permissions".into(), json!(permissions(own.st_mode)));
    entry.insert("owner".into(), json!(names.user(own.st_uid)));
    entry.insert("group".into(), json!(names.group(own.st_gid)));
    if let Some(time) = modified(&own) {
        entry.insert("modifiedTime".into(), json!(time));
    }
    if is_link {
        let resolved = target.as_ref().and_then(|_| view.real_path(path).ok());
        entry.insert("symlinkTarget".into(), json!(resolved.as_deref().unwrap_or(path)));
        entry.insert("isSymlink".into(), json!(true));
    }
    let notes = target.as_ref().map(metadata_of).unwrap_or_default();
    if !notes.is_empty() {
        entry.insert("metadata".into(), json!(notes));
    }
    Ok(Value::Object(entry))
}

/// The name of a type; sockets, pipes and devices have none.
fn type_of(stat: &Stat) -> Option<&'static str> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Some("FILE_TYPE_FILE"),
        FileType::Directory => Some("FILE_TYPE_DIRECTORY"),
        _ => None,
    }
}

fn modified(stat: &Stat) -> Option<String> {
    let nanoseconds = u32::try_from(stat.st_mtime_nsec).ok()?;
    let time = DateTime::from_timestamp(stat.st_mtime, nanoseconds)?;
    Some(time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

/// A mode as Go writes it: letters of its own for the type and the special bits.
fn permissions(mode: u32) -> String {
    let mut text = String::new();
    let kind = FileType::from_raw_mode(mode);
    match kind {
        FileType::Directory => text.push('d'),
        FileType::Symlink => text.push('L'),
        FileType::BlockDevice | FileType::CharacterDevice => text.push('D'),
        FileType::Fifo => text.push('p'),
        FileType::Socket => text.push('S'),
        _ => {}
    }
    for (bit, letter) in [(0o4000, 'u'), (0o2000, 'g')] {
        if mode & bit != 0 {
            text.push(letter);
        }
    }
    if kind == FileType::CharacterDevice {
        text.push('c');
    }
    if mode & 0o1000 != 0 {
        text.push('t');
    }
    if text.is_empty() {
        text.push('-');
    }
    for (at, letter) in "rwxrwxrwx".chars().enumerate() {
        text.push(if mode & (0o400 >> at) == 0 { '-' } else { letter });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::permissions;

    #[test]
    fn modes_are_written_as_go_writes_them() {
        for (mode, expected) in [
            (0o100_644, "-rw-r--r--"),
            (0o040_755, "drwxr-xr-x"),
            (0o120_777, "Lrwxrwxrwx"),
            (0o041_777, "dtrwxrwxrwx"),
            (0o104_755, "urwxr-xr-x"),
            (0o020_666, "Dcrw-rw-rw-"),
            (0o010_600, "prw-------"),
        ] {
            assert_eq!(permissions(mode), expected, "{mode:o}");
        }
    }
}
