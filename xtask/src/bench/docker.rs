//! A container beside one `docker exec` a call, `grep -r` in it, and `docker cp`.

use super::search::build;
use super::turn::{command, is_there};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An image that the engine has, with a shell
    #[arg(long, value_name = "NAME", default_value = "workspace-test:debian")]
    image: String,
    /// The engine
    #[arg(long, value_name = "PATH", default_value = "/var/run/docker.sock")]
    socket: String,
    /// How often each row is measured, ours and theirs in turns
    #[arg(long, value_name = "N", default_value_t = 15)]
    turns: usize,
    /// Only rows whose name holds this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

pub(crate) fn run(args: &Args) -> Result<(), String> {
    if !is_there("docker") {
        return Err("`docker` is not there; on Debian: apt-get install docker.io, or `.ci/docker-up`".into());
    }
    let program = build("workspace-docker", "bench")?;
    let turns = args.turns.max(1).to_string();
    let ended = command(&program).args([&args.image, &args.socket, &turns, &args.only]).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the measuring program ended with {status}")),
        Err(error) => Err(error.to_string()),
    }
}
