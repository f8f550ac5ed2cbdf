//! Questions and answers of search: the same for a native search and for the portable one.

use std::time::{Duration, SystemTime};

use crate::{PathFilter, Progress, WorkspacePath};

/// Where a search looks and what it passes by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchScope {
    /// The file or directory to search; the root by default.
    pub base: WorkspacePath,
    /// Whether ignore files of the tree hold: `.gitignore`, `.ignore`, `.git/info/exclude`. True by default.
    ///
    /// They never hide `base` itself or what leads to it.
    pub gitignore: bool,
    /// Names of directories that are not entered, unless the base or the pattern names them.
    /// `node_modules` and `.git` by default.
    pub skip_dirs: Vec<String>,
}

impl Default for SearchScope {
    fn default() -> Self {
        Self {
            base: WorkspacePath::root(),
            gitignore: true,
            skip_dirs: vec!["node_modules".into(), ".git".into()],
        }
    }
}

/// Where a search ends early. `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchLimits {
    /// Results over all files; 200 by default.
    pub max_results: Option<usize>,
    /// Files looked at; 200,000 by default.
    pub max_files: Option<usize>,
    /// Time; 10 seconds by default.
    pub max_time: Option<Duration>,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { max_results: Some(200), max_files: Some(200_000), max_time: Some(Duration::from_secs(10)) }
    }
}

/// How far a search came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SearchTally {
    /// Files whose name (glob) or content (grep) was looked at.
    pub files: u64,
    /// Whether results were left out.
    pub truncated: bool,
    /// Whether [`SearchLimits::max_files`] ended it.
    pub file_limit: bool,
    /// Whether [`SearchLimits::max_time`] ended it.
    pub time_limit: bool,
    /// What was passed by.
    pub skipped: Skipped,
}

/// What a search passed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Skipped {
    /// Entries hidden by ignore files; a directory counts as one.
    pub ignored: u64,
    /// Directories of [`SearchScope::skip_dirs`].
    pub skip_dirs: u64,
    /// Files with a NUL byte in the first 8 KiB.
    pub binary: u64,
    /// Files over the limit of size.
    pub too_large: u64,
    /// Files and directories that could not be read.
    pub unreadable: u64,
    /// Lines over the limit of length, where such lines are not searched.
    pub long_lines: u64,
    /// Names that are not UTF-8, which no call can reach.
    pub non_utf8: u64,
}

/// How the answer of a glob is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GlobSort {
    /// Component by component, bytewise.
    #[default]
    Path,
    /// The newest first, then by path.
    Modified,
}

/// Which files, by name?
///
/// The answer holds regular files, and links that resolve to one inside the root.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GlobQuery {
    /// Where.
    pub scope: SearchScope,
    /// The pattern, anchored at the base: `*`, `**`, `?`, `[a-z]`, `[!a]`, `{a,b}`.
    pub pattern: String,
    /// Whether a pattern without `/` matches at any depth. By default it matches in the base alone.
    pub bare_any_depth: bool,
    /// The order of the answer; the limit keeps the first in this order.
    pub sort: GlobSort,
    /// Where it ends.
    pub limits: SearchLimits,
    /// Rules that hide paths completely, uncounted.
    pub filter: PathFilter,
    /// Where the files and links whose names were looked at are counted while the search runs.
    pub progress: Progress,
}

/// The files that a glob found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct GlobAnswer {
    /// Files with their time of change where the query sorts by it.
    pub files: Vec<(WorkspacePath, Option<SystemTime>)>,
    /// How far it came.
    pub tally: SearchTally,
    /// For a pattern without `/` that found nothing: how many files `**/pattern` finds.
    pub deeper: Option<u64>,
}

/// What a grep answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GrepMode {
    /// The lines that match.
    #[default]
    Content,
    /// The files that have one.
    Files,
    /// How many lines match in each file.
    Count,
}

