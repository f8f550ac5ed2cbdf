//! Writing a file.

use workspace_core::ErrorKind::{IsADirectory, NotADirectory, NotAFile, NotFound, Permission, TimedOut};
use workspace_core::{
    Atomicity, Body, Durability, Error, Feed, FileKind, FsProvider, WriteMode, WriteOptions,
    is_temporary_name,
};

use crate::case::{Verdict, cases, holds, refused, same};
use crate::scene::{Scene, path};

cases! {
    a_new_file_is_created [Write],
    an_old_file_is_replaced [Write],
    bytes_are_kept_as_they_are [Write],
    a_body_in_pieces_is_one_file [Write],
    a_big_body_is_written_whole [Write],
    the_storage_holds_the_bytes [Write],
    a_missing_parent_is_not_found [Write],
    missing_parents_are_made_when_asked [Write],
    a_directory_is_no_target [Write],
    a_special_file_is_no_target [Write],
    a_file_on_the_way_is_not_a_directory [Write],
    a_body_that_fails_changes_nothing [Write],
    the_answer_tells_the_attributes [Write],
    every_durability_and_atomicity_writes [Write],
    no_temporary_file_stays [Write],
    a_write_keeps_the_mode [Write, Modes],
    a_write_sets_the_mode_asked_for [Write, Modes],
    a_new_file_is_its_owners_to_read_and_write [Write, Modes],
    a_file_closed_to_its_owner_is_not_replaced [Write, Modes],
}

async fn a_new_file_is_created(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    let written = scene.write("dir/a.txt", "text").await?;
    same("created", written.created, true)?;
    same("the content", scene.text("dir/a.txt").await?, "text")
}

async fn an_old_file_is_replaced(scene: &Scene) -> Verdict {
    scene.put("a.txt", "a longer content than the new one").await?;
    let written = scene.write("a.txt", "new").await?;
    same("created", written.created, false)?;
    same("the content", scene.text("a.txt").await?, "new")?;
    scene.write("a.txt", "").await?;
    same("the content", scene.text("a.txt").await?, "")
}

async fn bytes_are_kept_as_they_are(scene: &Scene) -> Verdict {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    for bytes in
        [&b""[..], b"\n", b"no newline", b"crlf\r\nlf\ncr\r", b"\xef\xbb\xbfbom", b"\0", b"\xff\xfe", &all]
    {
        scene.write("file", bytes).await?;
        same("the content", scene.read("file").await?, bytes)?;
    }
    Ok(())
}

async fn a_body_in_pieces_is_one_file(scene: &Scene) -> Verdict {
    let pieces = ["one ", "", "two ", "three"].map(|piece| Ok(piece.as_bytes().to_vec()));
    scene.fs().write(&path("file")?, Feed::from_items(pieces), WriteOptions::default()).await?;
    same("the content", scene.text("file").await?, "one two three")
}

async fn a_big_body_is_written_whole(scene: &Scene) -> Verdict {
    let piece = |n: u32| (0..100_003_u32).map(|at| ((at + n) % 253) as u8).collect::<Vec<u8>>();
    let body = Feed::unfold(0, move |n| async move { Ok((n < 15).then(|| (piece(n), n + 1))) });
    scene.fs().write(&path("big")?, body, WriteOptions::default()).await?;
    let want: Vec<u8> = (0..15).flat_map(piece).collect();
    let read = scene.read("big").await?;
    same("the size", read.len(), want.len())?;
    holds(read == want, "the bytes of a big file differ")
}

async fn the_storage_holds_the_bytes(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    scene.write("dir/a.txt", "on the disk").await?;
    same("the stored bytes", scene.stored("dir/a.txt").await?, Some(b"on the disk".to_vec()))
}

async fn a_missing_parent_is_not_found(scene: &Scene) -> Verdict {
    let before = scene.tree().await?;
    refused("one level", scene.write("dir/a.txt", "x").await, &[NotFound])?;
    refused("two levels", scene.write("dir/sub/a.txt", "x").await, &[NotFound])?;
    same("the tree", scene.tree().await?, before)
}

async fn missing_parents_are_made_when_asked(scene: &Scene) -> Verdict {
    scene.put_dir("a").await?;
    let options = WriteOptions::default().with_create_parents(true);
    let written = scene.write_with("a/b/c/d.txt", "deep", options.clone()).await?;
    same("created", written.created, true)?;
    scene.write_with("a/b/c/d.txt", "again", options).await?;
    same("the content", scene.text("a/b/c/d.txt").await?, "again")?;
    same("the kind of a parent", scene.stat("a/b").await?.kind, FileKind::Dir)
}

async fn a_directory_is_no_target(scene: &Scene) -> Verdict {
    scene.put("dir/a.txt", "x").await?;
    scene.put_dir("empty").await?;
    let before = scene.tree().await?;
    refused("a directory", scene.write("dir", "x").await, &[IsADirectory])?;
    refused("an empty one", scene.write("empty", "x").await, &[IsADirectory])?;
    same("the tree", scene.tree().await?, before)
}

