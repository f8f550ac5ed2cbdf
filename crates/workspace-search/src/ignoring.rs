//! What the ignore files of a tree hide: `.ignore`, `.gitignore`, `.git/info/exclude`.

use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use workspace_core::WorkspacePath;

/// An ignore file over this size in bytes is passed by as unreadable.
pub const MAX_IGNORE_FILE: u64 = 1 << 20;

/// The ignore files of one directory, as bytes. By default it has none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IgnoreFiles {
    /// `.ignore`: it decides before the others, also before those of directories further down.
    pub ignore: Option<Vec<u8>>,
    /// `.gitignore`.
    pub gitignore: Option<Vec<u8>>,
    /// `.git/info/exclude`: it decides last.
    pub exclude: Option<Vec<u8>>,
}

/// The ignore rules that hold in a directory: its own and those from above.
///
/// Among files of the same name the one further down decides first. A line that
/// begins with `!` shows again what a line before it, or a file further up,
/// hides. A line that is not UTF-8 or no pattern says nothing. No repository is
/// needed for the rules to hold, and one that lies inside of another is no border.
///
/// By default there are none. Cheap to clone.
///
/// # Examples
/// ```
/// use workspace_core::{PathRules, WorkspacePath};
/// use workspace_search::{IgnoreFiles, IgnoreRules};
///
/// let mut files = IgnoreFiles::default();
/// files.gitignore = Some(b"*.log\n!keep.log\n".to_vec());
/// let rules = IgnoreRules::default().below(&WorkspacePath::root(), &files);
///
/// let path = |text| WorkspacePath::parse(text, &PathRules::default());
/// assert!(rules.hides(&path("a/b.log")?, false));
/// assert!(!rules.hides(&path("a/keep.log")?, false));
/// # Ok::<(), workspace_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct IgnoreRules(Option<Arc<Level>>);

#[derive(Debug)]
struct Level {
    above: IgnoreRules,
    directory: WorkspacePath,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
}

impl IgnoreRules {
    /// The rules in `directory`, which lies below those that these rules are from.
    #[must_use]
    pub fn below(&self, directory: &WorkspacePath, files: &IgnoreFiles) -> Self {
        let [ignore, gitignore, exclude] =
            [&files.ignore, &files.gitignore, &files.exclude].map(|file| compile(file.as_deref()));
        if ignore.is_empty() && gitignore.is_empty() && exclude.is_empty() {
            return self.clone();
        }
        let directory = directory.clone();
        Self(Some(Arc::new(Level { above: self.clone(), directory, ignore, gitignore, exclude })))
    }

    /// Whether an entry is hidden. What hides a directory above it is not asked
    /// again: a walk does not enter such a directory.
    pub fn hides(&self, path: &WorkspacePath, is_dir: bool) -> bool {
        self.verdict(path, is_dir, |level| &level.ignore)
            .or_else(|| self.verdict(path, is_dir, |level| &level.gitignore))
            .or_else(|| self.verdict(path, is_dir, |level| &level.exclude))
            .unwrap_or(false)
    }

    /// What the files of one name say: hidden, shown, or nothing.
    fn verdict(
        &self,
        path: &WorkspacePath,
        is_dir: bool,
        rules: impl Fn(&Level) -> &Gitignore,
    ) -> Option<bool> {
        self.levels().find_map(|level| match rules(level).matched(level.relative(path)?, is_dir) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        })
    }

    /// From the directory itself up.
    fn levels(&self) -> impl Iterator<Item = &Level> {
        std::iter::successors(self.0.as_deref(), |level| level.above.0.as_deref())
    }
}

impl Level {
    fn relative<'a>(&self, path: &'a WorkspacePath) -> Option<&'a Path> {
        let rest = path.as_str().strip_prefix(self.directory.as_str())?;
        Some(Path::new(rest.strip_prefix('/').unwrap_or(rest)))
    }
}

fn compile(file: Option<&[u8]>) -> Gitignore {
    let Some(bytes) = file else { return Gitignore::empty() };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut builder = GitignoreBuilder::new("");
    for line in bytes.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Ok(line) = std::str::from_utf8(line) {
            // A line that is no pattern is refused here and says nothing.
            let _ = builder.add_line(None, line);
        }
    }
    // It fails where all lines together are too large to compile.
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
