//! The failures of a tree in memory, as errors of the contract.

use workspace_core::{Error, ErrorKind};

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
    Error::new(ErrorKind::Permission, "its permission bits refuse this to their owner")
}

pub(crate) fn no_space(limit: u64) -> Error {
    Error::new(
        ErrorKind::NoSpace,
        format!("the files would hold more than {limit} bytes, nothing has changed"),
    )
    .hint("remove files that are not needed")
}

pub(crate) fn conflict(message: &'static str) -> Error {
    Error::new(ErrorKind::Conflict, message).hint("read the file again and decide on what it holds now")
}

pub(crate) fn invalid(message: &'static str) -> Error {
    Error::new(ErrorKind::InvalidInput, message)
}

pub(crate) fn unsupported(message: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, message)
}
