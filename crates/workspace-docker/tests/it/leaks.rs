//! Nothing is left: no container, no volume, no process.

use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bollard::query_parameters::ListContainersOptionsBuilder;
use workspace_core::{
    Body, CreateDirOptions, FsProvider, ListOptions, ReadOptions, RemoveOptions, RenameOptions,
    ShellProvider, WorkspacePath, WriteOptions,
};
use workspace_docker::{Docker, reap_orphans};

use crate::engine::{eventually, fresh, has, left, negotiated, runtime, socket};

/// How many random operations the leak test makes; more where it is asked to.
fn operations() -> u64 {
    std::env::var("WORKSPACE_DOCKER_OPERATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(1000)
}

/// A number that looks random, so that a run can be repeated.
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Whatever an operation says: only what it leaves is looked at.
async fn any_operation(docker: &Docker, state: &mut u64) {
    let name = |n: u64| WorkspacePath::root().child(&format!("name-{}", n % 20)).unwrap();
    let (what, one, two) = (mixed(state), name(mixed(state)), name(mixed(state)));
    match what % 9 {
        0 | 1 => {
            let size = usize::try_from(mixed(state) % 100_000).unwrap();
            let _ = docker.write(&one, Body::from(vec![b'x'; size]), WriteOptions::default()).await;
        }
        2 => {
            if let Ok(file) = docker.read(&one, ReadOptions::default()).await {
                let _ = file.body.collect(1 << 20).await;
            }
        }
        3 => drop(docker.list(&WorkspacePath::root(), ListOptions::default()).await),
        4 => drop(docker.create_dir(&one, CreateDirOptions::default()).await),
        5 => drop(docker.remove(&one, RemoveOptions::default().with_recursive(true)).await),
        6 => drop(docker.rename(&one, &two, RenameOptions::default().with_replace(true)).await),
        7 => {
            // Given up half way.
            let reading = docker.read(&one, ReadOptions::default());
            let _ = tokio::time::timeout(Duration::from_micros(mixed(state) % 2000), reading).await;
        }
        _ if what % 90 == 8 => {
            let line = ["sleep 100 & echo x", "exit 3", "setsid sleep 100 &"]
                [usize::try_from(mixed(state) % 3).unwrap()];
            if let Ok(mut process) = docker.shell().unwrap().spawn(workspace_core::Command::sh(line)).await {
                while let Some(Ok(_)) = process.events.next().await {}
            }
        }
        _ => drop(docker.walk(&WorkspacePath::root(), workspace_core::WalkOptions::default()).await),
    }
}

async fn volumes() -> usize {
    let told = negotiated().await.list_volumes(None::<bollard::query_parameters::ListVolumesOptions>).await;
    told.unwrap().volumes.unwrap_or_default().len()
}

/// What runs in the container by the sandbox's user, other than this look.
async fn processes(docker: &Docker) -> usize {
    let line = "n=0; for p in /proc/[0-9]*; do [ -O $p ] && n=$((n+1)); done; echo $n";
    let mut process = docker.shell().unwrap().spawn(workspace_core::Command::sh(line)).await.unwrap();
    let mut output = Vec::new();
    while let Some(Ok(event)) = process.events.next().await {
        if let workspace_core::Event::Output(_, bytes) = event {
            output.extend(bytes);
        }
    }
    String::from_utf8(output).unwrap().trim().parse().unwrap()
}

#[test]
fn nothing_is_left_after_many_operations() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let docker = fresh("busybox", "operations").open().await.unwrap();
        let mut state = 4711;
        let begun = Instant::now();
        for _ in 0..operations() {
            any_operation(&docker, &mut state).await;
        }
        println!("{} operations took {:?}", operations(), begun.elapsed());
        // The launcher, its line, and the shells that stay open: 4 for files, 2 to look for processes.
        eventually("no process is left", || async { processes(&docker).await <= 9 }).await;
        let names = docker.list(&WorkspacePath::root(), ListOptions::default()).await.unwrap();
        assert!(names.len() <= 20);
        docker.dispose().await.unwrap();
        docker.dispose().await.unwrap();
        eventually("the container is gone", || async { left("operations").await.is_empty() }).await;
    });
}

#[test]
fn a_dropped_workspace_is_removed() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let docker = fresh("busybox", "dropped").open().await.unwrap();
        assert_eq!(left("dropped").await.len(), 1);
        let clone = docker.clone();
        drop(docker);
        assert!(clone.list(&WorkspacePath::root(), ListOptions::default()).await.is_ok());
        drop(clone);
        eventually("the container is gone", || async { left("dropped").await.is_empty() }).await;
    });
}

