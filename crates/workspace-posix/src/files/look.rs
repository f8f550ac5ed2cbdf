//! Operations that look: attributes, listings, walks.

use std::cmp::Ordering;

use workspace_core::{
    Access, Entry, Feed, FileKind, ListOptions, PathFilter, ResolveOptions, Result, Stat, StatOptions,
    WalkOptions, WorkspacePath, is_temporary_name,
};

use super::PosixFiles;
use crate::facts::Find;
use crate::record::{Record, records};
use crate::way::{Act, Arrived, Leaf, Stands, Walk};
use crate::wire::{Again, split_lines};
use crate::{error, quote};

/// An entry of a tree, as it was found: its path in bytes, relative to the directory that was walked.
pub(crate) struct Found {
    pub(crate) path: Vec<u8>,
    pub(crate) record: Record,
}

/// What stands at the end of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AtTheEnd {
    /// A regular file, with all of its bytes.
    File(Stat, Vec<u8>),
    /// Nothing, and no link that points to it.
    Nothing,
    /// Anything else: a directory, a file that is larger or cannot be read.
    Other,
}

impl PosixFiles {
    pub(super) async fn look_at(&self, path: &WorkspacePath, options: &StatOptions) -> Result<Stat> {
        let leaf = if options.follow { Leaf::Follow } else { Leaf::Keep };
        let act = |_: &WorkspacePath, _| Some(Act::new("case $w_k in d | f | s | o) w_stat ;; esac".into()));
        let arrived = self.arrive(path, reading(leaf, &options.filter), act).await?;
        there(&arrived)?;
        Ok(record_of(&arrived.answer)?.stat())
    }

    pub(super) async fn resolved(
        &self,
        path: &WorkspacePath,
        options: &ResolveOptions,
    ) -> Result<WorkspacePath> {
        let walk =
            Walk { leaf: Leaf::Follow, filter: &options.filter, access: Access::See, again: Again::Yes };
        let arrived = self.arrive(path, walk, |_, _| None).await?;
        if arrived.dangling { Err(error::dangling_write()) } else { Ok(arrived.path) }
    }

    /// Where a path leads, as [`resolve`](workspace_core::FsProvider::resolve) tells it, and in
    /// the same step what stands there: a regular file with its bytes, where it has at most
    /// `most` of them and can be read.
    ///
    /// # Errors
    /// Those of `resolve`.
    pub async fn resolve_with_file(
        &self,
        path: &WorkspacePath,
        options: &ResolveOptions,
        most: u64,
    ) -> Result<(WorkspacePath, AtTheEnd)> {
        let most = most.min(i64::MAX as u64);
        let walk =
            Walk { leaf: Leaf::Follow, filter: &options.filter, access: Access::See, again: Again::Yes };
        let act = |_: &WorkspacePath, _| Some(Act::new(format!("w_read 1 '' {most}")));
        let named = |error: workspace_core::Error| error.during("resolve").at(path);
        let arrived = self.arrive(path, walk, act).await.map_err(named)?;
        if arrived.dangling {
            return Err(named(error::dangling_write()));
        }
        let end = match arrived.stands {
            Stands::Nothing { .. } => AtTheEnd::Nothing,
            Stands::File if arrived.acted => whole_file(&arrived.answer),
            _ => AtTheEnd::Other,
        };
        Ok((arrived.path, end))
    }

