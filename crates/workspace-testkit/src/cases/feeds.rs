//! Bodies that are read slowly, together, or not to their end.

use workspace_core::{Error, FsProvider, ReadOptions, WalkOptions, WorkspacePath};

use crate::case::{Verdict, cases, failed, holds, same};
use crate::scene::{ALL, Scene, path};

cases! {
    a_body_gives_nothing_after_its_end,
    a_body_can_be_dropped_at_any_time,
    bodies_do_not_disturb_each_other,
    a_body_does_not_need_its_provider,
    reads_at_the_same_time_are_all_right,
}

const SIZE: usize = 200_000;

fn content(letter: u8) -> Vec<u8> {
    (0..7).map(|n| letter.wrapping_add(n)).cycle().take(SIZE).collect()
}

async fn a_body_gives_nothing_after_its_end(scene: &Scene) -> Verdict {
    scene.put("file", "text").await?;
    let mut body = scene.fs().read(&path("file")?, ReadOptions::default()).await?.body;
    let mut bytes = Vec::new();
    while let Some(piece) = body.next().await {
        bytes.extend(piece?);
    }
    same("the content", bytes, b"text")?;
    holds(body.next().await.is_none(), "a body goes on after its end")
}

/// By default enough of them that a backend which keeps a handle for each runs out.
async fn a_body_can_be_dropped_at_any_time(scene: &Scene) -> Verdict {
    const ROUNDS_PER_EFFORT: u32 = 24;
    scene.put("file", content(b'a')).await?;
    let at = path("file")?;
    for round in 0..scene.effort().saturating_mul(ROUNDS_PER_EFFORT) {
        let mut body = scene.fs().read(&at, ReadOptions::default()).await?.body;
        for _ in 0..round % 3 {
            body.next().await.transpose()?;
        }
        if round % 10 == 0 {
            drop(scene.fs().walk(&WorkspacePath::root(), WalkOptions::default()).await?);
        }
    }
    holds(scene.read("file").await? == content(b'a'), "the content differs after bodies were dropped")
}

async fn bodies_do_not_disturb_each_other(scene: &Scene) -> Verdict {
    scene.put("a", content(b'a')).await?;
    scene.put("b", content(b'b')).await?;
    let mut bodies = Vec::new();
    for at in ["a", "b", "a"] {
        bodies.push((scene.fs().read(&path(at)?, ReadOptions::default()).await?.body, Vec::new()));
    }
    let mut open = true;
    while open {
        open = false;
        for (body, bytes) in &mut bodies {
            if let Some(piece) = body.next().await {
                bytes.extend(piece?);
                open = true;
            }
        }
    }
    for ((_, bytes), letter) in bodies.iter().zip([b'a', b'b', b'a']) {
        holds(*bytes == content(letter), "bodies that are read in turns are mixed up")?;
    }
    Ok(())
}

async fn a_body_does_not_need_its_provider(scene: &Scene) -> Verdict {
    scene.put("file", content(b'a')).await?;
    let fs = scene.fs().clone();
    let body = fs.read(&path("file")?, ReadOptions::default()).await?.body;
    drop(fs);
    let bytes = tokio::spawn(body.collect(ALL)).await.map_err(failed)??;
    holds(bytes == content(b'a'), "a body that is read in another task differs")
}

async fn reads_at_the_same_time_are_all_right(scene: &Scene) -> Verdict {
    let letters = b'a'..b'a' + 8;
    for letter in letters.clone() {
        scene.put(&format!("file-{letter}"), content(letter)).await?;
    }
    let readers = letters.map(|letter| {
        let (fs, at) = (scene.fs().clone(), path(&format!("file-{letter}")));
        tokio::spawn(async move {
            let bytes = fs.read(&at?, ReadOptions::default()).await?.body.collect(ALL).await?;
            Ok::<_, Error>(bytes == content(letter))
        })
    });
    for reader in readers.collect::<Vec<_>>() {
        holds(reader.await.map_err(failed)??, "a file that is read beside others differs")?;
    }
    Ok(())
}
