//! Old content or new content, never a mix.

use std::task::Poll;

use tokio::sync::oneshot;
use workspace_core::{Body, Feed, FsProvider, ReadOptions, WriteOptions, is_temporary_name};

use crate::case::{Verdict, cases, failed, holds, same};
use crate::scene::{ALL, Scene, path};

cases! {
    a_write_in_progress_does_not_show [Write, AtomicReplace],
    a_write_that_is_given_up_changes_nothing [Write],
    readers_see_no_mix [Write, AtomicReplace],
}

/// A body that gives a piece, tells so, and gives the rest when it may.
fn halting(first: Vec<u8>, rest: Vec<u8>) -> (Body, oneshot::Receiver<()>, oneshot::Sender<()>) {
    let (given, was_given) = oneshot::channel();
    let (go_on, mut may_go_on) = oneshot::channel();
    let (mut first, mut rest, mut given) = (Some(first), Some(rest), Some(given));
    let body = Feed::from_poll_fn(move |cx| {
        if let Some(first) = first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        // Whoever asks for more has taken the first piece.
        if let Some(given) = given.take() {
            let _ = given.send(());
        }
        if rest.is_some() && std::pin::Pin::new(&mut may_go_on).poll(cx).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(rest.take().map(Ok))
    });
    (body, was_given, go_on)
}

async fn a_write_in_progress_does_not_show(scene: &Scene) -> Verdict {
    scene.put("dir/old", "old content").await?;
    for (at, before) in [("dir/old", Some("old content")), ("dir/new", None)] {
        let (body, was_given, go_on) = halting(vec![b'n'; 200_000], b"the end".to_vec());
        let (fs, target) = (scene.fs().clone(), path(at)?);
        let writing = tokio::spawn(async move { fs.write(&target, body, WriteOptions::default()).await });
        was_given.await.map_err(|_| failed("the body was dropped before its second piece was asked for"))?;
        same("what a reader sees meanwhile", scene.text(at).await.ok().as_deref(), before)?;
        let listed = scene.names("dir").await?;
        holds(
            listed.contains(&at.to_owned()) == before.is_some(),
            format!("the listing meanwhile: {listed:?}"),
        )?;
        holds(
            !listed.iter().any(|at| at.rsplit('/').next().is_some_and(is_temporary_name)),
            format!("the listing meanwhile: {listed:?}"),
        )?;
        go_on.send(()).map_err(|()| failed("the body was dropped before its end"))?;
        writing.await.map_err(failed)??;
        let written = scene.text(at).await?;
        holds(
            written.len() == 200_007 && written.ends_with("nthe end"),
            "the content after the write differs",
        )?;
    }
    Ok(())
}

async fn a_write_that_is_given_up_changes_nothing(scene: &Scene) -> Verdict {
    scene.put("dir/old", "old content").await?;
    let before = scene.tree().await?;
    for at in ["dir/old", "dir/new"] {
        let (body, was_given, _never) = halting(vec![b'n'; 200_000], b"the end".to_vec());
        let (fs, target) = (scene.fs().clone(), path(at)?);
        let writing = tokio::spawn(async move { fs.write(&target, body, WriteOptions::default()).await });
        was_given.await.map_err(|_| failed("the body was dropped before its second piece was asked for"))?;
        writing.abort();
        holds(writing.await.is_err_and(|error| error.is_cancelled()), "the write ended without its body")?;
    }
    same("the tree", scene.tree().await?, before)?;
    match scene.stored_names("dir").await {
        Err(_) => Ok(()),
        Ok(_) => {
            scene
                .eventually("the storage holds no temporary file", || async {
                    Ok(scene.stored_names("dir").await? == ["old"])
                })
                .await
        }
    }
}

async fn readers_see_no_mix(scene: &Scene) -> Verdict {
    const SIZE: usize = 300_000;
    let rounds = scene.effort();
    scene.put("file", vec![b'a'; SIZE]).await?;
    let at = path("file")?;
    let writers: Vec<_> = [b'b', b'c']
        .map(|letter| {
            let (fs, at) = (scene.fs().clone(), at.clone());
            tokio::spawn(async move {
                for _ in 0..rounds {
                    fs.write(&at, Body::from(vec![letter; SIZE]), WriteOptions::default()).await?;
                }
                Ok::<_, workspace_core::Error>(())
            })
        })
        .into();
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (fs, at) = (scene.fs().clone(), at.clone());
            tokio::spawn(async move {
                for _ in 0..rounds {
                    let opened = fs.read(&at, ReadOptions::default()).await?;
                    let told = opened.stat.size;
                    let bytes = opened.body.collect(ALL).await?;
                    let first = bytes.first().copied();
                    if told != SIZE as u64
                        || bytes.len() != SIZE
                        || bytes.iter().any(|byte| Some(*byte) != first)
                    {
                        return Ok(Some(format!(
                            "a reader saw a mix: {} bytes, told {told}, from {first:?} to {:?}",
                            bytes.len(),
                            bytes.last(),
                        )));
                    }
                }
                Ok::<_, workspace_core::Error>(None)
            })
        })
        .collect();
    for reader in readers {
        if let Some(mix) = reader.await.map_err(failed)?? {
            return Err(failed(mix));
        }
    }
    for writer in writers {
        writer.await.map_err(failed)??;
    }
    Ok(())
}
