//! The `workspace` program: an MCP server and a command line over the tools of
//! `workspace-tools`.
//!
//! # Features
//! | feature | gives |
//! | --- | --- |
//! | `docker` (default) | the backend `docker` |
//! | `http` (default) | `workspace mcp --http ADDR`: the MCP server at an address of this machine |

mod approve;
mod args;
mod batch;
mod call;
mod check;
#[cfg(feature = "docker")]
mod docker;
mod doctor;
#[cfg(feature = "e2b")]
mod e2b;
mod failure;
mod mcp;
mod open;
mod policy_file;
mod signals;
mod tools;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Sub, WorkspaceArgs};
use crate::failure::Failure;

fn main() -> ExitCode {
    let args = Args::parse();
    log_to_stderr();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return report(&Failure::start(error)),
    };
    let done = runtime.block_on(run(args));
    // What still runs is ended with the workspace; a thread that waits for a terminal is not waited for.
    runtime.shutdown_background();
    match done {
        Ok(code) => code,
        Err(failure) => report(&failure),
    }
}

async fn run(args: Args) -> Result<ExitCode, Failure> {
    let done = done(args.sub, &args.workspace).await;
    #[cfg(feature = "e2b")]
    args.workspace.in_use.end().await;
    done
}

async fn done(sub: Sub, workspace: &WorkspaceArgs) -> Result<ExitCode, Failure> {
    match sub {
        Sub::Call(call) => call::run(call, workspace).await,
        Sub::Batch => batch::run(workspace).await,
        Sub::Check(check) => check::run(&check, workspace).await,
        Sub::Tools(list) => tools::run(&list, workspace).await,
        Sub::Mcp(mcp) => mcp::run(&mcp, workspace).await,
        Sub::Doctor => Ok(doctor::run(workspace).await),
    }
}

/// Standard output belongs to results and protocols.
fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("WORKSPACE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

#[allow(clippy::print_stderr)] // The one place that talks to the person at the terminal.
fn report(failure: &Failure) -> ExitCode {
    eprintln!("workspace: {failure}");
    ExitCode::from(2)
}
