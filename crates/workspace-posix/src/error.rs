//! The failures of the other side, as errors of the contract.

use workspace_core::{Error, ErrorKind};

/// What the word after `E` in an answer stands for.
pub(crate) fn told(code: &str) -> Error {
    match code {
        "dir" => is_a_directory(),
        "other" => not_a_file(),
        "perm" => permission(),
        "exists" => already_exists(),
        "conflict" => conflict("the file is not in the state that was demanded"),
        "parent" => parent_not_found(),
        "notempty" => not_empty(),
        "gone" => not_found(),
        "long" => Error::new(ErrorKind::InvalidInput, "a name on the path is too long for the file system"),
        "nospace" => Error::new(ErrorKind::NoSpace, "the disk of the sandbox is full, nothing has changed")
            .hint("remove files that are not needed"),
        "readonly" => Error::new(ErrorKind::ReadOnly, "the file system is mounted read-only"),
        _ => Error::new(ErrorKind::Io, "a command of the sandbox failed"),
    }
}

pub(crate) fn not_found() -> Error {
    Error::new(ErrorKind::NotFound, "there is nothing here").hint("list the directory to see what it holds")
}

pub(crate) fn parent_not_found() -> Error {
    Error::new(ErrorKind::NotFound, "the directory that is to hold it does not exist")
        .hint("make the directory first, or ask for missing parents to be made")
}

pub(crate) fn dangling_read() -> Error {
    Error::new(ErrorKind::NotFound, "it is a link, and what it points to does not exist")
}

pub(crate) fn dangling_write() -> Error {
    Error::new(ErrorKind::PathEscape, "nothing is created through a link whose target does not exist")
        .hint("create the target by its own path, or remove the link first")
}

pub(crate) fn leaves_root() -> Error {
    Error::new(ErrorKind::PathEscape, "a link on the way leads outside the workspace")
        .hint("use a path whose links stay inside the workspace")
}

pub(crate) fn too_many_links(limit: usize) -> Error {
    Error::new(ErrorKind::PathEscape, format!("more than {limit} links follow each other"))
        .hint("the links may form a circle; use the path of the target itself")
}

pub(crate) fn not_a_directory() -> Error {
    Error::new(ErrorKind::NotADirectory, "a file stands where a directory is needed")
}

pub(crate) fn is_a_directory() -> Error {
    Error::new(ErrorKind::IsADirectory, "it is a directory, not a file").hint("name a file inside it")
}

pub(crate) fn not_a_file() -> Error {
    Error::new(ErrorKind::NotAFile, "it is neither a regular file nor a directory")
}

pub(crate) fn already_exists() -> Error {
    Error::new(ErrorKind::AlreadyExists, "something is there already, nothing has changed")
        .hint("choose another name, or remove what is there first")
}

pub(crate) fn not_empty() -> Error {
    Error::new(ErrorKind::NotEmpty, "the directory is not empty, nothing has changed")
        .hint("remove what it holds first, or remove it with all that it holds")
}

pub(crate) fn permission() -> Error {
    Error::new(ErrorKind::Permission, "the sandbox refuses this to its user")
}

pub(crate) fn conflict(message: &'static str) -> Error {
    Error::new(ErrorKind::Conflict, message).hint("read the file again and decide on what it holds now")
}

pub(crate) fn invalid(message: &'static str) -> Error {
    Error::new(ErrorKind::InvalidInput, message)
}

pub(crate) fn root_stays() -> Error {
    invalid("the root of the workspace stays where it is").hint("name an entry inside the workspace")
}

pub(crate) fn silent() -> Error {
    Error::new(ErrorKind::TimedOut, "the shell of the sandbox did not answer in time")
        .hint("see whether the sandbox is paused or overloaded, then try again")
}

pub(crate) fn lost() -> Error {
    Error::new(ErrorKind::Unavailable, "the shell of the sandbox ended in the middle of a call")
        .hint("see whether the sandbox still runs and has processes left, then try again")
}

pub(crate) fn garbled() -> Error {
    Error::new(ErrorKind::Io, "the shell of the sandbox gave an answer that cannot be read")
}

pub(crate) fn too_much(limit: usize) -> Error {
    Error::new(ErrorKind::TooLarge, format!("the answer has more than {limit} bytes"))
        .hint("ask for a part: a directory further down, or a window of the file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_its_kind() {
        for (code, kind) in [
            ("dir", ErrorKind::IsADirectory),
            ("other", ErrorKind::NotAFile),
            ("perm", ErrorKind::Permission),
            ("exists", ErrorKind::AlreadyExists),
            ("conflict", ErrorKind::Conflict),
            ("parent", ErrorKind::NotFound),
            ("notempty", ErrorKind::NotEmpty),
            ("gone", ErrorKind::NotFound),
            ("long", ErrorKind::InvalidInput),
            ("nospace", ErrorKind::NoSpace),
            ("readonly", ErrorKind::ReadOnly),
            ("io", ErrorKind::Io),
            ("never heard of", ErrorKind::Io),
        ] {
            assert_eq!(told(code).kind(), kind, "{code}");
        }
    }
}
