//! The text of the repository, held in memory so that every check is a function of data.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::path::Path;

use ignore::WalkBuilder;

/// All files that the repository keeps.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Directories of this machine: the repository, the home.
    machine: Vec<String>,
    /// Text by path from the root.
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads what ignore files do not hide, whether it is committed or not yet.
    #[allow(clippy::disallowed_methods, reason = "a chore of this repository reads this repository")]
    pub(super) fn load(root: &Path) -> Result<Self, Box<dyn Error>> {
        let mut files = BTreeMap::new();
        let walk = WalkBuilder::new(root)
            .hidden(false)
            .parents(false)
            .git_global(false)
            .require_git(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        for entry in walk {
            let entry = entry?;
            if entry.file_type().is_some_and(|kind| kind.is_file()) {
                let path = entry.path().strip_prefix(root)?.to_string_lossy().replace('\\', "/");
                // What is not text has a place in the tree and nothing to check inside.
                let text = String::from_utf8(std::fs::read(entry.path())?).unwrap_or_default();
                files.insert(path, text);
            }
        }
        let home = env::var("HOME").ok().filter(|home| is_a_home(home));
        let machine = home.into_iter().chain([root.display().to_string()]).collect();
        Ok(Self { machine, files })
    }

    /// Directories of this machine, absolute: the repository, and the home where it is one.
    pub(super) fn machine(&self) -> &[String] {
        &self.machine
    }

    /// The text of a file, where there is one.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether a file or a directory stands there. The empty path is the root.
    pub(super) fn holds(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.keys().any(|file| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Path and text of all files.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Path and text of all files whose names end in `.extension`.
    pub(super) fn with_extension(&self, extension: &str) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(move |(path, _)| {
            path.rsplit_once('.').is_some_and(|(stem, found)| !stem.is_empty() && found == extension)
        })
    }
}

/// Whether a directory is some person's home, and not one that others have too, such as `/tmp`.
fn is_a_home(directory: &str) -> bool {
    directory == "/root" || ["/home/", "/Users/"].iter().any(|homes| directory.starts_with(homes))
}

/// The lines of Rust source that hold code, numbered from 1, without their comments.
pub(super) fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().zip(1..).filter_map(|(line, number)| {
        let (code, _) = split_comment(line);
        (!code.trim().is_empty()).then_some((number, code))
    })
}

/// The code of a line of Rust, and its comment.
pub(super) fn split_comment(line: &str) -> (&str, &str) {
    match line.find("//") {
        // `https://` in a text is no comment.
        Some(at) if !line[..at].ends_with(':') => line.split_at(at),
        _ => (line, ""),
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Tree {
    fn from(files: [(&str, &str); N]) -> Self {
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
        Self { machine: vec!["/srv/checkout".to_owned()], files }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_holds_its_files_and_their_directories() {
        let tree = Tree::from([("docs/a.md", ""), ("docs-old", "")]);
        let held = ["", "docs", "docs/", "docs/a.md", "docs-old", "doc", "docs/a", "b"];
        assert_eq!(held.map(|path| tree.holds(path)), [true, true, true, true, true, false, false, false]);
    }

    #[test]
    fn comments_are_no_code() {
        let text = "//! doc\nlet a = 1; // why\n\n    // more\nlet b = \"https://x\";\n";
        let lines: Vec<_> = code_lines(text).collect();
        assert_eq!(lines, [(2, "let a = 1; "), (5, "let b = \"https://x\";")]);
    }
}