/// Which lines, by content?
#[derive(Debug, Clone)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Switches of a search, each by itself, as its callers have them.
pub struct GrepQuery {
    /// Where.
    pub scope: SearchScope,
    /// The pattern: a regular expression without look-around and back-references.
    pub pattern: String,
    /// Whether the pattern is plain text.
    pub literal: bool,
    /// Whether case is ignored.
    pub ignore_case: bool,
    /// Whether a match may go over the ends of lines. By default it stays within one.
    ///
    /// Only files up to 1 MiB are searched so; larger ones count as too large.
    pub multiline: bool,
    /// Only files of these types, by ripgrep's names for them (`rust`, `py`); `!name` leaves a
    /// type out. Of several a file needs to be of one. Empty for files of any type.
    pub types: Vec<String>,
    /// Only files of this glob: without `/` on the name at any depth, with `/` anchored at the base.
    pub glob: Option<String>,
    /// What to answer with.
    pub mode: GrepMode,
    /// Lines before and after each match; at most 10.
    pub context: usize,
    /// Files over this size in bytes are passed by; 8 MiB by default.
    pub max_file_bytes: Option<u64>,
    /// Lines over this many characters are shown cut around the match; 2,000 by default.
    pub max_line_chars: usize,
    /// To how many characters they are cut; 500 by default.
    pub cut_line_chars: usize,
    /// Whether lines over `max_line_chars` are not searched but counted.
    pub skip_long_lines: bool,
    /// Where it ends.
    pub limits: SearchLimits,
    /// Rules that hide paths completely, uncounted.
    pub filter: PathFilter,
    /// Where the files and links whose names were looked at are counted while the search runs.
    pub progress: Progress,
}

impl Default for GrepQuery {
    fn default() -> Self {
        Self {
            scope: SearchScope::default(),
            pattern: String::new(),
            literal: false,
            ignore_case: false,
            multiline: false,
            types: Vec::new(),
            glob: None,
            mode: GrepMode::default(),
            context: 0,
            max_file_bytes: Some(8 << 20),
            max_line_chars: 2000,
            cut_line_chars: 500,
            skip_long_lines: false,
            limits: SearchLimits::default(),
            filter: PathFilter::default(),
            progress: Progress::default(),
        }
    }
}

/// The largest file that is searched for matches over the ends of lines, in bytes: it is
/// searched in one go, so this bounds how long that can hold up a cancellation.
const MAX_MULTILINE_FILE: u64 = 1 << 20;

impl GrepQuery {
    /// The size in bytes over which files are passed by: [`max_file_bytes`](Self::max_file_bytes),
    /// and at most 1 MiB where a match may go over the ends of lines.
    pub fn file_limit(&self) -> Option<u64> {
        if !self.multiline {
            return self.max_file_bytes;
        }
        Some(self.max_file_bytes.map_or(MAX_MULTILINE_FILE, |limit| limit.min(MAX_MULTILINE_FILE)))
    }
}

/// One line that matches or, where a match goes over the ends of lines, all lines of it.
///
/// Matches that share a line are one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct GrepLine {
    /// The file.
    pub path: WorkspacePath,
    /// The line, from 1; of several the first.
    pub line: u64,
    /// The last of the lines: `line` itself unless the match goes over the ends of lines.
    pub last_line: u64,
    /// The first character of the first match, from 1.
    pub column: u64,
    /// The line without its ending, bytes that are not UTF-8 as U+FFFD; several with `\n` between them.
    pub text: String,
    /// Lines before it, after those of the match before.
    pub before: Vec<String>,
    /// Lines after it, up to the next match.
    pub after: Vec<String>,
    /// Whether `text` is cut.
    pub cut: bool,
}

/// A file and how many of its lines match.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileCount {
    /// The file.
    pub path: WorkspacePath,
    /// Lines that match.
    pub count: u64,
}

impl FileCount {
    /// A count of a file.
    pub const fn new(path: WorkspacePath, count: u64) -> Self {
        Self { path, count }
    }
}

/// What a grep found: one of the three lists, by the mode. All are sorted by path, then line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct GrepAnswer {
    /// For [`GrepMode::Content`].
    pub lines: Vec<GrepLine>,
    /// For [`GrepMode::Files`].
    pub files: Vec<WorkspacePath>,
    /// For [`GrepMode::Count`].
    pub counts: Vec<FileCount>,
    /// How far it came.
    pub tally: SearchTally,
}
