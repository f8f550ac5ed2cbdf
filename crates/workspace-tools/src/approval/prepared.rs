//! Calls in two steps, for hosts that pause between the question and the answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ApprovalRequest;

/// A call that was read and judged and has not run: [`ToolSet::prepare`](crate::ToolSet::prepare).
///
/// It can be kept as JSON and run later, by another process over the same files.
/// Whoever keeps it must keep it from the model: it is what the owner is shown,
/// and [`ToolSet::run_approved`](crate::ToolSet::run_approved) takes it for approved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PreparedCall {
    /// The tool, by the name under which it is vended.
    pub tool: String,
    /// Its input, checked, with aliases and absent keys settled.
    pub input: Map<String, Value>,
    /// Whether the owner is to be asked.
    pub needs_approval: bool,
    /// What the owner is asked. `None` for a tool about which nothing can be asked.
    pub request: Option<ApprovalRequest>,
}
