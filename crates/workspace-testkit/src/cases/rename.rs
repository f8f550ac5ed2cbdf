//! Renaming.

use workspace_core::ErrorKind::{
    AlreadyExists, InvalidInput, IsADirectory, NotADirectory, NotEmpty, NotFound,
};
use workspace_core::{FileKind, WriteMode, WriteOptions};

use crate::case::{Verdict, cases, refused, same};
use crate::scene::Scene;

cases! {
    a_file_goes_to_its_new_name [Write],
    a_directory_goes_with_all_that_it_holds [Write],
    what_is_there_stays_unless_asked [Write],
    a_file_is_replaced_when_asked [Write],
    a_directory_is_never_replaced [Write],
    a_directory_does_not_go_into_itself [Write],
    a_missing_path_is_not_found [Write],
    a_missing_new_parent_is_not_found [Write],
    a_file_on_the_way_is_not_a_directory [Write],
    the_same_name_changes_nothing [Write],
    the_mode_goes_along [Write, Modes],
    a_link_goes_and_its_target_stays [Write, Links],
    a_link_at_the_new_name_is_something [Write, Links],
    a_path_through_a_link_renames_the_entry_there [Write, Links],
}

async fn a_file_goes_to_its_new_name(scene: &Scene) -> Verdict {
    scene.put("a", "x").await?;
    scene.put_dir("dir").await?;
    scene.rename("a", "b").await?;
    same("in one directory", scene.names("").await?, ["b", "dir"])?;
    scene.rename("b", "dir/c").await?;
    same("the old directory", scene.names("").await?, ["dir"])?;
    same("the content", scene.text("dir/c").await?, "x")
}

async fn a_directory_goes_with_all_that_it_holds(scene: &Scene) -> Verdict {
    scene.put("dir/a/b", "b").await?;
    scene.put("dir/c", "c").await?;
    scene.put("dir-beside", "beside").await?;
    scene.put_dir("dir/empty").await?;
    scene.put_dir("new").await?;
    scene.rename("dir", "new/name").await?;
    let entries = scene.walk("", None).await?;
    let walked: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    same(
        "the tree",
        walked,
        ["dir-beside", "new", "new/name", "new/name/a", "new/name/a/b", "new/name/c", "new/name/empty"],
    )?;
    same("a content", scene.text("new/name/a/b").await?, "b")
}

