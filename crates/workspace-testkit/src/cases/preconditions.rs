//! The state that a file must be in.

use sha2::{Digest, Sha256};
use workspace_core::ErrorKind::{Conflict, IsADirectory, Unsupported};
use workspace_core::{Body, FsProvider, Precondition, Result, Version, WriteOptions, Written};

use crate::case::{Verdict, cases, failed, holds, refused, same};
use crate::scene::{Scene, path};

cases! {
    absent_makes_a_new_file [Write],
    absent_on_an_old_file_is_a_conflict [Write],
    absent_on_a_directory_is_refused [Write],
    the_right_hash_writes [Write],
    a_wrong_hash_is_a_conflict [Write],
    a_hash_of_a_missing_file_is_a_conflict [Write],
    the_version_seen_writes [Write, Versions],
    an_old_version_is_a_conflict [Write, Versions],
    a_version_of_a_missing_file_is_a_conflict [Write, Versions],
    every_write_gives_another_version [Write, Versions],
    a_version_stays_while_nothing_is_written [Versions],
    without_versions_a_version_is_unsupported [Write, NoVersions],
    one_of_many_writers_makes_the_file [Write, AtomicReplace],
}

pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

async fn write_if(scene: &Scene, at: &str, bytes: &str, state: Precondition) -> Result<Written> {
    scene.write_with(at, bytes, WriteOptions::default().with_if_match(state)).await
}

/// A write that is a conflict where the file exists.
pub(super) async fn write_absent(scene: &Scene, at: &str) -> Result<Written> {
    write_if(scene, at, "new", Precondition::Absent).await
}

async fn version(scene: &Scene, at: &str) -> Verdict<Version> {
    scene.stat(at).await?.version.ok_or_else(|| failed("there are versions, and a file has none"))
}

async fn absent_makes_a_new_file(scene: &Scene) -> Verdict {
    let written = write_absent(scene, "a.txt").await?;
    same("created", written.created, true)?;
    same("the content", scene.text("a.txt").await?, "new")
}

async fn absent_on_an_old_file_is_a_conflict(scene: &Scene) -> Verdict {
    scene.put("a.txt", "old").await?;
    let before = scene.tree().await?;
    refused("write", write_absent(scene, "a.txt").await, &[Conflict])?;
    same("the tree", scene.tree().await?, before)
}

async fn absent_on_a_directory_is_refused(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    let before = scene.tree().await?;
    refused("write", write_absent(scene, "dir").await, &[Conflict, IsADirectory])?;
    same("the tree", scene.tree().await?, before)
}

async fn the_right_hash_writes(scene: &Scene) -> Verdict {
    for (old, new) in [("", "first"), ("first", "second"), ("second", "third")] {
        if old.is_empty() {
            scene.put("a.txt", old).await?;
        }
        write_if(scene, "a.txt", new, Precondition::Sha256(sha256(old.as_bytes()))).await?;
        same("the content", scene.text("a.txt").await?, new)?;
    }
    Ok(())
}

async fn a_wrong_hash_is_a_conflict(scene: &Scene) -> Verdict {
    scene.put("a.txt", "old").await?;
    let before = scene.tree().await?;
    for hash in [sha256(b"other"), sha256(b""), sha256(b"old\n"), [0; 32]] {
        refused("write", write_if(scene, "a.txt", "new", Precondition::Sha256(hash)).await, &[Conflict])?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn a_hash_of_a_missing_file_is_a_conflict(scene: &Scene) -> Verdict {
    let before = scene.tree().await?;
    let state = Precondition::Sha256(sha256(b""));
    refused("write", write_if(scene, "a.txt", "new", state).await, &[Conflict])?;
    same("the tree", scene.tree().await?, before)
}

async fn the_version_seen_writes(scene: &Scene) -> Verdict {
    scene.put("a.txt", "0").await?;
    let mut seen = version(scene, "a.txt").await?;
    for content in ["1", "2", "3"] {
        let written = write_if(scene, "a.txt", content, Precondition::Version(seen)).await?;
        // The version that the write itself told is as good as one that was asked for.
        seen = written.stat.version.ok_or_else(|| failed("there are versions, and a write tells none"))?;
        same("the content", scene.text("a.txt").await?, content)?;
    }
    Ok(())
}

async fn an_old_version_is_a_conflict(scene: &Scene) -> Verdict {
    scene.put("a.txt", "first").await?;
    let old = version(scene, "a.txt").await?;
    scene.write("a.txt", "other").await?;
    let before = scene.tree().await?;
    refused("write", write_if(scene, "a.txt", "new", Precondition::Version(old)).await, &[Conflict])?;
    same("the tree", scene.tree().await?, before)
}

async fn a_version_of_a_missing_file_is_a_conflict(scene: &Scene) -> Verdict {
    scene.put("a.txt", "first").await?;
    let old = version(scene, "a.txt").await?;
    scene.remove("a.txt").await?;
    refused("write", write_if(scene, "a.txt", "new", Precondition::Version(old)).await, &[Conflict])?;
    same("the tree", scene.tree().await?.len(), 0)
}

async fn every_write_gives_another_version(scene: &Scene) -> Verdict {
    let mut seen = Vec::new();
    // The same size each time, and the same content at last: a backend that looks at size and time alone fails.
    for content in ["aa", "bb", "cc", "aa", "bb", "bb"] {
        scene.write("a.txt", content).await?;
        let now = version(scene, "a.txt").await?;
        holds(!seen.contains(&now), format!("two writes left the same version {now:?}"))?;
        seen.push(now);
    }
    Ok(())
}

async fn a_version_stays_while_nothing_is_written(scene: &Scene) -> Verdict {
    scene.put("a.txt", "text").await?;
    scene.put("b.txt", "text").await?;
    let first = version(scene, "a.txt").await?;
    let opened = scene.fs().read(&path("a.txt")?, workspace_core::ReadOptions::default()).await?;
    same("the version that a reader sees", opened.stat.version.as_ref(), Some(&first))?;
    opened.body.collect(100).await?;
    same("the version later", version(scene, "a.txt").await?, first)
}

async fn without_versions_a_version_is_unsupported(scene: &Scene) -> Verdict {
    scene.put("a.txt", "text").await?;
    let state = Precondition::Version(Version::new(*b"version"));
    refused("write", write_if(scene, "a.txt", "new", state).await, &[Unsupported])?;
    same("the content", scene.text("a.txt").await?, "text")
}

async fn one_of_many_writers_makes_the_file(scene: &Scene) -> Verdict {
    for round in 0..10 {
        let at = path(&format!("file-{round}"))?;
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let (fs, at) = (scene.fs().clone(), at.clone());
                let options = WriteOptions::default().with_if_match(Precondition::Absent);
                let body = Body::from(format!("writer [{writer}]").into_bytes());
                tokio::spawn(async move { (writer, fs.write(&at, body, options).await) })
            })
            .collect();
        let mut winners = Vec::new();
        for writer in writers {
            match writer.await.map_err(failed)? {
                (writer, Ok(written)) => {
                    same("created", written.created, true)?;
                    winners.push(writer);
                }
                (_, result) => drop(refused("a writer that came late", result, &[Conflict])?),
            }
        }
        let content = scene.text(at.as_str()).await?;
        same("the writers that made the file, by its content", format!("writer {winners:?}"), content)?;
    }
    Ok(())
}
