//! Walking a tree.

use workspace_core::ErrorKind::{NotADirectory, NotFound};
use workspace_core::{Entry, FileKind, FsProvider, WalkOptions, WorkspacePath};

use crate::case::{Verdict, cases, holds, refused, same};
use crate::scene::Scene;

cases! {
    a_walk_gives_everything_in_order,
    a_walk_begins_where_it_is_asked_to,
    depth_is_limited_when_asked,
    links_are_told_and_not_followed [Links],
    a_file_is_not_walked,
    a_walk_equals_the_listings,
    a_walk_can_be_given_up,
}

fn told(entries: &[Entry]) -> Vec<(&str, FileKind)> {
    entries.iter().map(|entry| (entry.path.as_str(), entry.kind)).collect()
}

async fn put_tree(scene: &Scene) -> Verdict {
    for at in ["a/b/c.txt", "a/b.txt", "a-b/x", "a.txt", "B/y", "a/z/deep/er.txt"] {
        scene.put(at, at).await?;
    }
    scene.put_dir("empty").await?;
    Ok(())
}

async fn a_walk_gives_everything_in_order(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    let entries = scene.walk("", None).await?;
    same(
        "the walk",
        told(&entries),
        [
            ("B", FileKind::Dir),
            ("B/y", FileKind::File),
            ("a", FileKind::Dir),
            ("a/b", FileKind::Dir),
            ("a/b/c.txt", FileKind::File),
            ("a/b.txt", FileKind::File),
            ("a/z", FileKind::Dir),
            ("a/z/deep", FileKind::Dir),
            ("a/z/deep/er.txt", FileKind::File),
            ("a-b", FileKind::Dir),
            ("a-b/x", FileKind::File),
            ("a.txt", FileKind::File),
            ("empty", FileKind::Dir),
        ],
    )?;
    holds(entries.iter().all(|entry| !entry.unreadable && !entry.non_utf8), "a plain entry is marked")
}

async fn a_walk_begins_where_it_is_asked_to(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    let entries = scene.walk("a/z", None).await?;
    same("the walk", told(&entries), [("a/z/deep", FileKind::Dir), ("a/z/deep/er.txt", FileKind::File)])?;
    same("an empty directory", scene.walk("empty", None).await?, [])
}

async fn depth_is_limited_when_asked(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    let all = scene.walk("a", None).await?;
    for depth in 0..5 {
        let want: Vec<_> = all.iter().filter(|entry| entry.path.depth() - 1 <= depth).cloned().collect();
        let walked = scene.walk("a", Some(depth)).await?;
        same(format!("{depth} levels"), told(&walked), told(&want))?;
    }
    Ok(())
}

async fn links_are_told_and_not_followed(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    scene.put_link("dir/back", "..").await?;
    scene.put_link("dir/again", "../dir").await?;
    scene.put_link("file-link", "dir/file").await?;
    scene.put_link("gone", "missing").await?;
    let entries = scene.walk("", None).await?;
    same(
        "the walk",
        told(&entries),
        [
            ("dir", FileKind::Dir),
            ("dir/again", FileKind::Link),
            ("dir/back", FileKind::Link),
            ("dir/file", FileKind::File),
            ("file-link", FileKind::Link),
            ("gone", FileKind::Link),
        ],
    )
}

async fn a_file_is_not_walked(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    refused("a file", scene.walk("file", None).await, &[NotADirectory])?;
    refused("nothing", scene.walk("missing", None).await, &[NotFound])?;
    Ok(())
}

async fn a_walk_equals_the_listings(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    let mut listed = Vec::new();
    let mut ahead = vec![WorkspacePath::root()];
    while let Some(directory) = ahead.pop() {
        for entry in scene.list(directory.as_str()).await? {
            if entry.kind == FileKind::Dir {
                ahead.push(entry.path.clone());
            }
            listed.push(entry);
        }
    }
    listed.sort_by(|a, b| a.path.cmp(&b.path));
    same("the walk", told(&scene.walk("", None).await?), told(&listed))
}

async fn a_walk_can_be_given_up(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    for taken in 0..4 {
        let mut walk = scene.fs().walk(&WorkspacePath::root(), WalkOptions::default()).await?;
        for _ in 0..taken {
            holds(walk.next().await.is_some(), "the walk ends early")?;
        }
    }
    same("a walk after that", scene.walk("", None).await?.len(), 13)
}
