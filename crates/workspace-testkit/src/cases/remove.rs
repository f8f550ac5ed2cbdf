//! Removing.

use workspace_core::ErrorKind::{NotADirectory, NotEmpty, NotFound};

use crate::case::{Verdict, cases, holds, refused, same};
use crate::scene::Scene;

cases! {
    a_file_is_removed [Write],
    an_empty_directory_is_removed [Write],
    a_full_directory_stays_unless_asked [Write],
    a_tree_is_removed_when_asked [Write],
    a_missing_path_is_not_found [Write],
    a_file_on_the_way_is_not_a_directory [Write],
    a_special_file_is_removed [Write],
    a_link_is_removed_and_its_target_stays [Write, Links],
    a_tree_with_links_is_removed_and_their_targets_stay [Write, Links],
    a_path_through_a_link_removes_the_entry_there [Write, Links],
    a_removed_name_can_be_used_again [Write],
}

async fn a_file_is_removed(scene: &Scene) -> Verdict {
    scene.put("dir/a", "x").await?;
    scene.put("dir/b", "x").await?;
    scene.remove("dir/a").await?;
    same("what is left", scene.names("dir").await?, ["dir/b"])?;
    scene.remove_all("dir/b").await?;
    same("what is left", scene.names("dir").await?, Vec::<String>::new())
}

async fn an_empty_directory_is_removed(scene: &Scene) -> Verdict {
    scene.put_dir("a/b").await?;
    scene.remove("a/b").await?;
    same("what is left", scene.names("a").await?, Vec::<String>::new())?;
    scene.remove_all("a").await?;
    same("what is left", scene.tree().await?.len(), 0)
}

async fn a_full_directory_stays_unless_asked(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    scene.put_dir("outer/inner").await?;
    let before = scene.tree().await?;
    refused("with a file", scene.remove("dir").await, &[NotEmpty])?;
    refused("with a directory", scene.remove("outer").await, &[NotEmpty])?;
    same("the tree", scene.tree().await?, before)
}

async fn a_tree_is_removed_when_asked(scene: &Scene) -> Verdict {
    for at in ["dir/a/b/c", "dir/d", "dir-beside/e", "dir.txt", "other/dir/f"] {
        scene.put(at, "x").await?;
    }
    scene.put_dir("dir/empty").await?;
    scene.remove_all("dir").await?;
    same("what is left", scene.names("").await?, ["dir-beside", "dir.txt", "other"])?;
    same("what it holds", scene.names("other/dir").await?, ["other/dir/f"])
}

async fn a_missing_path_is_not_found(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    for at in ["missing", "dir/missing", "missing/below"] {
        refused(at, scene.remove(at).await, &[NotFound])?;
        refused(at, scene.remove_all(at).await, &[NotFound])?;
    }
    Ok(())
}

async fn a_file_on_the_way_is_not_a_directory(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    refused("remove", scene.remove("file/below").await, &[NotADirectory])?;
    refused("remove all", scene.remove_all("file/below").await, &[NotADirectory])?;
    same("the content", scene.text("file").await?, "x")
}

async fn a_special_file_is_removed(scene: &Scene) -> Verdict {
    scene.put_special("pipe").await?;
    scene.put_dir("dir").await?;
    scene.put_special("dir/pipe").await?;
    scene.remove("pipe").await?;
    scene.remove_all("dir").await?;
    same("what is left", scene.tree().await?.len(), 0)
}

async fn a_link_is_removed_and_its_target_stays(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    scene.put("dir/file", "y").await?;
    let before = scene.tree().await?;
    for text in ["file", "dir", "missing", "../outside", "/", "link"] {
        scene.put_link("link", text).await?;
        scene.remove("link").await?;
        scene.put_link("link", text).await?;
        scene.remove_all("link").await?;
        same(format!("the tree after a link to `{text}`"), scene.tree().await?, before.clone())?;
    }
    Ok(())
}

async fn a_tree_with_links_is_removed_and_their_targets_stay(scene: &Scene) -> Verdict {
    let outside = scene.put_outside("outside-dir/secret", "outside").await?;
    let outside_dir = outside.trim_end_matches("/secret").to_owned();
    scene.put("kept/file", "x").await?;
    scene.put("dir/sub/file", "y").await?;
    for (at, text) in [
        ("dir/to-kept", "../kept"),
        ("dir/to-file", "../kept/file"),
        ("dir/sub/to-root", "../.."),
        ("dir/sub/out", &outside_dir),
        ("dir/gone", "missing"),
    ] {
        scene.put_link(at, text).await?;
    }
    scene.remove_all("dir").await?;
    same("what is left", scene.names("").await?, ["kept"])?;
    same("a target", scene.text("kept/file").await?, "x")?;
    same("a target outside", scene.outside("outside-dir/secret").await?.as_deref(), Some("outside"))
}

async fn a_path_through_a_link_removes_the_entry_there(scene: &Scene) -> Verdict {
    scene.put("real/a", "x").await?;
    scene.put("real/b", "x").await?;
    scene.put_link("alias", "real").await?;
    scene.remove("alias/a").await?;
    same("what is left", scene.names("real").await?, ["real/b"])?;
    holds(scene.stat_link("alias").await.is_ok(), "the link on the way is gone")
}

async fn a_removed_name_can_be_used_again(scene: &Scene) -> Verdict {
    scene.put("name/file", "x").await?;
    scene.remove_all("name").await?;
    scene.write("name", "now a file").await?;
    same("the content", scene.text("name").await?, "now a file")?;
    scene.remove("name").await?;
    holds(scene.create_dir("name").await?, "a new directory is told as old")
}
