//! Symbolic links: followed inside the root, refused where they leave it.

use workspace_core::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory, NotFound, PathEscape};
use workspace_core::{FileKind, WriteOptions};

use crate::case::{Verdict, cases, holds, refused, same};
use crate::scene::Scene;

cases! {
    a_link_inside_is_followed [Links],
    a_link_can_be_told_about_itself [Links],
    a_link_through_parents_inside_is_followed [Links],
    parents_in_a_link_are_those_of_what_is_there [Links],
    links_to_links_are_followed [Links],
    an_absolute_link_into_the_root_is_followed [Links],
    a_write_through_a_link_keeps_the_link [Write, Links],
    a_new_file_below_a_linked_directory_is_made_there [Write, Links],
    a_link_to_a_directory_is_one [Links],
    a_link_to_a_special_file_is_no_file [Links],
    a_link_out_is_refused [Links],
    a_link_out_is_refused_for_changes [Write, Links],
    a_link_out_of_a_directory_on_the_way_is_refused [Write, Links],
    a_link_without_target_is_not_found [Links],
    nothing_is_created_through_a_link [Write, Links],
    a_link_without_target_outside_is_refused [Links],
    a_link_loop_is_refused [Links],
    two_spellings_resolve_to_one_path [Links],
    what_does_not_exist_resolves_below_what_does,
    a_path_that_cannot_be_resolved_is_refused [Links],
}

async fn a_link_inside_is_followed(scene: &Scene) -> Verdict {
    scene.put("dir/file", "12345").await?;
    scene.put_link("link", "dir/file").await?;
    same("the content", scene.text("link").await?, "12345")?;
    let stat = scene.stat("link").await?;
    same("the attributes", stat, scene.stat("dir/file").await?)
}

async fn a_link_can_be_told_about_itself(scene: &Scene) -> Verdict {
    scene.put("dir/file", "12345").await?;
    for (at, text) in [("to-file", "dir/file"), ("to-dir", "dir"), ("to-nothing", "missing"), ("out", "../x")]
    {
        scene.put_link(at, text).await?;
        let stat = scene.stat_link(at).await?;
        same(format!("kind and size of `{at}`"), (stat.kind, stat.size), (FileKind::Link, 0))?;
    }
    // Only the last link is told about; those on the way are followed.
    same("through a directory", scene.stat_link("to-dir/file").await?.kind, FileKind::File)
}

async fn a_link_through_parents_inside_is_followed(scene: &Scene) -> Verdict {
    scene.put("a/file", "a").await?;
    scene.put_dir("b/c").await?;
    scene.put_link("b/c/up", "../../a/file").await?;
    scene.put_link("b/odd", "./c/.././../a//file").await?;
    same("up", scene.text("b/c/up").await?, "a")?;
    same("an odd text", scene.text("b/odd").await?, "a")
}

/// As for any program that follows the link, and not as the text would be folded.
async fn parents_in_a_link_are_those_of_what_is_there(scene: &Scene) -> Verdict {
    scene.put("real/file", "real").await?;
    scene.put_dir("real/deep").await?;
    scene.put("file", "folded").await?;
    scene.put_link("alias", "real/deep").await?;
    scene.put_link("link", "alias/../file").await?;
    same("the content", scene.text("link").await?, "real")?;
    same("where it resolves to", scene.resolve("link").await?, "real/file")
}

async fn links_to_links_are_followed(scene: &Scene) -> Verdict {
    scene.put("dir/file", "end").await?;
    scene.put_link("link-0", "dir").await?;
    for n in 1..12 {
        scene.put_link(&format!("link-{n}"), &format!("link-{}", n - 1)).await?;
    }
    same("the content", scene.text("link-11/file").await?, "end")?;
    scene.put_link("dir/again", "../link-3/file").await?;
    same("the content", scene.text("link-11/again").await?, "end")
}

async fn an_absolute_link_into_the_root_is_followed(scene: &Scene) -> Verdict {
    let root = scene.root()?;
    scene.put("dir/file", "inside").await?;
    scene.put_link("file-link", &format!("{root}/dir/file")).await?;
    scene.put_link("dir-link", &format!("{root}/dir")).await?;
    scene.put_link("root-link", &root).await?;
    for at in ["file-link", "dir-link/file", "root-link/dir/file", "root-link/dir-link/file"] {
        same(at, scene.text(at).await?, "inside")?;
    }
    same("where it resolves to", scene.resolve("dir-link/file").await?, "dir/file")
}

async fn a_write_through_a_link_keeps_the_link(scene: &Scene) -> Verdict {
    scene.put("dir/file", "old").await?;
    scene.put_link("link", "dir/file").await?;
    let written = scene.write("link", "new").await?;
    same("created", written.created, false)?;
    same("the link", scene.stat_link("link").await?.kind, FileKind::Link)?;
    same("the target", scene.stat_link("dir/file").await?.kind, FileKind::File)?;
    same("the content", scene.text("dir/file").await?, "new")?;
    same("the directory", scene.names("dir").await?, ["dir/file"])
}

