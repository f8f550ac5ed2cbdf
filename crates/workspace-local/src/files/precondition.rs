//! The state that a file must be in for a write to happen.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::Errno;
use sha2::{Digest, Sha256};
use workspace_core::{Error, ErrorKind, Precondition};

use super::read::must_be_file;
use crate::attributes::{self, Raw};
use crate::beneath::{READING, open_name};
use crate::error::{Fault, Outcome};

/// Judges what stands at a name by what was demanded of it.
pub(super) fn check(
    demanded: &Precondition,
    (dir, name, now): (BorrowedFd<'_>, &str, Option<&Raw>),
) -> Outcome<()> {
    let Some(now) = now else { return check_missing(demanded) };
    let holds = match demanded {
        Precondition::Any => true,
        Precondition::Absent => return Err(conflict("a file is there already, and none may be")),
        Precondition::Version(version) => *version == attributes::version(now),
        Precondition::Sha256(hash) => *hash == hash_of(dir, name)?,
        _ => return Err(unknown()),
    };
    if holds {
        Ok(())
    } else {
        Err(conflict("the file is not in the state that was demanded: someone changed it"))
    }
}

/// Judges that nothing stands there.
pub(super) fn check_missing(demanded: &Precondition) -> Outcome<()> {
    match demanded {
        Precondition::Any | Precondition::Absent => Ok(()),
        Precondition::Version(_) | Precondition::Sha256(_) => Err(conflict("the file is not there any more")),
        _ => Err(unknown()),
    }
}

fn unknown() -> Fault {
    Error::new(ErrorKind::Unsupported, "this backend does not know the precondition").into()
}

/// Nothing has happened, because the file is not what the caller took it for.
pub(super) fn conflict(message: &'static str) -> Fault {
    Error::new(ErrorKind::Conflict, message).hint("read the file again, then decide anew").into()
}

fn hash_of(dir: BorrowedFd<'_>, name: &str) -> Outcome<[u8; 32]> {
    let file = open_name(dir, name, READING)?;
    must_be_file(&rustix::fs::fstat(&file)?)?;
    Ok(hash(file.as_fd())?)
}

fn hash(file: BorrowedFd<'_>) -> Result<[u8; 32], Errno> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 128 * 1024];
    loop {
        let read = rustix::io::retry_on_intr(|| rustix::io::read(file, &mut buffer))?;
        match buffer.get(..read) {
            None | Some([]) => return Ok(hash.finalize().into()),
            Some(bytes) => hash.update(bytes),
        }
    }
}
