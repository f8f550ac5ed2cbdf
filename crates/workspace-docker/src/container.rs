//! The container: made hardened, kept alive by a pipe, removed at the end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bollard::container::AttachContainerResults;
use bollard::models::{ContainerCreateBody, HostConfig, Mount, MountType, ResourcesUlimits};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, ContainerArchiveInfoOptionsBuilder, CreateContainerOptions,
    InspectContainerOptions, RemoveContainerOptionsBuilder, StartContainerOptions,
};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use workspace_core::{Error, ErrorKind, Result};
use workspace_posix::PosixFiles;

use crate::brand::{Branded, Brands, Reach};
use crate::config::{DockerBuilder, Network, User};
use crate::engine::Engine;
use crate::{error, owner};

/// A process costs the engine a tenth of a second of a processor: more at once only queue.
const STARTS_AT_ONCE: usize = 8;
/// How long a container may seem to run after all in it was ended.
const SETTLES: Duration = Duration::from_secs(2);
/// How often its engine is asked meanwhile.
const STEP: Duration = Duration::from_millis(20);

/// A container, with what our hand does in it.
pub(crate) struct Container {
    pub(crate) engine: Engine,
    pub(crate) id: String,
    pub(crate) user: User,
    /// Whether it was made here, and so is removed here.
    pub(crate) ours: bool,
    pub(crate) brands: Brands,
    /// How often everything without a brand was ended: a start that fails meanwhile is tried again.
    pub(crate) purges: AtomicU64,
    pub(crate) starts: Semaphore,
    /// The pipe that keeps it alive.
    keeper: Mutex<Option<AttachContainerResults>>,
    removed: AtomicBool,
    /// The shells through which processes are looked for.
    files: OnceLock<PosixFiles>,
    /// Whether one of them was opened.
    ready: AtomicBool,
    /// How many processes had been ended for want of memory.
    pub(crate) killed_for_memory: AtomicU64,
}

/// What the processes of a container do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// They run.
    Runs,
    /// They are stopped for a while.
    Paused,
    /// There are none.
    Still,
}

/// A container, shared by all that act in it.
pub(crate) type SharedContainer = Arc<Container>;

impl Container {
    pub(crate) fn new(engine: Engine, id: String, user: User, ours: bool) -> Self {
        Self {
            engine,
            id,
            user,
            ours,
            brands: Brands::default(),
            purges: AtomicU64::new(0),
            starts: Semaphore::new(STARTS_AT_ONCE),
            keeper: Mutex::default(),
            removed: AtomicBool::new(false),
            files: OnceLock::new(),
            ready: AtomicBool::new(false),
            killed_for_memory: AtomicU64::new(0),
        }
    }

    /// Makes a container of an image and does not start it.
    pub(crate) async fn create(engine: Engine, image: &str, builder: &DockerBuilder) -> Result<Self> {
        let body = body(image, builder);
        let client = engine.client();
        let made = engine.raw(client.create_container(None::<CreateContainerOptions>, body)).await;
        let made = made.map_err(|theirs| match error::status(&theirs) {
            Some(404) => error::no_image(image).because(theirs),
            _ => error::ours(theirs),
        })?;
        Ok(Self::new(engine.clone(), made.id, builder.user, true))
    }

    /// Whether its image has a shell. One without is never started: its main program would end at once.
    pub(crate) async fn has_shell(&self) -> Result<bool> {
        let options = ContainerArchiveInfoOptionsBuilder::default().path("/bin/sh").build();
        let client = self.engine.client();
        match self.engine.raw(client.get_container_archive_info(&self.id, Some(options))).await {
            Ok(_) => Ok(true),
            Err(theirs) if error::status(&theirs) == Some(404) => Ok(false),
            Err(theirs) => Err(error::ours(theirs)),
        }
    }

    /// Starts it, with the pipe that keeps it alive.
    pub(crate) async fn start(&self) -> Result<()> {
        let options = AttachContainerOptionsBuilder::default().stdin(true).stream(true).build();
        let client = self.engine.client();
        let keeper = self.engine.call(client.attach_container(&self.id, Some(options))).await?;
        *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = Some(keeper);
        self.engine.call(client.start_container(&self.id, None::<StartContainerOptions>)).await
    }

    /// Whether it runs.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) where it does not exist.
    pub(crate) async fn is_running(&self) -> Result<bool> {
        Ok(self.life().await? == Life::Runs)
    }

