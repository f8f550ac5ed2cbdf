//! The backend itself: roots, opened, and the rights to them.

use std::fmt;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use workspace_core::{Capabilities, Mount, PathFilter, PathRules, Result, WorkspacePath};

use crate::beneath::{Beneath, DIRECTORY};
use crate::case::ignores_case;
use crate::config::{HardLinks, LinkPolicy, LocalBuilder};
use crate::files::{Swept, Turns, Unnamed};
use crate::jail::{Ask, Jail};
use crate::open_roots::open_roots;
use crate::roots::Roots;
use crate::search::Threads;

/// A directory of this machine as the files of a workspace.
///
/// Cheap to clone: clones share the handles.
#[derive(Clone)]
pub struct Local(pub(crate) Arc<Inner>);

/// What clones share.
pub(crate) struct Inner {
    pub(crate) jail: Jail,
    pub(crate) hard_links: HardLinks,
    pub(crate) rules: PathRules,
    pub(crate) capabilities: Capabilities,
    /// Which directories are free of what killed writers left.
    pub(crate) swept: Swept,
    /// Whether new content needs no name in the making.
    pub(crate) unnamed: Unnamed,
    /// Whose turn it is to finish a write.
    pub(crate) turns: Turns,
    /// How many threads a search takes.
    pub(crate) threads: Threads,
}

impl Local {
    /// Opens a directory with the defaults of [`LocalBuilder`].
    ///
    /// # Errors
    /// Those of [`LocalBuilder::build`].
    pub fn open(root: impl Into<PathBuf>) -> Result<Self> {
        Self::builder(root).build()
    }

    /// Begins to set up a workspace over a directory.
    pub fn builder(root: impl Into<PathBuf>) -> LocalBuilder {
        LocalBuilder::new(root.into())
    }

    pub(crate) fn build(config: &LocalBuilder) -> Result<Self> {
        let roots = open_roots(&config.primary, &config.extra)?;
        let rules = rules(config, &roots);
        let capabilities = Capabilities::default()
            .with_write(true)
            .with_links(config.links == LinkPolicy::Inside)
            .with_modes(true)
            .with_atomic_replace(true)
            .with_versions(true)
            .with_glob(true)
            .with_grep(true)
            .with_case_insensitive(roots.iter().any(|root| ignores_case(root.fd())));
        let beneath = roots.iter().next().map_or(Beneath::ByHand, |root| Beneath::probe(root.fd()));
        let swept = Swept::default();
        for root in roots.iter().filter(|root| root.writable) {
            swept.once(root.fd(), root.identity);
        }
        Ok(Self(Arc::new(Inner {
            jail: Jail { roots, beneath, links: config.links },
            hard_links: config.hard_links,
            rules,
            capabilities,
            swept,
            unnamed: Unnamed::probe(),
            turns: Turns::default(),
            threads: Threads::default(),
        })))
    }

    /// Whether the kernel keeps paths beneath the roots here (`openat2`), or
    /// this crate does, one component at a time. The answers are the same.
    pub fn is_kept_by_kernel(&self) -> bool {
        self.0.jail.beneath != Beneath::ByHand
    }

    /// Opens a directory of the workspace, as the working directory of a
    /// command: resolved, and judged by the filter. It waits for the disk.
    ///
    /// # Errors
    /// Those of [`FsProvider::list`](workspace_core::FsProvider::list), naming the path as given.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn open_dir(&self, path: &WorkspacePath, filter: &PathFilter) -> Result<OwnedFd> {
        let jail = &self.0.jail;
        jail.settle(Ask::read(path, filter), |spot| jail.open(spot, DIRECTORY))
            .map_err(|fault| fault.tell("open the working directory", path))
    }
}

impl fmt::Debug for Local {
    /// Where it lies on the host is left out: a workspace may end up in a message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bases: Vec<String> = self.0.jail.roots.iter().map(|root| root.base.to_string()).collect();
        f.debug_struct("Local").field("roots", &bases).finish_non_exhaustive()
    }
}

fn rules(config: &LocalBuilder, roots: &Roots) -> PathRules {
    let mut rules = PathRules::default().with_backslash(config.backslash).with_absolute(config.absolute);
    for root in roots.iter() {
        match root.base.as_str().strip_prefix('@') {
            Some(name) => rules = rules.with_mount(Mount::new(name, root.spellings.clone())),
            None => rules = root.spellings.iter().fold(rules, PathRules::with_root),
        }
    }
    rules
}
