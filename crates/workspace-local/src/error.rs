//! What the operating system says, in the words of the contract.

use std::io;

use rustix::io::Errno;
use workspace_core::{Error, ErrorKind, WorkspacePath};

/// What an operation on files gives before it is told to the caller.
pub(crate) type Outcome<T> = Result<T, Fault>;

/// Why an operation stopped.
///
/// Inside, a number of the system is enough and costs nothing; it becomes an
/// [`Error`] once, where the operation and the path as given are known.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The system refused.
    Os(Errno),
    /// We refused, and have said why.
    Told(Error),
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        Self::Os(errno)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Told(error)
    }
}

impl Fault {
    /// The error that the caller sees. It names the path as given: what stands
    /// behind links, and where, is not the caller's to know.
    pub(crate) fn tell(self, operation: &'static str, path: &WorkspacePath) -> Error {
        let error = match self {
            Self::Os(errno) => of_errno(errno),
            Self::Told(error) => error,
        };
        error.during(operation).at(path)
    }
}

/// An error of the standard library, which cap-std and tokio give as well.
pub(crate) fn of_io(error: &io::Error) -> Error {
    match Errno::from_io_error(error) {
        Some(errno) => of_errno(errno),
        // No number: the system was not asked. cap-std refuses a path that leads outside in this way.
        None if error.kind() == io::ErrorKind::PermissionDenied => {
            escape("the path leads outside the workspace")
        }
        None => Error::new(ErrorKind::Io, "the operation failed"),
    }
}

/// An error number of the system. The number itself is kept as the source.
pub(crate) fn of_errno(errno: Errno) -> Error {
    let (kind, message, hint) = words(errno);
    let error = Error::new(kind, message).because(io::Error::from(errno));
    if hint.is_empty() { error } else { error.hint(hint) }
}

/// A path, or a link on it, that leads outside.
pub(crate) fn escape(message: &'static str) -> Error {
    Error::new(ErrorKind::PathEscape, message)
        .rule("links")
        .hint("use a path whose links stay inside the workspace")
}

