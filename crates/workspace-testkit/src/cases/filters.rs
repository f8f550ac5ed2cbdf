//! The rules that travel with a call: judged on the resolved path, before anything happens.

use workspace_core::ErrorKind::DeniedPath;
use workspace_core::{Access, PathFilter, WorkspacePath, WriteOptions};

use crate::case::{Verdict, cases, holds, refused, same};
use crate::scene::{Scene, path};

cases! {
    a_closed_file_is_not_read,
    a_closed_path_is_not_changed [Write],
    a_refusal_names_its_rule,
    a_link_to_a_closed_file_is_closed [Links],
    a_link_to_a_closed_file_is_closed_for_changes [Write, Links],
    hidden_entries_are_in_no_listing,
    hidden_directories_are_not_entered,
    hiding_alone_closes_no_file,
    closed_for_writing_is_open_for_reading [Write],
    closed_for_reading_is_still_listed,
    a_closed_entry_below_stops_a_removal [Write],
    a_closed_entry_below_stops_a_rename [Write],
    a_rename_to_where_an_entry_is_closed_is_stopped [Write],
    a_closed_file_that_does_not_exist_is_not_made [Write],
    a_closed_file_is_not_made_through_a_linked_directory [Write, Links],
    a_closed_parent_is_not_made [Write],
    a_missing_closed_file_looks_like_any_closed_file,
    a_closed_name_is_closed_in_every_spelling [CaseInsensitive],
    an_open_filter_changes_nothing,
}

const RULE: &str = "closed-by-the-kit";

/// Closes `secret` with all below it, and every `.env`, for everything.
fn closed(scene: &Scene) -> Verdict<Scene> {
    let secret = path("secret")?;
    Ok(scene.filtered(PathFilter::deny(RULE, move |path, _| {
        path.starts_with(&secret) || path.name() == Some(".env")
    })))
}

/// Closes a name, wherever it is, for one access alone.
fn closed_for(scene: &Scene, access: Access, name: &'static str) -> Scene {
    scene.filtered(PathFilter::deny(RULE, move |path, asked| {
        asked == access && path.components().any(|part| part == name)
    }))
}

async fn put_secrets(scene: &Scene) -> Verdict {
    scene.put("secret/key", "the key").await?;
    scene.put("secret/deep/key", "the deep key").await?;
    scene.put(".env", "TOKEN=1").await?;
    scene.put("app/.env", "TOKEN=2").await?;
    scene.put("app/main.rs", "fn main() {}").await?;
    Ok(())
}

async fn a_closed_file_is_not_read(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let filtered = closed(scene)?;
    for at in ["secret/key", "secret/deep/key", ".env", "app/.env"] {
        refused(format!("read `{at}`"), filtered.read(at).await, &[DeniedPath])?;
        refused(format!("stat `{at}`"), filtered.stat(at).await, &[DeniedPath])?;
        refused(format!("stat `{at}` itself"), filtered.stat_link(at).await, &[DeniedPath])?;
        refused(format!("resolve `{at}`"), filtered.resolve(at).await, &[DeniedPath])?;
    }
    for at in ["secret", "secret/deep"] {
        refused(format!("list `{at}`"), filtered.list(at).await, &[DeniedPath])?;
        refused(format!("walk `{at}`"), filtered.walk(at, None).await, &[DeniedPath])?;
    }
    same("an open file", filtered.text("app/main.rs").await?, "fn main() {}")
}

async fn a_closed_path_is_not_changed(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let filtered = closed(scene)?;
    let before = scene.tree().await?;
    for at in ["secret/key", ".env", "secret", "secret/deep"] {
        refused(format!("remove `{at}`"), filtered.remove(at).await, &[DeniedPath])?;
        refused(format!("remove all of `{at}`"), filtered.remove_all(at).await, &[DeniedPath])?;
        refused(format!("rename `{at}`"), filtered.rename(at, "taken").await, &[DeniedPath])?;
        refused(format!("rename onto `{at}`"), filtered.rename_over("app/main.rs", at).await, &[DeniedPath])?;
        refused(format!("create_dir `{at}`"), filtered.create_dirs(at).await, &[DeniedPath])?;
    }
    for at in ["secret/key", ".env", "app/.env"] {
        refused(format!("write `{at}`"), filtered.write(at, "x").await, &[DeniedPath])?;
    }
    same("the tree", scene.tree().await?, before)
}

