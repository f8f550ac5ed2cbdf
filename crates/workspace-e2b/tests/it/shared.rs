//! One sandbox for many cases, each in a root of its own, and the disk behind it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{CWD, Mode, mkfifoat};
use workspace_core::{Error, ErrorKind, Result, WorkspacePath};
use workspace_e2b::{E2b, E2bAccount};
use workspace_e2b_fake::{Fake, Options};
use workspace_testkit::Plant;

/// The user of the sandbox.
const USER: u32 = 1000;

/// A service on this machine, or `None` with a word about it where no sandboxes can be made
/// here, unless `WORKSPACE_E2B` is `required`.
pub(crate) async fn started(options: Options) -> Option<Fake> {
    let fake = Fake::start_with(options).await.unwrap();
    match fake.probe().await {
        Ok(()) => Some(fake),
        Err(error) => {
            let required = std::env::var("WORKSPACE_E2B").as_deref() == Ok("required");
            assert!(!required, "sandboxes must be made here: {error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// The account of a service on this machine.
pub(crate) fn account(fake: &Fake) -> E2bAccount {
    E2bAccount::new(fake.api_key()).with_api_url(fake.url()).with_sandbox_url(fake.url())
}

/// A sandbox, and how many roots it has so far.
pub(crate) struct Shared {
    pub(crate) fake: Fake,
    pub(crate) sandbox: E2b,
    roots: AtomicU32,
}

impl Shared {
    pub(crate) async fn new() -> Option<Self> {
        let fake = started(Options::default()).await?;
        let sandbox = E2b::from_template(account(&fake), "base").open().await.unwrap();
        Some(Self { fake, sandbox, roots: AtomicU32::new(0) })
    }

    /// An empty root in the sandbox, by a handle of its own, and the disk behind it.
    pub(crate) async fn root(&self) -> Result<(E2b, Disk)> {
        let id = self.sandbox.id().unwrap();
        let case = format!("home/user/case-{}", self.roots.fetch_add(1, Ordering::Relaxed));
        let disk = Disk::new(&self.fake.directory(id).unwrap(), &case)?;
        let root = format!("/{case}/ws");
        let sandbox = E2b::attach(account(&self.fake), id).with_keep_alive(false).with_root(root);
        Ok((sandbox.open().await?, disk))
    }
}

/// The disk behind a root: what the sandbox could plant, and what the host of it sees.
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
    pub(crate) fn new(sandbox: &Path, case: &str) -> Result<Self> {
        let root = sandbox.join(case).join("ws");
        told(fs::create_dir_all(&root))?;
        for directory in [root.parent().unwrap(), &root] {
            told(chown(directory, Some(USER), Some(USER)))?;
        }
        Ok(Self { root, outside: format!("/{case}") })
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

/// A path of one name or more, relative to the root.
pub(crate) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text, &workspace_core::PathRules::default()).unwrap()
}

pub(crate) async fn put(sandbox: &E2b, name: &str, bytes: impl Into<Vec<u8>>) -> Result<()> {
    let body = workspace_core::Body::from(bytes.into());
    let options = workspace_core::WriteOptions::default();
    workspace_core::FsProvider::write(sandbox, &path(name), body, options).await.map(drop)
}

pub(crate) async fn get(sandbox: &E2b, name: &str) -> Result<Vec<u8>> {
    let options = workspace_core::ReadOptions::default();
    let file = workspace_core::FsProvider::read(sandbox, &path(name), options).await?;
    file.body.collect(1 << 30).await
}
