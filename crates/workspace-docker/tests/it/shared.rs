//! One container for many cases, each in a root of its own, and the disk behind it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{CWD, Mode, mkfifoat};
use workspace_core::{Error, ErrorKind, Result, WorkspacePath};
use workspace_docker::Docker;
use workspace_testkit::Plant;

use crate::engine::{fresh, socket, volume};

/// The user of the sandbox.
const USER: u32 = 1000;

/// A container, and how many roots it has so far.
pub(crate) struct Shared {
    pub(crate) docker: Docker,
    volume: Option<PathBuf>,
    roots: AtomicU32,
}

impl Shared {
    pub(crate) async fn new(image: &str, test: &str) -> Self {
        let docker = fresh(image, test).open().await.unwrap();
        let volume = volume(docker.id()).await;
        Self { docker, volume, roots: AtomicU32::new(0) }
    }

    /// An empty root in the container, by a handle of its own, and the disk behind it.
    pub(crate) async fn root(&self) -> Result<(Docker, Option<Disk>)> {
        let number = self.roots.fetch_add(1, Ordering::Relaxed);
        let root = format!("/workspace/case-{number}/ws");
        let disk = if let Some(volume) = &self.volume {
            Some(Disk::new(volume.join(format!("case-{number}/ws")))?)
        } else {
            let path = WorkspacePath::root().child(&format!("case-{number}"))?.child("ws")?;
            let parents = workspace_core::CreateDirOptions::default().with_parents(true);
            workspace_core::FsProvider::create_dir(&self.docker, &path, parents).await?;
            None
        };
        let docker = Docker::attach(self.docker.id()).with_engine(socket()).with_root(root).open().await?;
        Ok((docker, disk))
    }
}

/// The disk behind a root: what the sandbox could plant, and what the engine's host sees.
#[derive(Clone)]
pub(crate) struct Disk {
    pub(crate) root: PathBuf,
    outside: String,
}

/// What the disk says, in the kit's words.
fn told<T>(outcome: std::io::Result<T>) -> Result<T> {
    outcome.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))
}

fn bytes_of(file: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        read => told(read).map(Some),
    }
}

impl Disk {
    /// Makes the root and gives it to the user of the sandbox.
    pub(crate) fn new(root: PathBuf) -> Result<Self> {
        told(fs::create_dir_all(&root))?;
        for directory in [root.parent().unwrap(), &root] {
            told(chown(directory, Some(USER), Some(USER)))?;
        }
        let case = root.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        Ok(Self { root, outside: format!("/workspace/{case}") })
    }

    fn at(&self, path: &WorkspacePath) -> PathBuf {
        self.root.join(path.as_str())
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.root.parent().unwrap().join(name)
    }
}

impl Plant for Disk {
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
        told(fs::create_dir_all(file.parent().unwrap()))?;
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
        let entries = told(fs::read_dir(self.at(directory)))?;
        Ok(entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect())
    }
}
