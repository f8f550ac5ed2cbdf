//! Cases in a container: one for all of them, each case in a root of its own.

use std::os::unix::fs::lchown;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use workspace_docker::Docker;

/// The image that `.ci/docker-up` makes, and its user.
const IMAGE: &str = "workspace-test:debian";
const USER: u32 = 1000;

/// The container, and where its volume lies on this machine.
pub(super) struct Container {
    docker: Docker,
    volume: PathBuf,
    cases: AtomicU32,
}

impl Container {
    /// `None`, with a word about it, where there is no engine and none is required.
    pub(super) async fn open() -> Option<Self> {
        let required = std::env::var("WORKSPACE_DOCKER").as_deref() == Ok("required");
        let docker = match Docker::from_image(IMAGE).open().await {
            Ok(docker) => docker,
            Err(error) => {
                assert!(!required, "there must be an engine with `{IMAGE}`: run `.ci/docker-up`: {error}");
                println!("skipped: {error}; `.ci/docker-up` starts an engine");
                return None;
            }
        };
        let format = "{{range .Mounts}}{{if eq .Type \"volume\"}}{{.Source}}{{end}}{{end}}";
        let told = Command::new("docker").args(["inspect", "-f", format, docker.id()]).output().ok()?;
        let volume = PathBuf::from(String::from_utf8(told.stdout).ok()?.trim());
        if std::fs::read_dir(&volume).is_err() {
            assert!(!required, "the volume of the container cannot be seen");
            println!("skipped: the volume of the container is not on this machine");
            return None;
        }
        Some(Self { docker, volume, cases: AtomicU32::new(0) })
    }

    /// A directory for a case: on this machine, and in the container.
    pub(super) fn place(&self) -> (PathBuf, String) {
        let name = format!("case-{}", self.cases.fetch_add(1, Ordering::Relaxed));
        let outer = self.volume.join(&name);
        std::fs::create_dir_all(outer.join("ws")).unwrap();
        (outer, format!("/workspace/{name}/ws"))
    }

    /// Files in a root of the container, once they are given to its user.
    pub(super) async fn attach(&self, outer: &Path, root: &str) -> Docker {
        give(outer);
        Docker::attach(self.docker.id()).with_root(root).open().await.unwrap()
    }

    pub(super) async fn end(self) {
        self.docker.dispose().await.unwrap();
    }
}

/// Gives a tree to the user of the sandbox, links as they are.
pub(super) fn give(path: &Path) {
    lchown(path, Some(USER), Some(USER)).unwrap();
    if std::fs::symlink_metadata(path).unwrap().is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path());
        }
    }
}
