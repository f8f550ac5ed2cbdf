//! The conformance kit over the local backend.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, mkfifoat};
use workspace_core::{Error, Result, WorkspacePath};
use workspace_local::{LinkPolicy, Local, LocalBuilder};
use workspace_testkit::{Commands, Plant, Subject, conform};

/// The disk behind the workspace.
struct Disk {
    root: PathBuf,
}

impl Disk {
    fn at(&self, path: &WorkspacePath) -> PathBuf {
        self.root.join(path.as_str())
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.root.parent().unwrap().join(name)
    }
}

/// What the disk says, in the kit's words.
fn told<T>(outcome: std::io::Result<T>) -> Result<T> {
    outcome.map_err(|error| Error::new(workspace_core::ErrorKind::Io, error.to_string()))
}

fn bytes_of(file: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        read => told(read).map(Some),
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
        Ok(file.to_str().unwrap().to_owned())
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

fn subject(set_up: impl Fn(LocalBuilder) -> LocalBuilder) -> Subject {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    let files = set_up(Local::builder(&root)).build().unwrap();
    let forbidden = home.path().to_str().unwrap().to_owned();
    let shell = files.shell();
    Subject::new(files)
        .with_shell(shell, Commands::posix())
        .with_plant(Disk { root })
        .with_portable_search(
            |files, query| async move { workspace_search::glob(&files, &query).await },
            |files, query| async move { workspace_search::grep(&files, &query).await },
        )
        .with_forbidden_text(forbidden)
        .with_guard(home)
}

conform!(local, || async { subject(|builder| builder) });
conform!(local_without_links, || async { subject(|builder| builder.links(LinkPolicy::Never)) });
