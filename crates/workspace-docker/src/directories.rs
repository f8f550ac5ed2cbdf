//! The directories of a tree that hold no file which is brought.

use std::collections::HashSet;

use workspace_core::{
    Entry, FileKind, FsProvider, ListOptions, PathFilter, ReadOptions, Result, WorkspacePath,
};
use workspace_search::{IgnoreFiles, IgnoreRules, MAX_IGNORE_FILE};

/// Directories below the root that are the parent of none of these files, in the
/// order of paths. Those that ignore files hide are left out, and `.git`.
///
/// A directory that cannot be listed counts as one without files.
pub(crate) async fn empty_directories(
    from: &impl FsProvider,
    files: impl Iterator<Item = &WorkspacePath>,
    gitignore: bool,
    filter: &PathFilter,
) -> Result<Vec<WorkspacePath>> {
    let mut parents = HashSet::from([WorkspacePath::root()]);
    for file in files {
        let mut above = file.parent();
        while let Some(directory) = above {
            above = directory.parent();
            if !parents.insert(directory) {
                break;
            }
        }
    }
    let list = ListOptions::default().with_filter(filter.clone());
    let mut empty: Vec<WorkspacePath> = Vec::new();
    let mut ahead = vec![(WorkspacePath::root(), IgnoreRules::default())];
    while let Some((directory, mut rules)) = ahead.pop() {
        let entries = from.list(&directory, list.clone()).await.unwrap_or_default();
        if gitignore {
            rules = rules.below(&directory, &ignore_files(from, &entries, filter).await);
        }
        let mut leads_on = false;
        for entry in entries {
            let plain = entry.kind == FileKind::Dir && !entry.non_utf8;
            if plain && entry.path.name() != Some(".git") && !rules.hides(&entry.path, true) {
                leads_on = true;
                ahead.push((entry.path, rules.clone()));
            }
        }
        // One that leads on to others comes with them.
        if !leads_on && !parents.contains(&directory) {
            empty.push(directory);
        }
    }
    empty.sort();
    Ok(empty)
}

/// What cannot be read says nothing, as in a search.
async fn ignore_files(from: &impl FsProvider, entries: &[Entry], filter: &PathFilter) -> IgnoreFiles {
    let mut files = IgnoreFiles::default();
    for entry in entries.iter().filter(|entry| matches!(entry.kind, FileKind::File | FileKind::Link)) {
        let of = match entry.path.name() {
            Some(".ignore") => &mut files.ignore,
            Some(".gitignore") => &mut files.gitignore,
            _ => continue,
        };
        let options = ReadOptions::default().with_filter(filter.clone());
        if let Ok(file) = from.read(&entry.path, options).await {
            *of = file.body.collect(MAX_IGNORE_FILE).await.ok();
        }
    }
    if let Some(git) =
        entries.iter().find(|entry| entry.path.name() == Some(".git") && entry.kind == FileKind::Dir)
        && let Ok(exclude) = git.path.child("info").and_then(|info| info.child("exclude"))
        && let Ok(file) = from.read(&exclude, ReadOptions::default().with_filter(filter.clone())).await
    {
        files.exclude = file.body.collect(MAX_IGNORE_FILE).await.ok();
    }
    files
}
