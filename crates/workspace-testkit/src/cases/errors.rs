//! What an error says, and what it must not say.

use std::fmt::Debug;

use workspace_core::{Error, PathFilter, Precondition, Result, Visible, WriteOptions};

use crate::case::{Verdict, brief, cases, failed, holds, same};
use crate::scene::Scene;

cases! {
    errors_of_reading_name_the_path_as_asked,
    errors_of_changing_name_the_path_as_asked [Write],
    errors_behind_links_name_the_path_as_asked [Links],
    a_refusal_to_change_names_the_path_as_asked [NoWrite],
}

/// The errors that a case has provoked.
struct Provoked<'a> {
    scene: &'a Scene,
    forbidden: Vec<String>,
}

impl<'a> Provoked<'a> {
    fn new(scene: &'a Scene) -> Self {
        Self { scene, forbidden: scene.forbidden() }
    }

    /// Demands an error that names one of these paths, and nothing of the host.
    fn check<T: Debug>(&self, call: &str, result: Result<T>, paths: &[&str]) -> Verdict {
        let error = match result {
            Err(error) => error,
            Ok(value) => return Err(failed(format!("{call} of {paths:?} succeeds: {}", brief(&value)))),
        };
        let call = format!("{call} of {paths:?}: {error}");
        let named = error.path().ok_or_else(|| failed(format!("{call}: no path is named")))?;
        holds(paths.contains(&named), format!("{call}: the path is told as `{}`", Visible(named)))?;
        holds(error.operation().is_some(), format!("{call}: no operation is named"))?;
        holds(!error.message().is_empty(), format!("{call}: there is no message"))?;
        self.shows_nothing_of_the_host(&call, &error)
    }

    fn shows_nothing_of_the_host(&self, call: &str, error: &Error) -> Verdict {
        let shown = [
            error.to_string(),
            error.message().to_owned(),
            error.next_step().unwrap_or_default().to_owned(),
            error.rule_name().unwrap_or_default().to_owned(),
        ];
        for text in &self.forbidden {
            holds(!shown.iter().any(|shown| shown.contains(text)), format!("{call}: it shows `{text}`"))?;
        }
        Ok(())
    }

    /// The calls that read, on one path that each of them refuses.
    async fn reads(&self, at: &str) -> Verdict {
        let scene = self.scene;
        self.check("read", scene.read(at).await, &[at])?;
        self.check("stat", scene.stat(at).await, &[at])?;
        self.check("list", scene.list(at).await, &[at])?;
        self.check("walk", scene.walk(at, None).await, &[at])
    }
}

async fn errors_of_reading_name_the_path_as_asked(scene: &Scene) -> Verdict {
    let provoked = Provoked::new(scene);
    scene.put("dir/file", "x").await?;
    for at in ["missing", "missing/below", "dir/missing", "dir/file/below", "odd\nname"] {
        provoked.reads(at).await?;
    }
    provoked.check("read", scene.read("dir").await, &["dir"])?;
    provoked.check("list", scene.list("dir/file").await, &["dir/file"])?;
    provoked.check("read", scene.read("").await, &["."])?;
    let closed = scene.filtered(PathFilter::deny("closed-by-the-kit", |path, _| !path.is_root()));
    provoked.check("resolve", closed.resolve("dir/file").await, &["dir/file"])?;
    Provoked { scene: &closed, forbidden: scene.forbidden() }.reads("dir").await
}

async fn errors_of_changing_name_the_path_as_asked(scene: &Scene) -> Verdict {
    let provoked = Provoked::new(scene);
    scene.put("dir/file", "x").await?;
    scene.put("other", "x").await?;
    let absent = WriteOptions::default().with_if_match(Precondition::Absent);
    for at in ["dir", "missing/file", "dir/file/below"] {
        provoked.check("write", scene.write(at, "x").await, &[at])?;
    }
    provoked.check("write", scene.write_with("dir/file", "x", absent).await, &["dir/file"])?;
    provoked.check("write", scene.write("", "x").await, &["."])?;
    for at in ["dir/file", "missing/dir", "dir/file/below"] {
        provoked.check("create_dir", scene.create_dir(at).await, &[at])?;
    }
    for at in ["dir", "missing", "missing/below", "dir/file/below"] {
        provoked.check("remove", scene.remove(at).await, &[at])?;
    }
    provoked.check("remove", scene.remove("").await, &["."])?;
    for (from, to) in [
        ("missing", "new"),
        ("other", "dir/file"),
        ("other", "missing/new"),
        ("dir", "dir/below"),
        ("other", "dir/file/below"),
        ("", "root"),
    ] {
        let shown = if from.is_empty() { "." } else { from };
        provoked.check("rename", scene.rename(from, to).await, &[shown, to])?;
    }
    Ok(())
}

async fn errors_behind_links_name_the_path_as_asked(scene: &Scene) -> Verdict {
    let mut provoked = Provoked::new(scene);
    let outside = scene.put_outside("outside-dir/secret", "outside").await?;
    let directory = outside.trim_end_matches("/secret").to_owned();
    scene.put("real/file", "x").await?;
    scene.put_link("alias", "real").await?;
    scene.put_link("out", &directory).await?;
    scene.put_link("up", "../outside-dir").await?;
    scene.put_link("gone", "missing-target").await?;
    scene.put_link("loop", "loop").await?;
    provoked.forbidden.extend([directory, "missing-target".to_owned(), "outside-dir".to_owned()]);
    for at in ["out", "out/secret", "up", "up/secret", "gone", "loop", "alias/missing"] {
        provoked.reads(at).await?;
    }
    for at in ["out", "up/secret", "gone", "loop"] {
        provoked.check("resolve", scene.resolve(at).await, &[at])?;
    }
    if scene.capabilities().write {
        for at in ["out/secret", "up/new", "gone", "loop", "alias"] {
            provoked.check("write", scene.write(at, "x").await, &[at])?;
        }
        provoked.check("remove", scene.remove("out/secret").await, &["out/secret"])?;
        let result = scene.rename("real/file", "out/file").await;
        provoked.check("rename", result, &["real/file", "out/file"])?;
    }
    Ok(())
}

async fn a_refusal_to_change_names_the_path_as_asked(scene: &Scene) -> Verdict {
    let provoked = Provoked::new(scene);
    scene.put("dir/file", "x").await?;
    provoked.check("write", scene.write("dir/file", "x").await, &["dir/file"])?;
    provoked.check("create_dir", scene.create_dir("new").await, &["new"])?;
    provoked.check("remove", scene.remove("dir/file").await, &["dir/file"])?;
    let result = scene.rename("dir/file", "new").await;
    provoked.check("rename", result, &["dir/file", "new"])?;
    same("the content", scene.text("dir/file").await?, "x")
}