    /// Whether it runs, or never will while nobody starts it.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) where it does not exist.
    pub(crate) async fn life(&self) -> Result<Life> {
        let client = self.engine.client();
        let told =
            self.engine.call(client.inspect_container(&self.id, None::<InspectContainerOptions>)).await?;
        let state = told.state.unwrap_or_default();
        let (running, paused) = (state.running.unwrap_or_default(), state.paused.unwrap_or_default());
        Ok(match (running, paused) {
            (_, true) => Life::Paused,
            (true, false) => Life::Runs,
            (false, false) => Life::Still,
        })
    }

    /// Whether it runs and goes on running: an engine may tell the end of a container a
    /// while after that of the programs in it.
    pub(crate) async fn goes_on(&self) -> bool {
        let end = Instant::now() + SETTLES;
        while self.is_running().await.unwrap_or_default() {
            if Instant::now() >= end {
                return true;
            }
            tokio::time::sleep(STEP).await;
        }
        false
    }

    /// Ends it with all that it holds. One that was not made here is left alone.
    pub(crate) async fn remove(&self) -> Result<()> {
        if !self.ours || self.removed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let outcome = remove(&self.engine, &self.id).await;
        if outcome.is_err() {
            self.removed.store(false, Ordering::Release);
        }
        outcome
    }

    /// The shells through which processes are looked for.
    pub(crate) fn looks_through(&self, files: PosixFiles) {
        let _ = self.files.set(files);
    }

