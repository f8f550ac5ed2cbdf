//! The engine's errors, as errors of the contract.

use bollard::errors::Error as Theirs;
use workspace_core::{Error, ErrorKind};

/// Chooses the kind by what the caller does next. The engine's own words may
/// hold paths of its host: they are kept for logs and not shown.
pub(crate) fn ours(theirs: Theirs) -> Error {
    let error = match &theirs {
        Theirs::DockerResponseServerError { status_code, .. } => answered(*status_code),
        Theirs::RequestTimeoutError => silent(),
        Theirs::SocketNotFoundError(_) | Theirs::HyperLegacyError { .. } => unreachable_engine(),
        Theirs::IOError { .. } | Theirs::HyperResponseError { .. } => {
            Error::new(ErrorKind::Unavailable, "the connection to the engine broke off")
                .hint("see whether the engine and the container still run, then try again")
        }
        Theirs::UnsupportedURISchemeError { .. } => {
            Error::new(ErrorKind::InvalidInput, "the address of the engine is no socket and no named pipe")
        }
        _ => Error::new(ErrorKind::Io, "the engine gave an answer that cannot be used"),
    };
    error.because(theirs)
}

/// What a status of the engine means where nothing more is known.
fn answered(status: u16) -> Error {
    match status {
        400 => Error::new(ErrorKind::InvalidInput, "the engine does not accept these settings"),
        403 => Error::new(ErrorKind::Permission, "the engine refuses this"),
        404 => Error::new(ErrorKind::NotFound, "the engine does not have it"),
        409 => Error::new(ErrorKind::Unavailable, "the container is stopped or paused")
            .hint("start or unpause it, or open a new workspace"),
        _ => Error::new(ErrorKind::Io, format!("the engine failed with status {status}")),
    }
}

/// The status that the engine answered with, if it did.
pub(crate) fn status(theirs: &Theirs) -> Option<u16> {
    match theirs {
        Theirs::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}

pub(crate) fn unreachable_engine() -> Error {
    Error::new(ErrorKind::Unavailable, "no container engine answers")
        .hint("start Docker, or name its socket, for example `unix:///var/run/docker.sock`")
}

pub(crate) fn silent() -> Error {
    Error::new(ErrorKind::TimedOut, "the engine did not answer in time")
        .hint("see whether the engine hangs or is overloaded, then try again")
}

pub(crate) fn gone() -> Error {
    Error::new(ErrorKind::Unavailable, "the container does not exist any more").hint("open a new workspace")
}

pub(crate) fn no_image(name: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("the engine has no image `{name}`"))
        .hint("pull or build it first; no image is downloaded here")
}

pub(crate) fn look_only(operation: &'static str) -> Error {
    Error::new(
        ErrorKind::ReadOnly,
        "the image of this container has no shell, so its files can only be looked at",
    )
    .during(operation)
    .hint("use an image with `sh` and coreutils or busybox")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_has_its_kind() {
        let answered =
            |status_code| Theirs::DockerResponseServerError { status_code, message: "/host/path".into() };
        for (theirs, kind) in [
            (answered(400), ErrorKind::InvalidInput),
            (answered(403), ErrorKind::Permission),
            (answered(404), ErrorKind::NotFound),
            (answered(409), ErrorKind::Unavailable),
            (answered(500), ErrorKind::Io),
            (Theirs::RequestTimeoutError, ErrorKind::TimedOut),
            (Theirs::SocketNotFoundError("/run/x.sock".into()), ErrorKind::Unavailable),
            (Theirs::IOError { err: std::io::Error::other("/host/path") }, ErrorKind::Unavailable),
        ] {
            let error = ours(theirs);
            assert_eq!(error.kind(), kind, "{error}");
            assert!(!error.to_string().contains('/'), "{error}");
        }
    }
}
