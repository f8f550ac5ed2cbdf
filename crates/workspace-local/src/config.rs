//! What a workspace of this machine is made of.

use std::path::PathBuf;

use workspace_core::{AbsolutePaths, Backslash, Result};

use crate::Local;

/// What becomes of symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LinkPolicy {
    /// Followed where they stay in their root, also when their text is
    /// absolute; refused where they leave it, and where a relative text climbs
    /// out and comes back in.
    #[default]
    Inside,
    /// Never followed: a path with a link on it is refused. For trees that one
    /// does not trust. Links are still listed, removed and renamed as links.
    Never,
}

/// What becomes of files that have more than one name.
///
/// A file outside the root may have a second name inside it, and nothing tells
/// the two apart. A write never changes such a file, because it puts a new file
/// in place of the name; a read shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum HardLinks {
    /// They are files like any other.
    #[default]
    Allow,
    /// They are neither read nor written: [`DeniedPath`](workspace_core::ErrorKind::DeniedPath).
    Refuse,
}

/// Sets up a [`Local`].
///
/// # Examples
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (project, docs) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// use workspace_local::{LinkPolicy, Local};
///
/// let files = Local::builder(project.path())
///     .root("docs", docs.path(), false)
///     .links(LinkPolicy::Never)
///     .build()?;
/// # let _ = files;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is opened before `build`"]
pub struct LocalBuilder {
    pub(crate) primary: PathBuf,
    pub(crate) extra: Vec<ExtraRoot>,
    pub(crate) links: LinkPolicy,
    pub(crate) hard_links: HardLinks,
    pub(crate) backslash: Backslash,
    pub(crate) absolute: AbsolutePaths,
}

/// A root besides the primary one, before it is opened.
#[derive(Debug, Clone)]
pub(crate) struct ExtraRoot {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) writable: bool,
}

impl LocalBuilder {
    pub(crate) fn new(primary: PathBuf) -> Self {
        Self {
            primary,
            extra: Vec::new(),
            links: LinkPolicy::default(),
            hard_links: HardLinks::default(),
            backslash: Backslash::default(),
            absolute: AbsolutePaths::default(),
        }
    }

    /// Adds a root that is reached as `@name/…` or by its absolute path.
    ///
    /// Where it lies inside another root, what it holds goes by its own rights.
    pub fn root(mut self, name: impl Into<String>, path: impl Into<PathBuf>, writable: bool) -> Self {
        self.extra.push(ExtraRoot { name: name.into(), path: path.into(), writable });
        self
    }

    /// Sets what becomes of symbolic links.
    pub fn links(mut self, policy: LinkPolicy) -> Self {
        self.links = policy;
        self
    }

    /// Sets what becomes of files that have more than one name.
    pub fn hard_links(mut self, policy: HardLinks) -> Self {
        self.hard_links = policy;
        self
    }

    /// Sets what a backslash in a path means.
    pub fn backslash(mut self, meaning: Backslash) -> Self {
        self.backslash = meaning;
        self
    }

    /// Sets what an absolute path means.
    pub fn absolute(mut self, meaning: AbsolutePaths) -> Self {
        self.absolute = meaning;
        self
    }

    /// Opens the roots.
    ///
    /// From here on they are known by their handles: a root that is renamed,
    /// or replaced by a link, is still the directory that was opened. The top of
    /// each writable root is cleared of the temporary files that a killed
    /// process of this crate left there.
    ///
    /// # Errors
    /// [`NotFound`](workspace_core::ErrorKind::NotFound) and
    /// [`NotADirectory`](workspace_core::ErrorKind::NotADirectory) for a root;
    /// [`InvalidInput`](workspace_core::ErrorKind::InvalidInput) for a name that is no single
    /// component, is taken, or stands in the primary root as `@name`, and for one directory given
    /// twice. These errors alone name paths of the host: those that were given here.
    pub fn build(self) -> Result<Local> {
        Local::build(&self)
    }
}
