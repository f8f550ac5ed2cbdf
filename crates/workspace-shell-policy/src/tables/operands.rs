//! Which operands and option values are paths: how a program's rules are written.

pub(crate) use super::operand_rules::{names, path_rules};

/// What the operands of a program are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    /// Paths.
    Paths,
    /// Paths that it creates or changes.
    Written,
    /// The first one is read, the second one is written.
    SecondWritten,
    /// Words that name no file.
    Words,
    /// A text first (a pattern, a script, a mode), then paths; only paths where
    /// an option gives the text.
    TextThenPaths,
    /// A script first; what follows is the script's own.
    Script,
    /// Paths up to `--`; what follows goes to another program.
    UntilDashes,
    /// `name=value`, of which `if` is read and `of` is written.
    Assignments,
    /// A condition of `test`.
    Condition,
    /// Where `find` starts, and its tests.
    Find,
}

/// Letters and long names of options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Set {
    pub(crate) short: &'static str,
    pub(crate) long: &'static [&'static str],
}

const EMPTY: Set = Set { short: "", long: &[] };

/// The path rules of a program.
#[derive(Debug)]
pub(crate) struct PathRules {
    pub(crate) programs: &'static [&'static str],
    pub(crate) operands: Operands,
    /// Options that must have a value, which is no path.
    pub(crate) text: Set,
    /// Letters whose attached rest is no path; the next word is not theirs.
    pub(crate) attached: &'static str,
    /// Options whose value is a path that is read.
    pub(crate) read: Set,
    /// Options whose value is a path that is written.
    pub(crate) write: Set,
    /// Options that give the text that is the first operand otherwise.
    pub(crate) gives: Set,
    /// Options that make it change its operands, or something else that it does not name.
    pub(crate) changes: Set,
    /// Options that make it follow every link that it meets.
    pub(crate) follows: Set,
    /// Options whose value is a file full of names.
    pub(crate) lists: Set,
    /// Options that let an archive name files outside.
    pub(crate) leaves: Set,
}

/// The rules of a program that has none of its own: every operand and every
/// attached value is taken for a path.
pub(crate) const UNKNOWN: PathRules = PathRules::new(&[], Operands::Paths);

impl PathRules {
    pub(super) const fn new(programs: &'static [&'static str], operands: Operands) -> Self {
        Self {
            programs,
            operands,
            text: EMPTY,
            attached: "",
            read: EMPTY,
            write: EMPTY,
            gives: EMPTY,
            changes: EMPTY,
            follows: EMPTY,
            lists: EMPTY,
            leaves: EMPTY,
        }
    }

    pub(super) const fn text(mut self, short: &'static str, long: &'static [&'static str]) -> Self {
        self.text = Set { short, long };
        self
    }

    pub(super) const fn attached(mut self, short: &'static str) -> Self {
        self.attached = short;
        self
    }

    pub(super) const fn read(mut self, short: &'static str, long: &'static [&'static str]) -> Self {
        self.read = Set { short, long };
        self
    }

    pub(super) const fn write(mut self, short: &'static str, long: &'static [&'static str]) -> Self {
        self.write = Set { short, long };
        self
    }

    pub(super) const fn gives(mut self, short: &'static str, long: &'static [&'static str]) -> Self {
        self.gives = Set { short, long };
        self
    }

    pub(super) const fn changes(mut self, short: &'static str, long: &'static [&'static str]) -> Self {
        self.changes = Set { short, long };
        self
    }

    pub(super) const fn follows(mut self, short: &'static str, long: &'static [&'static str]) -> Self {
        self.follows = Set { short, long };
        self
    }

    pub(super) const fn lists(mut self, short: &'static str, long: &'static [&'static str]) -> Self {
        self.lists = Set { short, long };
        self
    }

    pub(super) const fn leaves(mut self, short: &'static str, long: &'static [&'static str]) -> Self {
        self.leaves = Set { short, long };
        self
    }
}

impl Set {
    pub(crate) fn has_letter(self, letter: char) -> bool {
        self.short.contains(letter)
    }

    /// Whether a long name is one of these, or the beginning of one.
    pub(crate) fn has_long(self, name: &str) -> bool {
        !name.is_empty() && self.long.iter().any(|long| long.starts_with(name))
    }

    /// Whether a long name is exactly one of these.
    pub(crate) fn has_whole(self, name: &str) -> bool {
        self.long.contains(&name)
    }
}

/// Tests of `find` that read the file they name.
pub(crate) const FIND_READS: &[&str] = &["-anewer", "-cnewer", "-files0-from", "-newer", "-samefile"];

/// Actions of `find` that write the file they name.
pub(crate) const FIND_WRITES: &[&str] = &["-fls", "-fprint", "-fprint0", "-fprintf"];

/// Operators of `test` before a path.
pub(crate) const TEST_PATHS: &[&str] = &[
    "-N", "-L", "-G", "-O", "-S", "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s",
    "-u", "-w", "-x",
];

/// Operators of `test` between two paths.
pub(crate) const TEST_BETWEEN: &[&str] = &["-ef", "-nt", "-ot"];
