//! The throwaway root in which accepted lines run.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::needs;
use crate::standin::{BUILTINS, LOG, NAMES};

/// Wrappers that are real, so that what they run is started and recorded.
pub(crate) const WRAPPERS: &[&str] = &["env", "find", "nice", "nohup", "stdbuf", "time", "timeout", "xargs"];

/// The shells that are compared.
pub(crate) const SHELLS: &[&str] = &["dash", "bash"];

/// Directories outside the jail that anyone may write to, so that an escape shows.
pub(crate) const OPEN: &[&str] = &["/", "/out", "/out/sub", "/tmp", "/etc"];

pub(crate) struct Arena {
    home: TempDir,
}

impl Arena {
    pub(crate) fn new() -> io::Result<Self> {
        let arena = Self { home: tempfile::Builder::new().prefix("shelldiff-").tempdir()? };
        arena.build()?;
        Ok(arena)
    }

    pub(crate) fn root(&self) -> &Path {
        self.home.path()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root().join(path.trim_start_matches('/'))
    }

    fn build(&self) -> io::Result<()> {
        for directory in ["/bin", "/standins", "/dev", "/jail", "/out/sub", "/tmp", "/etc"] {
            fs::create_dir_all(self.at(directory))?;
        }
        for program in WRAPPERS.iter().chain(SHELLS) {
            self.install(program)?;
        }
        let own = std::env::current_exe()?;
        fs::copy(&own, self.at("/standins/shelldiff"))?;
        self.libraries(&own)?;
        for name in NAMES.iter().chain(BUILTINS) {
            fs::hard_link(self.at("/standins/shelldiff"), self.at("/standins").join(name))?;
        }
        fs::write(self.at("/etc/hosts"), "")?;
        fs::write(self.at("/etc/passwd"), "")?;
        fs::write(self.at(LOG), "")?;
        open_to_all(&self.at(LOG))?;
        let null = self.at("/dev/null");
        let made = Command::new("mknod").arg(&null).args(["c", "1", "3"]).status()?;
        if !made.success() {
            fs::write(&null, "")?;
        }
        open_to_all(&null)?;
        self.fill_jail()?;
        for directory in OPEN {
            open_to_all(&self.at(directory))?;
        }
        Ok(())
    }

    /// Copies a program of the host and the libraries it loads.
    fn install(&self, program: &str) -> io::Result<()> {
        let found = needs::program(program).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, format!("`{program}` is not installed"))
        })?;
        fs::copy(&found, self.at("/bin").join(program))?;
        self.libraries(&found)
    }

    fn libraries(&self, program: &Path) -> io::Result<()> {
        let listed = Command::new("ldd").arg(program).output()?;
        for word in
            String::from_utf8_lossy(&listed.stdout).split_whitespace().filter(|word| word.starts_with('/'))
        {
            let target = self.at(word);
            if let Some(directory) = target.parent() {
                fs::create_dir_all(directory)?;
            }
            if !target.exists() {
                fs::copy(word, &target)?;
            }
        }
        Ok(())
    }

    /// Makes the jail of the cases anew.
    pub(crate) fn fill_jail(&self) -> io::Result<()> {
        let jail = self.at("/jail");
        fs::remove_dir_all(&jail)?;
        for directory in ["src/sub", "logs", "docs", "bin", "secrets", ".git"] {
            fs::create_dir_all(jail.join(directory))?;
        }
        for file in ["src/a.txt", "src/b.txt", ".git/config", ".env", "a.txt", "--force", "-rf"] {
            fs::write(jail.join(file), "rm -rf x\n")?;
        }
        for name in ["bin/git", "rm", "git"] {
            fs::hard_link(self.at("/standins/shelldiff"), jail.join(name))?;
        }
        symlink("src", jail.join("link-in"))?;
        symlink("src/sub", jail.join("link-deep"))?;
        symlink("/out", jail.join("link-out"))?;
        symlink("/out/file", jail.join("link-file-out"))?;
        symlink("/out/does-not-exist", jail.join("link-dangling"))?;
        for directory in ["", "src", "src/sub", "logs", "docs", "bin", "secrets", ".git"] {
            open_to_all(&jail.join(directory))?;
        }
        for file in ["src/a.txt", "src/b.txt", ".git/config", ".env", "a.txt"] {
            // Not executable: a shell would run it as a script.
            fs::set_permissions(jail.join(file), fs::Permissions::from_mode(0o666))?;
        }
        Ok(())
    }
}

fn open_to_all(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777))
}
