//! `workspace doctor`: what this machine offers.

use std::process::ExitCode;

use workspace_core::{FsProvider, ShellProvider};
use workspace_local::Local;

use crate::args::WorkspaceArgs;

/// Prints a line a fact. It changes nothing and opens nothing but the root.
#[allow(clippy::print_stdout)] // The report is the result.
pub(crate) fn run(args: &WorkspaceArgs) -> ExitCode {
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
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
