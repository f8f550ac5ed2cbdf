//! A jail on disk, and the view of it.
#![allow(clippy::disallowed_methods, reason = "the view under test looks at a real tree of links")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;
use workspace_shell_policy::{JailView, Place};

/// The tree that the cases assume, and a directory outside it.
pub(crate) struct Tree {
    _home: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) outside: PathBuf,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let base = home.path().canonicalize().unwrap();
        let (root, outside) = (base.join("jail"), base.join("out"));
        for directory in ["src/sub", "logs", "docs", "bin", "secrets", ".git"] {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        for file in ["src/a.txt", "src/b.txt", "bin/git", ".git/config", ".env"] {
            fs::write(root.join(file), "").unwrap();
        }
        fs::set_permissions(root.join("bin/git"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir_all(outside.join("sub")).unwrap();
        symlink("src", root.join("link-in")).unwrap();
        symlink(&outside, root.join("link-out")).unwrap();
        symlink(outside.join("file"), root.join("link-file-out")).unwrap();
        symlink(outside.join("does-not-exist"), root.join("link-dangling")).unwrap();
        Self { _home: home, root, outside }
    }

    pub(crate) fn text(&self, line: &str) -> String {
        line.replace("@JAIL@", self.root.to_str().unwrap()).replace("@OUT@", self.outside.to_str().unwrap())
    }
}

impl JailView for Tree {
    /// Follows links through the deepest directory that exists.
    fn resolve(&self, path: &str) -> Place {
        let mut existing = self.root.join(path);
        let mut missing = Vec::new();
        let resolved = loop {
            match existing.canonicalize() {
                Ok(resolved) => break resolved,
                // A dangling link would create its target wherever that is.
                Err(_) if existing.symlink_metadata().is_ok() => return Place::Outside,
                Err(_) => match existing.file_name() {
                    Some(name) => {
                        missing.push(name.to_owned());
                        existing.pop();
                    }
                    None => return Place::Outside,
                },
            }
        };
        let whole = missing.iter().rev().fold(resolved, |path, name| path.join(name));
        match whole.strip_prefix(&self.root) {
            Ok(inside) => Place::Inside(slashed(inside)),
            Err(_) => Place::Outside,
        }
    }
}

fn slashed(path: &Path) -> String {
    let names: Vec<&str> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    names.join("/")
}
