//! The programs of util-linux with which sandboxes are made.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Access, access};

/// Where they lie, and whether this process may act as root.
#[derive(Debug)]
pub(crate) struct Tools {
    pub(super) unshare: PathBuf,
    pub(super) nsenter: PathBuf,
    pub(crate) root: bool,
}

impl Tools {
    /// Looks for them on `PATH`.
    pub(crate) fn find() -> io::Result<Arc<Self>> {
        let root = rustix::process::geteuid().is_root();
        Ok(Arc::new(Self { unshare: program("unshare")?, nsenter: program("nsenter")?, root }))
    }
}

fn program(name: &str) -> io::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|directory: PathBuf| directory.join(name));
    places.find(|place: &PathBuf| access(place.as_path() as &Path, Access::EXEC_OK).is_ok()).ok_or_else(
        || io::Error::new(io::ErrorKind::NotFound, format!("there is no `{name}`; it is in util-linux")),
    )
}