async fn a_refusal_names_its_rule(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let filtered = closed(scene)?;
    let error = refused("read", filtered.read("secret/key").await, &[DeniedPath])?;
    same("the rule", error.rule_name(), Some(RULE))?;
    same("the path", error.path(), Some("secret/key"))?;
    let error = refused("list", filtered.list("secret").await, &[DeniedPath])?;
    same("the rule", error.rule_name(), Some(RULE))
}

async fn put_links_to_secrets(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    scene.put_link("to-env", ".env").await?;
    scene.put_link("alias", "secret").await?;
    scene.put_link("app/up", "../secret/deep").await?;
    scene.put_link("again", "alias").await?;
    Ok(())
}

async fn a_link_to_a_closed_file_is_closed(scene: &Scene) -> Verdict {
    put_links_to_secrets(scene).await?;
    let filtered = closed(scene)?;
    for at in ["to-env", "alias/key", "app/up/key", "again/deep/key", "alias/missing"] {
        refused(format!("read `{at}`"), filtered.read(at).await, &[DeniedPath])?;
        refused(format!("stat `{at}`"), filtered.stat(at).await, &[DeniedPath])?;
        refused(format!("resolve `{at}`"), filtered.resolve(at).await, &[DeniedPath])?;
    }
    for at in ["alias", "app/up", "again", "again/deep"] {
        refused(format!("list `{at}`"), filtered.list(at).await, &[DeniedPath])?;
        refused(format!("walk `{at}`"), filtered.walk(at, None).await, &[DeniedPath])?;
    }
    let error = refused("read", filtered.read("alias/key").await, &[DeniedPath])?;
    same("the path is named as it was asked", error.path(), Some("alias/key"))
}

async fn a_link_to_a_closed_file_is_closed_for_changes(scene: &Scene) -> Verdict {
    put_links_to_secrets(scene).await?;
    let filtered = closed(scene)?;
    let before = scene.tree().await?;
    for at in ["to-env", "alias/key", "app/up/key", "again/new"] {
        refused(format!("write `{at}`"), filtered.write(at, "x").await, &[DeniedPath])?;
    }
    for at in ["alias/key", "app/up/key", "again/deep"] {
        refused(format!("remove `{at}`"), filtered.remove_all(at).await, &[DeniedPath])?;
        refused(format!("rename `{at}`"), filtered.rename(at, "taken").await, &[DeniedPath])?;
    }
    refused("create_dir", filtered.create_dir("alias/new").await, &[DeniedPath])?;
    refused("rename into", filtered.rename("app/main.rs", "alias/new").await, &[DeniedPath])?;
    same("the tree", scene.tree().await?, before)
}

async fn hidden_entries_are_in_no_listing(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let filtered = closed(scene)?;
    same("the root", filtered.names("").await?, ["app"])?;
    same("a directory", filtered.names("app").await?, ["app/main.rs"])
}

async fn hidden_directories_are_not_entered(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let filtered = closed(scene)?;
    let entries = filtered.walk("", None).await?;
    let walked: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    same("the walk", walked, ["app", "app/main.rs"])?;
    // What lies in a hidden directory stays hidden, even where no rule names it.
    let name = path("secret")?;
    let hidden = scene.filtered(PathFilter::deny(RULE, move |path: &WorkspacePath, _| *path == name));
    let entries = hidden.walk("", None).await?;
    holds(
        entries.iter().all(|entry| !entry.path.as_str().starts_with("secret")),
        "a walk enters what is hidden",
    )
}

