//! The backend `docker`: from the options to a container.

use std::time::Duration;

use workspace_docker::{Docker, PushOptions, engine_version, reap_orphans};
use workspace_local::Local;
use workspace_tools::{Policy, ToolError, Workspace, WorkspaceBuilder};

use crate::args::WorkspaceArgs;
use crate::failure::Failure;
use crate::open::note;

/// Where the engine listens, as its own programs are told.
pub(crate) fn engine() -> Option<String> {
    std::env::var("DOCKER_HOST").ok().filter(|address| !address.is_empty())
}

/// A workspace in a container, which ends with the program.
pub(crate) async fn open(args: &WorkspaceArgs, policy: Policy) -> Result<WorkspaceBuilder, Failure> {
    let builder = match (&args.image, &args.container) {
        (Some(image), None) => Docker::from_image(image),
        (None, Some(container)) => Docker::attach(container),
        _ => {
            return Err(Failure::usage(
                "the docker backend needs `--image` or `--container`",
                "for example `--backend docker --image debian:12-slim`",
            ));
        }
    };
    let builder = match engine() {
        Some(address) => builder.with_engine(address),
        None => builder,
    };
    // The program does not wait at its end; the container sees that it is gone.
    let docker = builder.with_dead_man(Duration::from_secs(1)).open().await.map_err(ToolError::from)?;
    if let Ok(reaped) = reap_orphans(engine().as_deref()).await
        && !reaped.removed.is_empty()
    {
        note(&format!("removed {} containers of programs that were killed", reaped.removed.len()));
    }
    if let Some(directory) = &args.seed {
        let from = Local::open(directory).map_err(ToolError::from)?;
        let pushed = docker.push(&from, PushOptions::default()).await.map_err(ToolError::from)?;
        note(&format!("copied {} files, {} bytes", pushed.files, pushed.bytes));
    }
    Ok(Workspace::docker(docker, policy))
}

/// What `doctor` says: whether an engine answers.
pub(crate) async fn doctor() -> Vec<String> {
    match engine_version(engine().as_deref()).await {
        Ok(version) => vec![
            format!("docker  ready: the engine {version} answers"),
            "        isolation of commands: a container without network, rights and capabilities".into(),
        ],
        Err(error) => {
            let mut lines = vec![format!("docker  not ready: {error}")];
            lines.extend(error.next_step().map(|hint| format!("        {hint}")));
            lines
        }
    }
}
