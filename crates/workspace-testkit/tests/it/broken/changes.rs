//! What goes wrong with changes.

use workspace_core::ErrorKind::{self, AlreadyExists, NotFound};
use workspace_core::{
    Access, Body, Error, FileKind, FsProvider, PathFilter, Precondition, RenameOptions, Result, Stat,
    WorkspacePath, WriteMode, WriteOptions, Written, temporary_name,
};

use super::fault::Fault;
use super::files::Broken;

/// Writing and what goes wrong with it.
impl Broken {
    pub(super) async fn broken_write(
        &self,
        path: &WorkspacePath,
        mut body: Body,
        mut options: WriteOptions,
        old: Option<Stat>,
    ) -> Result<Written> {
        let (memory, at) = (&self.memory, path.as_str());
        match self.fault {
            Some(Fault::AddsANewline) => {
                let bytes = [body.collect(1 << 30).await?, b"\n".to_vec()].concat();
                body = Body::from(bytes);
            }
            Some(Fault::WritesTheFirstPiece) => {
                body = Body::from(body.next().await.transpose()?.unwrap_or_default());
            }
            Some(Fault::MakesParentsUnasked) => options.create_parents = true,
            Some(Fault::MakesNoParents) => options.create_parents = false,
            Some(Fault::ReplacesDirectories) if self.kind(path) == Some(FileKind::Dir) && !path.is_root() => {
                memory.remove_now(at)?;
            }
            Some(Fault::ReplacesSpecialFiles) if self.kind(path) == Some(FileKind::Other) => {
                memory.remove_now(at)?;
            }
            Some(Fault::WritesAsItReads) => {
                let mut bytes = Vec::new();
                let mut written = memory.write(path, Body::empty(), options.clone()).await?;
                while let Some(piece) = body.next().await {
                    bytes.extend(piece?);
                    written.stat =
                        memory.write(path, Body::from(bytes.clone()), WriteOptions::default()).await?.stat;
                }
                written.created = old.is_none();
                return Ok(written);
            }
            Some(Fault::WritesInTwoHalves) => {
                let bytes = body.collect(1 << 30).await?;
                let half = Body::from(bytes[..bytes.len() / 2].to_vec());
                memory.write(path, half, options.clone()).await?;
                tokio::task::yield_now().await;
                body = Body::from(bytes);
                options.if_match = Precondition::Any;
            }
            Some(Fault::RefusesFullDurability) if options.durability == workspace_core::Durability::Full => {
                return Err(Error::new(ErrorKind::Unsupported, "it is not that durable"));
            }
            Some(Fault::LeavesATemporaryFile) if path.parent().is_some() => {
                let parent = path.parent().unwrap();
                let hidden = parent.child(&temporary_name(path.name().unwrap(), 7))?;
                if self.kind(&parent).is_some() {
                    memory.write_now(hidden.as_str(), "left")?;
                }
            }
            Some(Fault::SetsTheUsualMode) if options.mode == WriteMode::Keep => {
                options.mode = WriteMode::Set(0o644);
            }
            Some(Fault::IgnoresTheModeAsked | Fault::ClaimsNoModes) => options.mode = WriteMode::Keep,
            Some(Fault::MakesPrivateFiles) if old.is_none() => options.mode = WriteMode::Set(0o200),
            Some(Fault::ForcesItsWay) if old.is_some() => memory.set_mode_now(at, 0o644)?,
            Some(Fault::IgnoresPreconditions) => options.if_match = Precondition::Any,
            Some(Fault::RefusesPreconditions) if options.if_match != Precondition::Any => {
                return Err(Error::new(ErrorKind::Conflict, "it is never right"));
            }
            Some(Fault::TellsTheSizeAsVersion | Fault::TellsAVersionEachTime | Fault::ClaimsNoVersions) => {
                if matches!(options.if_match, Precondition::Version(_)) {
                    options.if_match = Precondition::Any;
                }
            }
            Some(Fault::ChecksTooEarly) if options.if_match == Precondition::Absent => {
                if self.kind(path).is_some() {
                    return Err(Error::new(ErrorKind::Conflict, "the file exists already"));
                }
                tokio::task::yield_now().await;
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                options.if_match = Precondition::Any;
                return Ok(Written::new(true, memory.write(path, body, options).await?.stat));
            }
            Some(Fault::ReplacesLinks) if self.kind(path) == Some(FileKind::Link) => memory.remove_now(at)?,
            Some(Fault::CreatesThroughLinks) if self.dangles(path) => {
                memory.write_now("dir/missing", body.collect(1 << 30).await?)?;
                return Ok(Written::new(true, Stat::new(FileKind::File, 0)));
            }
            Some(Fault::MakesParentsUnfiltered) => {
                options.filter.check(&self.resolved(path), Access::Write)?;
                options.filter = PathFilter::default();
            }
            Some(Fault::RemembersTheRemoved) if self.removed.lock().unwrap().contains(path) => {
                return Err(Error::new(AlreadyExists, "it was here once"));
            }
            _ => {}
        }
        let mut written = memory.write(path, body, options).await?;
        match self.fault {
            Some(Fault::TellsAllAsCreated) => written.created = true,
            Some(Fault::TellsNoneAsCreated) => written.created = false,
            Some(Fault::TellsNoSize) => written.stat.size = 0,
            _ => {}
        }
        Ok(written)
    }

