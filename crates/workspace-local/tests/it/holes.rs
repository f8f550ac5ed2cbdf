//! Holes that other workspaces have had, as far as they concern files.

use std::fs;

use workspace_core::{
    AbsolutePaths, Access, Backslash, ErrorKind, FsProvider, Guarded, PathFilter, RenameOptions,
    WorkspacePath, WriteOptions,
};
use workspace_local::Local;

use crate::support::{SECRET, Scene, path, read, refused, write, write_with};

fn parse(files: &Local, text: &str) -> workspace_core::Result<WorkspacePath> {
    WorkspacePath::parse(text, &files.path_rules())
}

#[tokio::test]
async fn hole_1_a_sibling_with_the_same_beginning() {
    let scene = Scene::new();
    let files = scene.open();
    let sibling = scene.home().join("ws-evil/secret");
    for text in ["../ws-evil/secret", sibling.to_str().unwrap()] {
        let error = parse(&files, text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PathEscape);
        assert!(!error.message().contains(SECRET));
    }
    scene.link("link", &sibling);
    assert_eq!(refused(read(&files, "link").await), ErrorKind::PathEscape);
}

#[tokio::test]
async fn hole_2_a_link_out_whose_target_is_missing() {
    let scene = Scene::new();
    scene.link("missing", "../outside/new");
    scene.link("missing-dir", "../outside/new-dir");
    scene.link("missing-absolute", scene.outside().join("new"));
    let files = scene.open();
    let parents = || WriteOptions::default().with_create_parents(true);
    for name in ["missing", "missing-dir/file", "missing-absolute"] {
        assert_eq!(refused(write_with(&files, name, "x", parents()).await), ErrorKind::PathEscape, "{name}");
        assert_eq!(refused(read(&files, name).await), ErrorKind::PathEscape, "{name}");
    }
    scene.assert_outside_untouched();
}

#[tokio::test]
async fn hole_4_a_deny_rule_and_a_link() {
    let scene = Scene::new();
    scene.put("secret/key", "k");
    scene.link("alias", "secret");
    let rule = PathFilter::deny("secret", |path, _| path.starts_with(&crate::support::path("secret")));
    let files = Guarded::new(scene.open(), rule);
    assert_eq!(refused(read(&files, "alias/key").await), ErrorKind::DeniedPath);
    assert_eq!(refused(write(&files, "alias/key", "x").await), ErrorKind::DeniedPath);
}

#[tokio::test]
async fn hole_5_a_protected_file_that_does_not_exist_yet() {
    let scene = Scene::new();
    scene.put("other/settings.json", "{}");
    let rule = PathFilter::deny("settings", |path, access| {
        access == Access::Write && path.starts_with(&crate::support::path(".agent/settings.json"))
    });
    let files = Guarded::new(scene.open(), rule);
    let parents = WriteOptions::default().with_create_parents(true);
    let denied = ErrorKind::DeniedPath;
    assert_eq!(refused(write_with(&files, ".agent/settings.json", "x", parents).await), denied);
    // Neither directly nor with its directory does another file take its name.
    fs::create_dir(scene.at(".agent")).unwrap();
    let plain = RenameOptions::default;
    let (settings, file) = (path(".agent/settings.json"), path("other/settings.json"));
    assert_eq!(refused(files.rename(&file, &settings, plain()).await), denied);
    fs::remove_dir(scene.at(".agent")).unwrap();
    assert_eq!(refused(files.rename(&path("other"), &path(".agent"), plain()).await), denied);
    assert_eq!(scene.names(""), ["other"]);
}

#[tokio::test]
async fn hole_7_spellings_of_a_protected_name() {
    let scene = Scene::new();
    scene.put(".git/config", "c");
    let local = scene.open();
    let rule = PathFilter::deny("git", |path, _| path.starts_with(&crate::support::path(".git")));
    let files = Guarded::new(local.clone(), rule);
    for text in [".git/./config", ".git//config", "x/../.git/config", ".git\\config", "./.git/config"] {
        let name = parse(&local, text).unwrap();
        assert_eq!(refused(read(&files, name.as_str()).await), ErrorKind::DeniedPath, "{text}");
    }
    // A file of its own here; where case does not count, the capability says so to whoever compares.
    assert!(!local.capabilities().case_insensitive);
    assert_eq!(refused(read(&files, ".GIT/Config").await), ErrorKind::NotFound);
}

#[tokio::test]
async fn hole_9_an_absolute_path_does_not_drop_the_root() {
    let scene = Scene::new();
    let files = scene.open();
    for text in ["/notes.txt", "/etc/passwd", "/", "//etc/passwd", "\\notes.txt"] {
        assert_eq!(refused(parse(&files, text)), ErrorKind::PathEscape, "{text}");
    }
    let inside = scene.at("notes.txt");
    assert_eq!(parse(&files, inside.to_str().unwrap()).unwrap().as_str(), "notes.txt");
    let never = Local::builder(scene.root()).absolute(AbsolutePaths::Never).build().unwrap();
    assert_eq!(refused(parse(&never, inside.to_str().unwrap())), ErrorKind::PathEscape);
}

#[tokio::test]
async fn hole_10_dots_that_are_no_climb() {
    let scene = Scene::new();
    let files = scene.open();
    let parents = || WriteOptions::default().with_create_parents(true);
    for text in ["report..final.md", "src/[...slug]/page.tsx", "..hidden", "a/.../b"] {
        let name = parse(&files, text).unwrap();
        write_with(&files, name.as_str(), text, parents()).await.unwrap();
        assert_eq!(scene.text(text), text);
    }
}

#[tokio::test]
async fn a_backslash_may_be_a_part_of_a_name() {
    let scene = Scene::new();
    scene.put("a\\b", "x");
    assert_eq!(parse(&scene.open(), "a\\b").unwrap().as_str(), "a/b");
    let literal = Local::builder(scene.root()).backslash(Backslash::Literal).build().unwrap();
    let name = parse(&literal, "a\\b").unwrap();
    assert_eq!(read(&literal, name.as_str()).await.unwrap(), "x");
}
