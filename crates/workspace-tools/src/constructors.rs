//! Workspaces over the backends whose features are on.

#[cfg(any(feature = "local", feature = "memory"))]
use crate::{Policy, Workspace, WorkspaceBuilder};

#[cfg(feature = "local")]
impl Workspace {
    /// Begins a workspace over a directory of this machine, with its commands.
    ///
    /// The policy's further roots and its rule for links hold.
    ///
    /// # Errors
    /// `not-found` and `not-a-directory` for a root; `invalid-input` for the
    /// name of a further one.
    pub fn local(root: impl Into<std::path::PathBuf>, policy: Policy) -> crate::Result<WorkspaceBuilder> {
        use crate::LinkRule;
        use workspace_local::{LinkPolicy, Local};

        let mut local = Local::builder(root).links(match policy.paths.symlinks {
            LinkRule::Inside => LinkPolicy::Inside,
            LinkRule::Never => LinkPolicy::Never,
        });
        for extra in &policy.paths.extra_roots {
            local = local.root(&extra.name, &extra.path, extra.writable);
        }
        let local = local.build()?;
        let shell = local.shell();
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
