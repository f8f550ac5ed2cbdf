//! Making directories, removing, renaming.

use workspace_core::{
    Access, CreateDirOptions, FileKind, ListOptions, MAX_PATH_BYTES, PathFilter, RemoveOptions,
    RenameOptions, Result, WorkspacePath,
};

use super::PosixFiles;
use super::look::{code_of, inside, there};
use super::write::missing_parents;
use crate::way::{Arrived, Leaf, Stands, Walk, look};
use crate::wire::{Again, split_lines};
use crate::{error, quote};

const fn changing(leaf: Leaf, filter: &PathFilter) -> Walk<'_> {
    Walk { leaf, filter, access: Access::Write, again: Again::Yes }
}

impl PosixFiles {
    pub(super) async fn make(&self, path: &WorkspacePath, options: &CreateDirOptions) -> Result<bool> {
        let arrived = self.arrive(path, changing(Leaf::Follow, &options.filter), |_, _| None).await?;
        match arrived.stands {
            Stands::Directory => return Ok(false),
            Stands::Nothing { .. } if arrived.dangling => return Err(error::dangling_write()),
            Stands::Nothing { .. } => {}
            _ => return Err(error::already_exists()),
        }
        let missing = missing_parents(&arrived);
        missing.iter().try_for_each(|directory| options.filter.check(directory, Access::Write))?;
        let target = &arrived.path;
        let script =
            format!("{}\nw_make {} {}", look(target, false), quote::path(target), u8::from(options.parents));
        match self.act(&script).await?.as_slice() {
            b"M 1\n" => Ok(true),
            b"M 0\n" => Ok(false),
            _ => Err(error::garbled()),
        }
    }

    pub(super) async fn take_away(&self, path: &WorkspacePath, options: &RemoveOptions) -> Result<()> {
        let arrived = self.own(path, &options.filter).await?;
        let target = &arrived.path;
        if arrived.stands == Stands::Directory && options.recursive && !options.filter.is_empty() {
            for below in self.below(target).await? {
                options.filter.check(&below, Access::Write)?;
            }
        }
        let script = format!("{}\nw_remove {}", look(target, true), u8::from(options.recursive));
        match self.act(&script).await?.as_slice() {
            b"ok\n" => Ok(()),
            b"" => Err(error::not_found()),
            _ => Err(error::garbled()),
        }
    }

    /// Its error names the path that it is about.
    pub(super) async fn move_to(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        options: &RenameOptions,
    ) -> Result<()> {
        let Arrived { path: source, stands, .. } =
            self.own(from, &options.filter).await.map_err(|error| error.at(from))?;
        let target = self.free((&source, stands), to, options).await.map_err(|error| error.at(to))?;
        if source == target {
            return Ok(());
        }
        if stands == Stands::Directory {
            self.may_move(&source, &target, &options.filter).await.map_err(|error| error.at(from))?;
        }
        let _turn = self.0.turn.lock().await;
        let free = if options.replace { "m | f | s | o" } else { "m" };
        let script = format!(
            "{}\ncase $w_k in\nd | f | s | o) {}\ncase $w_k in\n{free}) w_move {} {} ;;\n*) w_tell 'E exists' ;;\nesac ;;\n*) w_tell 'E gone' ;;\nesac",
            look(&source, true),
            look(&target, true),
            quote::path(&source),
            quote::path(&target),
        );
        match self.act(&script).await.map_err(|error| error.at(from))?.as_slice() {
            b"ok\n" => Ok(()),
            _ => Err(error::garbled().at(from)),
        }
    }

    /// Runs a script that looks and acts; gives what came after the look.
    async fn act(&self, script: &str) -> Result<Vec<u8>> {
        let answer = self.wire().ask(script, Again::No).await?;
        let (_, rest) = split_lines(&answer, 1).ok_or_else(error::garbled)?;
        match code_of(rest) {
            Some(code) => Err(error::told(code)),
            None => Ok(rest.to_vec()),
        }
    }

    /// What stands at the path itself and is to be taken away; a link is not followed.
    async fn own(&self, path: &WorkspacePath, filter: &PathFilter) -> Result<Arrived> {
        if path.is_root() {
            return Err(error::root_stays());
        }
        let arrived = self.arrive(path, changing(Leaf::Keep, filter), |_, _| None).await?;
        there(&arrived)?;
        // A link in the middle of the path may lead back to the root.
        if arrived.path.is_root() { Err(error::root_stays()) } else { Ok(arrived) }
    }

    /// Where a renamed entry will stand.
    async fn free(
        &self,
        (source, stands): (&WorkspacePath, Stands),
        to: &WorkspacePath,
        options: &RenameOptions,
    ) -> Result<WorkspacePath> {
        if to.is_root() {
            return Err(error::root_stays());
        }
        let target = self.arrive(to, changing(Leaf::Keep, &options.filter), |_, _| None).await?;
        if target.path != *source && target.path.starts_with(source) {
            return Err(error::invalid("a directory cannot be moved into itself"));
        }
        match target.stands {
            Stands::Nothing { .. } if target.dangling => return Err(error::dangling_write()),
            Stands::Nothing { .. } => {
                if !missing_parents(&target).is_empty() {
                    return Err(error::parent_not_found());
                }
            }
            there => {
                let directories = there == Stands::Directory || stands == Stands::Directory;
                if !options.replace || (target.path != *source && directories) {
                    return Err(error::already_exists());
                }
            }
        }
        Ok(target.path)
    }

    /// All that moves may leave the old path and stand at the new one.
    async fn may_move(
        &self,
        source: &WorkspacePath,
        target: &WorkspacePath,
        filter: &PathFilter,
    ) -> Result<()> {
        for below in self.below(source).await? {
            filter.check(&below, Access::Write)?;
            let new = below.strip_prefix(source).unwrap_or_default().under(target);
            filter.check(&new, Access::Write)?;
            if new.as_str().len() > MAX_PATH_BYTES {
                return Err(error::invalid("a path below it would be too long at the new place"));
            }
        }
        Ok(())
    }

    /// The paths of all that a directory holds, temporary files apart.
    async fn below(&self, directory: &WorkspacePath) -> Result<Vec<WorkspacePath>> {
        let open = PathFilter::default();
        if self.finds() {
            let (real, found) = self.found_below(directory, &open, None, &[]).await?;
            let mut paths = Vec::new();
            for found in found {
                if let Some((path, _)) = inside(&found.path)? {
                    paths.push(path.under(&real));
                }
            }
            return Ok(paths);
        }
        let mut paths = Vec::new();
        let mut ahead = vec![directory.clone()];
        while let Some(directory) = ahead.pop() {
            for entry in self.entries(&directory, &ListOptions::default()).await? {
                if entry.kind == FileKind::Dir && !entry.non_utf8 {
                    ahead.push(entry.path.clone());
                }
                paths.push(entry.path);
            }
        }
        Ok(paths)
    }
}
