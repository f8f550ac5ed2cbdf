//! The rules of files: paths, reading, writing, editing, listing, searching.

use serde::Deserialize;
use workspace_core::{AbsolutePaths, Atomicity, Backslash, Durability, PathRules};

use super::Limit;
use crate::edit::EolMode;

/// Whether absolute paths are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbsoluteRule {
    /// Where they lie in a root.
    #[default]
    Inside,
    /// Never.
    Never,
}

/// Whether links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkRule {
    /// Where the target lies in the root.
    #[default]
    Inside,
    /// Never: for trees that one does not trust.
    Never,
}

/// What a backslash in a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BackslashRule {
    /// A separator.
    #[default]
    Separator,
    /// A character, for POSIX trees with such names.
    Literal,
}

/// A further root of a local workspace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtraRoot {
    /// Its name: its files are `@name/…`.
    pub name: String,
    /// Its directory on the host.
    pub path: String,
    /// Whether it can be changed; false by default.
    #[serde(default)]
    pub writable: bool,
}

/// Which paths are open, and how they are written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PathPolicy {
    /// Globs, relative to the root, of what is closed: neither seen nor read nor changed.
    /// A directory's name closes all that it holds.
    pub deny: Vec<String>,
    /// Globs of what can be read and not changed.
    pub protect: Vec<String>,
    /// Further roots, for a local workspace.
    pub extra_roots: Vec<ExtraRoot>,
    /// Whether absolute paths are taken.
    pub absolute: AbsoluteRule,
    /// Whether links are followed. A backend's constructor reads it.
    pub symlinks: LinkRule,
    /// What a backslash is.
    pub backslash: BackslashRule,
    /// Whether nothing at all can be changed.
    pub read_only: bool,
    /// Whether a path that `deny` closes is reported as missing.
    pub hide_denied: bool,
}

impl PathPolicy {
    /// A backend's rules for paths with this policy's choices.
    pub(crate) fn apply(&self, rules: PathRules) -> PathRules {
        let absolute = match self.absolute {
            AbsoluteRule::Inside => AbsolutePaths::Inside,
            AbsoluteRule::Never => AbsolutePaths::Never,
        };
        let backslash = match self.backslash {
            BackslashRule::Separator => Backslash::Separator,
            BackslashRule::Literal => Backslash::Literal,
        };
        rules.with_absolute(absolute).with_backslash(backslash)
    }
}

/// What is done with a file that is no UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EncodingRule {
    /// It is refused.
    #[default]
    #[serde(rename = "utf-8", alias = "utf8")]
    Utf8,
    /// It is read with replacement characters, and cannot be edited.
    Lossy,
}

/// How files are read.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadPolicy {
    /// Lines shown where the call names no limit; 2,000.
    pub default_lines: u64,
    /// Cap on the bytes of `content`; 65,536.
    pub max_bytes: Limit,
    /// Cap on the size of a file that is read at all, in bytes; 256 MiB.
    pub max_file_bytes: Limit,
    /// The number of the first line: 1, or 0.
    pub line_base: u64,
    /// What is done with a file that is no UTF-8.
    pub encoding: EncodingRule,
}

impl Default for ReadPolicy {
    fn default() -> Self {
        Self {
            default_lines: 2000,
            max_bytes: Limit::of(65_536),
            max_file_bytes: Limit::of(256 << 20),
            line_base: 1,
            encoding: EncodingRule::default(),
        }
    }
}

/// What survives a loss of power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteDurability {
    /// Nothing is promised.
    None,
    /// The bytes are on the disk before the name points to them.
    #[default]
    Data,
    /// The name as well.
    Full,
}

impl From<WriteDurability> for Durability {
    fn from(durability: WriteDurability) -> Self {
        match durability {
            WriteDurability::None => Self::None,
            WriteDurability::Data => Self::Data,
            WriteDurability::Full => Self::Full,
        }
    }
}

/// What happens where a file cannot be replaced atomically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteAtomicity {
    /// It is rewritten in place, and the answer says so.
    #[default]
    Preferred,
    /// It is refused.
    Required,
}

impl From<WriteAtomicity> for Atomicity {
    fn from(atomicity: WriteAtomicity) -> Self {
        match atomicity {
            WriteAtomicity::Preferred => Self::Preferred,
            WriteAtomicity::Required => Self::Required,
        }
    }
}

