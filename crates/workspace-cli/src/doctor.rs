//! `workspace doctor`: what this machine offers.

use std::process::ExitCode;

use workspace_core::{FsProvider, ShellProvider};
use workspace_local::{KillLevel, Local};

use crate::args::WorkspaceArgs;

/// Prints a line a fact. It changes nothing and opens nothing but the root.
#[allow(clippy::print_stdout)] // The report is the result.
pub(crate) async fn run(args: &WorkspaceArgs) -> ExitCode {
    let mut sound = true;
    match Local::open(&args.root) {
        Ok(local) => {
            let shell = local.shell().capabilities();
            let files = local.capabilities();
            println!("local   ready: {}", args.root.display());
            let keeper =
                if local.is_kept_by_kernel() { "the kernel (openat2)" } else { "this program, step by step" };
            println!("        files: kept inside by {keeper}");
            println!(
                "        names that differ in case alone: {}",
                if files.case_insensitive { "one file" } else { "two files" }
            );
            println!("        commands: kills reach {}", shell.kill_reach.as_str());
            println!("        levels of killing: {}", levels(&local));
            println!("        isolation of commands: none; an allowed program can do what this user can");
        }
        Err(error) => {
            sound = false;
            println!("local   not ready: {error}");
            if let Some(hint) = error.next_step() {
                println!("        {hint}");
            }
        }
    }
    println!("memory  ready: a tree that ends with the program; commands are scripted, none is real");
    #[cfg(feature = "docker")]
    for line in crate::docker::doctor().await {
        println!("{line}");
    }
    #[cfg(feature = "e2b")]
    for line in crate::e2b::doctor().await {
        println!("{line}");
    }
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The levels of killing that can be had here, and what the others lack.
fn levels(local: &Local) -> String {
    let levels = [
        ("group", KillLevel::Group),
        ("cgroup", KillLevel::Cgroup(None)),
        ("namespace", KillLevel::Namespace),
    ];
    let told = levels.map(|(name, level)| match local.shell().with_kill_level(level) {
        Ok(_) => name.to_owned(),
        Err(error) => format!("not {name} ({})", error.next_step().unwrap_or("not here")),
    });
    told.join(", ")
}
