//! The default walk: one `list` a directory, on demand.

use crate::{Entry, Feed, FileKind, FsProvider, ListOptions, Result, WalkOptions, WorkspacePath};

/// Walks a tree by [`FsProvider::list`], depth first.
///
/// It lists everything before it returns: the default borrows the provider, so
/// the feed cannot. A backend of large trees gives its own, lazy walk.
pub(super) async fn over_list<P: FsProvider + ?Sized>(
    provider: &P,
    path: &WorkspacePath,
    options: WalkOptions,
) -> Result<Feed<Entry>> {
    let list = |path: WorkspacePath| {
        let options = ListOptions::default().with_filter(options.filter.clone());
        async move { provider.list(&path, options).await }
    };
    let base = path.depth();
    let max_depth = options.max_depth.unwrap_or(usize::MAX);
    if max_depth == 0 {
        return Ok(Feed::empty());
    }
    let mut found = Vec::new();
    // Entries still to be told, the next one last.
    let mut ahead: Vec<Entry> = list(path.clone()).await?.into_iter().rev().collect();
    while let Some(mut entry) = ahead.pop() {
        let enter = entry.kind == FileKind::Dir && !entry.non_utf8 && entry.path.depth() - base < max_depth;
        if enter {
            match list(entry.path.clone()).await {
                Ok(below) => ahead.extend(below.into_iter().rev()),
                Err(_) => entry.unreadable = true,
            }
        }
        found.push(Ok(entry));
    }
    Ok(Feed::from_items(found))
}
