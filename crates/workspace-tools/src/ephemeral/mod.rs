//! A workspace for one session: a fresh root, three tools, and nothing left of it afterwards.

mod builder;
#[cfg(feature = "local")]
mod place;
mod session;
mod steps;
mod tools;

pub use builder::BashSessionBuilder;
pub use session::BashSession;
pub use tools::{BashExecInput, GetFileInput, GetFileOutput, PutFileInput, PutFileOutput};
