//! Where a command runs.

use workspace_core::ErrorKind::{self, DeniedPath, NotADirectory, NotFound, PathEscape};
use workspace_core::{PathFilter, WorkspacePath};

use super::{program, run, spawn};
use crate::case::{Verdict, cases, refused, same};
use crate::scene::{Scene, path};

cases! {
    a_command_runs_in_the_root [Shell],
    a_command_runs_where_it_is_told [Shell],
    a_command_runs_behind_a_link [Shell, Links],
    what_is_no_directory_is_refused [Shell],
    a_directory_outside_is_refused [Shell, Links],
    a_closed_directory_is_refused [Shell],
    a_link_to_a_closed_directory_is_refused [Shell, Links],
    a_refused_command_does_not_run [Shell],
    a_command_changes_the_same_files [Shell, Real],
}

async fn marker(scene: &Scene, cwd: &str) -> Verdict<String> {
    let command = program(scene.commands().marker.as_ref())?.with_cwd(path(cwd)?);
    let told = run(scene, command).await?;
    same("the exit code", told.code(), 0)?;
    Ok(told.stdout)
}

async fn a_command_runs_in_the_root(scene: &Scene) -> Verdict {
    scene.put("marker.txt", "root").await?;
    same("the marker", marker(scene, "").await?, "root")
}

async fn a_command_runs_where_it_is_told(scene: &Scene) -> Verdict {
    scene.put("marker.txt", "root").await?;
    scene.put("a/b c/marker.txt", "below").await?;
    same("the marker", marker(scene, "a/b c").await?, "below")
}

async fn a_command_runs_behind_a_link(scene: &Scene) -> Verdict {
    scene.put("real/marker.txt", "linked").await?;
    scene.put_link("alias", "real").await?;
    same("the marker", marker(scene, "alias").await?, "linked")
}

/// Demands that a command does not start there.
async fn refuses(scene: &Scene, cwd: &str, filter: PathFilter, kinds: &[ErrorKind]) -> Verdict {
    let command = program(scene.commands().exit_7.as_ref())?.with_cwd(path(cwd)?).with_filter(filter);
    let error = refused(format!("a command in `{cwd}`"), spawn(scene, command).await?, kinds)?;
    same("the path is named as it was asked", error.path(), Some(cwd))
}

async fn what_is_no_directory_is_refused(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    refuses(scene, "missing", PathFilter::default(), &[NotFound]).await?;
    refuses(scene, "dir/missing", PathFilter::default(), &[NotFound]).await?;
    refuses(scene, "dir/file", PathFilter::default(), &[NotADirectory]).await?;
    refuses(scene, "dir/file/below", PathFilter::default(), &[NotADirectory]).await
}

async fn a_directory_outside_is_refused(scene: &Scene) -> Verdict {
    let absolute = scene.put_outside("outside-dir/marker.txt", "outside").await?;
    scene.put_link("out", absolute.trim_end_matches("/marker.txt")).await?;
    scene.put_link("up", "../outside-dir").await?;
    scene.put_link("top", "/").await?;
    for at in ["out", "up", "top", "top/tmp"] {
        refuses(scene, at, PathFilter::default(), &[PathEscape]).await?;
    }
    Ok(())
}

fn closed() -> PathFilter {
    PathFilter::deny("closed-by-the-kit", |path: &WorkspacePath, _| path.as_str().starts_with("secret"))
}

async fn a_closed_directory_is_refused(scene: &Scene) -> Verdict {
    scene.put_dir("secret/deep").await?;
    refuses(scene, "secret", closed(), &[DeniedPath]).await?;
    refuses(scene, "secret/deep", closed(), &[DeniedPath]).await?;
    refuses(scene, "secret/missing", closed(), &[DeniedPath]).await
}

async fn a_link_to_a_closed_directory_is_refused(scene: &Scene) -> Verdict {
    scene.put_dir("secret/deep").await?;
    scene.put_link("alias", "secret").await?;
    refuses(scene, "alias", closed(), &[DeniedPath]).await?;
    refuses(scene, "alias/deep", closed(), &[DeniedPath]).await
}

async fn a_refused_command_does_not_run(scene: &Scene) -> Verdict {
    scene.put_dir("secret").await?;
    let before = scene.tree().await?;
    let command =
        program(scene.commands().make_file.as_ref())?.with_cwd(path("secret")?).with_filter(closed());
    refused("a command in a closed directory", spawn(scene, command).await?, &[DeniedPath])?;
    same("the tree", scene.tree().await?, before)
}

async fn a_command_changes_the_same_files(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    let told = run(scene, program(scene.commands().make_file.as_ref())?.with_cwd(path("dir")?)).await?;
    same("the exit code", told.code(), 0)?;
    same("the file", scene.text("dir/made.txt").await?, "made")
}
