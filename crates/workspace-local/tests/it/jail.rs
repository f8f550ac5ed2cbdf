//! Paths to files: R-JAIL-1 to R-JAIL-8.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use rustix::fs::{CWD, Mode, mkfifoat};
use workspace_core::{
    Access, CreateDirOptions, Error, ErrorKind, FileKind, FsProvider, ListOptions, PathFilter, ReadOptions,
    RemoveOptions, RenameOptions, ResolveOptions, StatOptions, WalkOptions, WorkspacePath, WriteOptions,
};
use workspace_local::{HardLinks, LinkPolicy, Local};

use crate::support::{SECRET, Scene, path, read, refused, write, write_with};

#[tokio::test]
async fn r_jail_1_a_root_must_be_a_directory_that_exists() {
    let scene = Scene::new();
    let missing = Local::open(scene.home().join("nowhere")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert!(missing.next_step().is_some_and(|hint| hint.contains("make the directory")), "{missing:?}");
    let file = Local::open(scene.outside().join("secret")).unwrap_err();
    assert_eq!(file.kind(), ErrorKind::NotADirectory);
    assert!(file.next_step().is_some_and(|hint| hint.contains("directory that holds")), "{file:?}");
}

#[tokio::test]
async fn r_jail_1_the_handle_stays_with_the_directory_that_was_opened() {
    let scene = Scene::new();
    scene.put("a", "inside");
    let files = scene.open();
    fs::rename(scene.root(), scene.home().join("moved")).unwrap();
    symlink(scene.outside(), scene.root()).unwrap();

    assert_eq!(read(&files, "a").await.unwrap(), "inside");
    assert_eq!(refused(read(&files, "secret").await), ErrorKind::NotFound);
    write(&files, "b", "new").await.unwrap();
    assert_eq!(fs::read_to_string(scene.home().join("moved/b")).unwrap(), "new");
    assert_eq!(fs::read_dir(scene.outside()).unwrap().count(), 1);
}

#[tokio::test]
async fn r_jail_1_a_root_that_is_itself_reached_by_a_link_works() {
    let scene = Scene::new();
    scene.put("a", "inside");
    symlink(scene.root(), scene.home().join("alias")).unwrap();
    let files = Local::open(scene.home().join("alias")).unwrap();
    for spelling in [scene.home().join("alias/a"), scene.root().canonicalize().unwrap().join("a")] {
        let parsed = WorkspacePath::parse(spelling.to_str().unwrap(), &files.path_rules()).unwrap();
        assert_eq!(parsed.as_str(), "a", "{}", spelling.display());
    }
    assert_eq!(read(&files, "a").await.unwrap(), "inside");
}

/// A tree with every kind of link.
fn links() -> Scene {
    let scene = Scene::new();
    scene.put("real/deep/file", "inside");
    scene.put("top", "top");
    scene.link("to-file", "real/deep/file");
    scene.link("to-dir", "real/deep");
    scene.link("absolute", scene.at("real/deep/file"));
    scene.link("absolute-dir", scene.at("real"));
    scene.link("real/up", "../top");
    scene.link("real/through", "../to-dir/file");
    scene.link("dots", "real/./deep/../deep//file");
    // `..` means the parent of what the link leads to, as it does for any program.
    scene.link("physical", "to-dir/../up");
    scene.link("out", "../outside/secret");
    scene.link("out-absolute", scene.outside().join("secret"));
    scene.link("out-dir", "../outside");
    scene.link("out-and-in", "../ws/top");
    scene.link("sibling", "../ws-evil/secret");
    scene.link("proc", "/proc/self/root");
    scene.link("root-absolute", scene.root());
    scene.link("dangling", "real/none");
    scene.link("dangling-out", "../outside/new");
    scene.link("loop-a", "loop-b");
    scene.link("loop-b", "loop-a");
    scene.link("self", "self/x");
    scene
}

#[tokio::test]
async fn r_jail_2_links_inside_are_followed_and_others_refused() {
    let scene = links();
    let files = scene.open();
    for (name, expected) in [
        ("to-file", Ok("inside")),
        ("to-dir/file", Ok("inside")),
        ("absolute", Ok("inside")),
        ("absolute-dir/deep/file", Ok("inside")),
        ("absolute-dir/up", Ok("top")),
        ("real/up", Ok("top")),
        ("real/through", Ok("inside")),
        ("dots", Ok("inside")),
        ("physical", Ok("top")),
        ("root-absolute/top", Ok("top")),
        ("root-absolute/root-absolute/to-file", Ok("inside")),
        ("out", Err(ErrorKind::PathEscape)),
        ("out-absolute", Err(ErrorKind::PathEscape)),
        ("out-dir/secret", Err(ErrorKind::PathEscape)),
        ("out-and-in", Err(ErrorKind::PathEscape)),
        ("sibling", Err(ErrorKind::PathEscape)),
        ("proc/etc/passwd", Err(ErrorKind::PathEscape)),
        ("dangling", Err(ErrorKind::NotFound)),
        ("dangling-out", Err(ErrorKind::PathEscape)),
        ("loop-a", Err(ErrorKind::PathEscape)),
        ("self", Err(ErrorKind::PathEscape)),
        ("to-file/x", Err(ErrorKind::NotADirectory)),
        ("to-dir", Err(ErrorKind::IsADirectory)),
        ("to-dir/none", Err(ErrorKind::NotFound)),
    ] {
        let answer = read(&files, name).await;
        assert_eq!(answer.as_deref().map_err(Error::kind), expected, "{name}");
    }
}

#[tokio::test]
async fn r_jail_2_forty_links_are_followed_and_not_one_more() {
    let scene = Scene::new();
    scene.put("link-0", "end");
    for index in 1..=41 {
        scene.link(&format!("link-{index}"), format!("link-{}", index - 1));
    }
    let files = scene.open();
    assert_eq!(read(&files, "link-40").await.unwrap(), "end");
    assert_eq!(refused(read(&files, "link-41").await), ErrorKind::PathEscape);
}

#[tokio::test]
async fn r_jail_2_every_operation_refuses_a_link_out() {
    for (link, target) in [("out", "../outside/secret"), ("out", "/etc/hostname"), ("out", "../outside/none")]
    {
        let scene = Scene::new();
        scene.link(link, target);
        scene.link("dir", "../outside");
        let files = scene.open();
        let escape = ErrorKind::PathEscape;
        assert_eq!(refused(read(&files, "out").await), escape);
        assert_eq!(refused(write(&files, "out", "x").await), escape);
        assert_eq!(refused(files.stat(&path("out"), StatOptions::default()).await), escape);
        assert_eq!(refused(files.resolve(&path("out"), ResolveOptions::default()).await), escape);
        for name in ["dir/secret", "dir/new"] {
            let name = &path(name);
            assert_eq!(refused(files.read(name, ReadOptions::default()).await), escape);
            assert_eq!(refused(write(&files, name.as_str(), "x").await), escape);
            assert_eq!(refused(files.create_dir(name, CreateDirOptions::default()).await), escape);
            assert_eq!(refused(files.remove(name, RemoveOptions::default()).await), escape);
            assert_eq!(refused(files.rename(name, &path("here"), RenameOptions::default()).await), escape);
            assert_eq!(refused(files.rename(&path("out"), name, RenameOptions::default()).await), escape);
        }
        assert_eq!(refused(files.list(&path("dir"), ListOptions::default()).await), escape);
        assert_eq!(refused(files.walk(&path("dir"), WalkOptions::default()).await), escape);
        let parents = CreateDirOptions::default().with_parents(true);
        assert_eq!(refused(files.create_dir(&path("dir/a/b"), parents).await), escape);
        let parents = WriteOptions::default().with_create_parents(true);
        assert_eq!(refused(write_with(&files, "dir/a/b", "x", parents).await), escape);
        scene.assert_outside_untouched();
    }
}

#[tokio::test]
async fn r_jail_2_nothing_is_created_through_a_dangling_link() {
    let scene = links();
    let files = scene.open();
    for name in ["dangling", "dangling-out", "dangling/x"] {
        let parents = WriteOptions::default().with_create_parents(true);
        assert_eq!(refused(write_with(&files, name, "x", parents).await), ErrorKind::PathEscape, "{name}");
    }
    let parents = CreateDirOptions::default().with_parents(true);
    assert_eq!(refused(files.create_dir(&path("dangling"), parents).await), ErrorKind::PathEscape);
    assert_eq!(
        refused(files.resolve(&path("dangling"), ResolveOptions::default()).await),
        ErrorKind::PathEscape
    );
    assert!(!scene.at("real/none").exists());
    scene.assert_outside_untouched();
}

#[tokio::test]
async fn r_jail_2_without_links_no_component_may_be_one() {
    let scene = links();
    let files = Local::builder(scene.root()).links(LinkPolicy::Never).build().unwrap();
    assert_eq!(read(&files, "real/deep/file").await.unwrap(), "inside");
    for name in ["to-file", "to-dir/file", "absolute", "real/up", "dangling", "loop-a"] {
        assert_eq!(refused(read(&files, name).await), ErrorKind::PathEscape, "{name}");
        assert_eq!(refused(write(&files, name, "x").await), ErrorKind::PathEscape, "{name}");
    }
    assert!(!files.capabilities().links);
    // A link is still something that can be seen and removed.
    let itself = StatOptions::default().with_follow(false);
    assert_eq!(files.stat(&path("to-file"), itself).await.unwrap().kind, FileKind::Link);
    files.remove(&path("to-file"), RemoveOptions::default()).await.unwrap();
    assert_eq!(scene.text("real/deep/file"), "inside");
}

#[tokio::test]
async fn r_jail_3_a_write_keeps_the_link_and_a_removal_takes_it_alone() {
    let scene = links();
    let files = scene.open();
    for name in ["to-file", "absolute", "to-dir/file", "real/through"] {
        write(&files, name, name).await.unwrap();
        assert_eq!(scene.text("real/deep/file"), name);
    }
    assert!(scene.at("to-file").symlink_metadata().unwrap().is_symlink());
    for name in ["to-file", "to-dir", "out", "dangling", "loop-a"] {
        let recursive = RemoveOptions::default().with_recursive(true);
        files.remove(&path(name), recursive).await.unwrap();
        assert!(scene.at(name).symlink_metadata().is_err());
    }
    assert_eq!(scene.text("real/deep/file"), "real/through");
    scene.assert_outside_untouched();
}

#[tokio::test]
async fn r_jail_3_listings_report_links_and_do_not_follow_them() {
    let scene = Scene::new();
    scene.put("dir/file", "x");
    scene.link("in", "dir");
    scene.link("out", "../outside");
    let files = scene.open();
    let listed = files.list(&WorkspacePath::root(), ListOptions::default()).await.unwrap();
    let seen: Vec<_> = listed.iter().map(|entry| (entry.path.as_str(), entry.kind)).collect();
    assert_eq!(seen, [("dir", FileKind::Dir), ("in", FileKind::Link), ("out", FileKind::Link)]);
    let walked = files.walk(&WorkspacePath::root(), WalkOptions::default()).await.unwrap();
    let walked = walked.collect_items(99).await.unwrap();
    let seen: Vec<_> = walked.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(seen, ["dir", "dir/file", "in", "out"]);
}

#[tokio::test]
async fn r_jail_4_only_regular_files_are_read_or_written_and_nothing_hangs() {
    let scene = Scene::new();
    mkfifoat(CWD, scene.at("pipe"), Mode::from_raw_mode(0o666)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(scene.at("socket")).unwrap();
    scene.dir("dir");
    scene.link("to-pipe", "pipe");
    let files = scene.open();
    let all = async {
        for name in ["pipe", "socket", "to-pipe"] {
            assert_eq!(refused(read(&files, name).await), ErrorKind::NotAFile, "{name}");
            assert_eq!(refused(write(&files, name, "x").await), ErrorKind::NotAFile, "{name}");
            assert_eq!(
                files.stat(&path(name), StatOptions::default()).await.unwrap().kind,
                FileKind::Other,
                "{name}"
            );
        }
        assert_eq!(refused(read(&files, "dir").await), ErrorKind::IsADirectory);
        assert_eq!(refused(write(&files, "dir", "x").await), ErrorKind::IsADirectory);
        assert_eq!(refused(read(&files, "").await), ErrorKind::IsADirectory);
        assert_eq!(refused(write(&files, "", "x").await), ErrorKind::IsADirectory);
    };
    tokio::time::timeout(Duration::from_secs(20), all).await.expect("an operation hangs");
    assert_eq!(scene.names(""), ["dir", "pipe", "socket", "to-pipe"]);
    for name in ["pipe", "socket"] {
        files.remove(&path(name), RemoveOptions::default()).await.unwrap();
    }
}

#[tokio::test]
async fn r_jail_4_a_device_is_no_file() {
    let scene = Scene::new();
    // Another mount of it inside the root would need rights that tests seldom have.
    let files = Local::open("/dev").unwrap();
    assert_eq!(refused(read(&files, "null").await), ErrorKind::NotAFile);
    assert_eq!(refused(write(&files, "null", "x").await), ErrorKind::NotAFile);
    drop(scene);
}

#[tokio::test]
async fn r_jail_5_missing_directories_are_made_below_what_a_link_leads_to() {
    let scene = Scene::new();
    scene.dir("real");
    scene.link("alias", "real");
    let files = scene.open();
    assert_eq!(refused(write(&files, "alias/a/b/file", "x").await), ErrorKind::NotFound);
    let parents = WriteOptions::default().with_create_parents(true);
    assert!(write_with(&files, "alias/a/b/file", "x", parents).await.unwrap().created);
    assert_eq!(scene.text("real/a/b/file"), "x");
    let resolved = files.resolve(&path("alias/new/one"), ResolveOptions::default()).await.unwrap();
    assert_eq!(resolved, path("real/new/one"));
}

#[tokio::test]
async fn r_jail_7_a_second_name_outside_keeps_its_content() {
    let scene = Scene::new();
    fs::hard_link(scene.outside().join("secret"), scene.at("twin")).unwrap();
    let files = scene.open();
    // Nothing can tell this file from one of the workspace's own.
    assert_eq!(read(&files, "twin").await.unwrap(), SECRET);
    write(&files, "twin", "mine now").await.unwrap();
    assert_eq!(scene.text("twin"), "mine now");
    scene.assert_outside_untouched();

    fs::remove_file(scene.at("twin")).unwrap();
    fs::hard_link(scene.outside().join("secret"), scene.at("twin")).unwrap();
    let strict = Local::builder(scene.root()).hard_links(HardLinks::Refuse).build().unwrap();
    assert_eq!(refused(read(&strict, "twin").await), ErrorKind::DeniedPath);
    assert_eq!(refused(write(&strict, "twin", "x").await), ErrorKind::DeniedPath);
    write(&strict, "own", "x").await.unwrap();
    assert_eq!(read(&strict, "own").await.unwrap(), "x");
}

/// Closes `secret` and all below it.
fn closed() -> PathFilter {
    PathFilter::deny("closed", |path, _| path.components().any(|name| name == "secret"))
}

#[tokio::test]
async fn r_jail_8_rules_are_judged_on_the_path_behind_links() {
    let scene = Scene::new();
    scene.put("secret/key", "k");
    scene.put("open/file", "f");
    scene.link("alias", "secret");
    scene.link("open/key", "../secret/key");
    scene.link("absolute", scene.at("secret/key"));
    let files = scene.open();
    let denied = ErrorKind::DeniedPath;
    for name in ["secret/key", "alias/key", "open/key", "absolute", "alias/none", "secret/none/none"] {
        let name = path(name);
        let options = ReadOptions::default().with_filter(closed());
        assert_eq!(refused(files.read(&name, options).await), denied, "{name}");
        let options = StatOptions::default().with_filter(closed());
        assert_eq!(refused(files.stat(&name, options).await), denied, "{name}");
        let options = WriteOptions::default().with_filter(closed()).with_create_parents(true);
        assert_eq!(refused(write_with(&files, name.as_str(), "x", options).await), denied, "{name}");
        let options = ResolveOptions::default().with_filter(closed());
        assert_eq!(refused(files.resolve(&name, options).await), denied, "{name}");
    }
    let options = || ListOptions::default().with_filter(closed());
    for name in ["secret", "alias"] {
        assert_eq!(refused(files.list(&path(name), options()).await), denied);
        let options = CreateDirOptions::default().with_filter(closed()).with_parents(true);
        assert_eq!(refused(files.create_dir(&path(name).child("x").unwrap(), options).await), denied);
    }
    let listed = files.list(&WorkspacePath::root(), options()).await.unwrap();
    let names: Vec<_> = listed.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(names, ["absolute", "alias", "open"]);
    assert_eq!(scene.text("secret/key"), "k");
    assert_eq!(scene.names("secret"), ["key"]);
    assert_eq!(scene.text("open/file"), "f");
}

#[tokio::test]
async fn r_jail_8_a_rule_on_the_spelling_alone_does_not_close_the_target() {
    let scene = Scene::new();
    scene.put("real/file", "open");
    scene.link("alias", "real");
    let files = scene.open();
    // The path as asked is for the layer above to judge; here only the resolved one counts.
    let filter = PathFilter::deny("spelling", |path, _| path.starts_with(&crate::support::path("alias")));
    let options = ReadOptions::default().with_filter(filter);
    let body = files.read(&path("alias/file"), options).await.unwrap().body;
    assert_eq!(body.collect(99).await.unwrap(), b"open");
}

#[tokio::test]
async fn r_jail_8_a_rule_may_close_writing_alone() {
    let scene = Scene::new();
    scene.put("locked", "old");
    let filter =
        PathFilter::deny("locked", |path, access| access == Access::Write && path.name() == Some("locked"));
    let files = scene.open();
    let options = ReadOptions::default().with_filter(filter.clone());
    assert!(files.read(&path("locked"), options).await.is_ok());
    let options = WriteOptions::default().with_filter(filter.clone());
    assert_eq!(refused(write_with(&files, "locked", "new", options).await), ErrorKind::DeniedPath);
    let options = RemoveOptions::default().with_filter(filter.clone());
    assert_eq!(refused(files.remove(&path("locked"), options).await), ErrorKind::DeniedPath);
    let options = RenameOptions::default().with_filter(filter);
    assert_eq!(refused(files.rename(&path("locked"), &path("x"), options).await), ErrorKind::DeniedPath);
    assert_eq!(scene.text("locked"), "old");
}
