//! Reading a file.

use workspace_core::ErrorKind::{IsADirectory, NotADirectory, NotAFile, NotFound};
use workspace_core::{FileKind, FsProvider, ReadOptions};

use crate::case::{Verdict, cases, holds, refused, same};
use crate::scene::{ALL, Scene, path};

cases! {
    a_file_gives_its_bytes,
    an_empty_file_gives_none,
    every_byte_value_comes_back,
    a_big_file_comes_back_whole,
    a_window_gives_those_bytes,
    the_attributes_are_of_the_whole_file,
    a_missing_file_is_not_found,
    a_directory_is_refused,
    a_file_on_the_way_is_not_a_directory,
    a_special_file_is_refused_at_once,
    a_reader_keeps_the_content_it_opened [Write, AtomicReplace],
    reading_changes_nothing,
}

async fn a_file_gives_its_bytes(scene: &Scene) -> Verdict {
    scene.put("dir/a.txt", "first\nsecond\n").await?;
    same("the content", scene.text("dir/a.txt").await?, "first\nsecond\n")
}

async fn an_empty_file_gives_none(scene: &Scene) -> Verdict {
    scene.put("empty", "").await?;
    same("the content", scene.read("empty").await?, [])
}

async fn every_byte_value_comes_back(scene: &Scene) -> Verdict {
    let bytes: Vec<u8> = (0..=u8::MAX).chain((0..=u8::MAX).rev()).collect();
    scene.put("bytes", &bytes).await?;
    same("the content", scene.read("bytes").await?, bytes)
}

async fn a_big_file_comes_back_whole(scene: &Scene) -> Verdict {
    let bytes: Vec<u8> = (0..(3 << 19) + 7_u32).map(|n| (n % 251) as u8).collect();
    scene.put("big", &bytes).await?;
    let read = scene.read("big").await?;
    same("the size", read.len(), bytes.len())?;
    holds(read == bytes, "the bytes of a big file differ")
}

async fn a_window_gives_those_bytes(scene: &Scene) -> Verdict {
    scene.put("digits", "0123456789").await?;
    for (offset, length, want) in [
        (0, None, "0123456789"),
        (3, None, "3456789"),
        (3, Some(4), "3456"),
        (0, Some(0), ""),
        (9, Some(5), "9"),
        (8, Some(u64::MAX), "89"),
        (10, None, ""),
        (1000, Some(1), ""),
        (u64::MAX, Some(u64::MAX), ""),
    ] {
        let options = ReadOptions::default().with_offset(offset).with_length(length);
        let bytes = scene.fs().read(&path("digits")?, options).await?.body.collect(ALL).await?;
        same(format!("from {offset}, {length:?} bytes"), bytes, want.as_bytes())?;
    }
    Ok(())
}

async fn the_attributes_are_of_the_whole_file(scene: &Scene) -> Verdict {
    scene.put("digits", "0123456789").await?;
    let options = ReadOptions::default().with_offset(2).with_length(Some(3));
    let opened = scene.fs().read(&path("digits")?, options).await?.stat;
    same("the size", opened.size, 10)?;
    same("kind, mode, time and version", opened, scene.stat("digits").await?)
}

async fn a_missing_file_is_not_found(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    for at in ["missing", "dir/missing", "missing/below"] {
        refused(at, scene.read(at).await, &[NotFound])?;
        refused(at, scene.stat(at).await, &[NotFound])?;
    }
    Ok(())
}

async fn a_directory_is_refused(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    refused("a directory", scene.read("dir").await, &[IsADirectory])?;
    refused("the root", scene.read("").await, &[IsADirectory])?;
    Ok(())
}

async fn a_file_on_the_way_is_not_a_directory(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    for at in ["file/below", "file/below/deeper"] {
        refused(at, scene.read(at).await, &[NotADirectory])?;
        refused(at, scene.stat(at).await, &[NotADirectory])?;
    }
    Ok(())
}

async fn a_special_file_is_refused_at_once(scene: &Scene) -> Verdict {
    scene.put_special("pipe").await?;
    refused("read", scene.read("pipe").await, &[NotAFile])?;
    let stat = scene.stat("pipe").await?;
    same("kind and size", (stat.kind, stat.size), (FileKind::Other, 0))
}

async fn a_reader_keeps_the_content_it_opened(scene: &Scene) -> Verdict {
    let old = vec![b'o'; 1 << 20];
    scene.put("file", &old).await?;
    let opened = scene.fs().read(&path("file")?, ReadOptions::default()).await?;
    scene.write("file", vec![b'n'; 1 << 20]).await?;
    let bytes = opened.body.collect(ALL).await?;
    holds(bytes == old, "a file replaced after it was opened gives other bytes to its reader")
}

async fn reading_changes_nothing(scene: &Scene) -> Verdict {
    scene.put("dir/a.txt", "text").await?;
    let before = scene.tree().await?;
    scene.read("dir/a.txt").await?;
    scene.stat("dir/a.txt").await?;
    scene.list("dir").await?;
    scene.walk("", None).await?;
    same("the tree", scene.tree().await?, before)
}
