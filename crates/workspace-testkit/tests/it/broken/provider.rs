//! The contract, with one fault or none.

use std::sync::atomic::Ordering::Relaxed;

use workspace_core::ErrorKind::{AlreadyExists, NotEmpty, NotFound};
use workspace_core::{
    Access, Body, Capabilities, CreateDirOptions, Entry, Error, Feed, FileBody, FileKind, FsProvider,
    GlobAnswer, GlobQuery, GrepAnswer, GrepQuery, ListOptions, PathFilter, PathRules, Platform, ReadOptions,
    RemoveOptions, RenameOptions, ResolveOptions, Result, Stat, StatOptions, WalkOptions, WorkspacePath,
    WriteOptions, Written, temporary_name,
};

use super::fault::Fault;
use super::files::{Broken, now};
use crate::toy_search;

impl FsProvider for Broken {
    fn capabilities(&self) -> Capabilities {
        let good = self.memory.capabilities().with_glob(true).with_grep(true);
        match self.fault {
            Some(Fault::ClaimsToBeReadOnly) => good.with_write(false),
            Some(Fault::ClaimsToIgnoreCase | Fault::IgnoresCaseAndSaysSo) => good.with_case_insensitive(true),
            Some(Fault::ClaimsNoLinks) => good.with_links(false),
            Some(Fault::ClaimsNoModes) => good.with_modes(false),
            Some(Fault::ClaimsNoVersions) => good.with_versions(false),
            Some(Fault::AnswersEmptySearches) => good.with_glob(false).with_grep(false),
            Some(Fault::ChangesItsMind) => good.with_links(self.calls.load(Relaxed) == 0),
            _ => good,
        }
    }

    fn path_rules(&self) -> PathRules {
        let good = self.memory.path_rules();
        match self.fault {
            Some(Fault::TakesTheDrive) => good.with_platform(Platform::Windows).with_root("C:\\"),
            Some(Fault::TakesTheHost) => good.with_root("/"),
            Some(Fault::KnowsASecondRoot) => good.with_root("/workspace/dir"),
            _ => good,
        }
    }

    async fn stat(&self, path: &WorkspacePath, mut options: StatOptions) -> Result<Stat> {
        let asked = path;
        let told = |error| self.told(error, "stat", asked);
        let path =
            self.before(path).or_else(|error| if options.follow { Err(error) } else { Ok(path.clone()) });
        let path = path.map_err(told)?;
        options.filter = self.filter(&options.filter, &path, Access::Read).map_err(told)?;
        match self.fault {
            Some(Fault::HasNoRoot) if path.is_root() => return Err(told(Error::new(NotFound, "no root"))),
            Some(Fault::FollowsForItself) => options.follow = true,
            _ => {}
        }
        if let Some(outside) = self.outside(&path).filter(|_| options.follow) {
            return self.outside.stat(&outside, options).await.map_err(told);
        }
        self.memory.stat(&path, options).await.map(|stat| self.stat_told(stat)).map_err(told)
    }

    async fn read(&self, path: &WorkspacePath, mut options: ReadOptions) -> Result<FileBody> {
        let told = |error| self.told(error, "read", path);
        let asked = self.before(path).map_err(told)?;
        options.filter = self.filter(&options.filter, &asked, Access::Read).map_err(told)?;
        self.calls.fetch_add(1, Relaxed);
        if let Some(outside) = self.outside(&asked) {
            return self.outside.read(&outside, options).await.map_err(told);
        }
        let kind = now(self.memory.stat(&asked, StatOptions::default())).map(|stat| stat.kind).ok();
        match (self.fault, kind) {
            (Some(Fault::ReadsNothingAsEmpty), None)
            | (Some(Fault::ReadsDirectories), Some(FileKind::Dir)) => {
                return Ok(FileBody::new(Stat::new(FileKind::File, 0), Body::empty()));
            }
            (Some(Fault::WaitsForSpecialFiles), Some(FileKind::Other)) => std::future::pending().await,
            (Some(Fault::ReadsSpecialTargets), Some(FileKind::Other))
                if self.kind(&asked) == Some(FileKind::Link) =>
            {
                return Ok(FileBody::new(Stat::new(FileKind::File, 0), Body::empty()));
            }
            (Some(Fault::IgnoresWindows), _) => (options.offset, options.length) = (0, None),
            (Some(Fault::ReadsOneMebibyte), _) => options.length = options.length.or(Some(1 << 20)),
            (Some(Fault::WritesOnRead), Some(FileKind::File)) => {
                let bytes = self.memory.read_now(asked.as_str())?;
                self.memory.write_now(asked.as_str(), bytes)?;
            }
            _ => {}
        }
        let length = options.length;
        let mut opened = self.memory.read(&asked, options.clone()).await.map_err(told)?;
        opened.stat = self.stat_told(opened.stat);
        match self.fault {
            Some(Fault::MissesEmptyFiles) if opened.stat.size == 0 => {
                return Err(told(Error::new(NotFound, "empty")));
            }
            Some(Fault::TellsTheWindowsSize) => opened.stat.size = length.unwrap_or(opened.stat.size),
            _ => {}
        }
        opened.body = self.body(opened.body, &asked, options).await?;
        Ok(opened)
    }

