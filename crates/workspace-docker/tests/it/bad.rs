//! What goes wrong is told in bounded time, by its kind.

use std::time::Duration;

use bollard::query_parameters::RemoveContainerOptionsBuilder;
use workspace_core::{
    Body, ErrorKind, FsProvider, ListOptions, ReadOptions, Result, StatOptions, WorkspacePath, WriteOptions,
};
use workspace_docker::{Docker, Memory};

use crate::engine::{fresh, has, left, negotiated, runtime, socket};

fn path(name: &str) -> WorkspacePath {
    WorkspacePath::root().child(name).unwrap()
}

async fn write(docker: &Docker, name: &str, bytes: Vec<u8>) -> Result<()> {
    docker.write(&path(name), Body::from(bytes), WriteOptions::default()).await.map(drop)
}

#[track_caller]
fn kind<T: std::fmt::Debug>(outcome: Result<T>) -> ErrorKind {
    let error = outcome.unwrap_err();
    assert!(!error.to_string().contains("/var/"), "{error}");
    assert!(error.operation().is_some(), "{error:?}");
    error.kind()
}

#[test]
fn no_engine_is_told_with_what_to_do() {
    runtime().block_on(async {
        let error = Docker::from_image("x").with_engine("/nowhere.sock").open().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.next_step().is_some_and(|hint| hint.contains("Docker")), "{error:?}");
    });
}

/// An engine that takes the call and never answers.
#[test]
fn an_engine_that_hangs_is_given_up() {
    let home = tempfile::tempdir().unwrap();
    let socket = home.path().join("engine.sock");
    let _listens = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    runtime().block_on(async {
        let builder = Docker::from_image("x").with_engine(socket.to_str().unwrap());
        let opening = builder.with_deadline(Duration::from_secs(1)).open();
        let outcome = tokio::time::timeout(Duration::from_secs(30), opening).await.unwrap();
        assert_eq!(kind(outcome), ErrorKind::TimedOut);
    });
}

#[test]
fn a_missing_image_is_named_and_not_downloaded() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let error = Docker::from_image("no-such-image:1").with_engine(socket()).open().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.message().contains("no-such-image:1"), "{error}");
        let attached = Docker::attach("no-such-container").with_engine(socket()).open().await;
        assert_eq!(kind(attached), ErrorKind::NotFound);
    });
}

#[test]
fn an_image_without_a_shell_can_be_looked_at_alone() {
    if !has("distroless") {
        return;
    }
    runtime().block_on(async {
        let docker = fresh("distroless", "no-shell").open().await.unwrap();
        assert!(docker.shell().is_none());
        assert!(!docker.capabilities().write);
        assert_eq!(kind(write(&docker, "x", b"x".to_vec()).await), ErrorKind::ReadOnly);
        docker.dispose().await.unwrap();
        assert_eq!(left("no-shell").await, Vec::<String>::new());
    });
}

#[test]
fn a_paused_container_is_told_and_works_again() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let docker = fresh("busybox", "paused").with_deadline(Duration::from_secs(10)).open().await.unwrap();
        write(&docker, "file", b"x".to_vec()).await.unwrap();
        let client = negotiated().await;
        client.pause_container(docker.id()).await.unwrap();
        let looked = docker.stat(&path("file"), StatOptions::default()).await;
        assert!(matches!(kind(looked), ErrorKind::TimedOut | ErrorKind::Unavailable));
        assert_eq!(
            kind(docker.list(&WorkspacePath::root(), ListOptions::default()).await),
            ErrorKind::Unavailable
        );
        client.unpause_container(docker.id()).await.unwrap();
        let file = docker.read(&path("file"), ReadOptions::default()).await.unwrap();
        assert_eq!(file.body.collect(9).await.unwrap(), b"x");
        docker.dispose().await.unwrap();
    });
}

#[test]
fn a_container_that_is_removed_meanwhile_is_unavailable() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let docker = fresh("busybox", "removed").open().await.unwrap();
        write(&docker, "file", b"x".to_vec()).await.unwrap();
        let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
        negotiated().await.remove_container(docker.id(), Some(options)).await.unwrap();
        assert_eq!(kind(docker.stat(&path("file"), StatOptions::default()).await), ErrorKind::Unavailable);
        assert_eq!(kind(write(&docker, "file", b"y".to_vec()).await), ErrorKind::Unavailable);
        let command = workspace_core::Command::sh("true");
        let spawned = workspace_core::ShellProvider::spawn(&docker.shell().unwrap(), command).await;
        assert_eq!(kind(spawned), ErrorKind::Unavailable);
        docker.dispose().await.unwrap();
    });
}

/// A full disk: the mount for temporary files, which has a size.
#[test]
fn a_full_disk_is_told_and_leaves_the_old_file() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let made = fresh("busybox", "full").with_tmp(Some(Memory::mebibytes(1))).open().await.unwrap();
        let docker = Docker::attach(made.id()).with_engine(socket()).with_root("/tmp").open().await.unwrap();
        write(&docker, "file", b"old".to_vec()).await.unwrap();
        assert_eq!(kind(write(&docker, "file", vec![b'x'; 2 << 20]).await), ErrorKind::NoSpace);
        let file = docker.read(&path("file"), ReadOptions::default()).await.unwrap();
        assert_eq!(file.body.collect(9).await.unwrap(), b"old");
        // What was sent is gone when the refusal is here, so the next write has the room.
        write(&docker, "fill", vec![b'x'; 700 << 10]).await.unwrap();
        let mut outcome = Ok(());
        for n in 0..40 {
            outcome = write(&docker, &format!("fill-{n}"), vec![b'x'; 40 << 10]).await;
            if outcome.is_err() {
                break;
            }
        }
        assert_eq!(kind(outcome), ErrorKind::NoSpace);
        let names = docker.list(&WorkspacePath::root(), ListOptions::default()).await.unwrap();
        assert!(names.iter().any(|entry| entry.path == path("file")));
        docker.remove(&path("fill-0"), workspace_core::RemoveOptions::default()).await.unwrap();
        made.dispose().await.unwrap();
    });
}

/// The sandbox ends all that it can, the shells for files included.
#[test]
fn the_sandbox_may_end_the_shells_and_the_workspace_works_again() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let docker = fresh("busybox", "hostile").open().await.unwrap();
        write(&docker, "file", b"x".to_vec()).await.unwrap();
        let command = workspace_core::Command::sh("kill -9 -1");
        let mut process =
            workspace_core::ShellProvider::spawn(&docker.shell().unwrap(), command).await.unwrap();
        while let Some(Ok(_)) = process.events.next().await {}
        let file = docker.read(&path("file"), ReadOptions::default()).await.unwrap();
        assert_eq!(file.body.collect(9).await.unwrap(), b"x");
        write(&docker, "file", b"y".to_vec()).await.unwrap();
        docker.dispose().await.unwrap();
    });
}
