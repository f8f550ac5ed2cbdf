//! The handle on a container.

use std::fmt;
use std::sync::Arc;

use bollard::query_parameters::UploadToContainerOptionsBuilder;
use workspace_core::{Error, ErrorKind, Result};
use workspace_posix::{PosixConfig, PosixFiles};

use crate::archive::Archive;
use crate::config::{DockerBuilder, Source, User};
use crate::container::{Container, Life, SharedContainer};
use crate::engine::Engine;
use crate::exec::Shells;
use crate::files::Files;
use crate::{DockerShell, error};

/// A container as a workspace. A clone is the same container.
///
/// It is an [`FsProvider`](workspace_core::FsProvider).
#[derive(Clone)]
pub struct Docker(Arc<Inner>);

struct Inner {
    container: SharedContainer,
    files: Files,
    root: String,
}

impl Docker {
    /// A new container of an image that the engine has.
    pub fn from_image(image: impl Into<String>) -> DockerBuilder {
        DockerBuilder::new(Source::Image(image.into()))
    }

    /// A container that exists, by its name or id. It is never started, stopped or removed.
    ///
    /// It must run, unless its image has no shell: the files of such a one can be
    /// looked at while nothing runs in it, so it is not to be started meanwhile.
    pub fn attach(container: impl Into<String>) -> DockerBuilder {
        DockerBuilder::new(Source::Existing(container.into()))
    }

    pub(crate) async fn open(builder: DockerBuilder) -> Result<Self> {
        let opening = async {
            let engine = Engine::connect(builder.socket.as_deref(), builder.deadline).await?;
            match &builder.source {
                Source::Existing(name) => {
                    let container = Container::new(engine, name.clone(), builder.user, false);
                    Self::attached(Arc::new(container), &builder).await
                }
                Source::Image(image) => {
                    let container = Arc::new(Container::create(engine, image, &builder).await?);
                    match Self::made(Arc::clone(&container), &builder).await {
                        Ok(docker) => Ok(docker),
                        Err(error) => {
                            container.remove().await?;
                            Err(error)
                        }
                    }
                }
            }
        };
        opening.await.map_err(|error: Error| error.during("open"))
    }

    async fn attached(container: SharedContainer, builder: &DockerBuilder) -> Result<Self> {
        let life = container.life().await.map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::new(ErrorKind::NotFound, "the engine has no such container"),
            _ => error,
        })?;
        let root = builder.root.clone().unwrap_or_else(|| builder.volume.clone());
        // Nothing runs in it that could lead the engine astray.
        if life == Life::Still && !container.has_shell().await? {
            let files = Files::Archive(Archive::new(Arc::clone(&container), root.clone()));
            return Ok(Self(Arc::new(Inner { container, files, root })));
        }
        if life != Life::Runs {
            return Err(Error::new(ErrorKind::Unavailable, "the container is stopped or paused")
                .hint("start or unpause it first"));
        }
        Self::through_shells(container, root, builder).await
    }

    async fn made(container: SharedContainer, builder: &DockerBuilder) -> Result<Self> {
        let mut root = builder.root.clone().unwrap_or_else(|| builder.volume.clone());
        if root != builder.volume {
            put_root(&container, builder, &root).await?;
        }
        if !container.has_shell().await? {
            let files = Files::Archive(Archive::new(Arc::clone(&container), root.clone()));
            return Ok(Self(Arc::new(Inner { container, files, root })));
        }
        container.start().await?;
        if builder.root.is_none() && !is_writable(&container, &root).await? {
            // A volume that the image does not give to the user belongs to root.
            root.push_str("/files");
            put_root(&container, builder, &root).await?;
        }
        Self::through_shells(container, root, builder).await
    }

    async fn through_shells(
        container: SharedContainer,
        root: String,
        builder: &DockerBuilder,
    ) -> Result<Self> {
        let config = PosixConfig::new(&root)
            .with_shells(builder.shells)
            .with_deadline(builder.deadline)
            .with_durable_writes(builder.durable);
        let files = PosixFiles::over_sessions(Shells::of(&container), config.clone()).await?;
        // These shells look for processes, and hold the container by no handle that its end waits for.
        container.looks_through(files.over_other_sessions(Shells::weak(&container), &config.with_shells(2)));
        let root = files.root().to_owned();
        Ok(Self(Arc::new(Inner { container, files: Files::Shells(files), root })))
    }

    /// The commands of the container; `None` where its image has no shell.
    pub fn shell(&self) -> Option<DockerShell> {
        match &self.0.files {
            Files::Shells(files) => Some(DockerShell::new(Arc::clone(&self.0.container), files.clone())),
            Files::Archive(_) => None,
        }
    }

    /// The id that the engine has given the container, or the name under which it was attached.
    pub fn id(&self) -> &str {
        &self.0.container.id
    }

    /// The root of the workspace: an absolute path in the container.
    pub fn root(&self) -> &str {
        &self.0.root
    }

    /// Removes the container with all that is in it. One that was attached is left alone.
    ///
    /// A second call is no error. Other handles fail from now on.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) and [`TimedOut`](ErrorKind::TimedOut) where the
    /// engine cannot be reached; the container then ends by itself.
    pub async fn dispose(&self) -> Result<()> {
        self.0.container.remove().await.map_err(|error| error.during("dispose"))
    }

    pub(crate) fn files(&self) -> &Files {
        &self.0.files
    }

    pub(crate) fn container(&self) -> &SharedContainer {
        &self.0.container
    }
}

impl fmt::Debug for Docker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Docker").field("id", &self.id()).field("root", &self.0.root).finish_non_exhaustive()
    }
}

async fn is_writable(container: &SharedContainer, root: &str) -> Result<bool> {
    let quoted = root.replace('\'', r"'\''");
    let script = format!("if [ -w '{quoted}' ]; then echo yes; fi");
    let mut running = container.run_sh(&script, false).await?;
    let mut said = std::mem::take(&mut running.first);
    while let Ok(Some(Ok(output))) =
        tokio::time::timeout(container.engine.deadline(), crate::exec::next(&mut running.output)).await
    {
        said.extend(crate::exec::told(output).1);
    }
    Ok(said.starts_with(b"yes"))
}

/// Makes the root in the volume and gives it to the user: the engine's own rights
/// are needed once, before any command of the sandbox has run.
async fn put_root(container: &SharedContainer, builder: &DockerBuilder, root: &str) -> Result<()> {
    let inside = root.strip_prefix(&builder.volume).unwrap_or_default();
    let archive = directories(inside, builder.user).map_err(|cause| {
        Error::new(ErrorKind::InvalidInput, "the root is no path of an archive").because(cause)
    })?;
    let options = UploadToContainerOptionsBuilder::default().path(&builder.volume).build();
    let body = bollard::body_full(archive.into());
    let engine = &container.engine;
    engine.call(engine.client().upload_to_container(&container.id, Some(options), body)).await.map_err(
        |error| match error.kind() {
            ErrorKind::NotFound => error::gone(),
            _ => error,
        },
    )
}

fn directories(path: &str, user: User) -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut at = String::new();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        at.push_str(name);
        at.push('/');
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Directory);
        header.set_mode(0o755);
        header.set_uid(user.uid.into());
        header.set_gid(user.gid.into());
        header.set_size(0);
        archive.append_data(&mut header, &at, std::io::empty())?;
    }
    archive.into_inner()
}