    async fn write(&self, path: &WorkspacePath, body: Body, mut options: WriteOptions) -> Result<Written> {
        let told = |error| self.told(error, "write", path);
        let asked = self.before(path).map_err(told)?;
        options.filter = self.filter(&options.filter, &asked, Access::Write).map_err(told)?;
        if let Some(outside) = self.outside(&asked) {
            return self.outside.write(&outside, body, options.with_create_parents(true)).await.map_err(told);
        }
        let old = self.own(&self.resolved(&asked));
        let mut written = self.broken_write(&asked, body, options, old).await.map_err(told)?;
        written.stat = self.stat_told(written.stat);
        Ok(written)
    }

    async fn list(&self, path: &WorkspacePath, mut options: ListOptions) -> Result<Vec<Entry>> {
        let told = |error| self.told(error, "list", path);
        assert!(!self.is(Fault::PanicsOnList), "a provider that panics");
        let asked = self.before(path).map_err(told)?;
        options.filter = self.filter(&options.filter, &asked, Access::Read).map_err(told)?;
        if self.outside(&asked).is_some() {
            return Ok(Vec::new());
        }
        let kind = now(self.memory.stat(&asked, StatOptions::default())).map(|stat| stat.kind).ok();
        match (self.fault, kind) {
            (Some(Fault::ListsFiles), Some(FileKind::File)) | (Some(Fault::ReadsNothingAsEmpty), None) => {
                return Ok(Vec::new());
            }
            (Some(Fault::FiltersNoLists), _) => {
                options.filter.check(&asked, Access::Read).map_err(told)?;
                options.filter = PathFilter::default();
            }
            (Some(Fault::ListsTheWholeTree), _) => {
                let options = WalkOptions::default().with_filter(options.filter);
                return self.memory.walk(&asked, options).await?.collect_items(1000).await;
            }
            _ => {}
        }
        let mut entries = self.memory.list(&asked, options).await.map_err(told)?;
        match self.fault {
            Some(Fault::ListsBackwards) => entries.reverse(),
            Some(Fault::ListsAHundred) => entries.truncate(100),
            Some(Fault::HidesDotFiles) => {
                entries.retain(|entry| !entry.path.name().unwrap().starts_with('.'));
            }
            Some(Fault::MissesEmptyDirectories) if entries.is_empty() => {
                return Err(told(Error::new(NotFound, "empty")));
            }
            Some(Fault::ListsResolvedPaths) => {
                for entry in &mut entries {
                    entry.path = self.resolved(&asked).child(entry.path.name().unwrap()).unwrap();
                }
            }
            Some(Fault::ShowsTemporaryFiles) => {
                let hidden = temporary_name("a.txt", 0xfeed);
                entries.push(Entry::new(asked.child(&hidden)?, FileKind::File));
            }
            _ => {}
        }
        Ok(entries.into_iter().map(|entry| self.entry_told(entry)).collect())
    }

