//! Where paths lead: asked by the checker, answered by whoever holds the files.

mod fold;
mod lexical;
mod trail;

pub(crate) use fold::{fold, join};
pub use lexical::LexicalJail;
pub(crate) use trail::{Next, Trail};

/// Where a path leads once every link on it is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Inside the jail, at this path relative to the root (`/` between names,
    /// no `.`, no `..`, no link left; empty for the root itself).
    Inside(String),
    /// Anywhere else, or not known: out of the jail, a loop of links, a link
    /// whose target is missing, a path that cannot be looked at.
    Outside,
}

/// The files of the jail as far as the checker needs to know them.
///
/// A closure `Fn(&str) -> Place` is a view too. Whoever can only answer
/// asynchronously drives a [`Review`](crate::Review) instead.
pub trait JailView {
    /// Tells where a path leads.
    ///
    /// The path has no `.`, no `..` and no empty component; it is relative to
    /// the root, empty for the root, or absolute. Every link on it is followed,
    /// the last one too. Components that do not exist yet stay as they are
    /// after the deepest directory that does exist; a link whose target is
    /// missing is [`Place::Outside`]. Not knowing is `Outside` as well.
    fn resolve(&self, path: &str) -> Place;
}

impl<F: Fn(&str) -> Place> JailView for F {
    fn resolve(&self, path: &str) -> Place {
        self(path)
    }
}
