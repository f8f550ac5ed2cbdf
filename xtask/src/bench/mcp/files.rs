//! The files that are read and edited.

use std::path::{Path, PathBuf};

/// The line that an edit changes, and what it becomes.
pub(super) const CHANGE: [&str; 2] =
    ["the one line that is like no other", "the only line that is like no other"];

/// A file of a size, with the line in its middle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sized {
    pub(super) name: &'static str,
    pub(super) bytes: usize,
}

pub(super) const SMALL: Sized = Sized { name: "small.txt", bytes: 2000 };
pub(super) const MIDDLE: Sized = Sized { name: "300k.txt", bytes: 300_000 };
pub(super) const LARGE: Sized = Sized { name: "9m.txt", bytes: 9_000_000 };

impl Sized {
    fn text(self) -> String {
        let lines = (0..).map(|number| format!("{number}: the quick brown fox jumps over the lazy dog\n"));
        let mut text = String::with_capacity(self.bytes + 100);
        let mut changes = Some(CHANGE[0]);
        for line in lines {
            if text.len() >= self.bytes {
                break;
            }
            if text.len() >= self.bytes / 2
                && let Some(line) = changes.take()
            {
                text.push_str(line);
                text.push('\n');
            }
            text.push_str(&line);
        }
        text
    }

    /// Writes it as it was before any edit.
    pub(super) fn lay(self, directory: &Path) -> Result<(), String> {
        write(&directory.join(self.name), &self.text())
    }
}

#[allow(clippy::disallowed_methods, reason = "files to be measured with are laid on the disk")]
pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    let told = |error: std::io::Error| format!("`{}`: {error}", path.display());
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(told)?;
    }
    std::fs::write(path, text).map_err(told)
}

/// Without links, as some servers demand of what they are given.
#[allow(clippy::disallowed_methods, reason = "the owner of the bench names a directory")]
pub(super) fn resolved(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize().map_err(|error| format!("`{}`: {error}", path.display()))
}
