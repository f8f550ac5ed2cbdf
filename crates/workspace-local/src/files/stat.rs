//! What stands at a path, and which path that is.

use rustix::io::Errno;
use workspace_core::{Access, ResolveOptions, Stat, StatOptions, WorkspacePath};

use crate::attributes;
use crate::error::{Fault, Outcome};
use crate::jail::Ask;
use crate::local::Inner;
use crate::resolve::Last;

pub(crate) fn stat(inner: &Inner, path: &WorkspacePath, options: &StatOptions) -> Outcome<Stat> {
    let ask = Ask::read(path, &options.filter);
    let place = inner.jail.place(if options.follow { ask } else { ask.keep_last() })?;
    Ok(attributes::stat(&place.raw.ok_or(Errno::NOENT)?))
}

pub(super) fn resolve(
    inner: &Inner,
    path: &WorkspacePath,
    options: &ResolveOptions,
) -> Outcome<WorkspacePath> {
    let ask = Ask { path, last: Last::Follow, access: Access::See, filter: &options.filter };
    inner.jail.settle(ask, |spot| match inner.jail.look(spot, Last::Follow) {
        // Up to what is missing there was no link, and what is missing is none.
        Ok(_) | Err(Fault::Os(Errno::NOENT)) => Ok(spot.path()),
        Err(fault) => Err(fault),
    })
}
