//! Which file a command runs, and what to say where it cannot be run.

use std::ffi::{CString, OsStr};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{Access, AtFlags, CWD, FileType, accessat, statat};
use rustix::io::Errno;
use workspace_core::{Error, ErrorKind, Program, Result, Visible};

use super::variables::Variables;

/// Directories whose names tell nothing about whose machine it is.
const SYSTEM: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// A program that was found, with the words it is started with.
#[derive(Debug)]
pub(super) struct Invocation {
    /// As the caller named it, for messages.
    pub(super) name: String,
    /// The file that runs. Relative, it is seen from the working directory.
    pub(super) file: CString,
    /// Its arguments, its own name first.
    pub(super) words: Vec<CString>,
}

impl Invocation {
    /// Finds the program of a command.
    ///
    /// A bare name is looked up once, in the `PATH` of the command itself. Its
    /// relative entries are passed over: they would let a file of the workspace
    /// take the place of any program.
    pub(super) fn resolve(program: &Program, variables: &Variables) -> Result<Self> {
        match program {
            Program::Argv(words) => {
                let Some(name) = words.first().filter(|name| !name.is_empty()) else {
                    return Err(Error::new(ErrorKind::InvalidInput, "the command names no program")
                        .hint("give the program as the first word"));
                };
                let words = words.iter().map(|word| text(word)).collect::<Result<Vec<_>>>()?;
                let file =
                    if name.contains('/') { text(name)? } else { search(name, variables.get("PATH"))? };
                Ok(Self { name: name.clone(), file, words })
            }
            // After `--`, a line that begins with `-` is still a line.
            Program::Sh(line) => Ok(Self {
                name: "/bin/sh".into(),
                file: c"/bin/sh".into(),
                words: vec![c"sh".into(), c"-c".into(), c"--".into(), text(line)?],
            }),
            _ => Err(Error::new(ErrorKind::Unsupported, "this backend cannot run that kind of program")),
        }
    }

    /// What the caller is told when the system did not start the program.
    pub(super) fn refusal(&self, errno: Errno, cwd: BorrowedFd<'_>) -> Error {
        let name = Visible(&self.name);
        let (message, hint) = match errno {
            Errno::NOENT if statat(cwd, &self.file, AtFlags::empty()).is_ok() => (
                format!("`{name}` is there, but the interpreter or loader that it asks for is not"),
                "check its first line, or that it was built for this machine",
            ),
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG => (
                format!("there is no program `{name}`, seen from the working directory"),
                "check the spelling and the working directory",
            ),
            Errno::ACCESS | Errno::PERM => (
                format!(
                    "the system refuses to run `{name}`: it is not executable, or the working directory may not be entered"
                ),
                "make it executable, or run it through its interpreter",
            ),
            Errno::NOEXEC => (
                format!("`{name}` is neither a binary for this machine nor a script with a `#!` line"),
                "run it through its interpreter",
            ),
            Errno::TOOBIG => (
                format!("the arguments and variables of `{name}` are longer than the system allows"),
                "pass long text through a file or the standard input",
            ),
            Errno::TXTBSY => (format!("`{name}` is still being written"), "try again when it is closed"),
            Errno::AGAIN | Errno::NOMEM | Errno::MFILE | Errno::NFILE => return exhausted(errno),
            _ => (format!("the system did not start `{name}`"), "try another program"),
        };
        Error::new(ErrorKind::SpawnFailed, message).hint(hint).because(std::io::Error::from(errno))
    }
}

/// The system has no room for one more process at the moment.
pub(super) fn exhausted(errno: Errno) -> Error {
    Error::new(ErrorKind::Unavailable, "the system cannot start one more process at the moment")
        .hint("end commands that still run, then try again")
        .because(std::io::Error::from(errno))
}

fn text(word: &str) -> Result<CString> {
    CString::new(word)
        .map_err(|_| Error::new(ErrorKind::InvalidInput, "a word of the command holds a NUL byte"))
}

