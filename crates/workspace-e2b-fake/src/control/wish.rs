//! What the body of a create asks for.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// `NewSandbox` of both generations; what a fake can only store is kept as it came.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Wish {
    #[serde(rename = "templateID")]
    pub(crate) template: String,
    pub(crate) timeout: Option<i64>,
    #[serde(default)]
    pub(crate) auto_pause: bool,
    pub(crate) auto_pause_memory: Option<bool>,
    pub(crate) auto_resume: Option<AutoResume>,
    #[serde(rename = "allow_internet_access")]
    pub(crate) internet: Option<bool>,
    #[serde(default)]
    pub(crate) network: Value,
    #[serde(default)]
    pub(crate) metadata: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) env_vars: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) volume_mounts: Value,
    /// Of the first generation alone; the second is always secured.
    #[serde(default)]
    pub(crate) secure: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct AutoResume {
    #[serde(default)]
    pub(crate) enabled: bool,
}

impl Wish {
    /// Whether a pause at the end of its time keeps the processes.
    pub(crate) fn keeps_memory(&self) -> bool {
        self.auto_pause_memory.unwrap_or(true)
    }

    /// Whether traffic wakes it up.
    pub(crate) fn resumes_by_traffic(&self) -> bool {
        self.auto_resume.as_ref().is_some_and(|resume| resume.enabled)
    }
}
