//! From the command line to a workspace.

use std::path::Path;

use workspace_local::Local;
use workspace_memory::{Memory, Script};
use workspace_tools::{ApprovalMode, ApprovalPolicy, Policy, ToolSet, Workspace, WorkspaceBuilder};

use crate::approve::{Everything, Terminal};
use crate::args::{Approve, BackendName, WorkspaceArgs};
#[cfg(feature = "docker")]
use crate::docker;
#[cfg(feature = "e2b")]
use crate::e2b;
use crate::failure::Failure;
use crate::policy_file;

/// Opens the workspace that the options describe, with its tools.
pub(crate) async fn open(args: &WorkspaceArgs) -> Result<ToolSet, Failure> {
    let policy = if let Some(file) = &args.policy {
        policy_file::read(file)?
    } else {
        note("no --policy: no command runs, and .git and .env* are closed to writes");
        Policy::conservative()
    };
    let builder = match args.backend {
        BackendName::Local if args.seed.is_some() => {
            return Err(Failure::usage(
                "`--seed` has no meaning for the local backend",
                "give the directory itself as `--root`, or use `--backend memory`",
            ));
        }
        BackendName::Local => Workspace::local(&args.root, policy)?,
        BackendName::Memory => memory(args, policy).await?,
        #[cfg(feature = "docker")]
        BackendName::Docker => docker::open(args, policy).await?,
        #[cfg(feature = "e2b")]
        BackendName::E2b => e2b::open(args, policy).await?,
    };
    let builder = match args.approve {
        Approve::All => builder.approver(Everything),
        Approve::Ask if Terminal::is_there() => builder.approver(Terminal),
        Approve::Ask | Approve::None => builder,
    };
    let mut workspace = builder.build()?;
    if let Some(directory) = &args.scope {
        workspace = workspace.scope(directory).await?;
    }
    if args.readonly {
        workspace = workspace.readonly();
    }
    if let Some(names) = &args.tools {
        workspace = workspace.pick_strict(names.iter().map(String::as_str))?;
    }
    Ok(ToolSet::new(workspace))
}

/// A tree in memory, filled from a directory where one is named.
async fn memory(args: &WorkspaceArgs, policy: Policy) -> Result<WorkspaceBuilder, Failure> {
    let memory = Memory::new();
    if let Some(directory) = &args.seed {
        seed(&memory, directory).await?;
    }
    let shell = memory.shell(Script::new());
    Ok(Workspace::memory(memory, policy).shell(shell))
}

async fn seed(memory: &Memory, directory: &Path) -> Result<(), Failure> {
    use workspace_tools::copy_tree;

    let from = Local::open(directory).map_err(workspace_tools::ToolError::from)?;
    copy_tree(&from, memory).await.map_err(workspace_tools::ToolError::from)?;
    Ok(())
}

/// A word to the person who started the program.
#[allow(clippy::print_stderr)] // Standard output is for results.
pub(crate) fn note(text: &str) {
    eprintln!("workspace: {text}");
}

/// Whether anything of this policy is ever asked about.
pub(crate) fn asks(approval: &ApprovalPolicy, tools: &ToolSet) -> bool {
    tools.workspace().tools().iter().any(|tool| approval.mode(tool.as_str()) == ApprovalMode::Always)
}
