//! The conformance kit in real containers.

use std::sync::Arc;

use workspace_core::{FsProvider, GlobQuery, GrepQuery, SharedFs};
use workspace_local::Local;
use workspace_testkit::{Commands, DiskPlant, Report, Subject, run, run_where};

use crate::engine::{fresh, has, runtime};
use crate::shared::Shared;

fn subject(files: impl FsProvider, disk: Option<DiskPlant>) -> Subject {
    let subject = Subject::new(files)
        .with_portable_search(
            |files: SharedFs, query: GlobQuery| async move { workspace_search::glob(&files, &query).await },
            |files: SharedFs, query: GrepQuery| async move { workspace_search::grep(&files, &query).await },
        )
        .with_forbidden_text("/var/lib/docker")
        .with_patience(std::time::Duration::from_mins(10))
        .with_effort(4);
    match disk {
        Some(disk) => subject.with_plant(disk),
        None => subject,
    }
}

/// Where the images differ from the contract.
const BUSYBOX: &[(&str, &str)] = &[
    ("shell::input::the_environment_is_what_the_command_says", "its shell gives itself a PATH"),
    ("shell::input::a_value_is_not_interpreted", "its shell gives itself a PATH"),
];

#[track_caller]
fn sound(report: &Report) {
    println!("{report}");
    assert!(report.is_success(), "the backend does not hold to the contract:\n{report}");
}

/// All cases, each in a root of its own in one container.
#[track_caller]
fn check(image: &'static str, known: &[(&str, &str)]) {
    if !has(image) {
        return;
    }
    sound(&runtime().block_on(async {
        let shared = Arc::new(Shared::new(image, "conformance").await);
        let of = Arc::clone(&shared);
        let factory = move || {
            let shared = Arc::clone(&of);
            async move {
                let (docker, disk) = shared.root().await?;
                let shell = docker.shell().expect("the image has a shell");
                Ok::<_, workspace_core::Error>(subject(docker, disk).with_shell(shell, Commands::posix()))
            }
        };
        let report = run(factory, known).await;
        shared.docker.dispose().await.unwrap();
        report
    }));
}

#[test]
fn busybox() {
    check("busybox", BUSYBOX);
}

#[test]
fn debian() {
    check("debian", &[]);
}

/// Commands of containers that were made here, where a kill reaches more.
#[test]
fn commands_of_a_container_of_its_own() {
    if !has("busybox") {
        return;
    }
    sound(&runtime().block_on(run_where(
        || async {
            let docker = fresh("busybox", "commands").open().await?;
            let shell = docker.shell().expect("the image has a shell");
            Ok::<_, workspace_core::Error>(subject(docker, None).with_shell(shell, Commands::posix()))
        },
        BUSYBOX,
        |case| case.starts_with("shell::"),
    )));
}

/// What an image without a shell cannot do is told by its capabilities. Nothing runs
/// in its container, so that all cases share one.
#[test]
fn distroless() {
    if !has("distroless") {
        return;
    }
    sound(&runtime().block_on(async {
        let shared = Arc::new(Shared::new("distroless", "distroless").await);
        let of = Arc::clone(&shared);
        let factory = move || {
            let shared = Arc::clone(&of);
            async move {
                let (docker, disk) = shared.root().await?;
                assert!(docker.shell().is_none());
                let Some(disk) = disk else { return Ok(subject(docker, None)) };
                let seed = Local::open(disk.root())?;
                Ok::<_, workspace_core::Error>(subject(docker, Some(disk)).with_seed(seed))
            }
        };
        let report = run(factory, &[]).await;
        shared.docker.dispose().await.unwrap();
        report
    }));
}
