//! The only way to name a file to a provider.

mod parse;
mod rules;
mod temporary;
#[cfg(test)]
mod tests;
mod windows;

use std::cmp::Ordering;
use std::fmt;

use crate::{Error, ErrorKind, Result, Visible};

pub use rules::{AbsolutePaths, Backslash, Mount, PathRules, Platform};
pub use temporary::{is_temporary_name, temporary_name};

/// The longest path, in bytes.
pub const MAX_PATH_BYTES: usize = 4096;
/// The longest component of a path, in bytes.
pub const MAX_NAME_BYTES: usize = 255;

/// A path inside a workspace: relative, `/`-separated, folded.
///
/// It has no `.`, no `..`, no empty component and no NUL, so no provider has to
/// look for them. The root is the empty path and is shown as `.`. Paths order
/// component by component, bytewise: a directory's content stands where its
/// name stands.
///
/// [`parse`](Self::parse) is the one gate for text from outside;
/// [`child`](Self::child) is for names that a backend found.
///
/// # Examples
/// ```
/// use workspace_core::{PathRules, WorkspacePath};
///
/// let rules = PathRules::default();
/// let path = WorkspacePath::parse("src/./x/../main.rs", &rules)?;
/// assert_eq!(path.as_str(), "src/main.rs");
/// assert!(WorkspacePath::parse("../secret", &rules).is_err());
/// # Ok::<(), workspace_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// The root of the workspace.
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Reads a path that a model or a user wrote.
    ///
    /// An empty text is the root; who needs a file refuses it.
    ///
    /// # Errors
    /// [`PathEscape`](ErrorKind::PathEscape) for whatever leads, or could lead,
    /// outside; [`InvalidInput`](ErrorKind::InvalidInput) for a path over
    /// [`MAX_PATH_BYTES`] or a component over [`MAX_NAME_BYTES`].
    pub fn parse(input: &str, rules: &PathRules) -> Result<Self> {
        parse::parse(input, rules).map(Self)
    }

    /// The path of an entry that a backend found in this directory.
    ///
    /// The name is taken as it is, also with a backslash or a control character.
    ///
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) where the name is no single
    /// component: empty, `.`, `..`, or with `/` or NUL.
    pub fn child(&self, name: &str) -> Result<Self> {
        if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
            return Err(Error::new(
                ErrorKind::InvalidInput,
                format!("`{}` is not the name of an entry", Visible(name)),
            ));
        }
        Ok(Self(if self.is_root() { name.to_owned() } else { format!("{}/{name}", self.0) }))
    }

    /// This path below another one.
    #[must_use]
    pub fn under(&self, base: &Self) -> Self {
        match (base.is_root(), self.is_root()) {
            (true, _) => self.clone(),
            (_, true) => base.clone(),
            _ => Self(format!("{}/{}", base.0, self.0)),
        }
    }

    /// The path as text: empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The components from the root down; none for the root.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// How many components it has.
    pub fn depth(&self) -> usize {
        self.components().count()
    }

    /// The last component, or `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.components().next_back()
    }

    /// The directory that holds it, or `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        let name = self.name()?;
        let end = (self.0.len() - name.len()).saturating_sub(1);
        Some(Self(self.0[..end].to_owned()))
    }

    /// Whether it is `base` or lies below it, by whole components.
    pub fn starts_with(&self, base: &Self) -> bool {
        self.strip_prefix(base).is_some()
    }

    /// The path as seen from `base`, or `None` where it does not lie there.
    pub fn strip_prefix(&self, base: &Self) -> Option<Self> {
        if base.is_root() {
            return Some(self.clone());
        }
        let rest = self.0.strip_prefix(base.as_str())?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(Self(rest.to_owned())),
            None if rest.is_empty() => Some(Self::root()),
            None => None,
        }
    }

    /// Resolves a link's text from the directory that holds the link.
    ///
    /// `Ok(None)` means that the text is absolute: only the backend knows where
    /// its root lies. The text is folded lexically, component by component.
    ///
    /// # Errors
    /// [`PathEscape`](ErrorKind::PathEscape) where it climbs out of the root.
    pub fn join_link(&self, text: &str) -> Result<Option<Self>> {
        if text.starts_with('/') {
            return Ok(None);
        }
        let mut names: Vec<&str> = self.components().collect();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    if names.pop().is_none() {
                        return Err(Error::new(
                            ErrorKind::PathEscape,
                            "a link on the way leads outside the workspace",
                        ));
                    }
                }
                name => names.push(name),
            }
        }
        Ok(Some(Self(names.join("/"))))
    }
}

impl Ord for WorkspacePath {
    fn cmp(&self, other: &Self) -> Ordering {
        self.components().map(str::as_bytes).cmp(other.components().map(str::as_bytes))
    }
}

impl PartialOrd for WorkspacePath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Shows the path, `.` for the root. Control characters are not escaped: see [`Visible`].
impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

#[cfg(test)]
mod path_tests {
    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text, &PathRules::default()).unwrap()
    }

    #[test]
    fn paths_order_component_by_component() {
        let mut paths = ["a-b", "a/z", "a", "a/b/c", "a.b", "b"].map(path);
        paths.sort();
        assert_eq!(paths.each_ref().map(WorkspacePath::as_str), ["a", "a/b/c", "a/z", "a-b", "a.b", "b"]);
    }

    #[test]
    fn prefixes_are_compared_by_whole_components() {
        assert!(path("src/a").starts_with(&path("src")));
        assert!(!path("src-evil/a").starts_with(&path("src")));
        assert_eq!(path("src/a/b").strip_prefix(&path("src")), Some(path("a/b")));
        assert_eq!(path("src").strip_prefix(&path("src")), Some(WorkspacePath::root()));
        assert_eq!(path("a").strip_prefix(&WorkspacePath::root()), Some(path("a")));
    }

    #[test]
    fn parents_end_at_the_root() {
        assert_eq!(path("a/b").parent(), Some(path("a")));
        assert_eq!(path("a").parent(), Some(WorkspacePath::root()));
        assert_eq!(WorkspacePath::root().parent(), None);
        assert_eq!(WorkspacePath::root().to_string(), ".");
    }

    #[test]
    fn a_link_is_resolved_from_its_own_directory() {
        assert_eq!(path("a/b").join_link("../c").unwrap(), Some(path("a/c")));
        assert_eq!(path("a").join_link("./x//y").unwrap(), Some(path("a/x/y")));
        assert_eq!(path("a").join_link("/etc").unwrap(), None);
        assert_eq!(path("a").join_link("../../c").unwrap_err().kind(), ErrorKind::PathEscape);
    }

    #[test]
    fn a_child_is_one_component() {
        assert_eq!(path("a").child("b\\c").unwrap().as_str(), "a/b\\c");
        for bad in ["", ".", "..", "a/b", "a\0"] {
            assert_eq!(path("a").child(bad).unwrap_err().kind(), ErrorKind::InvalidInput, "{bad:?}");
        }
    }
}
