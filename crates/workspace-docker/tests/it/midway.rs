//! What happens to the container in the middle of a call.

use std::collections::HashMap;
use std::time::Duration;

use bollard::models::{
    ContainerCreateBody, HostConfig, Mount, MountType, MountVolumeOptions, MountVolumeOptionsDriverConfig,
};
use bollard::query_parameters::{CreateContainerOptions, StartContainerOptions, StopContainerOptionsBuilder};
use tokio::time::{sleep, timeout};
use workspace_core::{
    Body, Cause, Command, ErrorKind, Event, Exit, FsProvider, ReadOptions, Result, ShellProvider,
    StatOptions, WorkspacePath, WriteOptions,
};
use workspace_docker::{Docker, Memory};

use crate::engine::{fresh, has, name, negotiated, runtime, socket};

/// No call takes longer, whatever happens to its container.
const BOUND: Duration = Duration::from_mins(1);

fn path(name: &str) -> WorkspacePath {
    WorkspacePath::root().child(name).unwrap()
}

async fn write(docker: &Docker, name: &str, bytes: Vec<u8>) -> Result<()> {
    docker.write(&path(name), Body::from(bytes), WriteOptions::default()).await.map(drop)
}

async fn read(docker: &Docker, name: &str) -> Result<Vec<u8>> {
    docker.read(&path(name), ReadOptions::default()).await?.body.collect(1 << 30).await
}

/// Runs a line to its end: how many bytes it printed, and the exit or the failure.
async fn run(docker: &Docker, line: &str) -> (usize, Result<Exit>) {
    let mut process = match docker.shell().unwrap().spawn(Command::sh(line)).await {
        Ok(process) => process,
        Err(error) => return (0, Err(error)),
    };
    let mut printed = 0;
    loop {
        match process.events.next().await {
            Some(Ok(Event::Output(_, bytes))) => printed += bytes.len(),
            Some(Ok(Event::Exit(exit))) => return (printed, Ok(exit)),
            Some(Ok(_)) => {}
            Some(Err(error)) => return (printed, Err(error)),
            None => panic!("the events end with an exit or a failure"),
        }
    }
}

/// A command runs and a file is on its way when the container stops.
#[test]
fn a_container_that_stops_in_the_middle_of_calls_is_told() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let docker = fresh("busybox", "stopped").with_deadline(Duration::from_secs(10)).open().await.unwrap();
        run(&docker, "head -c 60000000 /dev/zero >large").await.1.unwrap();
        let large = docker.read(&path("large"), ReadOptions::default()).await.unwrap();
        let stop = async {
            sleep(Duration::from_millis(300)).await;
            let options = StopContainerOptionsBuilder::default().t(0).build();
            // Its engine removes it then.
            negotiated().await.stop_container(docker.id(), Some(options)).await.unwrap();
        };
        let slow = async {
            let mut body = large.body;
            let mut outcome = Ok(());
            while let Some(piece) = body.next().await {
                match piece {
                    Ok(_) => sleep(Duration::from_millis(20)).await,
                    Err(error) => outcome = Err(error.kind()),
                }
            }
            outcome
        };
        let all = async { tokio::join!(stop, run(&docker, "sleep 100"), slow) };
        let ((), (_, command), body) = timeout(BOUND, all).await.unwrap();
        assert_eq!(command.unwrap_err().kind(), ErrorKind::Unavailable);
        assert_eq!(body.unwrap_err(), ErrorKind::Unavailable);
        let looked = timeout(BOUND, docker.stat(&path("large"), StatOptions::default())).await.unwrap();
        assert_eq!(looked.unwrap_err().kind(), ErrorKind::Unavailable);
        docker.dispose().await.unwrap();
    });
}

/// The memory runs out under the shells for files too: they are opened anew.
#[test]
fn memory_that_runs_out_in_the_middle_of_calls_leaves_a_workspace_that_works() {
    if !has("debian") {
        return;
    }
    runtime().block_on(async {
        let docker =
            fresh("debian", "memory-midway").with_memory(Memory::mebibytes(64)).open().await.unwrap();
        write(&docker, "file", b"text".to_vec()).await.unwrap();
        let eats =
            "python3 -c 'import time\nx = []\nwhile True: x.append(bytearray(1 << 20)); time.sleep(0.005)'";
        let looks = async {
            let mut kinds = Vec::new();
            for _ in 0..200 {
                if let Err(error) = read(&docker, "file").await {
                    kinds.push(error.kind());
                }
            }
            kinds
        };
        let ((_, exit), kinds) =
            timeout(BOUND * 3, async { tokio::join!(run(&docker, eats), looks) }).await.unwrap();
        let exit = exit.unwrap();
        assert_eq!((exit.status.code(), exit.cause), (137, Cause::OutOfMemory));
        let typed = [ErrorKind::Unavailable, ErrorKind::TimedOut];
        assert!(kinds.iter().all(|kind| typed.contains(kind)), "{kinds:?}");
        assert_eq!(read(&docker, "file").await.unwrap(), b"text");
        write(&docker, "file", b"more".to_vec()).await.unwrap();
        assert_eq!(run(&docker, "cat file").await.1.unwrap().status.code(), 0);
        docker.dispose().await.unwrap();
    });
}

