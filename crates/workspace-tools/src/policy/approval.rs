//! Which tools the owner is asked about.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Whether the owner is asked before a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalMode {
    /// Never.
    Never,
    /// Each time.
    Always,
}

/// Which tools the owner is asked about, by the name of the tool.
///
/// By default `run_shell` and `run_tests` are always asked about and the rest never.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct ApprovalPolicy(BTreeMap<String, ApprovalMode>);

impl ApprovalPolicy {
    /// No tool is asked about: for a host that decides by its policy alone.
    pub fn never() -> Self {
        Self::default().with("run_shell", ApprovalMode::Never).with("run_tests", ApprovalMode::Never)
    }

    /// Sets the mode of a tool.
    #[must_use]
    pub fn with(mut self, tool: impl Into<String>, mode: ApprovalMode) -> Self {
        self.0.insert(tool.into(), mode);
        self
    }

    /// The mode of a tool.
    pub fn mode(&self, tool: &str) -> ApprovalMode {
        match (self.0.get(tool), tool) {
            (Some(mode), _) => *mode,
            (None, "run_shell" | "run_tests") => ApprovalMode::Always,
            (None, _) => ApprovalMode::Never,
        }
    }

    /// The tools that were named.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
