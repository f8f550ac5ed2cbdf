//! The workspace and its policy in a few lines, for the model.

use workspace_tools::{ToolName, ToolSet};

use crate::open::asks;

pub(super) fn instructions(tools: &ToolSet) -> String {
    let workspace = tools.workspace();
    let policy = workspace.policy();
    let mut lines = vec![
        "These tools work on one directory tree, the workspace. Paths are relative to its root, with `/`."
            .to_owned(),
    ];
    let vended: Vec<_> = workspace.tools().into_iter().map(ToolName::as_str).collect();
    if !vended.contains(&"write_file") {
        lines.push("Nothing can be changed here.".to_owned());
    }
    match &policy.shell {
        Some(shell) if vended.contains(&"run_shell") => {
            lines.push(match &shell.allow {
                Some(allow) => format!("Commands that may run: {}.", allow.join(", ")),
                None => "Commands may run.".to_owned(),
            });
            if asks(&policy.approval, tools) {
                lines.push("The owner is asked before a command runs.".to_owned());
            }
        }
        _ => lines.push("No commands run here.".to_owned()),
    }
    if !policy.paths.deny.is_empty() {
        lines.push("Some paths are closed by the owner and do not appear in listings.".to_owned());
    }
    lines.join("\n")
}
