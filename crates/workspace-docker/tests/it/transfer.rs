//! Trees in and out.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use workspace_core::{Command, Event, FsProvider, ReadOptions, ShellProvider, StatOptions, WorkspacePath};
use workspace_docker::{Docker, PullOptions, PushOptions};
use workspace_local::Local;

use crate::engine::{fresh, has, runtime};

fn path(text: &str) -> WorkspacePath {
    text.split('/').try_fold(WorkspacePath::root(), |path, name| path.child(name)).unwrap()
}

fn names(paths: &[WorkspacePath]) -> Vec<&str> {
    paths.iter().map(WorkspacePath::as_str).collect()
}

async fn run(docker: &Docker, line: &str) {
    let mut process = docker.shell().unwrap().spawn(Command::sh(line)).await.unwrap();
    while let Some(event) = process.events.next().await {
        if let Event::Exit(exit) = event.unwrap() {
            assert_eq!(exit.status.code(), 0, "{line}");
        }
    }
}

#[test]
fn a_tree_goes_in_and_comes_back() {
    if !has("busybox") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    fs::create_dir_all(at("src/deep")).unwrap();
    fs::create_dir_all(at("target")).unwrap();
    fs::write(at("src/main.rs"), "fn main() {}\n").unwrap();
    fs::write(at(&format!("src/deep/{}", "long".repeat(40))), "long").unwrap();
    fs::write(at("tool.sh"), "#!/bin/sh\n").unwrap();
    fs::write(at("target/out"), "built").unwrap();
    fs::write(at(".gitignore"), "target/\n").unwrap();
    let large: Vec<u8> = (0..20_000_003_u32).map(|n| (n % 251) as u8).collect();
    fs::write(at("large"), &large).unwrap();
    std::os::unix::fs::chown(at("tool.sh"), None, None).unwrap();
    fs::set_permissions(at("tool.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    runtime().block_on(async {
        let local = Local::open(home.path()).unwrap();
        let docker = fresh("busybox", "transfer").open().await.unwrap();
        let told = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&told);
        let options = PushOptions::default().with_progress(move |_, _| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let pushed = docker.push(&local, options).await.unwrap();
        assert_eq!((pushed.files, pushed.ignored), (5, 1));
        assert_eq!(told.load(Ordering::Relaxed), 5);
        let file = docker.read(&path("large"), ReadOptions::default()).await.unwrap();
        assert!(file.body.collect(1 << 30).await.unwrap() == large);
        let stat = docker.stat(&path("tool.sh"), StatOptions::default()).await.unwrap();
        assert_eq!(stat.mode, Some(0o755));
        assert!(docker.stat(&path("target"), StatOptions::default()).await.is_err());

        run(
            &docker,
            "echo changed >> src/main.rs; echo new > src/new.rs; ln -s /etc/passwd bait; mkfifo pipe",
        )
        .await;
        let looked = docker.pull(&local, PullOptions::default().with_look_only(true)).await.unwrap();
        let pulled = docker.pull(&local, PullOptions::default()).await.unwrap();
        assert_eq!((names(&looked.added), names(&looked.changed)), (vec!["src/new.rs"], vec!["src/main.rs"]));
        assert_eq!(names(&pulled.added), ["src/new.rs"]);
        assert_eq!(names(&pulled.changed), ["src/main.rs"]);
        let passed: Vec<_> = pulled.passed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(passed, ["./bait", "./pipe"]);
        assert_eq!(fs::read_to_string(at("src/main.rs")).unwrap(), "fn main() {}\nchanged\n");
        assert!(fs::read(at("large")).unwrap() == large);
        assert!(fs::symlink_metadata(at("bait")).is_err());
        docker.dispose().await.unwrap();
    });
}

#[test]
fn directories_without_files_go_both_ways() {
    if !has("busybox") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    for name in ["empty/deep", "target/debug", "src", ".git/refs", "only-ignored"] {
        fs::create_dir_all(home.path().join(name)).unwrap();
    }
    fs::write(home.path().join(".gitignore"), "target/\n*.log\n").unwrap();
    fs::write(home.path().join("src/a"), "a").unwrap();
    fs::write(home.path().join("only-ignored/x.log"), "x").unwrap();
    let back = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let docker = fresh("busybox", "transfer-empty").open().await.unwrap();
        let pushed = docker.push(&Local::open(home.path()).unwrap(), PushOptions::default()).await.unwrap();
        assert_eq!((pushed.files, pushed.directories), (2, 2));
        run(&docker, "mkdir made").await;

        let to = Local::open(back.path()).unwrap();
        let expected = ["empty", "empty/deep", "made", "only-ignored", "src"];
        let looked = docker.pull(&to, PullOptions::default().with_look_only(true)).await.unwrap();
        assert_eq!(names(&looked.directories), expected);
        assert_eq!(fs::read_dir(back.path()).unwrap().count(), 0);
        let told = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&told);
        let options = PullOptions::default().with_progress(move |_, bytes| {
            counter.store(bytes, Ordering::Relaxed);
        });
        let pulled = docker.pull(&to, options.clone()).await.unwrap();
        assert_eq!(names(&pulled.directories), expected);
        assert_eq!((names(&pulled.added), pulled.bytes), (vec![".gitignore", "src/a"], 15));
        assert_eq!(told.load(Ordering::Relaxed), 15);
        assert!(back.path().join("empty/deep").is_dir());
        let again = docker.pull(&to, options).await.unwrap();
        assert_eq!((again.directories, again.unchanged), (Vec::new(), 2));
        docker.dispose().await.unwrap();
    });
}

#[test]
fn a_tree_goes_into_an_image_without_a_shell() {
    if !has("distroless") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("a")).unwrap();
    fs::write(home.path().join("a/file"), "text").unwrap();
    let back = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let docker = fresh("distroless", "transfer-archive").open().await.unwrap();
        docker.push(&Local::open(home.path()).unwrap(), PushOptions::default()).await.unwrap();
        let file = docker.read(&path("a/file"), ReadOptions::default()).await.unwrap();
        assert_eq!(file.body.collect(99).await.unwrap(), b"text");
        let pulled = docker.pull(&Local::open(back.path()).unwrap(), PullOptions::default()).await.unwrap();
        assert_eq!(names(&pulled.added), ["a/file"]);
        assert_eq!(fs::read_to_string(back.path().join("a/file")).unwrap(), "text");
        docker.dispose().await.unwrap();
    });
}