async fn what_is_there_stays_unless_asked(scene: &Scene) -> Verdict {
    scene.put("a", "a").await?;
    scene.put("b", "b").await?;
    scene.put("dir/file", "c").await?;
    scene.put_dir("empty").await?;
    let before = scene.tree().await?;
    for (from, to) in [("a", "b"), ("a", "empty"), ("dir", "b"), ("dir", "empty"), ("empty", "dir")] {
        refused(format!("`{from}` to `{to}`"), scene.rename(from, to).await, &[AlreadyExists])?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn a_file_is_replaced_when_asked(scene: &Scene) -> Verdict {
    scene.put("a", "new").await?;
    scene.put("b", "a longer old content").await?;
    scene.rename_over("a", "b").await?;
    same("the names", scene.names("").await?, ["b"])?;
    same("the content", scene.text("b").await?, "new")?;
    scene.rename_over("b", "free").await?;
    same("a free name", scene.text("free").await?, "new")
}

async fn a_directory_is_never_replaced(scene: &Scene) -> Verdict {
    scene.put("file", "a").await?;
    scene.put("full/file", "b").await?;
    scene.put_dir("empty").await?;
    scene.put("dir/file", "c").await?;
    let before = scene.tree().await?;
    let kinds = [AlreadyExists, IsADirectory, NotADirectory, NotEmpty];
    for (from, to) in
        [("file", "full"), ("file", "empty"), ("dir", "empty"), ("dir", "full"), ("dir", "file")]
    {
        refused(format!("`{from}` to `{to}`"), scene.rename_over(from, to).await, &kinds)?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn a_directory_does_not_go_into_itself(scene: &Scene) -> Verdict {
    scene.put("dir/sub/file", "a").await?;
    let before = scene.tree().await?;
    for to in ["dir/new", "dir/sub/new"] {
        refused(to, scene.rename("dir", to).await, &[InvalidInput])?;
        refused(to, scene.rename_over("dir", to).await, &[InvalidInput])?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn a_missing_path_is_not_found(scene: &Scene) -> Verdict {
    scene.put("there", "x").await?;
    scene.put_dir("dir").await?;
    let before = scene.tree().await?;
    for from in ["missing", "dir/missing", "missing/below"] {
        refused(from, scene.rename(from, "new").await, &[NotFound])?;
        refused(from, scene.rename_over(from, "there").await, &[NotFound])?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn a_missing_new_parent_is_not_found(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    let before = scene.tree().await?;
    refused("one level", scene.rename("file", "dir/file").await, &[NotFound])?;
    refused("two levels", scene.rename_over("file", "dir/sub/file").await, &[NotFound])?;
    same("the tree", scene.tree().await?, before)
}

async fn a_file_on_the_way_is_not_a_directory(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    scene.put("other", "y").await?;
    let before = scene.tree().await?;
    refused("the old path", scene.rename("file/below", "new").await, &[NotADirectory])?;
    refused("the new path", scene.rename("other", "file/below").await, &[NotADirectory])?;
    same("the tree", scene.tree().await?, before)
}

/// Whether a path is free for itself is not said: only that nothing changes.
async fn the_same_name_changes_nothing(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    let before = scene.tree().await?;
    if let Err(error) = scene.rename("file", "file").await {
        same("the refusal", error.kind(), AlreadyExists)?;
    }
    scene.rename_over("file", "file").await?;
    same("the tree", scene.tree().await?, before)
}

async fn the_mode_goes_along(scene: &Scene) -> Verdict {
    let tool = WriteOptions::default().with_mode(WriteMode::Set(0o750));
    scene.write_with("tool", "x", tool).await?;
    scene.put("old", "y").await?;
    scene.rename_over("tool", "old").await?;
    same("the mode", scene.stat("old").await?.mode, Some(0o750))
}

async fn a_link_goes_and_its_target_stays(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    scene.put("dir/file", "y").await?;
    scene.put_link("link", "file").await?;
    scene.put_link("dir-link", "dir").await?;
    scene.put_link("gone", "missing").await?;
    for (from, to) in [("link", "link-2"), ("dir-link", "dir-link-2"), ("gone", "gone-2")] {
        scene.rename(from, to).await?;
        same(format!("the kind of `{to}`"), scene.stat_link(to).await?.kind, FileKind::Link)?;
    }
    same("the names", scene.names("").await?, ["dir", "dir-link-2", "file", "gone-2", "link-2"])?;
    same("through the link", scene.text("link-2").await?, "x")?;
    same("through the link", scene.text("dir-link-2/file").await?, "y")
}

async fn a_link_at_the_new_name_is_something(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    scene.put("target", "y").await?;
    scene.put_link("link", "target").await?;
    scene.put_link("gone", "missing").await?;
    let before = scene.tree().await?;
    refused("a link", scene.rename("file", "link").await, &[AlreadyExists])?;
    refused("a link without target", scene.rename("file", "gone").await, &[AlreadyExists])?;
    same("the tree", scene.tree().await?, before)?;
    scene.rename_over("file", "link").await?;
    same("the new name", scene.stat_link("link").await?.kind, FileKind::File)?;
    same("the target", scene.text("target").await?, "y")
}

async fn a_path_through_a_link_renames_the_entry_there(scene: &Scene) -> Verdict {
    scene.put("real/a", "x").await?;
    scene.put_dir("other").await?;
    scene.put_link("alias", "real").await?;
    scene.rename("alias/a", "alias/b").await?;
    same("in the linked directory", scene.names("real").await?, ["real/b"])?;
    scene.rename("real/b", "alias/c").await?;
    same("in the linked directory", scene.names("real").await?, ["real/c"])?;
    scene.rename("alias/c", "other/d").await?;
    same("out of it", scene.text("other/d").await?, "x")
}
