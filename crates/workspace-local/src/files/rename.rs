//! Moving a name to another place of the same root.

use std::os::fd::AsFd;

use rustix::fs::AtFlags;
use rustix::io::Errno;
use workspace_core::{Access, Error, ErrorKind, FileKind, PathFilter, RenameOptions, WorkspacePath};

use super::moving::rename_to_free;
use super::remove::{judge_below, stays};
use crate::attributes::{Identity, has_other_names};
use crate::beneath::{LISTING, open_name};
use crate::error::{Fault, Outcome};
use crate::jail::Ask;
use crate::local::Inner;
use crate::place::Place;

pub(super) fn rename(
    inner: &Inner,
    from: &WorkspacePath,
    to: &WorkspacePath,
    options: &RenameOptions,
) -> Outcome<()> {
    let jail = &inner.jail;
    let source = jail.place(Ask::write(from, &options.filter).keep_last())?;
    // What fails at the new path is told about the new path.
    let about_to = |fault: Fault| fault.tell("rename", to);
    let target = jail.place(Ask::write(to, &options.filter).keep_last()).map_err(about_to)?;
    let kind = source.kind().ok_or(Errno::NOENT)?;
    check_places(&source, &target)?;
    if source.spot.rel == target.spot.rel {
        return if options.replace { Ok(()) } else { Err(about_to(Errno::EXIST.into()).into()) };
    }
    if kind == FileKind::Dir {
        check_below(inner, &source, &target, &options.filter)?;
    }
    let names = ((source.dir.as_fd(), source.name.as_str()), (target.dir.as_fd(), target.name.as_str()));
    let Some(taken) = target.raw.filter(|_| options.replace) else {
        return rename_to_free(names.0, names.1, kind == FileKind::Dir).map_err(|errno| explain(errno, to));
    };
    if kind == FileKind::Dir || target.kind() == Some(FileKind::Dir) {
        return Err(about_to(Errno::EXIST.into()).into());
    }
    rustix::fs::renameat(&source.dir, &source.name, &target.dir, &target.name)
        .map_err(|errno| explain(errno, to))?;
    // Two names of one file: the system takes that for done and leaves both.
    let same_file = source.raw.is_some_and(|raw| Identity::of(&raw) == Identity::of(&taken));
    if same_file && has_other_names(&taken) && !source.name.eq_ignore_ascii_case(&target.name) {
        rustix::fs::unlinkat(&source.dir, &source.name, AtFlags::empty())?;
    }
    Ok(())
}

fn check_places(source: &Place, target: &Place) -> Outcome<()> {
    if source.spot.holds_a_root() || target.spot.holds_a_root() {
        return Err(stays("a root of the workspace stays where it is"));
    }
    if source.spot.root.identity != target.spot.root.identity {
        return Err(Error::new(ErrorKind::InvalidInput, "the two paths are in different roots")
            .hint("write it at the new path, then remove it at the old one")
            .into());
    }
    if target.spot.rel != source.spot.rel && target.spot.rel.starts_with(&source.spot.rel) {
        return Err(Error::new(ErrorKind::InvalidInput, "a directory cannot be moved into itself")
            .hint("choose a new path outside of it")
            .into());
    }
    Ok(())
}

/// What lies below a directory gets new paths too, and the rules speak for both.
fn check_below(inner: &Inner, source: &Place, target: &Place, filter: &PathFilter) -> Outcome<()> {
    if filter.is_empty() {
        return Ok(());
    }
    let (from, to) = (source.spot.path(), target.spot.path());
    let opened = open_name(source.dir.as_fd(), source.name.as_str(), LISTING)?;
    judge_below(inner, opened, &from, |path| {
        filter.check(path, Access::Write)?;
        match path.strip_prefix(&from) {
            Some(rest) => Ok(filter.check(&rest.under(&to), Access::Write)?),
            None => Ok(()),
        }
    })
}

/// The system's refusal, about the path that it concerns.
fn explain(errno: Errno, to: &WorkspacePath) -> Fault {
    match errno {
        Errno::EXIST | Errno::NOTEMPTY | Errno::NOSPC | Errno::DQUOT | Errno::NAMETOOLONG => {
            Fault::from(Fault::from(errno).tell("rename", to))
        }
        other => other.into(),
    }
}