async fn hiding_alone_closes_no_file(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let filtered = closed_for(scene, Access::See, "app");
    same("the root", filtered.names("").await?, [".env", "secret"])?;
    same("the content", filtered.text("app/main.rs").await?, "fn main() {}")?;
    holds(filtered.stat("app/main.rs").await.is_ok(), "stat asks to see, not to read")?;
    refused("resolve", filtered.resolve("app/main.rs").await, &[DeniedPath])?;
    same("its listing", filtered.list("app").await?, [])
}

async fn closed_for_writing_is_open_for_reading(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let filtered = closed_for(scene, Access::Write, "app");
    let before = scene.tree().await?;
    same("the content", filtered.text("app/main.rs").await?, "fn main() {}")?;
    same("the listing", filtered.names("app").await?, ["app/.env", "app/main.rs"])?;
    refused("write", filtered.write("app/main.rs", "x").await, &[DeniedPath])?;
    refused("make a file", filtered.write("app/new", "x").await, &[DeniedPath])?;
    refused("make a directory", filtered.create_dir("app/new").await, &[DeniedPath])?;
    refused("remove", filtered.remove("app/main.rs").await, &[DeniedPath])?;
    refused("rename from", filtered.rename("app/main.rs", "main.rs").await, &[DeniedPath])?;
    refused("rename to", filtered.rename(".env", "app/env").await, &[DeniedPath])?;
    same("the tree", scene.tree().await?, before)
}

async fn closed_for_reading_is_still_listed(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let filtered = closed_for(scene, Access::Read, "app");
    same("the root", filtered.names("").await?, [".env", "app", "secret"])?;
    refused("read", filtered.read("app/main.rs").await, &[DeniedPath])?;
    refused("stat", filtered.stat("app/main.rs").await, &[DeniedPath])?;
    refused("list", filtered.list("app").await, &[DeniedPath])?;
    refused("walk", filtered.walk("app", None).await, &[DeniedPath])?;
    if scene.capabilities().write {
        filtered.write("app/main.rs", "written unread").await?;
        same("the content", scene.text("app/main.rs").await?, "written unread")?;
    }
    Ok(())
}

async fn a_closed_entry_below_stops_a_removal(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    scene.put("app/a/b/c", "x").await?;
    scene.put("app/z", "x").await?;
    let filtered = closed(scene)?;
    let before = scene.tree().await?;
    let error = refused("remove all", filtered.remove_all("app").await, &[DeniedPath])?;
    same("the rule", error.rule_name(), Some(RULE))?;
    same("the tree", scene.tree().await?, before.clone())?;
    let writing = closed_for(scene, Access::Write, "c");
    refused("remove all", writing.remove_all("app").await, &[DeniedPath])?;
    same("the tree", scene.tree().await?, before)
}

async fn a_closed_entry_below_stops_a_rename(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let filtered = closed(scene)?;
    let before = scene.tree().await?;
    refused("rename", filtered.rename("app", "moved").await, &[DeniedPath])?;
    refused("rename, replacing", filtered.rename_over("app", "moved").await, &[DeniedPath])?;
    same("the tree", scene.tree().await?, before)
}

async fn a_rename_to_where_an_entry_is_closed_is_stopped(scene: &Scene) -> Verdict {
    scene.put("staged/settings.json", "{}").await?;
    scene.put("staged/other", "x").await?;
    let protected = path(".agent/settings.json")?;
    let filtered = scene.filtered(PathFilter::deny(RULE, move |path, _| *path == protected));
    let before = scene.tree().await?;
    refused("rename", filtered.rename("staged", ".agent").await, &[DeniedPath])?;
    same("the tree", scene.tree().await?, before)?;
    scene.remove("staged/settings.json").await?;
    filtered.rename("staged", ".agent").await?;
    same("the tree", scene.names(".agent").await?, [".agent/other"])
}