    /// Opens a shell that looks for processes: a command may leave no room for one.
    pub(crate) async fn gets_ready_to_kill(&self) -> Result<()> {
        if let Some(files) = self.files.get()
            && !self.ready.load(Ordering::Acquire)
        {
            files.script(":").await?;
            self.ready.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Sends a signal to each process of a brand, at most `rounds` times; tells
    /// how many others than `known` there were, and whether none is left.
    pub(crate) async fn sweep(
        &self,
        branded: &Branded,
        signal: u8,
        rounds: u32,
        known: Option<u32>,
        reach: Reach,
    ) -> Result<(u32, bool)> {
        let Some(files) = self.files.get() else { return Ok((0, true)) };
        let answer = files.script(&branded.sweep(signal, rounds, known, reach)).await?;
        let text = String::from_utf8_lossy(&answer);
        let mut words = text.split_whitespace();
        let (count, found) = (words.next(), words.next());
        match (count.and_then(|count| count.parse().ok()), found) {
            (Some(count), Some(found)) => Ok((count, found == "0")),
            _ => Err(Error::new(ErrorKind::Io, "the container does not tell which processes it has")),
        }
    }

    /// How many processes of the container were ended for want of memory.
    pub(crate) async fn ended_for_memory(&self) -> u64 {
        const SCRIPT: &str = "while read -r w_a w_b; do [ \"$w_a\" = oom_kill ] && echo \"$w_b\"; done \
            <\"$([ -r /sys/fs/cgroup/memory.events ] && echo /sys/fs/cgroup/memory.events || echo /sys/fs/cgroup/memory/memory.oom_control)\"";
        let Some(files) = self.files.get() else { return 0 };
        let answer = files.script(SCRIPT).await.unwrap_or_default();
        String::from_utf8_lossy(&answer).trim().parse().unwrap_or_default()
    }

    /// Ends what is left of a brand, when nobody waits for it any more.
    pub(crate) fn end_later(self: &Arc<Self>, branded: Branded) {
        if self.removed.load(Ordering::Acquire) {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            let container = Arc::clone(self);
            runtime.spawn(async move {
                if let Err(error) = container.sweep(&branded, 9, 20, None, Reach::Branded).await {
                    tracing::debug!(%error, "what a shell left could not be ended");
                }
            });
        }
    }
}

impl Drop for Container {
    /// Where no runtime is left, the end of the pipe ends the container.
    fn drop(&mut self) {
        if !self.ours || *self.removed.get_mut() {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            let (engine, id) = (self.engine.clone(), std::mem::take(&mut self.id));
            runtime.spawn(async move {
                if let Err(error) = remove(&engine, &id).await {
                    tracing::warn!(%error, "a container could not be removed; it ends by itself");
                }
            });
        }
    }
}

/// Removes a container and its volume. One that is gone, or is going, is no error.
pub(crate) async fn remove(engine: &Engine, id: &str) -> Result<()> {
    let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
    match engine.raw(engine.client().remove_container(id, Some(options))).await {
        Err(theirs) if !matches!(error::status(&theirs), Some(404 | 409)) => Err(error::ours(theirs)),
        _ => Ok(()),
    }
}

/// What waits for the end of the pipe. It is root without any capability, so that
/// no process of the sandbox can end it.
fn keeper(builder: &DockerBuilder) -> String {
    let lifetime = builder
        .lifetime
        .map(|time| format!("( sleep {}; kill -9 $$ ) & ", time.as_secs().max(1)))
        .unwrap_or_default();
    format!("{lifetime}cat >/dev/null; exec sleep {}", builder.dead_man.as_secs())
}

fn body(image: &str, builder: &DockerBuilder) -> ContainerCreateBody {
    let bytes = |memory: crate::Memory| i64::try_from(memory.bytes()).unwrap_or(i64::MAX);
    #[allow(clippy::cast_possible_truncation)] // A billionth of a processor is enough.
    let nano_cpus = (builder.processors * 1e9) as i64;
    let user = builder.user.spelled();
    let tmpfs = builder.tmp.map(|size| {
        let options = format!("rw,exec,nosuid,nodev,mode=1777,size={}", size.bytes());
        HashMap::from([("/tmp".to_owned(), options)])
    });
    let volume =
        Mount { target: Some(builder.volume.clone()), typ: Some(MountType::VOLUME), ..Mount::default() };
    let nofile = ResourcesUlimits {
        name: Some("nofile".into()),
        soft: Some(builder.open_files.into()),
        hard: Some(builder.open_files.into()),
    };
    let host = HostConfig {
        network_mode: Some(match &builder.network {
            Network::None => "none".into(),
            Network::Default => "default".into(),
            Network::Named(name) => name.clone(),
        }),
        cap_drop: Some(vec!["ALL".into()]),
        cap_add: Some(builder.capabilities.clone()),
        security_opt: (!builder.new_privileges).then(|| vec!["no-new-privileges:true".into()]),
        readonly_rootfs: Some(!builder.writable_root_fs),
        tmpfs,
        mounts: Some(vec![volume]),
        pids_limit: Some(builder.processes.into()),
        memory: Some(bytes(builder.memory)),
        memory_swap: Some(bytes(builder.memory)),
        nano_cpus: Some(nano_cpus),
        ulimits: Some(vec![nofile]),
        // Children that lost their parent are reaped.
        init: Some(true),
        auto_remove: Some(true),
        ..HostConfig::default()
    };
    let mut labels: HashMap<String, String> = builder.labels.clone().into_iter().collect();
    labels.extend(owner::labels());
    labels.insert("workspace.user".into(), user);
    ContainerCreateBody {
        image: Some(image.to_owned()),
        user: Some("0:0".into()),
        entrypoint: Some(vec!["/bin/sh".into()]),
        cmd: Some(vec!["-c".into(), keeper(builder)]),
        open_stdin: Some(true),
        stdin_once: Some(true),
        attach_stdin: Some(true),
        tty: Some(false),
        labels: Some(labels),
        host_config: Some(host),
        ..ContainerCreateBody::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Docker, Memory};

    use super::*;

    #[test]
    fn a_container_is_closed_by_default() {
        let body = body("image", &Docker::from_image("image"));
        let host = body.host_config.unwrap();
        assert_eq!(host.network_mode.as_deref(), Some("none"));
        assert_eq!(host.cap_drop, Some(vec!["ALL".to_owned()]));
        assert_eq!(host.cap_add, Some(Vec::new()));
        assert_eq!(host.security_opt, Some(vec!["no-new-privileges:true".to_owned()]));
        assert_eq!(host.readonly_rootfs, Some(true));
        assert_eq!(
            (host.pids_limit, host.memory, host.memory_swap),
            (Some(256), Some(2 << 30), Some(2 << 30))
        );
        assert_eq!((host.privileged, host.binds, host.devices), (None, None, None));
        assert_eq!((host.init, host.auto_remove), (Some(true), Some(true)));
    }

    #[test]
    fn every_default_can_be_changed() {
        let builder = Docker::from_image("image")
            .with_network(Network::Named("inside".into()))
            .with_capability("NET_RAW")
            .with_new_privileges(true)
            .with_writable_root_fs(true)
            .with_tmp(None)
            .with_processes(64)
            .with_memory(Memory::mebibytes(64))
            .with_processors(0.5)
            .with_open_files(99);
        let host = body("image", &builder).host_config.unwrap();
        assert_eq!(host.network_mode.as_deref(), Some("inside"));
        assert_eq!(host.cap_add, Some(vec!["NET_RAW".to_owned()]));
        assert_eq!((host.security_opt, host.readonly_rootfs, host.tmpfs), (None, Some(false), None));
        assert_eq!((host.pids_limit, host.memory), (Some(64), Some(64 << 20)));
        assert_eq!((host.nano_cpus, host.ulimits.unwrap()[0].hard), (Some(500_000_000), Some(99)));
    }
}
