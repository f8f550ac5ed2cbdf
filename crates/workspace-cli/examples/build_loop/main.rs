//! An agent at work: a small real project with failing tests is laid out in a
//! temporary directory, and a scripted agent finds, reads, edits and tests it
//! until the tests pass. It sees nothing but what the tools answer.
//!
//! Run it with `cargo run --example build_loop`.
#![allow(clippy::disallowed_methods)] // An example lays out its own directory.
#![allow(clippy::print_stdout)] // It is here to be watched.

mod agent;
mod project;

use std::process::ExitCode;

use workspace_tools::{ApprovalPolicy, Policy, ShellPolicy, ToolSet, Workspace};

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    for (path, content) in project::FILES {
        let path = directory.path().join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, content)?;
    }

    let policy = Policy {
        shell: Some(ShellPolicy::allowing(["cargo"])),
        approval: ApprovalPolicy::never(),
        ..Policy::default()
    };
    let tools = ToolSet::new(Workspace::local(directory.path(), policy)?.build()?);

    let green = agent::work(&tools, |line| println!("{line}")).await;
    println!("{}", if green { "\nall tests pass" } else { "\nthe agent gave up" });
    Ok(if green { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
