//! Providers over providers: each narrows, none widens.

mod guarded;
mod read_only;
mod scoped;

pub use guarded::Guarded;
pub use read_only::ReadOnly;
pub use scoped::{Scoped, ScopedShell};
