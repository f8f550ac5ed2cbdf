//! No error shows where the workspace lies on the host.

use std::error::Error as _;
use std::os::unix::fs::PermissionsExt;

use rustix::fs::{CWD, Mode, mkfifoat};
use workspace_core::{
    Body, CreateDirOptions, Error, FsProvider, ListOptions, PathFilter, Precondition, ReadOptions,
    RemoveOptions, RenameOptions, ResolveOptions, StatOptions, WalkOptions, WorkspacePath, WriteOptions,
};
use workspace_local::{HardLinks, LinkPolicy, Local};

use crate::support::{Scene, path};

/// Every operation on a path, and the errors that come of it.
async fn failures(files: &Local, name: &str, filter: &PathFilter) -> Vec<Error> {
    let path = &path(name);
    let other = &crate::support::path("file/below");
    let content = || Body::from(b"x".to_vec());
    let writing = || WriteOptions::default().with_filter(filter.clone());
    let renaming = || RenameOptions::default().with_filter(filter.clone());
    let removing = RemoveOptions::default().with_filter(filter.clone());
    let outcomes = [
        files.stat(path, StatOptions::default().with_filter(filter.clone())).await.err(),
        files.read(path, ReadOptions::default().with_filter(filter.clone())).await.err(),
        files.list(path, ListOptions::default().with_filter(filter.clone())).await.err(),
        files.walk(path, WalkOptions::default().with_filter(filter.clone())).await.err(),
        files.resolve(path, ResolveOptions::default().with_filter(filter.clone())).await.err(),
        files.create_dir(path, CreateDirOptions::default().with_filter(filter.clone())).await.err(),
        files.write(path, content(), writing().with_if_match(Precondition::Absent)).await.err(),
        files.write(path, content(), writing().with_if_match(Precondition::Sha256([0; 32]))).await.err(),
        files
            .write(path, content(), writing().with_create_parents(true).with_if_match(Precondition::Absent))
            .await
            .err(),
        files.rename(path, other, renaming()).await.err(),
        files.rename(other, path, renaming()).await.err(),
        files.rename(path, path, renaming()).await.err(),
        files.remove(path, removing).await.err(),
    ];
    outcomes.into_iter().flatten().collect()
}

#[track_caller]
fn assert_discreet(error: &Error, home: &str) {
    let mut texts =
        vec![error.to_string(), format!("{error:?}"), error.next_step().unwrap_or_default().to_owned()];
    let mut source = error.source();
    while let Some(cause) = source {
        texts.push(cause.to_string());
        source = cause.source();
    }
    for text in texts {
        assert!(!text.contains(home), "{text}");
        assert!(!text.contains("outside/"), "where a link leads is told: {text}");
    }
    let message = error.message();
    assert!(
        message.starts_with(|c: char| c.is_lowercase() || c == '`') && !message.ends_with('.'),
        "{message}"
    );
    assert!(error.operation().is_some() && error.path().is_some(), "{error:?}");
}

#[tokio::test]
async fn r_err_1_no_error_holds_a_path_of_the_host() {
    let scene = Scene::new();
    for name in ["file", "dir/file", "read-only", "denied/file"] {
        scene.put(name, "x");
    }
    std::fs::set_permissions(scene.at("read-only"), std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::hard_link(scene.at("file"), scene.at("twin")).unwrap();
    mkfifoat(CWD, scene.at("pipe"), Mode::from_raw_mode(0o666)).unwrap();
    for (name, target) in [
        ("out", scene.outside().join("secret")),
        ("out-dir", scene.outside()),
        ("dangling", scene.outside().join("none")),
        ("dangling-in", scene.at("never")),
        ("loop", scene.at("loop")),
        ("proc", "/proc/self/root".into()),
    ] {
        scene.link(name, target);
    }
    let extra = scene.home().join("extra");
    std::fs::create_dir(&extra).unwrap();
    let home = scene.home().to_str().unwrap();
    let closed = PathFilter::deny("denied", |path, _| path.as_str().starts_with("denied"));
    let long = "n".repeat(255);
    let deep = vec!["d"; 3000].join("/");
    let names = [
        "",
        "file",
        "none",
        "none/x",
        "dir",
        "file/x",
        "read-only",
        "denied/file",
        "twin",
        "pipe",
        "pipe/x",
        "out",
        "out-dir",
        "out-dir/secret",
        "out-dir/new",
        "dangling",
        "dangling-in",
        "dangling/x",
        "loop",
        "proc",
        "proc/etc/passwd",
        "@extra",
        "@extra/x",
        "@none/x",
        &long,
        &deep,
    ];
    let mut seen = 0;
    for links in [LinkPolicy::Inside, LinkPolicy::Never] {
        let files = Local::builder(scene.root())
            .root("extra", &extra, false)
            .links(links)
            .hard_links(HardLinks::Refuse)
            .build()
            .unwrap();
        for name in names {
            for error in failures(&files, name, &closed).await {
                assert_discreet(&error, home);
                seen += 1;
            }
        }
        for text in ["/etc/passwd", "../ws-evil/secret", "~/x", "C:\\x", &format!("{home}/outside/secret")] {
            let error = WorkspacePath::parse(text, &files.path_rules()).unwrap_err();
            assert!(text.contains(home) || !error.to_string().contains(home), "{error}");
            seen += 1;
        }
        assert!(!format!("{files:?}").contains(home));
    }
    assert!(seen > 300, "{seen} failures are too few for a large table");
}
