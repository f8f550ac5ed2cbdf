//! A root with secrets around it, and short words for what the tests do.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use workspace_core::{
    Body, ErrorKind, FsProvider, ReadOptions, Result, WorkspacePath, WriteOptions, Written,
};
use workspace_local::Local;

/// What no test may ever read through a workspace.
pub(crate) const SECRET: &str = "the secret outside";

/// A directory `ws` for the root, beside it `ws-evil` and `outside` with a `secret` each.
pub(crate) struct Scene {
    home: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        for name in ["ws", "ws-evil", "outside"] {
            fs::create_dir(home.path().join(name)).unwrap();
        }
        for name in ["ws-evil", "outside"] {
            fs::write(home.path().join(name).join("secret"), SECRET).unwrap();
        }
        Self { home }
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.home().join("ws")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.home().join("outside")
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn open(&self) -> Local {
        Local::open(self.root()).unwrap()
    }

    /// Puts a file, and the directories that it needs, into the root.
    pub(crate) fn put(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
    }

    pub(crate) fn dir(&self, name: &str) {
        fs::create_dir_all(self.at(name)).unwrap();
    }

    pub(crate) fn link(&self, name: &str, text: impl AsRef<Path>) {
        symlink(text, self.at(name)).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }

    /// Every name in a directory of the root, temporary files included, sorted.
    pub(crate) fn names(&self, name: &str) -> Vec<String> {
        names_in(&self.at(name))
    }

    /// Nothing outside was changed or made.
    #[track_caller]
    pub(crate) fn assert_outside_untouched(&self) {
        assert_eq!(names_in(self.home()), ["outside", "ws", "ws-evil"]);
        for name in ["ws-evil", "outside"] {
            assert_eq!(names_in(&self.home().join(name)), ["secret"]);
            assert_eq!(fs::read_to_string(self.home().join(name).join("secret")).unwrap(), SECRET);
        }
    }
}

pub(crate) fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A path without a look at the rules of any root.
pub(crate) fn path(text: &str) -> WorkspacePath {
    text.split('/')
        .filter(|name| !name.is_empty())
        .try_fold(WorkspacePath::root(), |path, name| path.child(name))
        .unwrap()
}

pub(crate) async fn read(files: &impl FsProvider, name: &str) -> Result<String> {
    let bytes = files.read(&path(name), ReadOptions::default()).await?.body.collect(1 << 30).await?;
    Ok(String::from_utf8(bytes).unwrap())
}

pub(crate) async fn write(files: &impl FsProvider, name: &str, text: &str) -> Result<Written> {
    write_with(files, name, text, WriteOptions::default()).await
}

pub(crate) async fn write_with(
    files: &impl FsProvider,
    name: &str,
    text: &str,
    options: WriteOptions,
) -> Result<Written> {
    files.write(&path(name), Body::from(text.as_bytes().to_vec()), options).await
}

#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(outcome: Result<T>) -> ErrorKind {
    outcome.unwrap_err().kind()
}

/// Says why a test proves nothing on this machine.
pub(crate) fn skip(why: &str) {
    println!("skipped: {why}");
}
