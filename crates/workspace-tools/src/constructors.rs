//! Workspaces over the backends whose features are on.

#[cfg(any(feature = "local", feature = "memory", feature = "docker", feature = "e2b"))]
use crate::{Policy, Workspace, WorkspaceBuilder};

#[cfg(feature = "local")]
impl Workspace {
    /// Begins a workspace over a directory of this machine, with its commands.
    ///
    /// The policy's further roots, its rule for links and its level of killing hold.
    ///
    /// # Errors
    /// `not-found` and `not-a-directory` for a root; `invalid-input` for the
    /// name of a further one; `unsupported` for a level of killing that is not
    /// to be had here.
    pub fn local(root: impl Into<std::path::PathBuf>, policy: Policy) -> crate::Result<WorkspaceBuilder> {
        use crate::{KillRule, LinkRule};
        use workspace_local::{KillLevel, LinkPolicy, Local};

        let mut local = Local::builder(root).links(match policy.paths.symlinks {
            LinkRule::Inside => LinkPolicy::Inside,
            LinkRule::Never => LinkPolicy::Never,
        });
        for extra in &policy.paths.extra_roots {
            local = local.root(&extra.name, &extra.path, extra.writable);
        }
        let local = local.build()?;
        let level = match policy.shell.as_ref().map(|shell| shell.kill_level).unwrap_or_default() {
            KillRule::Auto => KillLevel::Auto,
            KillRule::Group => KillLevel::Group,
            KillRule::Cgroup => KillLevel::Cgroup(None),
            KillRule::Namespace => KillLevel::Namespace,
        };
        let shell = local.shell().with_kill_level(level)?;
        Ok(Self::builder(local).shell(shell).policy(policy))
    }
}

#[cfg(feature = "memory")]
impl Workspace {
    /// Begins a workspace over a tree in memory.
    pub fn memory(memory: workspace_memory::Memory, policy: Policy) -> WorkspaceBuilder {
        Self::builder(memory).policy(policy)
    }
}

#[cfg(feature = "docker")]
impl Workspace {
    /// Begins a workspace in a container, with its commands where its image has a shell.
    pub fn docker(docker: workspace_docker::Docker, policy: Policy) -> WorkspaceBuilder {
        let shell = docker.shell();
        let builder = Self::builder(docker).policy(policy);
        match shell {
            Some(shell) => builder.shell(shell),
            None => builder,
        }
    }
}

#[cfg(feature = "e2b")]
impl Workspace {
    /// Begins a workspace in an E2B sandbox, with its commands.
    pub fn e2b(sandbox: workspace_e2b::E2b, policy: Policy) -> WorkspaceBuilder {
        let shell = sandbox.shell();
        Self::builder(sandbox).shell(shell).policy(policy)
    }
}