async fn a_closed_file_that_does_not_exist_is_not_made(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    scene.put_dir(".agent").await?;
    let protected = path(".agent/settings.json")?;
    let filtered = scene.filtered(PathFilter::deny(RULE, move |path, _| path.starts_with(&protected)));
    let parents = WriteOptions::default().with_create_parents(true);
    let before = scene.tree().await?;
    let at = ".agent/settings.json";
    refused("write", filtered.write(at, "{}").await, &[DeniedPath])?;
    refused("write, with parents", filtered.write_with(at, "{}", parents.clone()).await, &[DeniedPath])?;
    refused("make a directory", filtered.create_dir(at).await, &[DeniedPath])?;
    refused("make directories", filtered.create_dirs(".agent/settings.json/a/b").await, &[DeniedPath])?;
    refused(
        "write below it",
        filtered.write_with(".agent/settings.json/a", "x", parents).await,
        &[DeniedPath],
    )?;
    refused("rename into", filtered.rename("file", at).await, &[DeniedPath])?;
    refused("rename into, replacing", filtered.rename_over("file", at).await, &[DeniedPath])?;
    same("the tree", scene.tree().await?, before)
}

async fn a_closed_file_is_not_made_through_a_linked_directory(scene: &Scene) -> Verdict {
    scene.put("file", "x").await?;
    scene.put_dir(".agent").await?;
    scene.put_link("alias", ".agent").await?;
    let protected = path(".agent/settings.json")?;
    let filtered = scene.filtered(PathFilter::deny(RULE, move |path, _| *path == protected));
    let before = scene.tree().await?;
    refused("write", filtered.write("alias/settings.json", "{}").await, &[DeniedPath])?;
    refused("make a directory", filtered.create_dir("alias/settings.json").await, &[DeniedPath])?;
    refused("rename into", filtered.rename("file", "alias/settings.json").await, &[DeniedPath])?;
    same("the tree", scene.tree().await?, before)
}

/// Directories on the way to a closed one may have been made: the contract allows it.
async fn a_closed_parent_is_not_made(scene: &Scene) -> Verdict {
    let closed = path("a/b")?;
    let filtered = scene.filtered(PathFilter::deny(RULE, move |path, _| *path == closed));
    let parents = WriteOptions::default().with_create_parents(true);
    refused("write", filtered.write_with("a/b/c/file", "x", parents).await, &[DeniedPath])?;
    refused("make directories", filtered.create_dirs("a/b/c").await, &[DeniedPath])?;
    let tree = scene.tree().await?;
    holds(tree.keys().all(|path| path.as_str() == "a"), format!("what was made all the same: {tree:?}"))
}

async fn a_missing_closed_file_looks_like_any_closed_file(scene: &Scene) -> Verdict {
    scene.put("secret/key", "x").await?;
    let filtered = closed(scene)?;
    for at in ["secret/key", "secret/missing", "secret/missing/below", "missing/.env"] {
        refused(format!("read `{at}`"), filtered.read(at).await, &[DeniedPath])?;
        refused(format!("stat `{at}`"), filtered.stat(at).await, &[DeniedPath])?;
    }
    Ok(())
}

/// The rule is told the name as it stands in the directory, not as it was asked.
async fn a_closed_name_is_closed_in_every_spelling(scene: &Scene) -> Verdict {
    scene.put(".git/config", "x").await?;
    let config = path(".git/config")?;
    let filtered = scene.filtered(PathFilter::deny(RULE, move |path, _| *path == config));
    for at in [".git/config", ".GIT/config", ".git/Config", ".GIT/CONFIG"] {
        refused(format!("read `{at}`"), filtered.read(at).await, &[DeniedPath])?;
        if scene.capabilities().write {
            refused(format!("write `{at}`"), filtered.write(at, "y").await, &[DeniedPath])?;
            refused(format!("remove `{at}`"), filtered.remove(at).await, &[DeniedPath])?;
        }
    }
    same("the content", scene.text(".git/config").await?, "x")
}

async fn an_open_filter_changes_nothing(scene: &Scene) -> Verdict {
    put_secrets(scene).await?;
    let open = scene.filtered(PathFilter::deny(RULE, |_, _| false));
    same("the listing", open.names("").await?, scene.names("").await?)?;
    same("the walk", open.walk("", None).await?, scene.walk("", None).await?)?;
    same("the content", open.text("secret/key").await?, "the key")?;
    same("where it resolves to", open.resolve("secret/key").await?, "secret/key")
}
