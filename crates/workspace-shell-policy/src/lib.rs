mod course;
mod follow;
mod jail;
mod judge;
mod limits;
mod line;
mod policy;
mod review;
mod syntax;
mod tables;
mod verdict;

pub use jail::{JailView, LexicalJail, Place};
pub use limits::{MAX_COMMANDS, MAX_DEPTH, MAX_DIRECTORIES, MAX_LINE_BYTES, MAX_WORDS, MAX_WRAPPERS};
pub use line::{CommandLine, Mode};
pub use policy::{
    ArgPaths, Context, Decision, DenyPattern, PolicyError, PolicyWarning, ShellPolicy, Substitution, Writes,
};
pub use review::{Review, check};
pub use verdict::{Reason, Refusal, Verdict, Word};
