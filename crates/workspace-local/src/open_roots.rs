//! Opening the roots that were configured.

use std::os::fd::AsFd;
use std::path::{Component, Path};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::AtFlags;
use workspace_core::{Error, ErrorKind, MAX_NAME_BYTES, Result, WorkspacePath};

use crate::attributes::Identity;
use crate::config::ExtraRoot;
use crate::error;
use crate::roots::{Root, Roots};

/// Opens all roots and checks that they get along.
pub(crate) fn open_roots(primary: &Path, extra: &[ExtraRoot]) -> Result<Roots> {
    let mut roots = vec![open_root(WorkspacePath::root(), primary, true)?];
    for root in extra {
        let base = name_root(&root.name)?;
        if roots.iter().any(|other| other.base == base) {
            return Err(unfit(&root.name, "two roots have this name", "give each root a name of its own"));
        }
        let opened = open_root(base, &root.path, root.writable)?;
        if roots.iter().any(|other| other.identity == opened.identity) {
            return Err(unfit(
                &root.name,
                "this directory is a root already",
                "give each directory once, with the rights that it is to have",
            ));
        }
        roots.push(opened);
    }
    if let Some(primary) = roots.first() {
        for root in roots.iter().skip(1) {
            let name = root.base.as_str();
            if rustix::fs::statat(primary.fd(), name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                return Err(unfit(
                    name.trim_start_matches('@'),
                    "the primary root holds an entry of this name with `@` before it",
                    "give the root another name",
                ));
            }
        }
    }
    Ok(Roots::new(roots))
}

fn name_root(name: &str) -> Result<WorkspacePath> {
    let fits = !name.contains(['/', '\\', '\0']) && !name.is_empty() && name.len() < MAX_NAME_BYTES;
    let base = if fits { WorkspacePath::root().child(&format!("@{name}")).ok() } else { None };
    base.ok_or_else(|| {
        unfit(name, "this cannot name a root", "use a short name without slashes, such as `docs`")
    })
}

fn open_root(base: WorkspacePath, path: &Path, writable: bool) -> Result<Root> {
    let failed = |error: Error| {
        let kind = error.kind();
        let told = error.during("open the root").at(path.display());
        match kind {
            ErrorKind::NotFound => told.hint("make the directory first, or give one that exists"),
            ErrorKind::NotADirectory => told.hint("give the directory that holds the file"),
            _ => told,
        }
    };
    let dir =
        Dir::open_ambient_dir(path, ambient_authority()).map_err(|error| failed(error::of_io(&error)))?;
    let raw = rustix::fs::fstat(dir.as_fd()).map_err(|errno| failed(error::of_errno(errno)))?;
    let identity = Identity::of(&raw);
    Ok(Root::new(base, dir, identity, writable, spellings(path, identity)))
}

/// The absolute paths of a root: as given, and with its links followed.
///
/// A spelling serves to read the absolute paths that models and links give; no
/// file is ever opened by it. One that is not UTF-8 or leads elsewhere is left out.
#[expect(clippy::disallowed_methods, reason = "the resolved spelling is compared with, never opened")]
fn spellings(path: &Path, identity: Identity) -> Vec<String> {
    let given = std::path::absolute(path).ok();
    // `..` after a link means another directory than it seems to.
    let given = given.filter(|path| !path.components().any(|part| part == Component::ParentDir));
    let resolved = std::fs::canonicalize(path).ok();
    let mut found: Vec<String> = Vec::new();
    for path in [given, resolved].into_iter().flatten() {
        let same = rustix::fs::stat(&path).is_ok_and(|raw| Identity::of(&raw) == identity);
        if let Some(text) = path.to_str().filter(|_| same)
            && !found.iter().any(|other| other == text)
        {
            found.push(text.to_owned());
        }
    }
    found
}

fn unfit(name: &str, message: &'static str, hint: &'static str) -> Error {
    Error::new(ErrorKind::InvalidInput, message).during("open the root").at(name).hint(hint)
}
