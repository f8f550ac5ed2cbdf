//! The edit engine: a text and a change go in, the new text comes out.
//!
//! Nothing here reads a file, waits, or knows where the text came from, so
//! every rule about matching and writing can be tested on plain strings:
//!
//! - [`edit`] applies one [`Change`]: a replacement or an insertion;
//! - [`edit_all`] applies several replacements, all or none;
//! - [`check_all`] and [`Change::check`] find the faults that need no text, so
//!   that they can be reported before a file is opened;
//! - [`unified`] shows a change as a unified diff.
//!
//! How it goes: `matching` finds where the old text stands, `apply` copies the
//! untouched parts and writes the new ones, `eol` decides how a newline is
//! written. Where nothing matches, `causes` explains which difference kept the
//! text from matching and `closest` shows what stands there instead.

mod apply;
mod causes;
mod change;
mod closest;
mod diff;
mod eol;
mod failure;
mod insert;
mod matching;
mod places;
#[cfg(test)]
mod properties;
mod several;

pub(crate) use apply::edit;
pub(crate) use causes::Cause;
pub(crate) use change::{Change, EolMode, Insertion, Replacement, Rules};
pub(crate) use closest::Region;
pub(crate) use diff::unified;
pub(crate) use failure::{EditFailure, SeveralFailure};
pub(crate) use several::{check_all, edit_all};