    pub(super) async fn entries(&self, path: &WorkspacePath, options: &ListOptions) -> Result<Vec<Entry>> {
        let act = |_: &WorkspacePath, _| Some(Act::new("w_list".into()));
        let arrived = self.arrive(path, reading(Leaf::Follow, &options.filter), act).await?;
        directory(&arrived)?;
        if let Some(code) = code_of(&arrived.answer) {
            return Err(error::told(code));
        }
        let mut found = Vec::new();
        for (attributes, name) in records(&arrived.answer) {
            let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            if name == b"." || name == b".." {
                continue;
            }
            let record = Record::parse(attributes).ok_or_else(error::garbled)?;
            found.push(Found { path: name.to_vec(), record });
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found.dedup_by(|a, b| a.path == b.path);
        let mut entries = Vec::new();
        for found in found {
            let name = String::from_utf8_lossy(&found.path);
            if is_temporary_name(&name) || !options.filter.shows(&arrived.path.child(&name)?) {
                continue;
            }
            let odd = std::str::from_utf8(&found.path).is_err();
            entries.push(found.record.entry(path.child(&name)?).with_non_utf8(odd));
        }
        Ok(entries)
    }

    pub(super) async fn tree(&self, path: &WorkspacePath, options: &WalkOptions) -> Result<Feed<Entry>> {
        if !self.finds() {
            return self.tree_by_lists(path, options).await;
        }
        let depth = options.max_depth;
        let (real, found) = self.found_below(path, &options.filter, depth, &[]).await?;
        let mut entries = Vec::new();
        let mut closed: Option<Vec<u8>> = None;
        for found in found {
            if closed.as_ref().is_some_and(|closed| found.path.starts_with(closed)) {
                continue;
            }
            let Some((inside, odd)) = inside(&found.path)? else { continue };
            let hidden =
                inside.name().is_some_and(is_temporary_name) || !options.filter.shows(&inside.under(&real));
            let is_dir = found.record.kind == FileKind::Dir;
            if is_dir && (hidden || odd) {
                let mut below = found.path.clone();
                below.push(b'/');
                closed = Some(below);
            }
            if hidden {
                continue;
            }
            let too_deep = depth.is_some_and(|depth| inside.depth() >= depth);
            let unreadable = is_dir && !odd && !too_deep && !found.record.is_readable(self.facts());
            let entry = found.record.entry(inside.under(path));
            entries.push(Ok(entry.with_non_utf8(odd).with_unreadable(unreadable)));
        }
        Ok(Feed::from_items(entries))
    }

    /// A directory in which a command may start.
    pub(super) async fn directory_at(
        &self,
        path: &WorkspacePath,
        filter: &PathFilter,
    ) -> Result<WorkspacePath> {
        let arrived = self.arrive(path, reading(Leaf::Follow, filter), |_, _| None).await?;
        directory(&arrived)?;
        Ok(arrived.path)
    }

    /// Where there is no `find`: one listing a directory.
    async fn tree_by_lists(&self, path: &WorkspacePath, options: &WalkOptions) -> Result<Feed<Entry>> {
        let list = ListOptions::default().with_filter(options.filter.clone());
        let deepest = options.max_depth.unwrap_or(usize::MAX);
        let mut ahead: Vec<Entry> = self.entries(path, &list).await?.into_iter().rev().collect();
        if deepest == 0 {
            return Ok(Feed::empty());
        }
        let mut told = Vec::new();
        while let Some(mut entry) = ahead.pop() {
            let deep = entry.path.depth() - path.depth();
            if entry.kind == FileKind::Dir && !entry.non_utf8 && deep < deepest {
                match self.entries(&entry.path, &list).await {
                    Ok(below) => ahead.extend(below.into_iter().rev()),
                    Err(_) => entry.unreadable = true,
                }
            }
            told.push(Ok(entry));
        }
        Ok(Feed::from_items(told))
    }

    /// All entries below a directory in the order of their paths, and where it really lies.
    ///
    /// Directories of the names in `pruned` are told and not entered.
    pub(crate) async fn found_below(
        &self,
        path: &WorkspacePath,
        filter: &PathFilter,
        depth: Option<usize>,
        pruned: &[&str],
    ) -> Result<(WorkspacePath, Vec<Found>)> {
        let act = |target: &WorkspacePath, _| Some(Act::new(self.find_script(target, depth, pruned)));
        let arrived = self.arrive(path, reading(Leaf::Follow, filter), act).await?;
        directory(&arrived)?;
        if let Some(code) = code_of(&arrived.answer) {
            return Err(error::told(code));
        }
        let start = if arrived.path.is_root() { 2 } else { arrived.path.as_str().len() + 3 };
        let mut found = Vec::new();
        for (attributes, name) in records(&arrived.answer) {
            // The directory itself has no name below itself.
            let Some(name) = name.get(start..).filter(|name| !name.is_empty()) else { continue };
            let record = match self.facts().find {
                Find::Prints => Record::parse_found(attributes),
                _ => Record::parse(attributes),
            };
            found.push(Found { path: name.to_vec(), record: record.ok_or_else(error::garbled)? });
        }
        found.sort_by(|a, b| by_names(&a.path, &b.path));
        Ok((arrived.path, found))
    }

    fn find_script(&self, target: &WorkspacePath, depth: Option<usize>, pruned: &[&str]) -> String {
        let base = quote::path(target);
        let depth = depth.map(|depth| format!("-maxdepth {depth}")).unwrap_or_default();
        let tell = match self.facts().find {
            Find::Prints => r"-printf '//%y %s %T@ %m %U %G//%p\n'",
            _ => "-exec stat -c \"$w_A%n\" -- {} +",
        };
        let names: Vec<String> =
            pruned.iter().map(|name| format!("-name {}", quote::word(&pattern_of(name)))).collect();
        // The base itself is no candidate for pruning: it was asked for.
        let prune = if names.is_empty() {
            String::new()
        } else {
            let base =
                quote::word(&pattern_of(&if target.is_root() { ".".into() } else { format!("./{target}") }));
            format!("! -path {base} -type d '(' {} ')' -prune {tell} -o ", names.join(" -o "))
        };
        format!(
            "[ \"$w_k\" = d ] && {{ if [ -r \"$w_p\" ] && [ -x \"$w_p\" ]; then w_flush; find {base} {depth} {prune}{tell}; else w_tell 'E perm'; fi; }}"
        )
    }
}

/// The order of paths, name by name: what ends a name comes before all that goes on with it.
fn by_names(a: &[u8], b: &[u8]) -> Ordering {
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => rank(*a).cmp(&rank(*b)),
        None => a.len().cmp(&b.len()),
    }
}