/// How many bytes a flood has: far more than anybody keeps.
const FLOOD: usize = 300_000_000;

/// Who listens gets all of it; who does not holds the
/// command back, and the memory of this process does not grow with it.
#[test]
fn r_exec_4_a_flood_of_output_is_bounded() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let docker = fresh("busybox", "flood").open().await.unwrap();
        let before = resident();
        let (printed, exit) = run(&docker, &format!("head -c {FLOOD} /dev/zero")).await;
        assert_eq!((printed, exit.unwrap().status.code()), (FLOOD, 0));

        let endless = Command::sh("yes").with_timeout(Some(Duration::from_secs(3)));
        let mut process = docker.shell().unwrap().spawn(endless).await.unwrap();
        // Nobody listens until its time is over.
        sleep(Duration::from_secs(4)).await;
        let mut kept = 0;
        let exit = loop {
            match process.events.next().await.unwrap().unwrap() {
                Event::Output(_, bytes) => kept += bytes.len(),
                Event::Exit(exit) => break exit,
                _ => {}
            }
        };
        assert_eq!(exit.cause, Cause::TimedOut);
        assert!(kept < 16 << 20, "{kept}");
        let grown = resident().saturating_sub(before);
        assert!(grown < 100 << 20, "{grown}");
        docker.dispose().await.unwrap();
    });
}

/// What this process holds in memory, in bytes.
fn resident() -> usize {
    let told = std::fs::read_to_string("/proc/self/statm").unwrap();
    told.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// A volume with a size, under the workspace: writes, pushed trees and listings.
#[test]
fn r_write_1_a_full_volume_is_told_and_has_room_again() {
    if !has("busybox") {
        return;
    }
    runtime().block_on(async {
        let client = negotiated().await;
        let options = [("type", "tmpfs"), ("device", "tmpfs"), ("o", "size=4m,uid=1000,gid=1000")];
        let driver = MountVolumeOptionsDriverConfig {
            name: Some("local".into()),
            options: Some(options.map(|(name, value)| (name.to_owned(), value.to_owned())).into()),
        };
        let volume = Mount {
            target: Some("/workspace".into()),
            typ: Some(MountType::VOLUME),
            volume_options: Some(MountVolumeOptions { driver_config: Some(driver), ..Default::default() }),
            ..Mount::default()
        };
        let body = ContainerCreateBody {
            image: Some(name("busybox")),
            cmd: Some(vec!["sleep".into(), "600".into()]),
            labels: Some(HashMap::from([("workspace.test".into(), "volume".into())])),
            host_config: Some(HostConfig {
                mounts: Some(vec![volume]),
                network_mode: Some("none".into()),
                init: Some(true),
                ..HostConfig::default()
            }),
            ..ContainerCreateBody::default()
        };
        let id = client.create_container(None::<CreateContainerOptions>, body).await.unwrap().id;
        client.start_container(&id, None::<StartContainerOptions>).await.unwrap();
        let docker = Docker::attach(&id).with_engine(socket()).open().await.unwrap();
        write(&docker, "old", b"old".to_vec()).await.unwrap();
        // Large, by pieces; of text and of bytes, at once.
        let told = write(&docker, "old", vec![b'x'; 6 << 20]).await.unwrap_err();
        assert_eq!(told.kind(), ErrorKind::NoSpace);
        write(&docker, "fill", vec![0; (4 << 20) - (20 << 10)]).await.unwrap();
        for bytes in [vec![b'x'; 40 << 10], vec![0; 40 << 10]] {
            assert_eq!(write(&docker, "old", bytes).await.unwrap_err().kind(), ErrorKind::NoSpace);
        }
        assert_eq!(read(&docker, "old").await.unwrap(), b"old");
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("pushed"), vec![b'x'; 1 << 20]).unwrap();
        let local = workspace_local::Local::open(home.path()).unwrap();
        let pushed = docker.push(&local, workspace_docker::PushOptions::default()).await.unwrap_err();
        assert_eq!(pushed.kind(), ErrorKind::NoSpace, "{pushed}");
        for name in ["fill", "pushed"] {
            let _ = docker.remove(&path(name), workspace_core::RemoveOptions::default()).await;
        }
        write(&docker, "old", vec![b'x'; 1 << 20]).await.unwrap();
        let names =
            docker.list(&WorkspacePath::root(), workspace_core::ListOptions::default()).await.unwrap();
        assert_eq!(names.len(), 1);
        let options = bollard::query_parameters::RemoveContainerOptionsBuilder::default().force(true).v(true);
        client.remove_container(&id, Some(options.build())).await.unwrap();
    });
}
