//! The MCP server beside others: the same client, the same work, in turns, over standard input and
//! output.

mod client;
mod files;
mod servers;

use std::path::{Path, PathBuf};
use std::time::Duration;

use client::Client;
use files::{LARGE, MIDDLE, SMALL, resolved, write};
use servers::{Maker, Server, Work, results};

use crate::cargo;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The directory that is searched
    #[arg(long, value_name = "DIR")]
    tree: PathBuf,
    /// `dist/index.js` of npm's @modelcontextprotocol/server-filesystem
    #[arg(long, value_name = "PATH")]
    npm_server: Option<PathBuf>,
    /// The program of crates.io's rust-mcp-filesystem
    #[arg(long, value_name = "PATH")]
    rust_server: Option<PathBuf>,
    /// Text that few files of the tree hold
    #[arg(long, value_name = "TEXT", default_value = "rcu_nocbs_poll")]
    literal: String,
    /// How often each call is made; what takes anybody over a second is made a third as often
    #[arg(long, value_name = "N", default_value_t = 15)]
    turns: usize,
    /// Only rows whose name holds this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

/// Limits of our answers off, as the other servers have none.
const POLICY: &str = "\
[list]
max_entries = 0
[search]
max_results = 0
max_files_scanned = 0
max_ms = 0
[edit]
max_file_bytes = 0
";

pub(crate) fn run(args: &Args) -> Result<(), String> {
    let program = build()?;
    let scratch = cargo::target().join("bench/mcp");
    for file in [SMALL, MIDDLE, LARGE] {
        file.lay(&scratch)?;
    }
    let policy = cargo::target().join("bench/mcp.toml");
    write(&policy, POLICY)?;
    let makers = [
        (Maker::Ours, Some(&program)),
        (Maker::Npm, args.npm_server.as_ref()),
        (Maker::Rust, args.rust_server.as_ref()),
    ];
    let servers =
        makers.into_iter().filter_map(|(maker, program)| Some(Server::new(maker, program?, &policy)));
    let servers = servers.collect();
    Bench { args, servers, tree: resolved(&args.tree)?, scratch: resolved(&scratch)? }.run()
}

fn build() -> Result<PathBuf, String> {
    let built = cargo::command()
        .args(["build", "--release", "--locked", "--quiet", "--package", "workspace-cli"])
        .status()
        .map_err(|error| error.to_string())?;
    if built.success() {
        Ok(cargo::target().join("release/workspace"))
    } else {
        Err("it does not build".into())
    }
}

struct Bench<'a> {
    args: &'a Args,
    servers: Vec<Server>,
    tree: PathBuf,
    scratch: PathBuf,
}

impl Bench<'_> {
    fn run(&self) -> Result<(), String> {
        let names: Vec<_> = self.servers.iter().map(Server::name).chain(["better one / ours"]).collect();
        println!("{} turns, medians\n\n| | {} |", self.args.turns, names.join(" | "));
        println!("| --- |{}", " ---: |".repeat(names.len()));
        if "start".contains(&self.args.only) {
            self.start()?;
        }
        let literal = self.args.literal.as_str();
        let rows = [
            ("read a small file", &self.scratch, Work::Read(SMALL)),
            ("edit in 300 kB", &self.scratch, Work::Edit(MIDDLE)),
            ("edit in 9 MB", &self.scratch, Work::Edit(LARGE)),
            ("glob `**/*.rst`", &self.tree, Work::Glob { pattern: "**/*.rst" }),
            ("grep of a rare literal", &self.tree, Work::Grep { literal }),
        ];
        for (name, root, work) in rows.iter().filter(|(name, ..)| name.contains(&self.args.only)) {
            self.row(name, root, work)?;
        }
        Ok(())
    }

    fn start(&self) -> Result<(), String> {
        let mut times: Vec<Vec<f64>> = self.servers.iter().map(|_| Vec::new()).collect();
        let mut memory = vec![None; self.servers.len()];
        for _ in 0..=self.args.turns {
            for ((server, times), memory) in self.servers.iter().zip(&mut times).zip(&mut memory) {
                let (client, took) = Client::start(&server.words(&self.scratch))?;
                times.push(milliseconds(took));
                *memory = Some(client.memory()?.now);
            }
        }
        let medians: Vec<_> = times.iter().map(|times| median(times)).collect();
        print_row("start, ms", &medians, 2);
        print_row("memory after it, MiB", &memory, 1);
        Ok(())
    }

    /// One kind of work by every server, in turns.
    fn row(&self, name: &str, root: &Path, work: &Work<'_>) -> Result<(), String> {
        let mut runs = Vec::new();
        for server in &self.servers {
            let call = server.call(root, work);
            let client = call.as_ref().map(|_| Client::start(&server.words(root))).transpose()?;
            runs.push(call.zip(client.map(|(client, _)| client)).map(|run| (run, Vec::new())));
        }
        let mut found = Vec::new();
        for turn in 0..=self.args.turns {
            let slow =
                runs.iter().flatten().any(|(_, times): &(_, Vec<f64>)| times.iter().any(|&ms| ms > 1000.0));
            if slow && turn % 3 != 0 {
                continue;
            }
            for (((tool, arguments), client), times) in runs.iter_mut().flatten() {
                if let Work::Edit(file) = work {
                    file.lay(&self.scratch)?;
                }
                let (took, answer) = client.call(tool, arguments)?;
                times.push(milliseconds(took));
                if turn == 0 {
                    found.push(results(work, &answer).to_string());
                }
            }
        }
        let medians: Vec<_> = runs.iter().map(|run| median(&run.as_ref()?.1)).collect();
        print_row(&format!("{name}, ms"), &medians, 2);
        let mut most = Vec::new();
        for run in &runs {
            most.push(
                run.as_ref().map(|((_, client), _)| client.memory()).transpose()?.map(|held| held.most),
            );
        }
        print_row(&format!("the same, most memory, MiB ({} found)", found.join(", ")), &most, 1);
        Ok(())
    }
}

/// A row: ours first; at its end how many times ours the better of the others takes.
fn print_row(name: &str, values: &[Option<f64>], digits: usize) {
    let cells: Vec<_> =
        values.iter().map(|value| value.map_or("none".into(), |value| format!("{value:.digits$}"))).collect();
    let (ours, others) = values.split_first().map_or((None, values), |(ours, others)| (*ours, others));
    let best = others.iter().flatten().copied().min_by(f64::total_cmp);
    let ahead = ours.zip(best).map_or(String::new(), |(ours, best)| format!("{:.1}", best / ours));
    println!("| {name} | {} | {ahead} |", cells.join(" | "));
}

/// The median of all but the first, which brought programs and files into memory.
fn median(times: &[f64]) -> Option<f64> {
    let mut times = times.get(1..)?.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_turn_does_not_count() {
        assert_eq!(median(&[99.0, 3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[99.0]), None);
        assert_eq!(median(&[]), None);
    }
}
