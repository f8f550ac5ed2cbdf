//! What dead programs have left.

use std::collections::HashMap;
use std::time::Duration;

use bollard::exec::{CreateExecOptions, StartExecOptions, StartExecResults};
use bollard::models::{ContainerSummary, ContainerSummaryStateEnum};
use bollard::query_parameters::ListContainersOptionsBuilder;
use workspace_core::Result;

use crate::container::remove;
use crate::engine::Engine;
use crate::exec::{next, told};
use crate::owner;

/// How long an engine may stay silent.
const DEADLINE: Duration = Duration::from_secs(30);
/// Whether what keeps the container alive still reads from its pipe.
const IS_KEPT: &str = "for p in /proc/[0-9]*; do [ -O \"$p\" ] && read -r n <\"$p/comm\" && [ \"$n\" = cat ] && echo kept; done 2>/dev/null";

/// What [`reap_orphans`] did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Reaped {
    /// The ids of the containers that were removed.
    pub removed: Vec<String>,
    /// How many containers of this crate are in use by programs that live.
    pub kept: usize,
}

/// Removes the containers of this crate whose program is gone: at once, where the
/// dead-man switch would take its time.
///
/// A container counts as left behind where it has ended, where its program ran on
/// this machine and does no more, or where nobody holds the pipe that keeps it
/// alive. The engine is named as by
/// [`DockerBuilder::with_engine`](crate::DockerBuilder::with_engine).
///
/// # Errors
/// [`Unavailable`](workspace_core::ErrorKind::Unavailable) and
/// [`TimedOut`](workspace_core::ErrorKind::TimedOut) where the engine cannot be reached.
pub async fn reap_orphans(engine: Option<&str>) -> Result<Reaped> {
    let reap = async {
        let engine = Engine::connect(engine, DEADLINE).await?;
        let label = format!("{}={}", owner::OWNER, owner::US);
        let filters = HashMap::from([("label", vec![label.as_str()])]);
        let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
        let mut reaped = Reaped::default();
        for found in engine.call(engine.client().list_containers(Some(options))).await? {
            let Some(id) = found.id.clone() else { continue };
            if is_orphan(&engine, &id, &found).await {
                remove(&engine, &id).await?;
                reaped.removed.push(id);
            } else {
                reaped.kept += 1;
            }
        }
        Ok(reaped)
    };
    reap.await.map_err(|error: workspace_core::Error| error.during("reap_orphans"))
}

/// The version of the engine that answers, named as by
/// [`DockerBuilder::with_engine`](crate::DockerBuilder::with_engine).
///
/// # Errors
/// Those of [`reap_orphans`].
pub async fn engine_version(engine: Option<&str>) -> Result<String> {
    let ask = async {
        let engine = Engine::connect(engine, DEADLINE).await?;
        let told = engine.call(engine.client().version()).await?;
        Ok(told.version.unwrap_or_default())
    };
    ask.await.map_err(|error: workspace_core::Error| error.during("engine_version"))
}

async fn is_orphan(engine: &Engine, id: &str, found: &ContainerSummary) -> bool {
    let labels = found.labels.clone().unwrap_or_default();
    if owner::is_dead(&labels) {
        return true;
    }
    match found.state {
        Some(ContainerSummaryStateEnum::EXITED | ContainerSummaryStateEnum::DEAD) => true,
        // Whatever cannot be told is not taken from its owner.
        Some(ContainerSummaryStateEnum::RUNNING) => is_kept(engine, id).await == Some(false),
        _ => false,
    }
}

/// Asks inside the container, as the user of its keeper.
async fn is_kept(engine: &Engine, id: &str) -> Option<bool> {
    let options = CreateExecOptions {
        attach_stdout: Some(true),
        user: Some("0:0".to_owned()),
        cmd: Some(vec!["/bin/sh".to_owned(), "-c".to_owned(), format!("{IS_KEPT}; echo looked")]),
        ..CreateExecOptions::default()
    };
    let client = engine.client();
    let exec = engine.call(client.create_exec(id, options)).await.ok()?.id;
    let started = engine.call(client.start_exec(&exec, Some(StartExecOptions::default()))).await.ok()?;
    let StartExecResults::Attached { mut output, .. } = started else { return None };
    let mut said = Vec::new();
    while let Some(output) = tokio::time::timeout(DEADLINE, next(&mut output)).await.ok()? {
        said.extend(told(output.ok()?).1);
    }
    let said = String::from_utf8_lossy(&said).into_owned();
    said.contains("looked").then(|| said.contains("kept"))
}