async fn a_new_file_below_a_linked_directory_is_made_there(scene: &Scene) -> Verdict {
    scene.put_dir("real").await?;
    scene.put_link("alias", "real").await?;
    scene.write("alias/file", "x").await?;
    scene.write_with("alias/a/b", "y", WriteOptions::default().with_create_parents(true)).await?;
    scene.create_dir("alias/dir").await?;
    same("the directory", scene.names("real").await?, ["real/a", "real/dir", "real/file"])?;
    same("the content", scene.text("real/a/b").await?, "y")
}

async fn a_link_to_a_directory_is_one(scene: &Scene) -> Verdict {
    scene.put("real/file", "x").await?;
    scene.put_link("alias", "real").await?;
    scene.put_link("to-file", "real/file").await?;
    same("its kind", scene.stat("alias").await?.kind, FileKind::Dir)?;
    refused("read", scene.read("alias").await, &[IsADirectory])?;
    refused("list a link to a file", scene.list("to-file").await, &[NotADirectory])?;
    refused("below a link to a file", scene.read("to-file/x").await, &[NotADirectory])?;
    if scene.capabilities().write {
        refused("write", scene.write("alias", "x").await, &[IsADirectory])?;
        holds(!scene.create_dir("alias").await?, "a link to a directory is told as a new directory")?;
        refused("make a directory of a link to a file", scene.create_dir("to-file").await, &[AlreadyExists])?;
    }
    Ok(())
}

async fn a_link_to_a_special_file_is_no_file(scene: &Scene) -> Verdict {
    scene.put_special("pipe").await?;
    scene.put_link("link", "pipe").await?;
    refused("read", scene.read("link").await, &[workspace_core::ErrorKind::NotAFile])?;
    same("its kind", scene.stat("link").await?.kind, FileKind::Other)
}

/// Links that leave the root, to a file and to its directory, by both kinds of text.
async fn put_links_out(scene: &Scene) -> Verdict {
    let absolute = scene.put_outside("outside-dir/secret", "outside").await?;
    let directory = absolute.trim_end_matches("/secret");
    scene.put_link("file-out", &absolute).await?;
    scene.put_link("dir-out", directory).await?;
    scene.put_link("file-up", "../outside-dir/secret").await?;
    scene.put_link("dir-up", "../outside-dir").await?;
    scene.put_link("via", "file-out").await?;
    scene.put_link("top", "/").await?;
    Ok(())
}

async fn a_link_out_is_refused(scene: &Scene) -> Verdict {
    put_links_out(scene).await?;
    for at in ["file-out", "file-up", "via", "dir-out/secret", "dir-up/secret", "dir-out/missing"] {
        refused(format!("read `{at}`"), scene.read(at).await, &[PathEscape])?;
        refused(format!("stat `{at}`"), scene.stat(at).await, &[PathEscape])?;
        refused(format!("resolve `{at}`"), scene.resolve(at).await, &[PathEscape])?;
    }
    for at in ["dir-out", "dir-up", "top", "top/etc"] {
        refused(format!("list `{at}`"), scene.list(at).await, &[PathEscape])?;
        refused(format!("walk `{at}`"), scene.walk(at, None).await, &[PathEscape])?;
    }
    Ok(())
}

async fn a_link_out_is_refused_for_changes(scene: &Scene) -> Verdict {
    put_links_out(scene).await?;
    scene.put("file", "inside").await?;
    let parents = WriteOptions::default().with_create_parents(true);
    for at in ["file-out", "file-up", "via", "dir-out/secret", "dir-up/secret", "dir-out/new", "dir-up/a/b"] {
        refused(format!("write `{at}`"), scene.write(at, "x").await, &[PathEscape])?;
        refused(format!("write `{at}`"), scene.write_with(at, "x", parents.clone()).await, &[PathEscape])?;
        refused(format!("create_dir `{at}`"), scene.create_dirs(at).await, &[PathEscape])?;
    }
    for at in ["dir-out/secret", "dir-up/secret"] {
        refused(format!("remove `{at}`"), scene.remove_all(at).await, &[PathEscape])?;
        refused(format!("rename `{at}`"), scene.rename(at, "taken").await, &[PathEscape])?;
        refused(format!("rename onto `{at}`"), scene.rename_over("file", at).await, &[PathEscape])?;
    }
    refused("rename to outside", scene.rename("file", "dir-out/file").await, &[PathEscape])?;
    same("the file inside", scene.text("file").await?, "inside")?;
    same("the file outside", scene.outside("outside-dir/secret").await?.as_deref(), Some("outside"))?;
    for name in ["outside-dir/new", "outside-dir/a/b", "outside-dir/file"] {
        same(format!("`{name}` outside"), scene.outside(name).await?, None)?;
    }
    Ok(())
}

