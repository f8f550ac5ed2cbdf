//! Files that are right in all but one thing.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use workspace_core::ErrorKind::{DeniedPath, InvalidInput, NotADirectory, NotFound, PathEscape};
use workspace_core::{
    Access, Entry, Error, FileKind, FsProvider, PathFilter, ResolveOptions, Result, Stat, StatOptions,
    Version, WorkspacePath,
};
use workspace_memory::Memory;

use super::fault::Fault;

/// A tree in memory, with a native search, names that are not UTF-8, and one fault or none.
#[derive(Clone)]
pub(crate) struct Broken {
    pub(super) memory: Memory,
    pub(super) fault: Option<Fault>,
    /// What is outside, for a provider that goes there.
    pub(super) outside: Memory,
    pub(super) calls: Arc<AtomicUsize>,
    pub(super) open: Arc<AtomicUsize>,
    pub(super) removed: Arc<Mutex<BTreeSet<WorkspacePath>>>,
}

impl Broken {
    pub(super) fn new(memory: Memory, outside: Memory, fault: Option<Fault>) -> Self {
        Self { memory, fault, outside, calls: Arc::default(), open: Arc::default(), removed: Arc::default() }
    }

    pub(super) fn is(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    pub(super) fn kind(&self, path: &WorkspacePath) -> Option<FileKind> {
        self.own(path).map(|stat| stat.kind)
    }

    /// What stands at a path itself.
    pub(super) fn own(&self, path: &WorkspacePath) -> Option<Stat> {
        now(self.memory.stat(path, StatOptions::default().with_follow(false))).ok()
    }

    pub(super) fn resolved(&self, path: &WorkspacePath) -> WorkspacePath {
        now(self.memory.resolve(path, ResolveOptions::default())).unwrap_or_else(|_| path.clone())
    }

    /// Whether it is a link that leads nowhere.
    pub(super) fn dangles(&self, path: &WorkspacePath) -> bool {
        self.kind(path) == Some(FileKind::Link)
            && now(self.memory.resolve(path, ResolveOptions::default())).is_err()
    }

    /// The filter as this provider judges it.
    pub(super) fn filter(
        &self,
        filter: &PathFilter,
        path: &WorkspacePath,
        access: Access,
    ) -> Result<PathFilter> {
        Ok(match self.fault {
            Some(Fault::ForgetsFilters) => PathFilter::default(),
            Some(Fault::FiltersAsAsked) => {
                filter.check(path, access)?;
                PathFilter::default()
            }
            Some(Fault::FiltersWhatExists) if self.kind(path).is_none() => PathFilter::default(),
            Some(Fault::AsksToSeeForReading) => asks(filter, Access::Read, Access::See),
            Some(Fault::AsksToWriteForReading) => asks(filter, Access::Read, Access::Write),
            Some(Fault::AsksToReadForListing) => asks(filter, Access::See, Access::Read),
            Some(Fault::AsksToReadForWriting) => asks(filter, Access::Write, Access::Read),
            Some(Fault::ClosesEverything) if !filter.is_empty() => {
                PathFilter::deny("everything", |_, _| true)
            }
            _ => filter.clone(),
        })
    }

    /// What is wrong with any call, before it is made.
    pub(super) fn before(&self, path: &WorkspacePath) -> Result<WorkspacePath> {
        let name = path.name().unwrap_or_default();
        let wrong = match self.fault {
            Some(Fault::LosesOddNames) => name.contains('*'),
            Some(Fault::RefusesLongNames) => name.len() > 200,
            Some(Fault::RefusesDeepPaths) => path.depth() > 50,
            Some(Fault::CountsFewLinks) => name == "again" || name.starts_with("link-1"),
            _ => false,
        };
        if wrong {
            return Err(Error::new(InvalidInput, "this name is too much"));
        }
        if path.as_str().contains('\u{fffd}') {
            return Err(Error::new(NotFound, "there is nothing here"));
        }
        match self.fault {
            Some(Fault::IgnoresCase | Fault::IgnoresCaseAndSaysSo) => parse(&path.as_str().to_lowercase()),
            Some(Fault::MissesLinkedDirectories) if self.is_linked(path) => {
                Err(Error::new(NotFound, "there is nothing here"))
            }
            Some(Fault::RefusesAbsoluteLinks) if path.as_str().starts_with("root-link") => {
                Err(Error::new(PathEscape, "absolute links are not followed"))
            }
            Some(Fault::FoldsLinks) if path.as_str() == "link" => parse("file"),
            Some(Fault::FollowsNoLinks) if self.kind(path) == Some(FileKind::Link) => {
                Err(Error::new(PathEscape, "links are not followed"))
            }
            _ => Ok(path.clone()),
        }
    }

    pub(super) fn is_linked(&self, path: &WorkspacePath) -> bool {
        path.parent().is_some_and(|parent| self.resolved(&parent) != parent)
    }

    /// The error as this provider tells it.
    pub(super) fn told(&self, error: Error, operation: &'static str, path: &WorkspacePath) -> Error {
        let kind = match (self.fault, error.kind()) {
            (Some(Fault::CallsEverythingMissing), NotADirectory)
            | (Some(Fault::TellsNothingIsThere), PathEscape) => NotFound,
            (_, kind) => kind,
        };
        let again = |message: String| {
            let error = Error::new(kind, message).during(operation).at(path);
            if kind == DeniedPath { error.rule("closed-by-the-kit") } else { error }
        };
        match self.fault {
            Some(Fault::TellsTheHost) => again("open /workspace/a: failed".into()),
            Some(Fault::TellsTheTarget) => error.at(self.resolved(path)),
            Some(Fault::NamesNoPath) => Error::new(kind, error.message().to_owned()).during(operation),
            Some(Fault::NamesNoOperation) => Error::new(kind, error.message().to_owned()).at(path),
            Some(Fault::LosesTheRule) => {
                Error::new(kind, error.message().to_owned()).during(operation).at(path)
            }
            _ if kind != error.kind() => again(error.message().to_owned()),
            _ => error,
        }
        .during_unless(self.is(Fault::NamesNoOperation), operation)
        .at_unless(self.is(Fault::NamesNoPath) || self.is(Fault::TellsTheTarget), path)
    }

    pub(super) fn stat_told(&self, mut stat: Stat) -> Stat {
        match self.fault {
            Some(Fault::ClaimsModes) => stat.mode = None,
            Some(Fault::ClaimsVersions) => stat.version = None,
            Some(Fault::TellsTheSizeAsVersion) => stat.version = Some(Version::new(stat.size.to_be_bytes())),
            Some(Fault::TellsAVersionEachTime) => {
                let call = self.calls.fetch_add(1, Relaxed);
                stat.version = Some(Version::new(call.to_be_bytes()));
            }
            _ => {}
        }
        stat
    }

    pub(super) fn entry_told(&self, mut entry: Entry) -> Entry {
        entry.non_utf8 = entry.path.as_str().contains('\u{fffd}') && !self.is(Fault::MarksNoNames);
        if self.is(Fault::TellsFilesOnly) {
            entry.kind = FileKind::File;
        }
        entry
    }

    /// Files that this provider finds outside of the root.
    pub(super) fn outside(&self, path: &WorkspacePath) -> Option<WorkspacePath> {
        let escapes =
            now(self.memory.stat(path, StatOptions::default())).is_err_and(|e| e.kind() == PathEscape);
        (self.is(Fault::FollowsOut) && escapes).then(|| {
            let rest: Vec<&str> = path.components().skip(1).collect();
            let at = if rest.is_empty() { "secret".to_owned() } else { rest.join("/") };
            parse(&format!("outside-dir/{at}")).unwrap()
        })
    }
}

/// Judges one access as another.
fn asks(filter: &PathFilter, asked: Access, judged: Access) -> PathFilter {
    let filter = filter.clone();
    PathFilter::new(move |path, access| filter.check(path, if access == asked { judged } else { access }))
}

fn parse(text: &str) -> Result<WorkspacePath> {
    text.split('/')
        .filter(|name| !name.is_empty())
        .try_fold(WorkspacePath::root(), |path, name| path.child(name))
}

/// Memory never waits.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("memory waits"),
    }
}

trait Unless {
    fn during_unless(self, no: bool, operation: &'static str) -> Self;
    fn at_unless(self, no: bool, path: &WorkspacePath) -> Self;
}

impl Unless for Error {
    fn during_unless(self, no: bool, operation: &'static str) -> Self {
        if no { self } else { self.during(operation) }
    }

    fn at_unless(self, no: bool, path: &WorkspacePath) -> Self {
        if no { self } else { self.at(path) }
    }
}
