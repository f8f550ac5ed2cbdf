//! `cargo xtask bench`: how fast it is, next to the programs that it is measured by.

mod docker;
mod mcp;
mod rows;
mod search;
mod table;
mod trees;
mod turn;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Measures native search of a directory against ripgrep and fd, in turns
    Search(search::Args),
    /// Measures the files of a container against one `docker exec` a call and `docker cp`, in turns
    Docker(docker::Args),
    /// Measures the MCP server against others, in turns
    Mcp(mcp::Args),
}

pub(crate) fn run(args: &Args) -> Result<(), String> {
    match &args.what {
        What::Search(args) => search::run(args),
        What::Docker(args) => docker::run(args),
        What::Mcp(args) => mcp::run(args),
    }
}
