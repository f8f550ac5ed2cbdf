//! Path policy that travels with a call down to where links are resolved.

use std::fmt;
use std::sync::Arc;

use crate::{Error, ErrorKind, Result, WorkspacePath};

/// What is about to be done with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Name it in a listing, or walk into it.
    See,
    /// Read its content or its attributes.
    Read,
    /// Create, change, remove or rename it.
    Write,
}

type Rule = dyn Fn(&WorkspacePath, Access) -> Result<()> + Send + Sync;

/// Rules over resolved paths, carried in the options of every operation.
///
/// A layer that narrows adds its rule and forwards the call. The backend judges
/// the path that it has resolved, links included, right before it acts; so a
/// link to a closed file is as closed as the file. An entry whose
/// [`Access::See`] is refused does not appear in any listing.
///
/// By default it refuses nothing.
///
/// # Examples
/// ```
/// use workspace_core::{Access, PathFilter, PathRules, WorkspacePath};
///
/// let filter = PathFilter::deny("dot-env", |path, _| path.name() == Some(".env"));
/// let path = WorkspacePath::parse("app/.env", &PathRules::default())?;
/// assert!(filter.check(&path, Access::Read).is_err());
/// # Ok::<(), workspace_core::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct PathFilter(Option<Arc<Rule>>);

impl PathFilter {
    /// A filter from a rule that gives the refusal.
    pub fn new(rule: impl Fn(&WorkspacePath, Access) -> Result<()> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(rule)))
    }

    /// A filter that refuses where `closes` says so, with [`ErrorKind::DeniedPath`] and the rule's name.
    pub fn deny(
        rule: &'static str,
        closes: impl Fn(&WorkspacePath, Access) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::new(move |path, access| {
            if closes(path, access) {
                return Err(Error::new(ErrorKind::DeniedPath, format!("the rule `{rule}` closes this path"))
                    .rule(rule)
                    .at(path)
                    .hint("leave this path alone; only the owner of the workspace can open it"));
            }
            Ok(())
        })
    }

    /// Whether it refuses nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Judges a resolved path.
    ///
    /// # Errors
    /// The refusal of the rule that closes it.
    pub fn check(&self, path: &WorkspacePath, access: Access) -> Result<()> {
        match &self.0 {
            Some(rule) => rule(path, access),
            None => Ok(()),
        }
    }

    /// Whether a listing may name the path.
    pub fn shows(&self, path: &WorkspacePath) -> bool {
        self.check(path, Access::See).is_ok()
    }

    /// Both filters: what either refuses is refused, this one's reason first.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        match (self.0, &other.0) {
            (None, _) => other.clone(),
            (Some(rule), None) => Self(Some(rule)),
            (Some(first), Some(second)) => {
                let second = Arc::clone(second);
                Self::new(move |path, access| first(path, access).and_then(|()| second(path, access)))
            }
        }
    }

    /// The same rules for a caller whose root is `directory` of the provider below.
    ///
    /// What lies outside the directory is refused as
    /// [`PathEscape`](ErrorKind::PathEscape), so a link cannot lead out of a scope.
    #[must_use]
    pub fn scoped(self, directory: &WorkspacePath) -> Self {
        if directory.is_root() {
            return self;
        }
        let directory = directory.clone();
        Self::new(move |path, access| match path.strip_prefix(&directory) {
            Some(path) => self.check(&path, access),
            None => Err(Error::new(ErrorKind::PathEscape, "a link on the way leads outside the workspace")
                .rule("scope")
                .hint("use a path whose links stay inside the workspace")),
        })
    }
}

impl fmt::Debug for PathFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "PathFilter(open)" } else { "PathFilter(rules)" })
    }
}
