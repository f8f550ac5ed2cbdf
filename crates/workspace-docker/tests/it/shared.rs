//! One container for many cases, each in a root of its own, and the disk behind it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use workspace_core::{Result, WorkspacePath};
use workspace_docker::Docker;
use workspace_testkit::DiskPlant;

use crate::engine::{fresh, socket, volume};

/// The user of the sandbox.
pub(crate) const USER: u32 = 1000;

/// A container, and how many roots it has so far.
pub(crate) struct Shared {
    pub(crate) docker: Docker,
    volume: Option<PathBuf>,
    roots: AtomicU32,
}

impl Shared {
    pub(crate) async fn new(image: &str, test: &str) -> Self {
        let docker = fresh(image, test).open().await.unwrap();
        let volume = volume(docker.id()).await;
        Self { docker, volume, roots: AtomicU32::new(0) }
    }

    /// An empty root in the container, by a handle of its own, and the disk behind it.
    pub(crate) async fn root(&self) -> Result<(Docker, Option<DiskPlant>)> {
        let number = self.roots.fetch_add(1, Ordering::Relaxed);
        let root = format!("/workspace/case-{number}/ws");
        let disk = if let Some(volume) = &self.volume {
            let plant = DiskPlant::make(volume.join(format!("case-{number}/ws")), USER)?;
            Some(plant.with_outside(format!("/workspace/case-{number}")))
        } else if self.docker.shell().is_none() {
            // An empty volume is all that can be seen.
            return Ok((self.docker.clone(), None));
        } else {
            let path = WorkspacePath::root().child(&format!("case-{number}"))?.child("ws")?;
            let parents = workspace_core::CreateDirOptions::default().with_parents(true);
            workspace_core::FsProvider::create_dir(&self.docker, &path, parents).await?;
            None
        };
        let docker = Docker::attach(self.docker.id()).with_engine(socket()).with_root(root).open().await?;
        Ok((docker, disk))
    }
}
