//! Glob and grep over the files of any workspace, wherever they live.
//!
//! [`glob`] finds files by name and [`grep`] lines by content, through nothing
//! but an [`FsProvider`](workspace_core::FsProvider): files in memory, in a
//! container or behind a network are searched alike, in the same order and to
//! the same limits. A backend with a search of its own is used through
//! [`glob_any`] and [`grep_any`].
//!
//! ```
//! use workspace_core::{GlobQuery, GrepQuery};
//! use workspace_memory::Memory;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> workspace_core::Result<()> {
//! let files = Memory::new()
//!     .with_file(".gitignore", "target/\n")
//!     .with_file("src/main.rs", "fn main() {\n    run();\n}\n")
//!     .with_file("target/main.rs", "fn main() {}\n");
//!
//! let mut query = GlobQuery::default();
//! query.pattern = "**/*.rs".into();
//! let answer = workspace_search::glob(&files, &query).await?;
//! assert_eq!(answer.files[0].0.as_str(), "src/main.rs");
//! assert_eq!(answer.tally.skipped.ignored, 1);
//!
//! let mut query = GrepQuery::default();
//! query.pattern = r"\brun\(".into();
//! let answer = workspace_search::grep(&files, &query).await?;
//! let found = &answer.lines[0];
//! assert_eq!((found.line, found.column, found.text.as_str()), (2, 5, "    run();"));
//! # Ok(())
//! # }
//! ```
//!
//! # What it holds to
//! - An answer never says falsely that there is nothing: what was passed by is
//!   counted, what a limit cut off is told, and what the call names is searched,
//!   ignored or not.
//! - The order is that of paths, whatever the backend does, and a limit keeps the first.
//! - No pattern takes more than time proportional to text times pattern. A pattern
//!   that the engine does not read is refused with its position and the next step.
//! - Rules that hide paths travel on in every call: what they hide is not shown,
//!   not entered and not counted.
//!
//! # For backends with a search of their own
//! What decides is apart from what walks and reads, so that a native search
//! gives the same answers: [`Sought`] for what the call means; [`Pattern`] and
//! [`IgnoreRules`], which [`Selection`] joins into a verdict on each entry;
//! [`Course`] for what is counted on the way and [`Failure`] for what is
//! survived; [`LineMatcher`], [`FileText`] and [`FileSearch`] for the content of
//! one file; [`GlobFound`] and [`GrepFound`] for the answer and its limit.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod clock;
mod course;
mod failure;
mod glob;
mod grep;
mod ignoring;
mod native;
mod pattern;
mod selection;
mod sought;
mod types;
mod walk;

pub use course::{Course, Step};
pub use failure::Failure;
pub use glob::{GlobFound, glob};
pub use grep::{
    BINARY_PROBE, FileFound, FileSearch, FileText, Goal, GrepFound, LineMatcher, check_backtracking, grep,
    is_binary,
};
pub use ignoring::{IgnoreFiles, IgnoreRules, MAX_IGNORE_FILE};
pub use native::{glob_any, grep_any};
pub use pattern::{Pattern, Position};
pub use selection::{Place, Selection, Verdict};
pub use sought::Sought;
pub use types::FileTypes;
