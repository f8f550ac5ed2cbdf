//! `ListDir`: a directory and what is below it.

use rustix::fs::{FileType, Mode, OFlags};
use serde_json::{Value, json};

use super::entry;
use super::{failed, words};
use crate::connect::{Code, Problem};
use crate::sandbox::{Names, View, names, stat_of};

/// Entries in order: each directory before what is in it, names sorted by byte.
pub(super) fn list(view: &View, path: &str, depth: u32) -> Result<Value, Problem> {
    match view.stat(path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {}
        Ok(_) => {
            return Err(Problem::new(Code::InvalidArgument, format!("path is not a directory: {path}")));
        }
        Err(error) => return Err(failed("path", "lstat", path, error)),
    }
    let mut entries = Vec::new();
    let owners = Names::of(view);
    let mut waiting = vec![(path.trim_end_matches('/').to_owned(), depth)];
    // What is found in a directory goes before what waited, last name first.
    while let Some((directory, depth)) = waiting.pop() {
        if directory != path.trim_end_matches('/') {
            match entry::named(view, &owners, &directory) {
                Ok(entry) => entries.push(entry),
                // It went while the list was made.
                Err(_) => continue,
            }
            if depth == 0 || !is_directory(view, &directory) {
                continue;
            }
        }
        let at = if directory.is_empty() { "/" } else { &directory };
        let opened = view.open(at, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty());
        match opened.and_then(names) {
            Ok(found) => {
                let below = found.iter().rev().filter_map(|name| name.to_str());
                waiting.extend(below.map(|name| (format!("{directory}/{name}"), depth - 1)));
            }
            Err(_) if directory != path.trim_end_matches('/') => {}
            Err(error) => {
                let message = format!("error reading directory: open {path}: {}", words(error));
                return Err(Problem::new(Code::Internal, message));
            }
        }
    }
    Ok(if entries.is_empty() { json!({}) } else { json!({ "entries": entries }) })
}

/// Links below the root of a list are not followed.
fn is_directory(view: &View, path: &str) -> bool {
    let stat = view.at_link(path).and_then(|handle| stat_of(&handle));
    stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
}
