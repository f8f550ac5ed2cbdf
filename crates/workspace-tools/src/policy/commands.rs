//! How commands run on, and what is kept of what they print.

use serde::Deserialize;

use super::Limit;

/// Commands that run on while other calls are made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BackgroundPolicy {
    /// How many may run at a time; 4.
    pub max_jobs: Limit,
    /// How long each may run, in milliseconds; no limit by default. The timeout of other
    /// commands does not hold for them.
    pub timeout_ms: Limit,
}

impl Default for BackgroundPolicy {
    fn default() -> Self {
        Self { max_jobs: Limit::of(4), timeout_ms: Limit::NONE }
    }
}

/// What is kept of output that is over the cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputKeep {
    /// Its start and its end.
    #[default]
    Ends,
    /// Its start.
    Head,
}

/// What becomes of processes that outlive their command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftoverRule {
    /// They are killed and counted.
    #[default]
    Kill,
    /// They are left alone.
    Leave,
}

/// By which means all processes of a command are ended.
///
/// A means that is named and not to be had where the workspace is opened is
/// refused there, with what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KillRule {
    /// Control groups where they can be written, else groups of processes.
    #[default]
    Auto,
    /// Groups of processes, sessions and descent. A daemon may survive.
    Group,
    /// A control group for each command.
    Cgroup,
    /// A namespace of processes for each command.
    Namespace,
}
