//! What an owner may set. Each default is the closed one.

use std::collections::BTreeMap;
use std::time::Duration;

use workspace_core::{Error, ErrorKind, Result};

use crate::Docker;

/// An amount of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Memory(u64);

impl Memory {
    /// So many times 2^20 bytes.
    pub const fn mebibytes(count: u64) -> Self {
        Self(count << 20)
    }

    /// The amount in bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

/// What a container may talk to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Network {
    /// Nothing.
    #[default]
    None,
    /// What the engine's default network reaches: usually everything.
    Default,
    /// A network of the engine, by its name.
    Named(String),
}

/// Who files belong to and commands run as, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    /// The user.
    pub uid: u32,
    /// The group.
    pub gid: u32,
}

impl User {
    /// A user and a group.
    pub const fn new(uid: u32, gid: u32) -> Self {
        Self { uid, gid }
    }

    pub(crate) fn spelled(self) -> String {
        format!("{}:{}", self.uid, self.gid)
    }
}

/// Where the container comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Image(String),
    Existing(String),
}

/// A container in the making: [`Docker::from_image`], [`Docker::attach`].
///
/// | | default | changed by |
/// | --- | --- | --- |
/// | network | none | [`with_network`](Self::with_network) |
/// | user | 1000:1000 | [`with_user`](Self::with_user) |
/// | capabilities | all dropped | [`with_capability`](Self::with_capability) |
/// | new privileges | never | [`with_new_privileges`](Self::with_new_privileges) |
/// | root file system | read-only | [`with_writable_root_fs`](Self::with_writable_root_fs) |
/// | `/tmp` | 256 MiB in memory | [`with_tmp`](Self::with_tmp) |
/// | processes | 256 | [`with_processes`](Self::with_processes) |
/// | memory, no swap | 2048 MiB | [`with_memory`](Self::with_memory) |
/// | processors | 2 | [`with_processors`](Self::with_processors) |
/// | open files | 4096 | [`with_open_files`](Self::with_open_files) |
///
/// What is about the container itself has no meaning for one that is attached.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a builder does nothing until `open` is awaited"]
pub struct DockerBuilder {
    pub(crate) source: Source,
    pub(crate) socket: Option<String>,
    pub(crate) volume: String,
    pub(crate) root: Option<String>,
    pub(crate) user: User,
    pub(crate) network: Network,
    pub(crate) capabilities: Vec<String>,
    pub(crate) new_privileges: bool,
    pub(crate) writable_root_fs: bool,
    pub(crate) tmp: Option<Memory>,
    pub(crate) processes: u32,
    pub(crate) memory: Memory,
    pub(crate) processors: f64,
    pub(crate) open_files: u32,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) dead_man: Duration,
    pub(crate) lifetime: Option<Duration>,
    pub(crate) deadline: Duration,
    pub(crate) shells: usize,
    pub(crate) durable: bool,
}

impl DockerBuilder {
    pub(crate) fn new(source: Source) -> Self {
        Self {
            source,
            socket: None,
            volume: "/workspace".into(),
            root: None,
            user: User::new(1000, 1000),
            network: Network::None,
            capabilities: Vec::new(),
            new_privileges: false,
            writable_root_fs: false,
            tmp: Some(Memory::mebibytes(256)),
            processes: 256,
            memory: Memory::mebibytes(2048),
            processors: 2.0,
            open_files: 4096,
            labels: BTreeMap::new(),
            dead_man: Duration::from_secs(10),
            lifetime: None,
            deadline: Duration::from_secs(30),
            shells: 4,
            durable: false,
        }
    }

    /// Makes the container, or finds the one to attach to, and opens its files.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) where no engine answers, and where the container is
    /// not running; [`NotFound`](ErrorKind::NotFound) for an image or a container that the engine
    /// does not have (none is downloaded); [`InvalidInput`](ErrorKind::InvalidInput) for a setting
    /// that no container can have; [`Unsupported`](ErrorKind::Unsupported) for an image with a
    /// shell and without coreutils or busybox.
    pub async fn open(self) -> Result<Docker> {
        self.check()?;
        Docker::open(self).await
    }

    fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::new(ErrorKind::InvalidInput, message).during("open"));
        for path in [Some(&self.volume), self.root.as_ref()].into_iter().flatten() {
            let names = path.split('/').skip(1);
            if !path.starts_with('/')
                || path.len() < 2
                || path.contains('\0')
                || names.clone().any(|n| matches!(n, "" | "." | ".."))
            {
                return wrong(format!("`{path}` is no absolute path without `.` and `..`"));
            }
        }
        let below = |root: &String| *root == self.volume || root.starts_with(&format!("{}/", self.volume));
        if matches!(self.source, Source::Image(_)) && self.root.as_ref().is_some_and(|root| !below(root)) {
            return wrong(format!("the root must lie in the volume `{}`", self.volume));
        }
        // Fewer do not even start a shell with a command in it.
        if self.processes < 16 {
            return wrong(format!("{} processes are too few; the least is 16", self.processes));
        }
        if self.memory < Memory::mebibytes(16) {
            return wrong("16 MiB of memory are the least".into());
        }
        if !(self.processors.is_finite() && self.processors >= 0.01) {
            return wrong(format!("{} processors are too few; the least is 0.01", self.processors));
        }
        Ok(())
    }

    /// Sets the engine: `unix:///path/of/the/socket`, or `npipe://…` on Windows. By default what
    /// the engine's own programs use, `DOCKER_HOST` left out.
    pub fn with_engine(mut self, address: impl Into<String>) -> Self {
        self.socket = Some(address.into());
        self
    }

    /// Sets where the volume of the workspace is mounted; `/workspace` by default.
    pub fn with_volume(mut self, path: impl Into<String>) -> Self {
        self.volume = path.into();
        self
    }

    /// Sets the root of the workspace: a directory in the volume, made where it is
    /// missing, or any directory of a container that is attached. By default the
    /// volume itself, or `files` in it where the image leaves it to another user.
    pub fn with_root(mut self, path: impl Into<String>) -> Self {
        self.root = Some(path.into());
        self
    }

    /// Sets who files belong to and commands run as; 1000:1000 by default.
    pub fn with_user(mut self, user: User) -> Self {
        self.user = user;
        self
    }

    /// Sets what the container may talk to; nothing by default.
    pub fn with_network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// Gives a capability back, by its name without `CAP_`. By default there is none.
    pub fn with_capability(mut self, name: impl Into<String>) -> Self {
        self.capabilities.push(name.into());
        self
    }

    /// Says whether programs such as `sudo` may raise their rights; false by default.
    pub fn with_new_privileges(mut self, allow: bool) -> Self {
        self.new_privileges = allow;
        self
    }

    /// Says whether the file system of the image can be written; false by default.
    pub fn with_writable_root_fs(mut self, writable: bool) -> Self {
        self.writable_root_fs = writable;
        self
    }

    /// Sets how much `/tmp` holds, in memory; 256 MiB by default, `None` for no such mount.
    pub fn with_tmp(mut self, size: Option<Memory>) -> Self {
        self.tmp = size;
        self
    }

    /// Sets how many processes there may be; 256 by default, at least 16.
    pub fn with_processes(mut self, most: u32) -> Self {
        self.processes = most;
        self
    }

    /// Sets how much memory there is, without swap; 2048 MiB by default, at least 16.
    pub fn with_memory(mut self, memory: Memory) -> Self {
        self.memory = memory;
        self
    }

    /// Sets how many processors there are; 2 by default, at least 0.01.
    pub fn with_processors(mut self, count: f64) -> Self {
        self.processors = count;
        self
    }

    /// Sets how many files a process may have open; 4096 by default.
    pub fn with_open_files(mut self, most: u32) -> Self {
        self.open_files = most;
        self
    }

    /// Adds a label to the container. Those that begin with `workspace.` are this crate's.
    pub fn with_label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.insert(name.into(), value.into());
        self
    }

    /// Sets how long the container lives on after its program is gone; 10 seconds by default.
    pub fn with_dead_man(mut self, time: Duration) -> Self {
        self.dead_man = time;
        self
    }

    /// Sets how long the container lives at most; no limit by default.
    pub fn with_lifetime(mut self, time: Option<Duration>) -> Self {
        self.lifetime = time;
        self
    }

    /// Sets how long the engine or a shell may stay silent before a call is given up; 30 seconds by default.
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets how many shells stay open for files; 4 by default. Beside each runs one `perl`,
    /// where the image has it. They count among the processes of the container.
    pub fn with_shells(mut self, shells: usize) -> Self {
        self.shells = shells;
        self
    }

    /// Says whether [`Durability`](workspace_core::Durability) is honoured with `sync`; false by
    /// default, since the volume goes with the container.
    pub fn with_durable_writes(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(change: impl FnOnce(DockerBuilder) -> DockerBuilder, sound: bool) {
        let builder = change(Docker::from_image("image"));
        assert_eq!(
            builder.check().map_err(|error| error.kind()).err(),
            (!sound).then_some(ErrorKind::InvalidInput)
        );
    }

    #[test]
    fn settings_that_no_container_can_have_are_refused() {
        check(|builder| builder, true);
        check(|builder| builder.with_root("/workspace/a"), true);
        check(|builder| builder.with_root("/workspace-evil"), false);
        check(|builder| builder.with_root("/workspace/../etc"), false);
        check(|builder| builder.with_volume("workspace"), false);
        check(|builder| builder.with_volume("/"), false);
        check(|builder| builder.with_processes(2), false);
        check(|builder| builder.with_memory(Memory::mebibytes(1)), false);
        check(|builder| builder.with_processors(f64::NAN), false);
    }
}