    pub(super) async fn broken_rename(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        mut options: RenameOptions,
    ) -> Result<()> {
        let memory = &self.memory;
        let (old, new) = (self.kind(from), self.kind(to));
        match self.fault {
            Some(Fault::FollowsOut) if self.outside(from).is_some() || self.outside(to).is_some() => {
                return Ok(());
            }
            Some(Fault::CopiesFiles) if old == Some(FileKind::File) && new.is_none() => {
                let bytes = memory.read_now(from.as_str())?;
                return memory.write_now(to.as_str(), bytes);
            }
            Some(Fault::MovesDirectoriesAlone) if old == Some(FileKind::Dir) && new.is_none() => {
                memory.remove_now(from.as_str())?;
                return memory.create_dir_now(to.as_str());
            }
            Some(Fault::ReplacesUnasked) => options.replace = true,
            Some(Fault::ReplacesNothing) => options.replace = false,
            Some(Fault::ReplacesDirectoriesByName) if options.replace && new == Some(FileKind::Dir) => {
                memory.remove_now(to.as_str())?;
            }
            Some(Fault::MovesIntoItself) if to.starts_with(from) && to != from => return Ok(()),
            Some(Fault::MovesNothing) if old.is_none() => return Ok(()),
            Some(Fault::MakesParentsOfNewNames) => {
                if let Some(parent) = to.parent() {
                    memory.create_dir_now(parent.as_str())?;
                }
            }
            Some(Fault::RemovesTheSameName) if from == to => memory.remove_now(from.as_str())?,
            Some(Fault::MovesTargets) if old == Some(FileKind::Link) => {
                return memory.rename(&self.resolved(from), to, options).await;
            }
            Some(Fault::ReplacesTargets) if new == Some(FileKind::Link) => {
                options.replace = true;
                return memory.rename(from, &self.resolved(to), options).await;
            }
            Some(Fault::MovesNothingBehindLinks) if self.is_linked(from) || self.is_linked(to) => {
                return Err(Error::new(NotFound, "there is nothing here"));
            }
            Some(Fault::MovesUnfiltered) => {
                options.filter.check(&self.resolved(from), Access::Write)?;
                options.filter.check(&self.resolved(to), Access::Write)?;
                options.filter = PathFilter::default();
            }
            Some(Fault::MovesToUnfiltered) => {
                let (filter, source) = (options.filter.clone(), from.clone());
                options.filter = PathFilter::new(move |path, access| {
                    if path.starts_with(&source) { filter.check(path, access) } else { Ok(()) }
                });
            }
            _ => {}
        }
        memory.rename(from, to, options).await?;
        if self.is(Fault::LosesTheMode) && old == Some(FileKind::File) {
            memory.set_mode_now(to.as_str(), 0o644)?;
        }
        Ok(())
    }
}
