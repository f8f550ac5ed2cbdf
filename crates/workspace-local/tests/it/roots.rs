//! More than one root: R-ROOT-1 to R-ROOT-3.

use std::fs;
use std::path::PathBuf;

use workspace_core::{
    Body, CreateDirOptions, ErrorKind, FsProvider, ListOptions, PathFilter, ReadOptions, RemoveOptions,
    RenameOptions, WalkOptions, WorkspacePath, WriteOptions,
};
use workspace_local::Local;

use crate::support::{Scene, path, read, refused, write};

struct Roots {
    scene: Scene,
    files: Local,
    docs: PathBuf,
}

/// The primary root, and beside it `docs` (read-only) and `scratch` (writable).
fn roots() -> Roots {
    let scene = Scene::new();
    scene.put("a", "primary");
    let docs = scene.home().join("docs");
    let scratch = scene.home().join("scratch");
    for dir in [&docs, &scratch] {
        fs::create_dir(dir).unwrap();
        fs::write(dir.join("a"), dir.file_name().unwrap().to_str().unwrap()).unwrap();
    }
    let files = Local::builder(scene.root())
        .root("docs", &docs, false)
        .root("scratch", &scratch, true)
        .build()
        .unwrap();
    Roots { scene, files, docs }
}

fn parse(files: &Local, text: &str) -> workspace_core::Result<WorkspacePath> {
    WorkspacePath::parse(text, &files.path_rules())
}

#[tokio::test]
async fn r_root_1_an_extra_root_is_read_only_unless_it_is_declared_writable() {
    let Roots { scene: _scene, files, docs } = roots();
    assert_eq!(read(&files, "@docs/a").await.unwrap(), "docs");
    let read_only = ErrorKind::ReadOnly;
    assert_eq!(refused(write(&files, "@docs/a", "x").await), read_only);
    assert_eq!(refused(write(&files, "@docs/new", "x").await), read_only);
    assert_eq!(refused(files.create_dir(&path("@docs/d"), CreateDirOptions::default()).await), read_only);
    assert_eq!(refused(files.remove(&path("@docs/a"), RemoveOptions::default()).await), read_only);
    let plain = RenameOptions::default;
    assert_eq!(refused(files.rename(&path("@docs/a"), &path("@docs/b"), plain()).await), read_only);
    assert_eq!(refused(files.rename(&path("a"), &path("@docs/b"), plain()).await), read_only);
    assert_eq!(crate::support::names_in(&docs), ["a"]);

    write(&files, "@scratch/new", "x").await.unwrap();
    assert_eq!(read(&files, "@scratch/new").await.unwrap(), "x");
    files.rename(&path("@scratch/new"), &path("@scratch/moved"), plain()).await.unwrap();
    let between = files.rename(&path("a"), &path("@scratch/b"), plain()).await;
    assert_eq!(refused(between), ErrorKind::InvalidInput);
    for root in ["@docs", "@scratch"] {
        let gone = files.remove(&path(root), RemoveOptions::default().with_recursive(true)).await;
        assert!(matches!(refused(gone), ErrorKind::InvalidInput | ErrorKind::ReadOnly), "{root}");
    }
}

#[tokio::test]
async fn r_root_2_a_root_is_reached_by_name_and_by_absolute_path() {
    let Roots { scene, files, docs } = roots();
    for (text, expected) in [
        (scene.at("a").to_str().unwrap(), "a"),
        (docs.join("a").to_str().unwrap(), "@docs/a"),
        (docs.to_str().unwrap(), "@docs"),
        ("@scratch/x", "@scratch/x"),
    ] {
        assert_eq!(parse(&files, text).unwrap().as_str(), expected, "{text}");
    }
    let listed = files.list(&path("@docs"), ListOptions::default()).await.unwrap();
    let names: Vec<_> = listed.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(names, ["@docs/a"]);
    // The primary root holds what it holds.
    let listed = files.list(&path(""), ListOptions::default()).await.unwrap();
    let names: Vec<_> = listed.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(names, ["a"]);
    assert_eq!(refused(read(&files, "@none/a").await), ErrorKind::NotFound);
}

#[tokio::test]
async fn r_root_2_names_that_clash_fail_construction() {
    let scene = Scene::new();
    let extra = scene.home().join("extra");
    fs::create_dir(&extra).unwrap();
    scene.dir("@taken");
    let build = |name: &str| Local::builder(scene.root()).root(name, &extra, false).build();
    for name in ["taken", "", "a/b", "a\\b", "a\0b"] {
        assert_eq!(refused(build(name)), ErrorKind::InvalidInput, "{name:?}");
    }
    assert!(build("free").is_ok());
    let twice = Local::builder(scene.root()).root("one", &extra, false).root("one", scene.outside(), false);
    assert_eq!(refused(twice.build()), ErrorKind::InvalidInput);
    let same = Local::builder(scene.root()).root("again", scene.root(), false);
    assert_eq!(refused(same.build()), ErrorKind::InvalidInput);
    let missing = Local::builder(scene.root()).root("gone", scene.home().join("gone"), false);
    assert_eq!(refused(missing.build()), ErrorKind::NotFound);
}

