//! Making directories.

use rustix::fs::Mode;
use rustix::io::Errno;
use workspace_core::{CreateDirOptions, FileKind, WorkspacePath};

use crate::error::{Fault, Outcome};
use crate::jail::Ask;
use crate::local::Inner;
use crate::resolve::Last;

pub(super) fn create_dir(inner: &Inner, path: &WorkspacePath, options: &CreateDirOptions) -> Outcome<bool> {
    let jail = &inner.jail;
    jail.settle(Ask::write(path, &options.filter), |spot| {
        let place = match jail.look(spot, Last::Follow) {
            Err(Fault::Os(Errno::NOENT)) if options.parents => {
                return jail.make_dirs(spot, &options.filter).map(|(_, is_new)| is_new);
            }
            place => place?,
        };
        match place.kind() {
            Some(FileKind::Dir) => Ok(false),
            Some(_) => Err(Errno::EXIST.into()),
            None => match rustix::fs::mkdirat(&place.dir, &place.name, Mode::from_raw_mode(0o777)) {
                Ok(()) => Ok(true),
                // Someone else was faster; what stands there now is to be looked at.
                Err(Errno::EXIST) => Err(Errno::AGAIN.into()),
                Err(errno) => Err(errno.into()),
            },
        }
    })
}
