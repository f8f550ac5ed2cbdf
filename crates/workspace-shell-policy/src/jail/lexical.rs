//! A jail judged by path text alone.

use super::{JailView, Place};

/// A jail in which no link leads anywhere: paths are judged by their text.
///
/// For callers without files at hand, such as a lint of command lines. It
/// knows nothing of links, so it must not guard a real tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexicalJail {
    root: String,
}

impl LexicalJail {
    /// A jail whose root has this absolute path. With an empty text no
    /// absolute path is inside.
    pub fn new(root: impl Into<String>) -> Self {
        let mut root = root.into();
        while root.ends_with('/') && root.len() > 1 {
            root.pop();
        }
        Self { root }
    }
}

impl JailView for LexicalJail {
    fn resolve(&self, path: &str) -> Place {
        if !path.starts_with('/') {
            return Place::Inside(path.to_owned());
        }
        if self.root.is_empty() {
            return Place::Outside;
        }
        let Some(rest) = path.strip_prefix(self.root.as_str()) else { return Place::Outside };
        match rest.strip_prefix('/') {
            Some(inside) => Place::Inside(inside.to_owned()),
            None if rest.is_empty() || self.root == "/" => Place::Inside(rest.to_owned()),
            None => Place::Outside,
        }
    }
}