/// A read-only root inside the primary one.
fn nested() -> (Scene, Local) {
    let scene = Scene::new();
    scene.put("third/vendor/lib", "vendored");
    scene.put("third/own", "own");
    let files = Local::builder(scene.root()).root("vendor", scene.at("third/vendor"), false).build().unwrap();
    (scene, files)
}

#[tokio::test]
async fn r_root_2_of_nested_roots_the_innermost_decides() {
    let (scene, files) = nested();
    assert_eq!(parse(&files, "third/vendor/lib").unwrap().as_str(), "@vendor/lib");
    // Also for a path that came from a listing and never was text.
    let listed = files.list(&path("third/vendor"), ListOptions::default()).await.unwrap();
    assert_eq!(listed[0].path.as_str(), "third/vendor/lib");
    assert_eq!(read(&files, "third/vendor/lib").await.unwrap(), "vendored");
    for name in ["third/vendor/lib", "third/vendor/new", "@vendor/lib"] {
        assert_eq!(refused(write(&files, name, "x").await), ErrorKind::ReadOnly, "{name}");
        let gone = files.remove(&path(name), RemoveOptions::default()).await;
        assert_eq!(refused(gone), ErrorKind::ReadOnly, "{name}");
    }
    write(&files, "third/own", "changed").await.unwrap();

    // What holds a root neither goes nor moves.
    let recursive = || RemoveOptions::default().with_recursive(true);
    assert_eq!(refused(files.remove(&path("third"), recursive()).await), ErrorKind::InvalidInput);
    let moved = files.rename(&path("third"), &path("fourth"), RenameOptions::default()).await;
    assert_eq!(refused(moved), ErrorKind::InvalidInput);
    assert_eq!(scene.text("third/vendor/lib"), "vendored");

    // A walk passes through, and the rules for the inner root's own names hold on the way.
    let walked = files.walk(&path("third"), WalkOptions::default()).await.unwrap();
    let walked = walked.collect_items(9).await.unwrap();
    let names: Vec<_> = walked.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(names, ["third/own", "third/vendor", "third/vendor/lib"]);
    let filter = PathFilter::deny("lib", |path, _| path.as_str() == "@vendor/lib");
    let walked =
        files.walk(&path("third"), WalkOptions::default().with_filter(filter.clone())).await.unwrap();
    assert_eq!(walked.collect_items(9).await.unwrap().len(), 2);
    let options = ReadOptions::default().with_filter(filter);
    assert_eq!(refused(files.read(&path("third/vendor/lib"), options).await), ErrorKind::DeniedPath);
}

#[tokio::test]
async fn r_root_2_a_root_around_the_primary_one_leaves_it_its_rights() {
    let scene = Scene::new();
    scene.put("a", "primary");
    let files = Local::builder(scene.root()).root("all", scene.home(), false).build().unwrap();
    assert_eq!(parse(&files, scene.at("a").to_str().unwrap()).unwrap().as_str(), "a");
    assert_eq!(read(&files, "@all/ws/a").await.unwrap(), "primary");
    files.write(&path("@all/ws/b"), Body::from(b"x".to_vec()), WriteOptions::default()).await.unwrap();
    assert_eq!(scene.text("b"), "x");
    assert_eq!(refused(write(&files, "@all/new", "x").await), ErrorKind::ReadOnly);
}

#[tokio::test]
async fn r_root_3_neither_dots_nor_links_cross_from_root_to_root() {
    let Roots { scene, files, docs } = roots();
    for text in ["@docs/../a", "@docs/../ws/a", "../docs/a"] {
        assert_eq!(refused(parse(&files, text)), ErrorKind::PathEscape, "{text}");
    }
    scene.link("to-docs", &docs);
    scene.link("to-docs-relative", "../docs/a");
    std::os::unix::fs::symlink(scene.at("a"), docs.join("to-primary")).unwrap();
    std::os::unix::fs::symlink("../ws/a", docs.join("to-primary-relative")).unwrap();
    std::os::unix::fs::symlink(docs.join("a"), docs.join("to-own")).unwrap();
    for name in ["to-docs/a", "to-docs-relative", "@docs/to-primary", "@docs/to-primary-relative"] {
        assert_eq!(refused(read(&files, name).await), ErrorKind::PathEscape, "{name}");
    }
    assert_eq!(read(&files, "@docs/to-own").await.unwrap(), "docs");

    let (scene, files) = nested();
    scene.link("into", "third/vendor/lib");
    scene.link("into-absolute", scene.at("third/vendor"));
    scene.link("own", "third/own");
    for name in ["into", "into-absolute/lib"] {
        assert_eq!(refused(read(&files, name).await), ErrorKind::PathEscape, "{name}");
        assert_eq!(refused(write(&files, name, "x").await), ErrorKind::PathEscape, "{name}");
    }
    assert_eq!(read(&files, "own").await.unwrap(), "own");
}
