//! How many processes a small operation takes: what it costs, on any machine.

use workspace_core::{Body, FsProvider, Precondition, ReadOptions, StatOptions, WorkspacePath, WriteOptions};
use workspace_docker::Docker;

use crate::engine::{fresh, has, runtime, socket};

fn path(name: &str) -> WorkspacePath {
    WorkspacePath::root().child(name).unwrap()
}

/// The number of the last process of the container, by a look that takes `LOOK` of them.
async fn last(proc: &Docker) -> u32 {
    let file = proc.read(&path("loadavg"), ReadOptions::default()).await.unwrap();
    let text = String::from_utf8(file.body.collect(999).await.unwrap()).unwrap();
    text.trim().rsplit(' ').next().unwrap().parse().unwrap()
}

/// What the operations of the test below take, one after the other.
fn check(image: &str, expected: [(&str, u32); 4]) {
    if !has(image) {
        return;
    }
    let name = format!("forks-{image}");
    let took = runtime().block_on(async {
        let docker = fresh(image, &name).with_shells(1).open().await.unwrap();
        let proc = Docker::attach(docker.id())
            .with_engine(socket())
            .with_root("/proc")
            .with_shells(1)
            .open()
            .await
            .unwrap();
        let file = path("file");
        let write = async |condition| {
            let options = WriteOptions::default().with_if_match(condition);
            docker
                .write(&file, Body::from(b"it's text\n".to_vec()), options)
                .await
                .unwrap()
                .stat
                .version
                .unwrap()
        };
        // The shells are open when it counts.
        docker.stat(&WorkspacePath::root(), StatOptions::default()).await.unwrap();
        last(&proc).await;
        let look = last(&proc).await;
        let look = last(&proc).await - look;
        let mut before = last(&proc).await;
        let mut took = async || {
            let now = last(&proc).await;
            let took = now - before - look;
            before = now;
            took
        };
        let first = write(Precondition::Any).await;
        let made = took().await;
        let second = write(Precondition::Version(first)).await;
        let replaced = took().await;
        docker.stat(&file, StatOptions::default()).await.unwrap();
        let looked = took().await;
        let read = docker.read(&file, ReadOptions::default()).await.unwrap();
        assert_eq!(read.stat.version, Some(second));
        assert_eq!(read.body.collect(99).await.unwrap(), b"it's text\n");
        let read = took().await;
        docker.dispose().await.unwrap();
        [made, replaced, looked, read]
    });
    assert_eq!(took, expected.map(|(_, count)| count), "{image}: {expected:?}");
}

#[test]
fn small_operations_take_few_processes() {
    check(
        "busybox",
        [
            ("a new file: move, stat", 2),
            ("replaced: stat, move, stat", 3),
            ("stat", 1),
            ("read: stat, cat", 2),
        ],
    );
}

#[test]
fn small_operations_take_no_process_where_perl_is() {
    check("debian", [("a new file", 0), ("replaced", 0), ("stat", 0), ("read: cat", 1)]);
}