#[test]
fn an_attached_container_stays() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let made = fresh("busybox", "attached").open().await.unwrap();
        let attached = Docker::attach(made.id()).with_engine(socket()).open().await.unwrap();
        attached.dispose().await.unwrap();
        drop(attached);
        assert_eq!(left("attached").await.len(), 1);
        assert!(made.list(&WorkspacePath::root(), ListOptions::default()).await.is_ok());
        made.dispose().await.unwrap();
    });
}

async fn one(number: usize) -> workspace_core::Result<(usize, WorkspacePath, Docker)> {
    let builder = fresh("busybox", "many").with_shells(1).with_deadline(Duration::from_mins(5));
    let docker = builder.open().await?;
    let path = WorkspacePath::root().child("number")?;
    docker.write(&path, Body::from(number.to_string().into_bytes()), WriteOptions::default()).await?;
    Ok((number, path, docker))
}

/// Many at once: as many as the machine of the tests bears, or as many as it is asked to.
#[test]
fn many_workspaces_live_side_by_side() {
    if !has("busybox") {
        return;
    }
    let many: usize =
        std::env::var("WORKSPACE_DOCKER_MANY").ok().and_then(|many| many.parse().ok()).unwrap_or(12);
    runtime().block_on(async {
        let before = volumes().await;
        let opened: Vec<_> = (0..many).map(|number| tokio::spawn(one(number))).collect();
        let mut all = Vec::new();
        for opening in opened {
            all.push(opening.await.unwrap().unwrap());
        }
        assert_eq!(left("many").await.len(), many);
        for (number, path, docker) in &all {
            let file = docker.read(path, ReadOptions::default()).await.unwrap();
            assert_eq!(file.body.collect(9).await.unwrap(), number.to_string().into_bytes());
        }
        drop(all);
        eventually("all are gone", || async { left("many").await.is_empty() }).await;
        eventually("their volumes are gone", || async { volumes().await <= before }).await;
    });
}

/// The same test binary once more, as a program that opens a workspace and waits to be killed.
#[test]
fn child_that_waits() {
    // It does something only where the tests of a program that is killed start it.
    let Ok(test) = std::env::var("WORKSPACE_DOCKER_CHILD") else { return };
    let dead_man = std::env::var("WORKSPACE_DOCKER_DEAD_MAN").unwrap().parse().unwrap();
    runtime().block_on(async {
        let builder = fresh("busybox", &test).with_dead_man(Duration::from_secs(dead_man));
        let docker = builder.open().await.unwrap();
        println!("open");
        tokio::time::sleep(Duration::from_mins(10)).await;
        drop(docker);
    });
}

/// Whether the container of a test runs. One that was made and never started has no dead man yet.
async fn runs(test: &str) -> bool {
    let label = format!("workspace.test={test}");
    let filters = HashMap::from([("label", vec![label.as_str()]), ("status", vec!["running"])]);
    let options = ListContainersOptionsBuilder::default().filters(&filters).build();
    !negotiated().await.list_containers(Some(options)).await.unwrap().is_empty()
}

/// Starts the child, and kills it when its container runs.
async fn killed_child(test: &str, dead_man: u64) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "leaks::child_that_waits", "--nocapture"])
        .env("WORKSPACE_DOCKER_CHILD", test)
        .env("WORKSPACE_DOCKER_DEAD_MAN", dead_man.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    eventually("the container of the child runs", || runs(test)).await;
    // It may still open its files; the kill comes at any moment from here.
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn r_job_4_a_container_ends_when_its_program_is_killed() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        killed_child("killed", 2).await;
        let begun = Instant::now();
        eventually("the container is gone", || async { left("killed").await.is_empty() }).await;
        println!("gone after {:?}", begun.elapsed());
    });
}

#[test]
fn orphans_are_reaped_sooner_and_nobody_elses() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let mine = fresh("busybox", "mine").open().await.unwrap();
        killed_child("orphan", 3600).await;
        let socket = socket();
        let reaped = reap_orphans(Some(&socket)).await.unwrap();
        assert!(!reaped.removed.is_empty());
        assert!(reaped.kept >= 1);
        eventually("the container is gone", || async { left("orphan").await.is_empty() }).await;
        assert!(mine.list(&WorkspacePath::root(), ListOptions::default()).await.is_ok());
        mine.dispose().await.unwrap();
    });
}
