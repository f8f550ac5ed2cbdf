//! What a hunt needs of the machine.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::arena::{SHELLS, WRAPPERS};

/// Programs that lay out the throwaway root.
const BUILDERS: &[&str] = &["ldd", "mknod"];

/// Says everything that is missing, and what to do about it.
pub(crate) fn check() -> Result<(), String> {
    let mut missing = Vec::new();
    if !cfg!(target_os = "linux") {
        missing.push("Linux: run it in a container".to_owned());
    }
    let programs = SHELLS.iter().chain(WRAPPERS).chain(BUILDERS);
    let absent: Vec<&str> = programs.copied().filter(|name| program(name).is_none()).collect();
    if !absent.is_empty() {
        missing.push(format!(
            "{}: install them (Debian: `apt-get install dash bash coreutils findutils time libc-bin`)",
            absent.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ));
    }
    // Lines run as an unprivileged user in a root of their own; only root can arrange both.
    if std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() != 0) {
        missing.push(
            "the right to run lines as another, unprivileged user: start it as root, best in a container"
                .to_owned(),
        );
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the hunt runs lines in dash and bash as an unprivileged user, and lacks\n  - {}",
        missing.join("\n  - ")
    ))
}

/// Where a program of the host lies.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|directory| directory.join(name))
        .find(|path| path.is_file())
}