    async fn create_dir(&self, path: &WorkspacePath, mut options: CreateDirOptions) -> Result<bool> {
        let told = |error| self.told(error, "create_dir", path);
        let asked = self.before(path).map_err(told)?;
        options.filter = self.filter(&options.filter, &asked, Access::Write).map_err(told)?;
        if self.outside(&asked).is_some() {
            return Ok(true);
        }
        match self.fault {
            Some(Fault::MakesDirectoriesUnasked) => options.parents = true,
            Some(Fault::MakesNoParentDirectories) => options.parents = false,
            Some(Fault::ForgivesFilesForDirectories) if self.kind(&asked).is_some() => return Ok(false),
            Some(Fault::MakesParentsUnfiltered) => {
                options.filter.check(&self.resolved(&asked), Access::Write).map_err(told)?;
                options.filter = PathFilter::default();
            }
            Some(Fault::CreatesThroughLinks) if self.kind(&asked) == Some(FileKind::Link) => return Ok(true),
            Some(Fault::RemembersTheRemoved) if self.removed.lock().unwrap().contains(&asked) => {
                return Err(told(Error::new(AlreadyExists, "it was here once")));
            }
            _ => {}
        }
        let made = self.memory.create_dir(&asked, options).await.map_err(told)?;
        match self.fault {
            Some(Fault::TellsAllDirectoriesAsNew) => return Ok(true),
            Some(Fault::TellsNoDirectoryAsNew) => return Ok(false),
            Some(Fault::MakesClosedDirectories) => self.memory.set_mode_now(asked.as_str(), 0)?,
            _ => {}
        }
        Ok(made)
    }

    async fn remove(&self, path: &WorkspacePath, mut options: RemoveOptions) -> Result<()> {
        let told = |error| self.told(error, "remove", path);
        let mut asked = self.before(path).unwrap_or_else(|_| path.clone());
        options.filter = self.filter(&options.filter, &asked, Access::Write).map_err(told)?;
        if self.is(Fault::FollowsOut) && asked.parent().is_some_and(|parent| self.outside(&parent).is_some())
        {
            self.outside.remove_now("outside-dir/secret")?;
            return Ok(());
        }
        let kind = self.kind(&asked);
        let empty =
            now(self.memory.list(&asked, ListOptions::default())).is_ok_and(|entries| entries.is_empty());
        match (self.fault, kind) {
            (Some(Fault::RemovesTheRoot), _) if asked.is_root() => {
                for path in self.memory.paths_now() {
                    let _ = self.memory.remove_now(path.as_str());
                }
                return Ok(());
            }
            (Some(Fault::RemovesNoFiles), Some(FileKind::File))
            | (Some(Fault::ForgivesMissingPaths), None)
            | (Some(Fault::RemovesNoSpecialFiles), Some(FileKind::Other)) => return Ok(()),
            (Some(Fault::RemovesNoEmptyDirectories), Some(FileKind::Dir)) if empty => return Ok(()),
            (Some(Fault::RemovesFullDirectories), _) => options.recursive = true,
            (Some(Fault::RemovesNoTrees), Some(FileKind::Dir)) if !empty => {
                return Err(told(Error::new(NotEmpty, "it is not empty")));
            }
            (Some(Fault::RemovesTargets), Some(FileKind::Link)) => asked = self.resolved(&asked),
            (Some(Fault::RemovesThroughLinks), Some(FileKind::Dir)) if options.recursive => {
                for entry in now(self.memory.list(&asked, ListOptions::default()))? {
                    if entry.kind == FileKind::Link {
                        let _ = self.memory.remove_now(&format!("{}/file", self.resolved(&entry.path)));
                    }
                }
            }
            (Some(Fault::RemovesNothingBehindLinks), _) if self.is_linked(&asked) => {
                return Err(told(Error::new(NotFound, "there is nothing here")));
            }
            (Some(Fault::RemovesUnfiltered), _) => {
                options.filter.check(&self.resolved(&asked), Access::Write).map_err(told)?;
                options.filter = PathFilter::default();
            }
            (Some(Fault::RemembersTheRemoved), _) => {
                self.removed.lock().unwrap().insert(asked.clone());
            }
            _ => {}
        }
        self.memory.remove(&asked, options).await.map_err(told)
    }

    async fn rename(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        mut options: RenameOptions,
    ) -> Result<()> {
        let told = |error: Error| self.told(error, "rename", from);
        let source = self.before(from).unwrap_or_else(|_| from.clone());
        let target = self.before(to).unwrap_or_else(|_| to.clone());
        self.filter(&options.filter, &source, Access::Write).map_err(told)?;
        options.filter = self.filter(&options.filter, &target, Access::Write).map_err(told)?;
        self.broken_rename(&source, &target, options).await.map_err(told)
    }

    async fn resolve(&self, path: &WorkspacePath, mut options: ResolveOptions) -> Result<WorkspacePath> {
        let told = |error| self.told(error, "resolve", path);
        let asked = self.before(path).map_err(told)?;
        options.filter = self.filter(&options.filter, &asked, Access::See).map_err(told)?;
        match self.fault {
            Some(Fault::ResolvesNothing) => return Ok(asked),
            Some(Fault::FollowsOut) if self.outside(&asked).is_some() => return Ok(asked),
            Some(Fault::ResolvesWhatExists) if self.kind(&asked).is_none() => {
                return Err(told(Error::new(NotFound, "there is nothing here")));
            }
            _ => {}
        }
        self.memory.resolve(&asked, options).await.map_err(told)
    }

