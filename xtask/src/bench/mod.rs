//! `cargo xtask bench`: how fast it is, next to the programs that it is measured by.

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
}

pub(crate) fn run(args: &Args) -> Result<(), String> {
    match &args.what {
        What::Search(args) => search::run(args),
    }
}