/// Looks a bare name up as `exec` would, but for relative entries.
fn search(name: &str, path: Option<&OsStr>) -> Result<CString> {
    let mut searched = Vec::new();
    let mut unusable = false;
    for entry in path.unwrap_or_default().as_bytes().split(|byte| *byte == b':') {
        if !entry.starts_with(b"/") || searched.contains(&entry) {
            continue;
        }
        searched.push(entry);
        let Ok(file) = CString::new([entry, name.as_bytes()].join(&b'/')) else {
            return Err(Error::new(ErrorKind::InvalidInput, "a word of the command holds a NUL byte"));
        };
        let regular = statat(CWD, &file, AtFlags::empty())
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_file());
        if !regular {
            continue;
        }
        if accessat(CWD, &file, Access::EXEC_OK, AtFlags::empty()).is_ok() {
            return Ok(file);
        }
        unusable = true;
    }
    Err(missing(name, path.is_some(), &searched, unusable))
}

fn missing(name: &str, has_path: bool, searched: &[&[u8]], unusable: bool) -> Error {
    let name = Visible(name);
    let (message, hint) = if !has_path {
        (
            format!("`{name}` was not looked for: the command has no `PATH`"),
            "set `PATH` among the variables of the command, or name the program by its path",
        )
    } else if unusable {
        (
            format!("`{name}` may not be executed; looked in {}", told(searched)),
            "its permissions must be changed by whoever owns it",
        )
    } else {
        (
            format!("there is no program `{name}`; looked in {}", told(searched)),
            "check the spelling, or name the program by its path",
        )
    };
    Error::new(ErrorKind::SpawnFailed, message).hint(hint)
}

/// The directories of a `PATH`, without those that tell about the host.
fn told(searched: &[&[u8]]) -> String {
    let mut parts: Vec<String> = SYSTEM
        .iter()
        .filter(|name| searched.contains(&name.as_bytes()))
        .map(|name| format!("`{name}`"))
        .collect();
    match searched.len() - parts.len() {
        0 if parts.is_empty() => return "no directory: its `PATH` holds no absolute path".into(),
        0 => {}
        1 => parts.push("1 other directory of its `PATH`".into()),
        others => parts.push(format!("{others} other directories of its `PATH`")),
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str, path: Option<&str>) -> Result<CString> {
        search(name, path.map(OsStr::new))
    }

    #[test]
    fn a_bare_name_is_found_in_the_path_alone() {
        assert_eq!(find("sh", Some("/nowhere:/bin")).unwrap().as_c_str(), c"/bin/sh");
        assert!(find("sh", Some("/nowhere")).is_err());
    }

    #[test]
    fn relative_entries_of_the_path_are_passed_over() {
        // Tests run in the directory of the crate. Met there, the file would be one that may not be executed.
        check(
            "Cargo.toml",
            Some(".::../workspace-local"),
            "there is no program `Cargo.toml`; looked in no directory: its `PATH` holds no absolute path",
        );
    }

    #[track_caller]
    fn check(name: &str, path: Option<&str>, message: &str) {
        let error = find(name, path).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::SpawnFailed, message));
    }

    #[test]
    fn a_missing_program_is_told_without_the_hosts_directories() {
        check("nope", None, "`nope` was not looked for: the command has no `PATH`");
        check("nope", Some("/usr/bin:/bin"), "there is no program `nope`; looked in `/usr/bin`, `/bin`");
        check(
            "nope",
            Some("/home/ann/bin:/usr/bin:/home/ann/bin"),
            "there is no program `nope`; looked in `/usr/bin`, 1 other directory of its `PATH`",
        );
        check(
            "no\npe",
            Some("/home/ann/bin:/opt/x"),
            "there is no program `no\\npe`; looked in 2 other directories of its `PATH`",
        );
        check(
            "passwd",
            Some("/etc"),
            "`passwd` may not be executed; looked in 1 other directory of its `PATH`",
        );
    }

    #[test]
    fn a_command_without_a_program_is_refused() {
        for words in [vec![], vec![String::new()]] {
            let error = Invocation::resolve(&Program::Argv(words), &Variables::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
        }
        let nul = Program::Sh("echo \0".into());
        assert_eq!(
            Invocation::resolve(&nul, &Variables::default()).unwrap_err().kind(),
            ErrorKind::InvalidInput
        );
    }
}
