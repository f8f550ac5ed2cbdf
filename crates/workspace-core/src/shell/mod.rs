//! The commands of a workspace: the trait that backends implement, its values and its handle.

mod collected;
mod command;
mod process;
mod provider;
mod shared;

pub use collected::{Collected, Finished, RunOnce};
pub use command::{Command, EnvBase, Environment, Leftovers, Program, Stdin};
pub use process::{Cause, Control, Event, Exit, ExitStatus, Process, ProcessControl, Stream};
pub use provider::{Cancel, KillReach, ShellCapabilities, ShellProvider};
pub use shared::SharedShell;