/// The file of an answer that holds all of it.
fn whole_file(answer: &[u8]) -> AtTheEnd {
    let read = || {
        let (lines, bytes) = split_lines(answer, 2)?;
        let (record, word) = split_lines(lines, 1)?;
        let stat = Record::parse(records(record).next()?.0)?.stat();
        (word == b"data\n" && stat.size == bytes.len() as u64).then(|| (stat, bytes.to_vec()))
    };
    read().map_or(AtTheEnd::Other, |(stat, bytes)| AtTheEnd::File(stat, bytes))
}

/// A text as a pattern of `find` that matches nothing else.
fn pattern_of(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if "*?[]\\".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

pub(super) const fn reading(leaf: Leaf, filter: &PathFilter) -> Walk<'_> {
    Walk { leaf, filter, access: Access::Read, again: Again::Yes }
}

/// # Errors
/// Where nothing stands at the end of the way.
pub(super) fn there(arrived: &Arrived) -> Result<()> {
    match (arrived.stands, arrived.dangling) {
        (Stands::Nothing { .. }, true) => Err(error::dangling_read()),
        (Stands::Nothing { .. }, false) => Err(error::not_found()),
        _ => Ok(()),
    }
}

fn directory(arrived: &Arrived) -> Result<()> {
    there(arrived)?;
    if arrived.stands == Stands::Directory { Ok(()) } else { Err(error::not_a_directory()) }
}

/// The code of an answer that is a refusal.
pub(super) fn code_of(answer: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(answer).ok()?;
    text.lines().find_map(|line| line.strip_prefix("E ")).filter(|_| text.starts_with("E "))
}

/// The only record of an answer.
pub(super) fn record_of(answer: &[u8]) -> Result<Record> {
    let (attributes, _) = records(answer).next().ok_or_else(error::not_found)?;
    Record::parse(attributes).ok_or_else(error::garbled)
}

/// A path as it was found, and whether it is shown with replaced bytes.
/// `None` where a directory above has such a name: it is told, and not what it holds.
pub(crate) fn inside(path: &[u8]) -> Result<Option<(WorkspacePath, bool)>> {
    let odd = std::str::from_utf8(path).is_err();
    if odd
        && path
            .iter()
            .rposition(|byte| *byte == b'/')
            .is_some_and(|at| std::str::from_utf8(&path[..at]).is_err())
    {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(path);
    let path = text.split('/').try_fold(WorkspacePath::root(), |path, name| path.child(name))?;
    Ok(Some((path, odd)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_ordered_name_by_name() {
        let mut paths = ["a-b", "b", "a/b", "a", "a.c", "a/b/c", "a/b c", "a\u{1}"];
        paths.sort_by(|a, b| by_names(a.as_bytes(), b.as_bytes()));
        let mut expected = paths;
        expected.sort_by(|a, b| a.split('/').cmp(b.split('/')));
        assert_eq!(paths, expected);
    }
}
