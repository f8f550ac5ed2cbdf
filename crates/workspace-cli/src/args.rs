//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Safe, fast hands for coding agents: files, search, edits and commands.
#[derive(Debug, Parser)]
#[command(name = "workspace", version, propagate_version = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) workspace: WorkspaceArgs,
    #[command(subcommand)]
    pub(crate) sub: Sub,
}

/// Which workspace, and what it may do.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct WorkspaceArgs {
    /// Directory of the workspace
    #[arg(long, global = true, default_value = ".", value_name = "DIR")]
    pub(crate) root: PathBuf,
    /// Where files live and commands run
    #[arg(long, global = true, value_enum, default_value_t = BackendName::Local)]
    pub(crate) backend: BackendName,
    /// What is allowed, in TOML; without it: no commands, `.git` and `.env*` closed to writes
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Nothing can be changed and no command runs
    #[arg(long, global = true)]
    pub(crate) readonly: bool,
    /// Narrow the workspace to a directory of it
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) scope: Option<String>,
    /// Vend these tools alone, by name
    #[arg(long, global = true, value_delimiter = ',', value_name = "A,B,C")]
    pub(crate) tools: Option<Vec<String>>,
    /// Who decides about calls that need approval
    #[arg(long, global = true, value_enum, default_value_t = Approve::Ask)]
    pub(crate) approve: Approve,
    /// Image of the container, which the engine must have (docker)
    #[cfg(feature = "docker")]
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "container")]
    pub(crate) image: Option<String>,
    /// A container that runs already; it is never removed (docker)
    #[cfg(feature = "docker")]
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) container: Option<String>,
    /// Template of the sandbox, `base` by default; the key comes from `E2B_API_KEY` (e2b)
    #[cfg(feature = "e2b")]
    #[arg(long, global = true, value_name = "NAME", conflicts_with_all = ["sandbox", "envd_url"])]
    pub(crate) template: Option<String>,
    /// A sandbox that exists; it is never ended (e2b)
    #[cfg(feature = "e2b")]
    #[arg(long, global = true, value_name = "ID", conflicts_with = "envd_url")]
    pub(crate) sandbox: Option<String>,
    /// Any envd by its address, without a service; its token comes from `E2B_ACCESS_TOKEN` (e2b)
    #[cfg(feature = "e2b")]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) envd_url: Option<String>,
    /// The sandbox that was opened, which ends with the program.
    #[cfg(feature = "e2b")]
    #[arg(skip)]
    pub(crate) in_use: crate::e2b::InUse,
    /// Copy this directory into the workspace first (memory, docker, e2b)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) seed: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendName {
    /// A directory of this machine
    Local,
    /// A tree in memory that ends with the program
    Memory,
    /// A hardened container, removed at the end
    #[cfg(feature = "docker")]
    Docker,
    /// A sandbox of E2B, ended at the end
    #[cfg(feature = "e2b")]
    E2b,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approve {
    /// Ask on the terminal; without one, refuse
    Ask,
    /// Allow every call that the policy allows
    All,
    /// Refuse every call that needs approval
    None,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sub {
    /// Call one tool and print its result
    Call(CallArgs),
    /// Read calls as lines of JSON and answer each with a line
    Batch,
    /// Tell what the policy says of a command line; nothing runs
    Check(CheckArgs),
    /// Print the tool definitions of this workspace
    Tools(ToolsArgs),
    /// Serve the tools over MCP, on standard input and output
    Mcp(McpArgs),
    /// Tell what this machine offers, and what to do about what is missing
    Doctor,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CallArgs {
    /// The tool, or one of exists, stat, mkdir, remove, move, copy
    pub(crate) tool: String,
    /// Its input as a JSON object; `-` reads it from standard input
    pub(crate) input: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Serve streamable HTTP at an address of this machine instead, such as 127.0.0.1:8765
    #[cfg(feature = "http")]
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<String>,
    /// File with the token that clients must send; else WORKSPACE_MCP_TOKEN, or one is made and printed
    #[cfg(feature = "http")]
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The line
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) line: Option<String>,
    /// Read objects of `mode`, `policy` and `line` as lines of JSON and answer each with a line
    #[arg(long)]
    pub(crate) batch: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ToolsArgs {
    /// Whose shape the definitions take
    #[arg(long, value_enum, default_value_t = Format::Mcp)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The Model Context Protocol
    Mcp,
    /// OpenAI's Responses API, strict
    Openai,
    /// OpenAI's Responses API, not strict
    OpenaiLoose,
    /// OpenAI's Chat Completions API, strict
    OpenaiChat,
    /// Gemini's function declarations
    Gemini,
    /// Anthropic's Messages API
    Anthropic,
}
