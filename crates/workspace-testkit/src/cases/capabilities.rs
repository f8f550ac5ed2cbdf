//! What a provider says that it can do, it does; what it cannot do, it refuses.

use workspace_core::ErrorKind::{NotAFile, NotFound, PathEscape, ReadOnly, Unsupported};
use workspace_core::{FsProvider, GlobQuery, GrepQuery, WriteMode, WriteOptions};

use crate::case::{Verdict, cases, holds, refused, same};
use crate::scene::Scene;

cases! {
    read_only_files_cannot_be_changed [NoWrite],
    no_link_is_followed [NoLinks],
    modes_are_told [Modes],
    no_modes_are_told [NoModes],
    no_mode_can_be_set [Write, NoModes],
    versions_are_told [Versions],
    no_versions_are_told [NoVersions],
    glob_is_unsupported [NoGlob],
    grep_is_unsupported [NoGrep],
    capabilities_stay,
}

async fn read_only_files_cannot_be_changed(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    scene.put_dir("empty").await?;
    let before = scene.tree().await?;
    let kinds = [ReadOnly, Unsupported];
    refused("write a new file", scene.write("new", "x").await, &kinds)?;
    refused("write an old file", scene.write("dir/file", "x").await, &kinds)?;
    refused("create_dir", scene.create_dir("new").await, &kinds)?;
    refused("create_dir of an old directory", scene.create_dir("empty").await, &kinds)?;
    refused("remove", scene.remove("dir/file").await, &kinds)?;
    refused("remove all", scene.remove_all("dir").await, &kinds)?;
    refused("remove what is not there", scene.remove("missing").await, &kinds)?;
    refused("rename", scene.rename("dir", "other").await, &kinds)?;
    refused("rename, replacing", scene.rename_over("dir/file", "other").await, &kinds)?;
    same("the tree", scene.tree().await?, before)
}

/// Where links are not offered, one that is there all the same is not followed.
async fn no_link_is_followed(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    scene.put_link("link", "dir/file").await?;
    scene.put_link("alias", "dir").await?;
    let kinds = [PathEscape, NotAFile, NotFound, Unsupported];
    for at in ["link", "alias/file"] {
        refused(format!("read `{at}`"), scene.read(at).await, &kinds)?;
        if scene.capabilities().write {
            refused(format!("write `{at}`"), scene.write(at, "y").await, &kinds)?;
        }
    }
    refused("list", scene.list("alias").await, &kinds)?;
    same("the content", scene.text("dir/file").await?, "x")
}

async fn modes_are_told(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    for at in ["dir", "dir/file"] {
        let mode = scene.stat(at).await?.mode;
        holds(mode.is_some_and(|mode| mode <= 0o7777), format!("the mode of `{at}` is told as {mode:?}"))?;
    }
    Ok(())
}

async fn no_modes_are_told(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    same("the mode", scene.stat("file").await?.mode, None)
}

async fn no_mode_can_be_set(scene: &Scene) -> Verdict {
    let options = WriteOptions::default().with_mode(WriteMode::Set(0o700));
    refused("write", scene.write_with("file", "x", options).await, &[Unsupported])?;
    same("the tree", scene.tree().await?.len(), 0)
}

async fn versions_are_told(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    holds(scene.stat("file").await?.version.is_some(), "there are versions, and a file has none")?;
    if scene.capabilities().write {
        let written = scene.write("file", "y").await?;
        holds(written.stat.version.is_some(), "there are versions, and a write tells none")?;
    }
    Ok(())
}

async fn no_versions_are_told(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    same("the version", scene.stat("file").await?.version, None)
}

async fn glob_is_unsupported(scene: &Scene) -> Verdict {
    let mut query = GlobQuery::default();
    query.pattern = "*".into();
    refused("glob", scene.fs().glob(query).await, &[Unsupported])?;
    Ok(())
}

async fn grep_is_unsupported(scene: &Scene) -> Verdict {
    let mut query = GrepQuery::default();
    query.pattern = "x".into();
    refused("grep", scene.fs().grep(query).await, &[Unsupported])?;
    Ok(())
}

async fn capabilities_stay(scene: &Scene) -> Verdict {
    let before = scene.capabilities();
    scene.put("file", "x").await?;
    scene.text("file").await?;
    same("the capabilities", scene.capabilities(), before)
}
