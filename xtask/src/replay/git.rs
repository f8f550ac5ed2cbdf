//! What is read of a repository, by the git program.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository on this machine.
pub(super) struct Repository(PathBuf);

/// A regular file or link of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blob {
    pub(super) mode: String,
    pub(super) id: String,
}

impl Blob {
    /// A link or a submodule is no text to edit.
    pub(super) fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }

    pub(super) fn permissions(&self) -> u32 {
        if self.mode == "100755" { 0o755 } else { 0o644 }
    }
}

/// What a commit did to one path.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) path: String,
    pub(super) old: Option<Blob>,
    pub(super) new: Option<Blob>,
}

impl Repository {
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let repository = Self(path.to_owned());
        repository.git(["rev-parse", "--verify", "HEAD"]).map_err(|_| {
            format!("`{}` is not a git repository with a commit; name one by --repo", path.display())
        })?;
        Ok(repository)
    }

    /// The last commits along first parents, the oldest first.
    pub(super) fn last_commits(&self, count: usize) -> Result<Vec<String>, String> {
        let text =
            self.text(["rev-list", "--first-parent", "--reverse", &format!("--max-count={count}"), "HEAD"])?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    pub(super) fn parent(&self, commit: &str) -> Result<Option<String>, String> {
        let line = self.text(["rev-list", "--parents", "--max-count=1", commit])?;
        Ok(line.split_whitespace().nth(1).map(str::to_owned))
    }

    /// What a commit changed against its first parent, renames told as removal and addition.
    pub(super) fn changes(&self, commit: &str) -> Result<Vec<Change>, String> {
        let raw = self.text([
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-abbrev",
            "--no-commit-id",
            "--root",
            "-m",
            "--first-parent",
            commit,
        ])?;
        let mut changes = Vec::new();
        let mut parts = raw.split('\0');
        while let (Some(facts), Some(path)) = (parts.next(), parts.next()) {
            let facts: Vec<&str> = facts.trim_start_matches(':').split(' ').collect();
            let [old_mode, new_mode, old_id, new_id, ..] = facts.as_slice() else {
                return Err(format!("git told a change in an unknown form: {facts:?}"));
            };
            let blob =
                |mode: &str, id: &str| (mode != "000000").then(|| Blob { mode: mode.into(), id: id.into() });
            changes.push(Change {
                path: path.into(),
                old: blob(old_mode, old_id),
                new: blob(new_mode, new_id),
            });
        }
        Ok(changes)
    }

    /// All files of a commit.
    pub(super) fn tree(&self, commit: &str) -> Result<BTreeMap<String, Blob>, String> {
        let raw = self.text(["ls-tree", "-r", "-z", "--full-tree", commit])?;
        let mut files = BTreeMap::new();
        for line in raw.split('\0').filter(|line| !line.is_empty()) {
            let (facts, path) = line.split_once('\t').ok_or("git told a tree in an unknown form")?;
            let mut facts = facts.split(' ');
            let (Some(mode), _, Some(id)) = (facts.next(), facts.next(), facts.next()) else { continue };
            files.insert(path.to_owned(), Blob { mode: mode.into(), id: id.into() });
        }
        Ok(files)
    }

    pub(super) fn content(&self, blob: &Blob) -> Result<Vec<u8>, String> {
        self.git(["cat-file", "blob", &blob.id])
    }

    fn text<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Result<String, String> {
        String::from_utf8(self.git(args)?).map_err(|_| "git told a name that is not UTF-8".to_owned())
    }

    #[allow(clippy::disallowed_methods, reason = "the history of a repository is git's to tell")]
    fn git<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Result<Vec<u8>, String> {
        let output = Command::new("git")
            .arg("-C")
            .arg(&self.0)
            .args(["-c", "core.quotePath=false"])
            .args(args)
            .output()
            .map_err(|error| format!("git could not be started: {error}; install it and run again"))?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(format!("git failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
    }
}