async fn a_special_file_is_no_target(scene: &Scene) -> Verdict {
    scene.put_special("pipe").await?;
    refused("write", scene.write("pipe", "x").await, &[NotAFile])?;
    same("the kind", scene.stat("pipe").await?.kind, FileKind::Other)
}

async fn a_file_on_the_way_is_not_a_directory(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    let before = scene.tree().await?;
    let parents = WriteOptions::default().with_create_parents(true);
    for at in ["file/a.txt", "file/dir/a.txt"] {
        refused(at, scene.write(at, "x").await, &[NotADirectory])?;
        refused(at, scene.write_with(at, "x", parents.clone()).await, &[NotADirectory])?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn a_body_that_fails_changes_nothing(scene: &Scene) -> Verdict {
    scene.put("old", "old content").await?;
    let before = scene.tree().await?;
    for at in ["old", "new"] {
        let body =
            Body::from_items([Ok(vec![b'x'; 100_000]), Err(Error::new(TimedOut, "the source is gone"))]);
        let result = scene.fs().write(&path(at)?, body, WriteOptions::default()).await;
        refused(format!("the error of the body, for `{at}`"), result, &[TimedOut])?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn the_answer_tells_the_attributes(scene: &Scene) -> Verdict {
    for content in ["first", "second one"] {
        let written = scene.write("a.txt", content).await?;
        same("the size", written.stat.size, content.len() as u64)?;
        same("the attributes", written.stat, scene.stat("a.txt").await?)?;
        same("atomic", written.atomic, scene.capabilities().atomic_replace)?;
    }
    Ok(())
}

async fn every_durability_and_atomicity_writes(scene: &Scene) -> Verdict {
    for durability in [Durability::None, Durability::Data, Durability::Full] {
        let content = format!("{durability:?}");
        let options = WriteOptions::default().with_durability(durability);
        scene.write_with("a.txt", &content, options).await?;
        same("the content", scene.text("a.txt").await?, content)?;
    }
    let options = WriteOptions::default().with_atomicity(Atomicity::Required);
    let result = scene.write_with("a.txt", "atomic", options).await;
    if scene.capabilities().atomic_replace {
        same("atomic", result?.atomic, true)
    } else {
        holds(result.is_err(), "an atomic write succeeds where writes are not atomic")
    }
}

async fn no_temporary_file_stays(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    for n in 0..3 {
        scene.write("dir/a.txt", format!("content {n}")).await?;
    }
    let body = Body::from_items([Ok(b"x".to_vec()), Err(Error::new(TimedOut, "the source is gone"))]);
    refused(
        "a body that fails",
        scene.fs().write(&path("dir/b.txt")?, body, WriteOptions::default()).await,
        &[TimedOut],
    )?;
    refused(
        "a conflict",
        super::preconditions::write_absent(scene, "dir/a.txt").await,
        &[workspace_core::ErrorKind::Conflict],
    )?;
    let names = scene.stored_names("dir").await?;
    holds(!names.iter().any(|name| is_temporary_name(name)), format!("the storage holds {names:?}"))?;
    same("the stored names", names, ["a.txt"])
}

async fn mode(scene: &Scene, at: &str) -> Verdict<u32> {
    scene.stat(at).await?.mode.ok_or_else(|| crate::case::failed("there are modes, and a file has none"))
}

async fn a_write_keeps_the_mode(scene: &Scene) -> Verdict {
    for bits in [0o755, 0o600, 0o640] {
        scene.write_with("tool", "old", WriteOptions::default().with_mode(WriteMode::Set(bits))).await?;
        scene.write("tool", "new").await?;
        same("the mode", format!("{:o}", mode(scene, "tool").await?), format!("{bits:o}"))?;
    }
    Ok(())
}

async fn a_write_sets_the_mode_asked_for(scene: &Scene) -> Verdict {
    for bits in [0o700, 0o644, 0o755] {
        let set = WriteOptions::default().with_mode(WriteMode::Set(bits));
        let written = scene.write_with(&format!("new-{bits:o}"), "x", set.clone()).await?;
        same("the mode of a new file", written.stat.mode, Some(bits))?;
        scene.write_with("same", "x", set).await?;
        same("the mode of an old file", mode(scene, "same").await?, bits)?;
    }
    Ok(())
}

async fn a_new_file_is_its_owners_to_read_and_write(scene: &Scene) -> Verdict {
    scene.write("new", "x").await?;
    same("the owner's bits", mode(scene, "new").await? & 0o700, 0o600)
}

async fn a_file_closed_to_its_owner_is_not_replaced(scene: &Scene) -> Verdict {
    scene.write_with("closed", "old", WriteOptions::default().with_mode(WriteMode::Set(0o444))).await?;
    let before = scene.tree().await?;
    refused("write", scene.write("closed", "new").await, &[Permission])?;
    same("the tree", scene.tree().await?, before)
}
