//! A tree as it was a moment ago, with the files themselves behind it.

use std::collections::{HashMap, HashSet};

use tokio::sync::Mutex;
use workspace_core::{
    Access, Body, Capabilities, CreateDirOptions, Entry, Error, ErrorKind, FileBody, FileKind, FsProvider,
    ListOptions, PathFilter, PathRules, ReadOptions, RemoveOptions, RenameOptions, Result, Stat, StatOptions,
    WorkspacePath, WriteOptions, Written, is_temporary_name,
};

use super::contents::Contents;
use crate::PosixFiles;
use crate::files::{Found, inside};
use crate::record::Record;

/// What was fetched is answered from here, by the same rules as the files
/// themselves would; all else is asked of them.
pub(super) struct Snapshot {
    files: PosixFiles,
    /// The base as it was asked for, and where it lies.
    asked: WorkspacePath,
    real: WorkspacePath,
    /// The entries of each directory that was fetched, by its real path.
    directories: HashMap<WorkspacePath, Vec<(Entry, Record)>>,
    records: HashMap<WorkspacePath, Record>,
    contents: Mutex<Contents>,
}

impl Snapshot {
    /// # Errors
    /// Where a name that was found is no name.
    pub(super) fn new(
        files: PosixFiles,
        asked: WorkspacePath,
        real: WorkspacePath,
        found: Vec<Found>,
        pruned: &[&str],
    ) -> Result<Self> {
        let mut directories: HashMap<WorkspacePath, Vec<(Entry, Record)>> = HashMap::new();
        let mut records = HashMap::with_capacity(found.len());
        let pruned: HashSet<&str> = pruned.iter().copied().collect();
        directories.insert(real.clone(), Vec::new());
        for Found { path, record } in found {
            let Some((below, odd)) = inside(&path)? else { continue };
            let at = below.under(&real);
            let (Some(parent), Some(name)) = (at.parent(), at.name()) else { continue };
            if is_temporary_name(name) {
                continue;
            }
            let fetched = record.kind == FileKind::Dir
                && !odd
                && !pruned.contains(name)
                && record.is_readable(files.facts());
            if fetched {
                directories.entry(at.clone()).or_default();
            }
            let entry = record.entry(at.clone()).with_non_utf8(odd);
            if !odd {
                records.insert(at, record.clone());
            }
            directories.entry(parent).or_default().push((entry, record));
        }
        let contents = Mutex::new(Contents::new(files.clone()));
        Ok(Self { files, asked, real, directories, records, contents })
    }

    /// Fetches the ignore files of all directories at once.
    pub(super) async fn fetch_ignore_files(&mut self) {
        let wanted = |(path, record): (&WorkspacePath, &Record)| {
            let ignores = matches!(path.name(), Some(".gitignore" | ".ignore"));
            (ignores && self.is_plain(record)).then(|| (path.clone(), record.size))
        };
        let mut files: Vec<_> = self.records.iter().filter_map(wanted).collect();
        files.sort();
        self.contents.get_mut().keep(files).await;
    }

    /// Says which files will be read, by their paths as they were asked for.
    pub(super) fn expect(&self, paths: impl Iterator<Item = WorkspacePath>, largest: Option<u64>) {
        let files = paths.filter_map(|path| {
            let path = self.real_of(&path)?;
            let record = self.records.get(&path)?;
            let fits = largest.is_none_or(|largest| record.size <= largest);
            (fits && self.is_plain(record)).then_some((path, record.size))
        });
        if let Ok(mut contents) = self.contents.try_lock() {
            contents.expect(files.collect());
        }
    }

    /// Where a path that was asked for lies, if it is below the base and leads over no link.
    fn real_of(&self, path: &WorkspacePath) -> Option<WorkspacePath> {
        path.strip_prefix(&self.asked).map(|below| below.under(&self.real))
    }

    fn is_plain(&self, record: &Record) -> bool {
        record.kind == FileKind::File && record.is_readable(self.files.facts())
    }
}

/// A search changes nothing.
fn unsupported<T>() -> Result<T> {
    Err(Error::new(ErrorKind::Unsupported, "a tree that is searched is not changed"))
}

fn shown(entry: &Entry, filter: &PathFilter) -> bool {
    filter.shows(&entry.path)
}

impl FsProvider for Snapshot {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default().with_links(true)
    }

    fn path_rules(&self) -> PathRules {
        self.files.path_rules()
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        // A base that is a directory was found as one; links are asked about.
        if *path == self.asked {
            options.filter.check(&self.real, Access::Read).map_err(|error| error.during("stat").at(path))?;
            return Ok(Stat::new(FileKind::Dir, 0));
        }
        self.files.stat(path, options).await
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        let real = self.real_of(path);
        if let Some((real, record)) = real.and_then(|real| self.records.get_key_value(&real))
            && let Some(bytes) = self.contents.lock().await.take(real).await
        {
            options.filter.check(real, Access::Read).map_err(|error| error.during("read").at(path))?;
            return Ok(FileBody::new(record.stat(), Body::from(bytes)));
        }
        self.files.read(path, options).await
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        let real = self.real_of(path);
        let Some((real, entries)) = real.and_then(|real| self.directories.get_key_value(&real)) else {
            return self.files.list(path, options).await;
        };
        options.filter.check(real, Access::Read).map_err(|error| error.during("list").at(path))?;
        let shown = entries.iter().filter(|(entry, _)| shown(entry, &options.filter));
        shown
            .map(|(entry, record)| {
                let name = entry.path.name().unwrap_or_default();
                Ok(record.entry(path.child(name)?).with_non_utf8(entry.non_utf8))
            })
            .collect()
    }

    async fn write(&self, _: &WorkspacePath, _: Body, _: WriteOptions) -> Result<Written> {
        unsupported()
    }

    async fn create_dir(&self, _: &WorkspacePath, _: CreateDirOptions) -> Result<bool> {
        unsupported()
    }

    async fn remove(&self, _: &WorkspacePath, _: RemoveOptions) -> Result<()> {
        unsupported()
    }

    async fn rename(&self, _: &WorkspacePath, _: &WorkspacePath, _: RenameOptions) -> Result<()> {
        unsupported()
    }
}
