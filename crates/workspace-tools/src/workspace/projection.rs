//! Narrower views of one workspace.

use std::collections::BTreeSet;

use workspace_core::{
    FileKind, FsProvider, ReadOnly, Scoped, ScopedShell, SharedFs, SharedShell, StatOptions,
};

use super::Workspace;
use crate::similar::nearest;
use crate::tools::ToolName;
use crate::{Result, ToolError, ToolErrorKind};

impl Workspace {
    /// The same workspace without any tool or method that changes files or runs commands.
    #[must_use]
    pub fn readonly(&self) -> Self {
        let mut view = (*self.view).clone();
        if !view.read_only {
            view.read_only = true;
            view.narrow(|files| SharedFs::new(ReadOnly::new(files)));
        }
        self.with_view(view)
    }

    /// The same workspace with a directory of it for a root.
    ///
    /// Globs of the policy stay relative to the whole workspace.
    ///
    /// # Errors
    /// Those of the path rules; `not-found` and `not-a-directory`; `path-escape`
    /// for a link that leads out.
    pub async fn scope(&self, directory: &str) -> Result<Self> {
        let path = self.parse("directory", directory)?;
        let resolved = self.resolved(&path, directory).await?;
        let stat = match self.view.tree.stat(&resolved, StatOptions::default()).await {
            Ok(stat) => stat,
            Err(error) => return Err(self.explain(error, &path).await),
        };
        if stat.kind != FileKind::Dir {
            return Err(ToolError::new(
                ToolErrorKind::NotADirectory,
                format!("`{directory}` is not a directory"),
            )
            .with("path", directory)
            .hint("name a directory of the workspace"));
        }
        let mut view = (*self.view).clone();
        view.rules = view.rules.scoped(&resolved);
        view.scope = resolved.under(&view.scope);
        view.narrow(|files| SharedFs::new(Scoped::new(files, resolved.clone())));
        view.shell = view.shell.map(|shell| SharedShell::new(ScopedShell::new(shell, resolved)));
        Ok(self.with_view(view))
    }

    /// The same workspace with only these tools. Names that it lacks are dropped.
    #[must_use]
    pub fn pick<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Self {
        let wanted: BTreeSet<_> = names.into_iter().filter_map(ToolName::parse).collect();
        let mut view = (*self.view).clone();
        view.picked = Some(match view.picked {
            Some(picked) => picked.intersection(&wanted).copied().collect(),
            // Tools that are off by default are vended where they are named.
            None => wanted,
        });
        self.with_view(view)
    }

    /// The same workspace with only these tools.
    ///
    /// # Errors
    /// `invalid-input` for a name that this workspace does not vend.
    pub fn pick_strict<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let names: Vec<_> = names.into_iter().collect();
        let picked = self.pick(names.iter().copied());
        let vended = picked.tools();
        for name in names {
            if !vended.iter().any(|tool| tool.as_str() == name) {
                let error = ToolError::new(
                    ToolErrorKind::InvalidInput,
                    format!("this workspace has no tool `{name}`"),
                )
                .with("field", "tools");
                let near = nearest(name, self.tools().into_iter().map(ToolName::as_str));
                return Err(match near {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error.hint("see the list of tools of this workspace"),
                });
            }
        }
        Ok(picked)
    }

    /// The tools that this projection vends, in the fixed order.
    pub fn tools(&self) -> Vec<ToolName> {
        ToolName::ALL
            .iter()
            .copied()
            .filter(|tool| match &self.view.picked {
                Some(picked) => picked.contains(tool),
                None => tool.is_default(),
            })
            .filter(|tool| self.has(*tool))
            .collect()
    }

    /// Whether this projection vends a tool.
    pub(crate) fn vends(&self, tool: ToolName) -> bool {
        self.has(tool)
            && match &self.view.picked {
                Some(picked) => picked.contains(&tool),
                None => tool.is_default(),
            }
    }

    /// Whether the backend, the policy and the rights of this projection have what a tool needs.
    fn has(&self, tool: ToolName) -> bool {
        if tool.changes_files() {
            return !self.view.read_only && self.capabilities().write;
        }
        self.why_no_command(tool).is_none()
    }

    /// Refuses a tool that changes something where nothing may be changed.
    pub(crate) fn check_writable(&self, tool: ToolName) -> Result<()> {
        if self.view.read_only {
            return Err(ToolError::new(
                ToolErrorKind::ReadOnly,
                format!(
                    "`{}` is not possible: this workspace is read-only, nothing has changed",
                    tool.as_str()
                ),
            )
            .hint("work with what can be read, and report what you would change"));
        }
        Ok(())
    }
}
