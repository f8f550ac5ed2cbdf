//! What a provider can do, as plain data.

/// What the files of a workspace can do, after every layer. By default: read and list, nothing more.
///
/// The conformance kit tests both ways: where a field is true the operation
/// works as the contract says; where it is false it fails with
/// [`Unsupported`](crate::ErrorKind::Unsupported) or
/// [`ReadOnly`](crate::ErrorKind::ReadOnly).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a question of its own with yes or no for an answer.
pub struct Capabilities {
    /// Files can be written, removed, renamed; directories can be made.
    pub write: bool,
    /// There are symbolic links, and they are resolved inside the root.
    pub links: bool,
    /// Files have permission bits, and a write keeps them.
    pub modes: bool,
    /// A reader sees the old or the new content of a write, never a part.
    pub atomic_replace: bool,
    /// [`Stat::version`](crate::Stat::version) is filled, and
    /// [`Precondition::Version`](crate::Precondition::Version) is checked by the backend.
    pub versions: bool,
    /// Names that differ in case alone are one file.
    pub case_insensitive: bool,
    /// [`FsProvider::glob`](crate::FsProvider::glob) is native.
    pub glob: bool,
    /// [`FsProvider::grep`](crate::FsProvider::grep) is native.
    pub grep: bool,
}

impl Capabilities {
    /// Sets [`write`](Self::write).
    #[must_use]
    pub const fn with_write(mut self, yes: bool) -> Self {
        self.write = yes;
        self
    }

    /// Sets [`links`](Self::links).
    #[must_use]
    pub const fn with_links(mut self, yes: bool) -> Self {
        self.links = yes;
        self
    }

    /// Sets [`modes`](Self::modes).
    #[must_use]
    pub const fn with_modes(mut self, yes: bool) -> Self {
        self.modes = yes;
        self
    }

    /// Sets [`atomic_replace`](Self::atomic_replace).
    #[must_use]
    pub const fn with_atomic_replace(mut self, yes: bool) -> Self {
        self.atomic_replace = yes;
        self
    }

    /// Sets [`versions`](Self::versions).
    #[must_use]
    pub const fn with_versions(mut self, yes: bool) -> Self {
        self.versions = yes;
        self
    }

    /// Sets [`case_insensitive`](Self::case_insensitive).
    #[must_use]
    pub const fn with_case_insensitive(mut self, yes: bool) -> Self {
        self.case_insensitive = yes;
        self
    }

    /// Sets [`glob`](Self::glob).
    #[must_use]
    pub const fn with_glob(mut self, yes: bool) -> Self {
        self.glob = yes;
        self
    }

    /// Sets [`grep`](Self::grep).
    #[must_use]
    pub const fn with_grep(mut self, yes: bool) -> Self {
        self.grep = yes;
        self
    }
}
