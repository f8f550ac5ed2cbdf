//! Replays the history of a repository through the tools.
//!
//! The tree before the first commit is laid out in a workspace. Then each
//! commit is made again by calls of `read_file`, `write_file`, `multi_edit` and
//! `remove`, and each file that it touched is held against the commit, byte for
//! byte and bit for bit of its mode. In the end the whole tree is.

mod calls;
mod edits;
mod git;

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use workspace_local::Local;
use workspace_memory::Memory;
use workspace_tools::{Limit, Policy, Workspace};

use calls::{Played, Stage};
use git::Repository;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The repository whose history is replayed; this one by default
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
    /// How many commits, counted back from HEAD along first parents
    #[arg(long, default_value_t = 200)]
    commits: usize,
    /// Over which backend
    #[arg(long, value_enum, default_value_t = Over::Both)]
    over: Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Over {
    Local,
    Memory,
    Both,
}

pub(crate) fn run(args: &Args) -> Result<(), String> {
    let repo = args.repo.clone().unwrap_or_else(|| crate::cargo::root().to_owned());
    let repository = Repository::open(&repo)?;
    let commits = repository.last_commits(args.commits)?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    for (over, name) in [(Over::Local, "local"), (Over::Memory, "memory")] {
        if args.over != Over::Both && args.over != over {
            continue;
        }
        let played = runtime.block_on(replay(&repository, &commits, over))?;
        println!("{name}: {} commits, {played}", commits.len());
        if played.different > 0 {
            return Err(format!("{} files differ on the {name} backend", played.different));
        }
    }
    Ok(())
}

/// Plays all commits over one backend, the oldest first.
async fn replay(repository: &Repository, commits: &[String], over: Over) -> Result<Played, String> {
    let Some(first) = commits.first() else { return Ok(Played::default()) };
    // Kept until the end: the directory goes with it.
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut policy = Policy::default();
    policy.read.max_bytes = Limit::of(40_000);
    policy.write.max_bytes = Limit::NONE;
    policy.edit.max_file_bytes = Limit::NONE;
    let (workspace, stage) = match over {
        Over::Memory => {
            let memory = Memory::new();
            (Workspace::memory(memory.clone(), policy).build(), Stage::new(memory))
        }
        Over::Local | Over::Both => {
            let local = Local::open(directory.path()).map_err(|error| error.to_string())?;
            (Workspace::builder(local.clone()).policy(policy).build(), Stage::new(local))
        }
    };
    let workspace = workspace.map_err(|error| error.to_string())?;
    let mut played = Played::default();
    stage.lay(repository, repository.parent(first)?.as_deref()).await?;

    let bar = ProgressBar::new(commits.len() as u64).with_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} commits, {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    for commit in commits {
        for change in repository.changes(commit)? {
            calls::play(&workspace, &stage, repository, &change, &mut played)
                .await
                .map_err(|why| format!("{commit}: `{}`: {why}", change.path))?;
        }
        bar.set_message(format!("{} calls", played.calls()));
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(last) = commits.last() {
        stage.compare_tree(repository, last, &mut played).await?;
    }
    Ok(played)
}