/// Kind, message and next step for each error number that files bring.
fn words(errno: Errno) -> (ErrorKind, &'static str, &'static str) {
    match errno {
        Errno::NOENT => (
            ErrorKind::NotFound,
            "there is no such file or directory",
            "check the spelling, or list the directory that should hold it",
        ),
        Errno::NOTDIR => (
            ErrorKind::NotADirectory,
            "a directory is needed, and something else stands there",
            "check which part of the path is a file",
        ),
        Errno::ISDIR => (ErrorKind::IsADirectory, "it is a directory", "name a file inside it, or list it"),
        Errno::NXIO | Errno::NODEV => (
            ErrorKind::NotAFile,
            "it is a pipe, a socket or a device, not a regular file",
            "only regular files are read and written",
        ),
        Errno::EXIST => (
            ErrorKind::AlreadyExists,
            "something is there already",
            "choose another name, or remove what is there first",
        ),
        Errno::NOTEMPTY => (
            ErrorKind::NotEmpty,
            "the directory is not empty",
            "remove what it holds first, or ask for all of it",
        ),
        Errno::ACCESS | Errno::PERM => (
            ErrorKind::Permission,
            "the operating system refuses access",
            "its permissions must be changed by whoever owns it",
        ),
        Errno::ROFS => (
            ErrorKind::ReadOnly,
            "the file system is mounted read-only, nothing has changed",
            "work with what can be read",
        ),
        Errno::NOSPC | Errno::DQUOT => {
            (ErrorKind::NoSpace, "no space is left on the disk", "remove what is not needed, then try again")
        }
        Errno::FBIG | Errno::OVERFLOW => {
            (ErrorKind::TooLarge, "it is larger than the file system allows", "use a smaller file")
        }
        Errno::LOOP | Errno::MLINK => (
            ErrorKind::PathEscape,
            "the links on the way lead in a circle",
            "name the file that is meant itself",
        ),
        Errno::NAMETOOLONG => {
            (ErrorKind::InvalidInput, "the name is too long for this file system", "choose a shorter name")
        }
        Errno::ILSEQ | Errno::INVAL => {
            (ErrorKind::InvalidInput, "the file system does not take this name", "choose a plainer name")
        }
        Errno::XDEV => (
            ErrorKind::Unsupported,
            "the two paths are on different file systems, so it cannot be moved in one step",
            "copy it to the new path, then remove the old one",
        ),
        Errno::OPNOTSUPP | Errno::NOSYS => (ErrorKind::Unsupported, "the file system cannot do this", ""),
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN | Errno::STALE | Errno::NOTCONN => (
            ErrorKind::Unavailable,
            "the file system cannot serve the request at the moment",
            "wait a little, then try again",
        ),
        Errno::TIMEDOUT => (ErrorKind::TimedOut, "the file system did not answer in time", "try again"),
        Errno::BUSY | Errno::TXTBSY => {
            (ErrorKind::Io, "it is in use by the system or by a running program", "try again when it is free")
        }
        _ => (ErrorKind::Io, "the operating system reports a failure of input or output", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(errno: Errno, kind: ErrorKind) {
        let error = of_errno(errno);
        assert_eq!(error.kind(), kind, "{errno:?}");
        assert_eq!(of_io(&io::Error::from(errno)).kind(), kind, "{errno:?} by way of std");
        let text = error.message();
        assert!(text.starts_with(char::is_lowercase) && !text.ends_with('.'), "{text}");
    }

    #[test]
    fn each_number_of_the_system_has_its_kind() {
        for (errno, kind) in [
            (Errno::NOENT, ErrorKind::NotFound),
            (Errno::NOTDIR, ErrorKind::NotADirectory),
            (Errno::ISDIR, ErrorKind::IsADirectory),
            (Errno::NXIO, ErrorKind::NotAFile),
            (Errno::NODEV, ErrorKind::NotAFile),
            (Errno::EXIST, ErrorKind::AlreadyExists),
            (Errno::NOTEMPTY, ErrorKind::NotEmpty),
            (Errno::ACCESS, ErrorKind::Permission),
            (Errno::PERM, ErrorKind::Permission),
            (Errno::ROFS, ErrorKind::ReadOnly),
            (Errno::NOSPC, ErrorKind::NoSpace),
            (Errno::DQUOT, ErrorKind::NoSpace),
            (Errno::FBIG, ErrorKind::TooLarge),
            (Errno::OVERFLOW, ErrorKind::TooLarge),
            (Errno::LOOP, ErrorKind::PathEscape),
            (Errno::NAMETOOLONG, ErrorKind::InvalidInput),
            (Errno::ILSEQ, ErrorKind::InvalidInput),
            (Errno::INVAL, ErrorKind::InvalidInput),
            (Errno::XDEV, ErrorKind::Unsupported),
            (Errno::OPNOTSUPP, ErrorKind::Unsupported),
            (Errno::NOSYS, ErrorKind::Unsupported),
            (Errno::MFILE, ErrorKind::Unavailable),
            (Errno::STALE, ErrorKind::Unavailable),
            (Errno::TIMEDOUT, ErrorKind::TimedOut),
            (Errno::BUSY, ErrorKind::Io),
            (Errno::IO, ErrorKind::Io),
        ] {
            check(errno, kind);
        }
    }

    #[test]
    fn an_error_without_a_number_is_an_escape_or_a_plain_failure() {
        let escape = io::Error::new(io::ErrorKind::PermissionDenied, "a path led outside of the filesystem");
        assert_eq!(of_io(&escape).kind(), ErrorKind::PathEscape);
        assert_eq!(of_io(&io::Error::other("broken")).kind(), ErrorKind::Io);
    }

    #[test]
    fn the_path_told_is_the_one_given() {
        let path = WorkspacePath::root().child("alias").unwrap();
        let inner = escape("a link on the way leads outside the workspace").at("somewhere/else");
        let error = Fault::from(inner).tell("read", &path);
        assert_eq!(error.to_string(), "read `alias`: a link on the way leads outside the workspace");
    }
}
