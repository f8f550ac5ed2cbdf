//! What a caller may ask of each operation. Each default is the plain case.

use crate::{PathFilter, Version};

/// How a file is read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// First byte, from 0. Past the end gives no bytes.
    pub offset: u64,
    /// How many bytes at most; `None` for all.
    pub length: Option<u64>,
    /// Rules that the resolved path must pass.
    pub filter: PathFilter,
}

/// How attributes are read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StatOptions {
    /// Whether a link at the path is followed (default) or told about itself.
    pub follow: bool,
    /// Rules that the resolved path must pass.
    pub filter: PathFilter,
}

impl Default for StatOptions {
    fn default() -> Self {
        Self { follow: true, filter: PathFilter::default() }
    }
}

/// The state that a file must be in for a write to happen.
///
/// The backend checks it as late as it can: a difference is
/// [`Conflict`](crate::ErrorKind::Conflict) and nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Precondition {
    /// Any state.
    #[default]
    Any,
    /// Nothing is there.
    Absent,
    /// It is there in the state that was seen.
    Version(Version),
    /// It is there and its content has this SHA-256.
    Sha256([u8; 32]),
}

/// Which permission bits a written file gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum WriteMode {
    /// Those of the file that it replaces; a new file gets the backend's usual ones.
    #[default]
    Keep,
    /// These (`0o7777`).
    Set(u32),
}

/// What survives a loss of power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Durability {
    /// Nothing is promised.
    None,
    /// The bytes are on the disk before the name points to them.
    #[default]
    Data,
    /// The name is on the disk as well.
    Full,
}

/// What happens where a file cannot be replaced atomically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Atomicity {
    /// It is rewritten in place, after the new bytes are safe beside it, and
    /// [`Written::atomic`](crate::Written::atomic) is false.
    #[default]
    Preferred,
    /// The write is refused.
    Required,
}

/// How a file is written.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The state that the file must be in.
    pub if_match: Precondition,
    /// Whether missing directories are made. By default a missing parent is `not-found`.
    pub create_parents: bool,
    /// The permission bits of the result.
    pub mode: WriteMode,
    /// What survives a loss of power.
    pub durability: Durability,
    /// What happens where atomic replacement is impossible.
    pub atomicity: Atomicity,
    /// Rules that the resolved path, and each directory made, must pass.
    pub filter: PathFilter,
}

/// How a directory is listed.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ListOptions {
    /// Rules: the directory must pass them, and an entry that they hide is left out.
    pub filter: PathFilter,
}

/// How a directory is made.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CreateDirOptions {
    /// Whether missing parents are made as well.
    pub parents: bool,
    /// Rules that each directory made must pass.
    pub filter: PathFilter,
}

/// How something is removed.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RemoveOptions {
    /// Whether a directory is removed with all that it holds.
    pub recursive: bool,
    /// Rules that the path, and all below it, must pass before anything is removed.
    pub filter: PathFilter,
}

/// How something is renamed.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RenameOptions {
    /// Whether a file at the new path is replaced. By default it is `already-exists`.
    pub replace: bool,
    /// Rules that both paths, and all below them, must pass before anything moves.
    pub filter: PathFilter,
}

/// How a path is resolved.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ResolveOptions {
    /// Rules that the resolved path must pass.
    pub filter: PathFilter,
}

/// How a tree is walked.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WalkOptions {
    /// How many levels deep: 1 gives the entries of the directory itself. `None`: all.
    pub max_depth: Option<usize>,
    /// Rules: what they hide is left out and not entered.
    pub filter: PathFilter,
}

/// Writes setters. Each stands here with its full name, so that a search finds it.
macro_rules! setters {
    ($($options:ident { $($setter:ident sets $field:ident: $type:ty),+ $(,)? })+) => {$(
        impl $options {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $setter(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )+
        }
    )+};
}

setters! {
    ReadOptions {
        with_offset sets offset: u64,
        with_length sets length: Option<u64>,
        with_filter sets filter: PathFilter,
    }
    StatOptions {
        with_follow sets follow: bool,
        with_filter sets filter: PathFilter,
    }
    WriteOptions {
        with_if_match sets if_match: Precondition,
        with_create_parents sets create_parents: bool,
        with_mode sets mode: WriteMode,
        with_durability sets durability: Durability,
        with_atomicity sets atomicity: Atomicity,
        with_filter sets filter: PathFilter,
    }
    ListOptions {
        with_filter sets filter: PathFilter,
    }
    CreateDirOptions {
        with_parents sets parents: bool,
        with_filter sets filter: PathFilter,
    }
    RemoveOptions {
        with_recursive sets recursive: bool,
        with_filter sets filter: PathFilter,
    }
    RenameOptions {
        with_replace sets replace: bool,
        with_filter sets filter: PathFilter,
    }
    ResolveOptions {
        with_filter sets filter: PathFilter,
    }
    WalkOptions {
        with_max_depth sets max_depth: Option<usize>,
        with_filter sets filter: PathFilter,
    }
}
