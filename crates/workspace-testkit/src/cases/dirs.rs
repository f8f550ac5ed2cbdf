//! Making directories.

use workspace_core::ErrorKind::{AlreadyExists, NotADirectory, NotFound};
use workspace_core::FileKind;

use crate::case::{Verdict, cases, holds, refused, same};
use crate::scene::Scene;

cases! {
    a_new_directory_is_told_as_new [Write],
    a_directory_that_exists_is_no_error [Write],
    a_missing_parent_is_not_found [Write],
    missing_parents_are_made_when_asked [Write],
    a_file_in_its_place_exists_already [Write],
    a_file_on_the_way_is_not_a_directory [Write],
    a_new_directory_can_be_used [Write, Modes],
}

async fn a_new_directory_is_told_as_new(scene: &Scene) -> Verdict {
    holds(scene.create_dir("dir").await?, "a new directory is told as old")?;
    let stat = scene.stat("dir").await?;
    same("kind and size", (stat.kind, stat.size), (FileKind::Dir, 0))?;
    same("what it holds", scene.list("dir").await?, [])
}

async fn a_directory_that_exists_is_no_error(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    let before = scene.tree().await?;
    holds(!scene.create_dir("dir").await?, "an old directory is told as new")?;
    holds(!scene.create_dirs("dir").await?, "an old directory is told as new, with parents")?;
    same("the tree", scene.tree().await?, before)
}

async fn a_missing_parent_is_not_found(scene: &Scene) -> Verdict {
    let before = scene.tree().await?;
    refused("one level", scene.create_dir("a/b").await, &[NotFound])?;
    refused("two levels", scene.create_dir("a/b/c").await, &[NotFound])?;
    same("the tree", scene.tree().await?, before)
}

async fn missing_parents_are_made_when_asked(scene: &Scene) -> Verdict {
    scene.put_dir("a").await?;
    holds(scene.create_dirs("a/b/c").await?, "a new directory is told as old")?;
    holds(scene.create_dirs("a/b/d").await?, "a new directory is told as old")?;
    holds(!scene.create_dirs("a/b").await?, "an old directory is told as new")?;
    same("what they hold", scene.names("a/b").await?, ["a/b/c", "a/b/d"])
}

async fn a_file_in_its_place_exists_already(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    let before = scene.tree().await?;
    refused("a file", scene.create_dir("file").await, &[AlreadyExists])?;
    refused("a file, with parents", scene.create_dirs("file").await, &[AlreadyExists])?;
    same("the tree", scene.tree().await?, before)
}

async fn a_file_on_the_way_is_not_a_directory(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    let before = scene.tree().await?;
    for at in ["file/dir", "file/dir/deeper"] {
        refused(at, scene.create_dir(at).await, &[NotADirectory])?;
        refused(at, scene.create_dirs(at).await, &[NotADirectory])?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn a_new_directory_can_be_used(scene: &Scene) -> Verdict {
    scene.create_dir("dir").await?;
    same("the owner's bits", scene.stat("dir").await?.mode.map(|mode| mode & 0o700), Some(0o700))?;
    scene.write("dir/file", "x").await?;
    same("the content", scene.text("dir/file").await?, "x")
}