async fn a_link_out_of_a_directory_on_the_way_is_refused(scene: &Scene) -> Verdict {
    let absolute = scene.put_outside("outside-dir/sub/secret", "outside").await?;
    scene.put_link("out", absolute.trim_end_matches("/sub/secret")).await?;
    for at in ["out/sub/secret", "out/sub", "out/sub/new"] {
        refused(format!("stat `{at}`"), scene.stat(at).await, &[PathEscape])?;
        refused(format!("write `{at}`"), scene.write(at, "x").await, &[PathEscape])?;
    }
    same("the file outside", scene.outside("outside-dir/sub/secret").await?.as_deref(), Some("outside"))
}

async fn a_link_without_target_is_not_found(scene: &Scene) -> Verdict {
    scene.put_link("gone", "missing").await?;
    scene.put_link("deep", "missing/deeper").await?;
    for at in ["gone", "deep", "gone/below"] {
        refused(format!("read `{at}`"), scene.read(at).await, &[NotFound])?;
        refused(format!("stat `{at}`"), scene.stat(at).await, &[NotFound])?;
        refused(format!("list `{at}`"), scene.list(at).await, &[NotFound])?;
    }
    Ok(())
}

async fn nothing_is_created_through_a_link(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    scene.put_link("gone", "dir/missing").await?;
    scene.put_link("deep", "missing/deeper").await?;
    let before = scene.tree().await?;
    let parents = WriteOptions::default().with_create_parents(true);
    for at in ["gone", "deep", "gone/below"] {
        refused(format!("write `{at}`"), scene.write(at, "x").await, &[PathEscape])?;
        refused(format!("write `{at}`"), scene.write_with(at, "x", parents.clone()).await, &[PathEscape])?;
        refused(format!("create_dir `{at}`"), scene.create_dir(at).await, &[PathEscape])?;
        refused(format!("create_dir `{at}`"), scene.create_dirs(at).await, &[PathEscape])?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn a_link_without_target_outside_is_refused(scene: &Scene) -> Verdict {
    let absolute = scene.put_outside("outside-dir/secret", "outside").await?;
    let missing = absolute.replace("secret", "missing");
    scene.put_link("absolute", &missing).await?;
    scene.put_link("relative", "../outside-dir/missing").await?;
    for at in ["absolute", "relative"] {
        refused(format!("read `{at}`"), scene.read(at).await, &[PathEscape])?;
        if scene.capabilities().write {
            refused(format!("write `{at}`"), scene.write(at, "x").await, &[PathEscape])?;
        }
    }
    same("what is outside", scene.outside("outside-dir/missing").await?, None)
}

async fn a_link_loop_is_refused(scene: &Scene) -> Verdict {
    scene.put_link("self", "self").await?;
    scene.put_link("a", "b").await?;
    scene.put_link("b", "a").await?;
    for at in ["self", "a", "b", "self/below", "a/below"] {
        refused(format!("read `{at}`"), scene.read(at).await, &[PathEscape])?;
        refused(format!("stat `{at}`"), scene.stat(at).await, &[PathEscape])?;
        refused(format!("resolve `{at}`"), scene.resolve(at).await, &[PathEscape])?;
        if scene.capabilities().write {
            refused(format!("write `{at}`"), scene.write(at, "x").await, &[PathEscape])?;
        }
    }
    same("the link itself", scene.stat_link("self").await?.kind, FileKind::Link)
}

async fn two_spellings_resolve_to_one_path(scene: &Scene) -> Verdict {
    scene.put("real/sub/file", "x").await?;
    scene.put_link("alias", "real").await?;
    scene.put_link("real/sub/link", "file").await?;
    scene.put_link("far", "alias/sub/link").await?;
    for at in ["real/sub/file", "alias/sub/file", "alias/sub/link", "far"] {
        same(at, scene.resolve(at).await?, "real/sub/file")?;
    }
    same("a directory", scene.resolve("alias").await?, "real")?;
    same("a new file", scene.resolve("alias/sub/new/deeper").await?, "real/sub/new/deeper")
}

async fn what_does_not_exist_resolves_below_what_does(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    for at in ["missing", "dir/missing", "missing/deep/er", "dir/file"] {
        same(at, scene.resolve(at).await?, at)?;
    }
    Ok(())
}

async fn a_path_that_cannot_be_resolved_is_refused(scene: &Scene) -> Verdict {
    scene.put_link("gone", "missing").await?;
    scene.put_link("up", "../..").await?;
    for at in ["gone", "gone/below", "up", "up/below"] {
        refused(at, scene.resolve(at).await, &[PathEscape])?;
    }
    Ok(())
}