    async fn walk(&self, path: &WorkspacePath, mut options: WalkOptions) -> Result<Feed<Entry>> {
        let told = |error| self.told(error, "walk", path);
        let mut asked = self.before(path).map_err(told)?;
        options.filter = self.filter(&options.filter, &asked, Access::Read).map_err(told)?;
        if self.outside(&asked).is_some() {
            return Ok(Feed::empty());
        }
        let hidden = options.filter.clone();
        match self.fault {
            Some(Fault::WalksFromTheRoot) => asked = WorkspacePath::root(),
            Some(Fault::WalksAllDepths) => options.max_depth = None,
            Some(Fault::WalksFiles) if self.kind(&asked) == Some(FileKind::File) => return Ok(Feed::empty()),
            Some(Fault::EntersHiddenDirectories) => {
                options.filter.check(&asked, Access::Read).map_err(told)?;
                options.filter = PathFilter::default();
            }
            Some(Fault::FiltersNoLists) => options.filter = PathFilter::default(),
            _ => {}
        }
        let mut entries = self.memory.walk(&asked, options).await.map_err(told)?.collect_items(1000).await?;
        match self.fault {
            Some(Fault::WalksBackwards) => entries.reverse(),
            Some(Fault::EntersHiddenDirectories) => entries.retain(|entry| hidden.shows(&entry.path)),
            Some(Fault::ListsResolvedPaths) => {
                for entry in &mut entries {
                    entry.path = entry.path.strip_prefix(&asked).unwrap().under(&self.resolved(&asked));
                }
            }
            Some(Fault::FollowsLinksInWalks) => {
                for entry in entries.clone() {
                    let below = self.memory.list(&entry.path, ListOptions::default()).await;
                    if entry.kind == FileKind::Link {
                        entries.extend(below.unwrap_or_default());
                    }
                }
            }
            Some(Fault::ShowsTemporaryFiles) => {
                let hidden = temporary_name("a.txt", 0xfeed);
                entries.push(Entry::new(asked.child(&hidden)?, FileKind::File));
            }
            Some(Fault::KeepsHandles) => {
                self.take_handle()?;
            }
            _ => {}
        }
        let entries: Vec<_> = entries.into_iter().map(|entry| Ok(self.entry_told(entry))).collect();
        Ok(self.returning_handle(Feed::from_items(entries)))
    }

    async fn glob(&self, mut query: GlobQuery) -> Result<GlobAnswer> {
        match self.fault {
            Some(Fault::AnswersEmptySearches) => return Ok(GlobAnswer::default()),
            Some(Fault::SearchesUnfiltered) => query.filter = PathFilter::default(),
            _ => {}
        }
        let limit = query.limits.max_results;
        if self.is(Fault::KeepsTheLast) {
            query.limits.max_results = None;
        }
        let mut answer = match toy_search::glob(&self.memory, query).await {
            Err(_) if self.is(Fault::ReadsAnyPattern) => GlobAnswer::default(),
            answer => answer?,
        };
        if self.is(Fault::LosesTheLastResult) {
            answer.files.pop();
        }
        if let Some(limit) = limit.filter(|_| self.is(Fault::KeepsTheLast)) {
            answer.files.drain(..answer.files.len().saturating_sub(limit));
        }
        Ok(answer)
    }

    async fn grep(&self, mut query: GrepQuery) -> Result<GrepAnswer> {
        match self.fault {
            Some(Fault::AnswersEmptySearches) => return Ok(GrepAnswer::default()),
            Some(Fault::SearchesUnfiltered) => query.filter = PathFilter::default(),
            _ => {}
        }
        let limit = query.limits.max_results;
        if self.is(Fault::KeepsTheLast) {
            query.limits.max_results = None;
        }
        let mut answer = match toy_search::grep(&self.memory, query).await {
            Err(_) if self.is(Fault::ReadsAnyPattern) => GrepAnswer::default(),
            answer => answer?,
        };
        if self.is(Fault::LosesTheLastResult) {
            answer.lines.pop();
        }
        if let Some(limit) = limit.filter(|_| self.is(Fault::KeepsTheLast)) {
            answer.lines.drain(..answer.lines.len().saturating_sub(limit));
        }
        Ok(answer)
    }
}
