//! What a walk does with each entry, as a pure decision.

use workspace_core::{FileKind, SearchScope, WorkspacePath};

use crate::{IgnoreFiles, IgnoreRules, Pattern, Position, Step};

/// The directory that is not entered, whatever else is, unless it is named.
const REPOSITORY: &str = ".git";

/// Which entries of a tree a search takes: a pattern, ignore rules and directories to pass by.
///
/// What the call names is taken, ignored or not: the base, and each entry whose
/// very name is a component of the pattern. Below a directory that is named only
/// the ignore files inside of it hold.
#[derive(Debug, Clone)]
pub struct Selection<'q> {
    pattern: &'q Pattern,
    skip_dirs: &'q [String],
    gitignore: bool,
}

/// Where a walk is: how far the pattern has come, and the ignore rules that hold.
#[derive(Debug, Clone)]
pub struct Place {
    position: Position,
    rules: IgnoreRules,
}

/// What becomes of an entry.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It is nothing to the pattern.
    Other,
    /// An ignore file hides it.
    Ignored,
    /// It is one of the directories to pass by.
    SkippedDir,
    /// The directory is entered.
    Enter(Place),
    /// The file is one of those sought.
    Take,
}

impl<'q> Selection<'q> {
    /// The entries below the base of a scope that a pattern matches.
    pub fn new(pattern: &'q Pattern, scope: &'q SearchScope) -> Self {
        Self { pattern, skip_dirs: &scope.skip_dirs, gitignore: scope.gitignore }
    }

    /// The place at the base, before its ignore files are known.
    pub fn start(&self) -> Place {
        Place { position: self.pattern.start(), rules: IgnoreRules::default() }
    }

    /// Whether the ignore files of directories are asked for.
    pub fn wants_ignore_files(&self) -> bool {
        self.gitignore
    }

    /// Judges an entry of the directory of `place`: what it is to the walk and,
    /// for a directory that is entered, the place inside of it.
    ///
    /// Without `links` a link is a name that is never sought.
    pub fn judge(
        &self,
        place: &Place,
        path: &WorkspacePath,
        kind: FileKind,
        links: bool,
    ) -> (Step, Option<Place>) {
        match kind {
            FileKind::Dir => match self.directory(place, path) {
                Verdict::Enter(inside) => (Step::Enter, Some(inside)),
                Verdict::SkippedDir => (Step::SkippedDir, None),
                Verdict::Ignored => (Step::IgnoredDir, None),
                Verdict::Other | Verdict::Take => (Step::Pass, None),
            },
            FileKind::Link if !links => (Step::Name, None),
            FileKind::File | FileKind::Link => match self.file(place, path) {
                Verdict::Take => (Step::Take, None),
                Verdict::Ignored => (Step::IgnoredName, None),
                Verdict::Other | Verdict::SkippedDir | Verdict::Enter(_) => (Step::Name, None),
            },
            _ => (Step::Pass, None),
        }
    }

    /// Judges a directory that stands at `path` in the directory of `place`.
    pub fn directory(&self, place: &Place, path: &WorkspacePath) -> Verdict {
        let Some(name) = path.name() else { return Verdict::Other };
        let Some(position) = self.pattern.enter(&place.position, name) else { return Verdict::Other };
        if self.pattern.names_directory(&place.position, name) {
            return Verdict::Enter(Place { position, rules: IgnoreRules::default() });
        }
        if name == REPOSITORY || self.skip_dirs.iter().any(|skipped| skipped == name) {
            return Verdict::SkippedDir;
        }
        if place.rules.hides(path, true) {
            return Verdict::Ignored;
        }
        Verdict::Enter(Place { position, rules: place.rules.clone() })
    }

    /// Judges a file, or a link, that stands at `path` in the directory of `place`.
    pub fn file(&self, place: &Place, path: &WorkspacePath) -> Verdict {
        let Some(name) = path.name() else { return Verdict::Other };
        if !self.pattern.accepts_file(&place.position, name) {
            return Verdict::Other;
        }
        if place.rules.hides(path, false) && !self.pattern.names_file(&place.position, name) {
            return Verdict::Ignored;
        }
        Verdict::Take
    }
}

impl Place {
    /// The same place with the ignore files of its directory.
    #[must_use]
    pub fn with_files(mut self, directory: &WorkspacePath, files: &IgnoreFiles) -> Self {
        self.rules = self.rules.below(directory, files);
        self
    }
}
