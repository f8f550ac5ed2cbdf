//! The plant of a backend whose storage lies in a directory of this machine.

#![allow(clippy::disallowed_methods)] // It acts behind the back of the backend: on the disk itself.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, mkfifoat};
use workspace_core::{Error, ErrorKind, Result, WorkspacePath};

use crate::Plant;

/// A plant that acts on a directory of this machine, which is the root of a workspace.
///
/// What it plants outside stands beside the root, so the directory that holds
/// the root belongs to the case alone.
///
/// # Examples
/// ```
/// use workspace_core::{Result, WorkspacePath};
/// use workspace_testkit::{DiskPlant, Plant};
///
/// async fn secret(disk: &DiskPlant) -> Result<()> {
///     disk.outside("secret", b"x".to_vec()).await?;
///     disk.link(&WorkspacePath::root().child("way")?, "../secret").await
/// }
/// # let _ = secret;
/// ```
#[derive(Debug, Clone)]
pub struct DiskPlant {
    root: PathBuf,
    /// The directory that holds the root, as the backend names it.
    outside: String,
}

impl DiskPlant {
    /// A plant on a root that exists.
    ///
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) where the path has no directory above it or is not UTF-8.
    pub fn new(root: impl Into<PathBuf>) -> Result<Self> {
        let root = root.into();
        let outside = root.parent().and_then(Path::to_str).map(str::to_owned);
        let outside = outside.ok_or_else(|| {
            Error::new(ErrorKind::InvalidInput, "the root has no directory above it, or is not UTF-8")
                .hint("take a directory inside of a temporary one")
        })?;
        Ok(Self { root, outside })
    }

    /// Makes the root, with the directories above it, and gives it and the one that holds it to a user.
    ///
    /// # Errors
    /// Those of [`new`](Self::new), and [`Io`](ErrorKind::Io) where the disk refuses.
    pub fn make(root: impl Into<PathBuf>, owner: u32) -> Result<Self> {
        let plant = Self::new(root)?;
        told(fs::create_dir_all(&plant.root))?;
        for directory in plant.root.ancestors().take(2) {
            told(chown(directory, Some(owner), Some(owner)))?;
        }
        Ok(plant)
    }

    /// Names the directory that holds the root as the backend sees it, where that is not its path here.
    #[must_use]
    pub fn with_outside(mut self, directory: impl Into<String>) -> Self {
        self.outside = directory.into();
        self
    }

    /// The root, as a path of this machine.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn at(&self, path: &WorkspacePath) -> PathBuf {
        self.root.join(path.as_str())
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.root.with_file_name(name)
    }
}

impl Plant for DiskPlant {
    async fn link(&self, path: &WorkspacePath, text: &str) -> Result<()> {
        told(symlink(text, self.at(path)))
    }

    async fn special(&self, path: &WorkspacePath) -> Result<()> {
        told(mkfifoat(CWD, self.at(path), Mode::from_raw_mode(0o666)).map_err(Into::into))
    }

    async fn non_utf8(&self, directory: &WorkspacePath) -> Result<()> {
        let name = OsString::from_vec(b"bad\xffname".to_vec());
        told(fs::write(self.at(directory).join(name), "x"))
    }

    async fn outside(&self, name: &str, bytes: Vec<u8>) -> Result<String> {
        let file = self.beside(name);
        told(file.parent().map_or(Ok(()), fs::create_dir_all))?;
        told(fs::write(&file, bytes))?;
        Ok(format!("{}/{name}", self.outside))
    }

    async fn read_outside(&self, name: &str) -> Result<Option<Vec<u8>>> {
        bytes_of(&self.beside(name))
    }

    async fn stored(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>> {
        bytes_of(&self.at(path))
    }

    async fn stored_names(&self, directory: &WorkspacePath) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in told(fs::read_dir(self.at(directory)))? {
            names.push(told(entry)?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }
}

/// What the disk says, in the kit's words.
fn told<T>(outcome: io::Result<T>) -> Result<T> {
    outcome.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))
}

fn bytes_of(file: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => told(read).map(Some),
    }
}
