//! The settings of a policy that are a choice, and its error.

use std::fmt;

/// Whether operands and option values that are paths are held inside the jail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ArgPaths {
    /// Only redirection targets and `cd` are judged.
    #[default]
    Any,
    /// Operands and option values that are paths are judged as well.
    Jail,
}

/// What becomes of `$( )` and backticks in sh mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Substitution {
    /// Their commands are read and judged like all others.
    #[default]
    Check,
    /// They are refused wherever they would be evaluated.
    Refuse,
}

/// Whether a line may write files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Writes {
    /// It may, inside the jail.
    #[default]
    Allow,
    /// Output redirections and known output options are refused; `/dev/null` stays open.
    Refuse,
}

/// A rule that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyError {
    /// A pattern or glob without any text.
    Empty,
    /// A pattern of words that cannot be split into words.
    Words {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// A regular expression or glob that does not compile, or compiles to more than 1 MiB.
    Regex {
        /// The expression.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a pattern of the policy is empty"),
            Self::Words { pattern, message } => {
                write!(f, "the pattern `{pattern}` is not a list of words: {message}")
            }
            Self::Regex { pattern, message } => {
                write!(f, "the pattern `{pattern}` does not compile: {message}")
            }
        }
    }
}

impl std::error::Error for PolicyError {}