/// What `write_file` does with the line endings of the file that it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteEol {
    /// The content is written as it was sent; a notice tells where the endings changed.
    #[default]
    AsSent,
    /// Content with LF alone that replaces a file with CRLF alone gets CRLF.
    Keep,
}

/// How files are written.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WritePolicy {
    /// Whether missing directories are made.
    pub create_parents: bool,
    /// Cap on the content, in bytes; 10 MiB.
    pub max_bytes: Limit,
    /// What survives a loss of power.
    pub durability: WriteDurability,
    /// What happens to line endings.
    pub write_eol: WriteEol,
    /// What happens where a file cannot be replaced atomically.
    pub atomic: WriteAtomicity,
}

impl Default for WritePolicy {
    fn default() -> Self {
        Self {
            create_parents: true,
            max_bytes: Limit::of(10 << 20),
            durability: WriteDurability::default(),
            write_eol: WriteEol::default(),
            atomic: WriteAtomicity::default(),
        }
    }
}

/// How the line endings of an edit are matched and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EditEol {
    /// Text matches whatever the endings, and what is written takes those of its place.
    #[default]
    Adapt,
    /// Text must match as given; a difference in endings is named as the cause.
    Hint,
    /// Bytes as given.
    Exact,
}

impl From<EditEol> for EolMode {
    fn from(eol: EditEol) -> Self {
        match eol {
            EditEol::Adapt => Self::Adapt,
            EditEol::Hint => Self::Hint,
            EditEol::Exact => Self::Exact,
        }
    }
}

/// What an edit demands of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// Nothing beyond a hash that the call gives.
    #[default]
    Off,
    /// The file must have been read here, and be as it was then.
    ReadFirst,
}

/// How files are edited.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EditPolicy {
    /// How line endings are treated.
    pub eol: EditEol,
    /// What an edit demands of the reader.
    pub guard: Guard,
    /// Whether answers hold a unified diff of at most 4 KiB.
    pub diff: bool,
    /// What is done with a file that is no UTF-8.
    pub encoding: EncodingRule,
    /// Cap on the size of a file that is edited, in bytes; 32 MiB.
    pub max_file_bytes: Limit,
}

impl Default for EditPolicy {
    fn default() -> Self {
        Self {
            eol: EditEol::default(),
            guard: Guard::default(),
            diff: false,
            encoding: EncodingRule::default(),
            max_file_bytes: Limit::of(32 << 20),
        }
    }
}

/// How directories are listed.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListPolicy {
    /// Names of directories that are shown and not entered, by listings and by searches.
    pub ignore: Vec<String>,
    /// How deep a listing goes at most; 5.
    pub max_depth: u64,
    /// Cap on the entries of an answer; 500.
    pub max_entries: Limit,
}

impl Default for ListPolicy {
    fn default() -> Self {
        Self { ignore: vec!["node_modules".into(), ".git".into()], max_depth: 5, max_entries: Limit::of(500) }
    }
}

/// How files are searched.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // Each is a choice of its own.
pub struct SearchPolicy {
    /// Whether the tree's ignore files hold.
    pub gitignore: bool,
    /// Cap on results; 200.
    pub max_results: Limit,
    /// Cap on files looked at; 200,000.
    pub max_files_scanned: Limit,
    /// Cap on the time, in milliseconds; 10,000.
    pub max_ms: Limit,
    /// Cap on the size of a file that grep looks into, in bytes; 8 MiB.
    pub max_file_bytes: Limit,
    /// Whether a glob without `/` matches at any depth.
    pub bare_any_depth: bool,
    /// Whether grep passes by lines over 2,000 characters, and counts them.
    pub skip_long_lines: bool,
    /// Whether grep refuses patterns that would take a backtracking engine exponential time:
    /// over 200 characters, or with a repetition inside of a repetition.
    pub redos_compat: bool,
}

impl Default for SearchPolicy {
    fn default() -> Self {
        Self {
            gitignore: true,
            max_results: Limit::of(200),
            max_files_scanned: Limit::of(200_000),
            max_ms: Limit::of(10_000),
            max_file_bytes: Limit::of(8 << 20),
            bare_any_depth: false,
            skip_long_lines: false,
            redos_compat: false,
        }
    }
}
