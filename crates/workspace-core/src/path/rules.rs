//! What a path may look like, as data: the rules of any platform can be tested on any host.

use super::WorkspacePath;

/// Whose rules for file names hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Platform {
    /// Linux, macOS, and every backend that is neither of the host.
    Posix,
    /// Windows: device names, streams and trailing dots are refused as well.
    Windows,
}

/// What a backslash in a path means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Backslash {
    /// A separator on every platform, so that `src\..\..\x` cannot hide a climb.
    #[default]
    Separator,
    /// A character of a name, for POSIX trees with such names. On Windows it stays a separator.
    Literal,
}

/// What an absolute path means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum AbsolutePaths {
    /// Accepted where it lies in a root: models repeat the paths that compilers print.
    #[default]
    Inside,
    /// Always refused.
    Never,
}

/// A second root, reached as `@name/…`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mount {
    /// Its name, without the `@`.
    pub name: String,
    component: String,
    /// Its absolute spellings on the backend.
    pub spellings: Vec<String>,
}

impl Mount {
    /// A root of this name, with the absolute paths under which it is known.
    pub fn new(name: impl Into<String>, spellings: Vec<String>) -> Self {
        let name = name.into();
        Self { component: format!("@{name}"), name, spellings }
    }

    /// The first component of its paths: `@name`.
    pub fn component(&self) -> &str {
        &self.component
    }
}

/// How text becomes a [`WorkspacePath`].
///
/// A provider states its own by [`FsProvider::path_rules`](crate::FsProvider::path_rules).
/// By default: POSIX names, a backslash separates, and no absolute path is
/// known, so that each is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathRules {
    /// Whose names.
    pub platform: Platform,
    /// What a backslash is.
    pub backslash: Backslash,
    /// What an absolute path is.
    pub absolute: AbsolutePaths,
    /// The absolute spellings of the root: as the owner gave it, and as resolved.
    pub roots: Vec<String>,
    /// Further roots.
    pub mounts: Vec<Mount>,
}

impl Default for PathRules {
    fn default() -> Self {
        Self {
            platform: Platform::Posix,
            backslash: Backslash::default(),
            absolute: AbsolutePaths::default(),
            roots: Vec::new(),
            mounts: Vec::new(),
        }
    }
}

impl PathRules {
    /// Sets whose rules for names hold.
    #[must_use]
    pub fn with_platform(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    /// Sets what a backslash means.
    #[must_use]
    pub fn with_backslash(mut self, backslash: Backslash) -> Self {
        self.backslash = backslash;
        self
    }

    /// Sets what an absolute path means.
    #[must_use]
    pub fn with_absolute(mut self, absolute: AbsolutePaths) -> Self {
        self.absolute = absolute;
        self
    }

    /// Adds an absolute spelling of the root.
    #[must_use]
    pub fn with_root(mut self, spelling: impl Into<String>) -> Self {
        let spelling = spelling.into();
        if !self.roots.contains(&spelling) {
            self.roots.push(spelling);
        }
        self
    }

    /// Adds a further root.
    #[must_use]
    pub fn with_mount(mut self, mount: Mount) -> Self {
        self.mounts.push(mount);
        self
    }

    /// The rules of a workspace whose root is `directory` of this one.
    ///
    /// Other roots are out of its reach.
    #[must_use]
    pub fn scoped(&self, directory: &WorkspacePath) -> Self {
        let mut names = directory.components();
        let first = names.next();
        let mount = first
            .and_then(|first| first.strip_prefix('@'))
            .and_then(|name| self.mounts.iter().find(|mount| mount.name == name));
        let (spellings, rest) = match mount {
            Some(mount) => (&mount.spellings, names.collect::<Vec<_>>()),
            None => (&self.roots, directory.components().collect()),
        };
        let roots = spellings
            .iter()
            .map(|root| {
                let mut root = root.trim_end_matches('/').to_owned();
                for name in &rest {
                    root.push('/');
                    root.push_str(name);
                }
                root
            })
            .collect();
        Self { roots, mounts: Vec::new(), ..self.clone() }
    }

    pub(crate) fn mount_component(&self, name: &str) -> Option<&str> {
        self.mounts.iter().find(|mount| mount.name == name).map(Mount::component)
    }

    pub(crate) fn is_separator(&self, c: char) -> bool {
        c == '/' || (c == '\\' && !self.backslash_is_literal())
    }

    pub(crate) fn backslash_is_literal(&self) -> bool {
        self.backslash == Backslash::Literal && self.platform == Platform::Posix
    }
}
