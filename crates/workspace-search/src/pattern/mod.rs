//! Glob patterns, matched component by component on the way down a tree.

mod component;
mod expand;
mod parse;
#[cfg(test)]
mod tests;
mod tree;

use workspace_core::{Error, ErrorKind, PathRules, Result, WorkspacePath};

use crate::FileTypes;

use component::Component;
use parse::invalid;
use tree::Tree;

/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 4096;

/// A glob pattern.
///
/// `*` and `?` stay inside of one name and `?` is one character; `**` as a
/// whole component is any number of directories, at the end of a pattern all
/// files below; `[a-z]`, `[!a]`; `{a,b}`, also across `/`, nested two deep.
/// Nothing escapes: `\` separates, as in paths. Empty components and `.` are
/// dropped, so `/src` and `./src` are `src`. At most 4,096 bytes.
///
/// The text is also a path: a file whose path equals the pattern is found,
/// whatever its characters mean in patterns.
///
/// A walk keeps a [`Position`] for each directory: [`start`](Self::start) at
/// the base, [`enter`](Self::enter) on the way down. Where nothing below a
/// directory can match there is no position, and no reason to list it.
///
/// # Examples
/// ```
/// use workspace_core::{PathRules, WorkspacePath};
/// use workspace_search::Pattern;
///
/// let rules = PathRules::default();
/// let pattern = Pattern::parse("src/**/*.{rs,toml}", &rules)?;
/// assert!(pattern.matches(&WorkspacePath::parse("src/a/b.rs", &rules)?));
///
/// let below_src = pattern.enter(&pattern.start(), "src");
/// assert!(below_src.is_some());
/// assert!(pattern.enter(&pattern.start(), "docs").is_none());
/// # Ok::<(), workspace_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    steps: Vec<Step>,
    start: Position,
    bare: bool,
    types: FileTypes,
}

/// A component and where the pattern goes on after it.
#[derive(Debug, Clone)]
struct Step {
    component: Component,
    /// The steps that may come next, those behind a `**` that stands for nothing included.
    next: Vec<usize>,
    /// Whether a file may end here.
    last: bool,
}

/// How far a pattern has come at a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position(Vec<usize>);

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`InvalidPattern`](ErrorKind::InvalidPattern) with the position in the message,
    /// [`PathEscape`](ErrorKind::PathEscape) for a `..`,
    /// [`UnsafePattern`](ErrorKind::UnsafePattern) where braces multiply to more than 512
    /// alternatives or a component does not compile within 1 MiB.
    pub fn parse(text: &str, rules: &PathRules) -> Result<Self> {
        let mut alternatives = vec![literal_components(text, rules)?];
        let tokens = parse::parse(text, parse::backslash_separates(rules))?;
        for alternative in expand::expand(&tokens)? {
            let components = alternative.iter().map(|tokens| Component::new(tokens));
            let components = components.collect::<Result<Vec<_>>>()?;
            if components.iter().any(|component| component.is_literal("..")) {
                return Err(climbs());
            }
            alternatives.push(components);
        }
        Self::build(alternatives, is_bare(text, rules))
    }

    /// The text as nothing but a path: what is left of a pattern that cannot be read.
    ///
    /// # Errors
    /// [`InvalidPattern`](ErrorKind::InvalidPattern) for a text without a name or over 4,096 bytes,
    /// [`PathEscape`](ErrorKind::PathEscape) for a `..`.
    pub fn literal(text: &str, rules: &PathRules) -> Result<Self> {
        Self::build(vec![literal_components(text, rules)?], is_bare(text, rules))
    }

    /// The pattern of all files, `**`.
    pub fn all() -> Self {
        let any = Component::Around { before: String::new(), after: String::new() };
        let step = Step { component: any, next: Vec::new(), last: true };
        let start = Position(vec![0]);
        Self { steps: vec![step], start, bare: true, types: FileTypes::default() }.at_any_depth()
    }

    /// The same pattern below any directory: `**/pattern`.
    #[must_use]
    pub fn at_any_depth(mut self) -> Self {
        let this = self.steps.len();
        self.start.0.push(this);
        self.steps.push(Step { component: Component::AnyDepth, next: self.start.0.clone(), last: false });
        self
    }

    /// The same pattern of files of some types alone.
    #[must_use]
    pub fn of_types(mut self, types: FileTypes) -> Self {
        self.types = types;
        self
    }

    /// Whether it was written without a separator.
    pub fn is_bare(&self) -> bool {
        self.bare
    }

    /// The position at the base.
    pub fn start(&self) -> Position {
        self.start.clone()
    }

    /// The position in a directory, or `None` where nothing below it can match.
    pub fn enter(&self, at: &Position, name: &str) -> Option<Position> {
        let accepting = self.steps_at(at).filter(|step| step.component.accepts(name));
        let mut next: Vec<usize> = accepting.flat_map(|step| step.next.iter().copied()).collect();
        next.sort_unstable();
        next.dedup();
        (!next.is_empty()).then_some(Position(next))
    }

    /// Whether a component of the pattern is this directory's very name.
    pub fn names_directory(&self, at: &Position, name: &str) -> bool {
        self.steps_at(at).any(|step| !step.next.is_empty() && step.component.is_literal(name))
    }

    /// Whether it matches a file of a directory.
    pub fn accepts_file(&self, at: &Position, name: &str) -> bool {
        self.steps_at(at).any(|step| step.last && step.component.accepts(name)) && self.types.accept(name)
    }

    /// Whether the last component of the pattern is this file's very name.
    pub fn names_file(&self, at: &Position, name: &str) -> bool {
        self.steps_at(at).any(|step| step.last && step.component.is_literal(name))
    }

    /// Whether it matches the path of a file, seen from the base.
    pub fn matches(&self, path: &WorkspacePath) -> bool {
        let mut names = path.components();
        let Some(file) = names.next_back() else { return false };
        names
            .try_fold(self.start(), |at, name| self.enter(&at, name))
            .is_some_and(|at| self.accepts_file(&at, file))
    }

    fn steps_at(&self, at: &Position) -> impl Iterator<Item = &Step> {
        at.0.iter().filter_map(|&step| self.steps.get(step))
    }

    fn build(alternatives: Vec<Vec<Component>>, bare: bool) -> Result<Self> {
        let mut tree = Tree::default();
        for components in alternatives {
            tree.add(components);
        }
        let (steps, start) = tree.into_steps();
        if steps.is_empty() {
            return Err(invalid("the pattern names no file"));
        }
        Ok(Self { steps, start, bare, types: FileTypes::default() })
    }
}

/// The components of the text taken as a path.
fn literal_components(text: &str, rules: &PathRules) -> Result<Vec<Component>> {
    if text.len() > MAX_PATTERN_BYTES {
        return Err(invalid(format!(
            "the pattern has {} bytes; the limit is {MAX_PATTERN_BYTES}",
            text.len()
        )));
    }
    let backslash = parse::backslash_separates(rules);
    let names = text.split(|c| parse::is_separator(c, backslash));
    let names: Vec<&str> = names.filter(|name| !matches!(*name, "" | ".")).collect();
    if names.contains(&"..") {
        return Err(climbs());
    }
    Ok(names.into_iter().map(|name| Component::Literal(name.to_owned())).collect())
}

fn is_bare(text: &str, rules: &PathRules) -> bool {
    let backslash = parse::backslash_separates(rules);
    !text.chars().any(|c| parse::is_separator(c, backslash))
}

fn climbs() -> Error {
    Error::new(ErrorKind::PathEscape, "a pattern cannot climb with `..`")
        .rule("climb")
        .hint("give the directory to start from as the path, and a pattern below it")
}
