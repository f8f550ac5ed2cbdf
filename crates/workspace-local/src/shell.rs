//! Commands as processes of this machine.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod kill_level;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::LocalShell;
pub use kill_level::KillLevel;
#[cfg(target_os = "linux")]
pub use linux::LocalShell;
