//! One search of a directory without limits, told the way ripgrep tells it.
//!
//! `search_once glob PATTERN [OPTION]... DIRECTORY` and `search_once grep …`,
//! with `--ignore-case`, `--literal`, `--files`, `--count` and `--no-ignore`;
//! `search_once walk DIRECTORY` tells every entry; `search_once idle DIRECTORY`
//! opens the directory and does nothing. With
//! `--peak` the last line of the standard error is the most memory that the
//! process has held, in KiB, where the system tells it. `cargo xtask bench search`
//! measures with it.
#![allow(clippy::disallowed_methods)] // It asks the system about itself.

use std::io::{BufWriter, Write, stderr, stdout};

use workspace_core::{
    Error, ErrorKind, FsProvider, GlobQuery, GrepMode, GrepQuery, Result, SearchLimits, SearchScope,
    WalkOptions, WorkspacePath,
};
use workspace_local::Local;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let (options, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let has = |name: &str| options.iter().any(|option| option == name);
    let mut scope = SearchScope::default();
    scope.gitignore = !has("--no-ignore");
    let mut limits = SearchLimits::default();
    (limits.max_results, limits.max_files, limits.max_time) = (None, None, None);

    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["idle", root] => drop(Local::open(root)?),
        ["walk", root] => walk(&Local::open(root)?).await?,
        ["glob", pattern, root] => {
            let mut query = GlobQuery::default();
            (query.scope, query.limits, query.pattern) = (scope, limits, pattern.into());
            glob(&Local::open(root)?, query).await?;
        }
        ["grep", pattern, root] => {
            let mut query = GrepQuery::default();
            (query.scope, query.limits, query.pattern) = (scope, limits, pattern.into());
            (query.literal, query.ignore_case) = (has("--literal"), has("--ignore-case"));
            // As ripgrep by default: files of any size, lines in full.
            (query.max_file_bytes, query.max_line_chars) = (None, usize::MAX);
            if has("--files") {
                query.mode = GrepMode::Files;
            } else if has("--count") {
                query.mode = GrepMode::Count;
            }
            grep(&Local::open(root)?, query).await?;
        }
        _ => return Err(Error::new(ErrorKind::InvalidInput, "usage: search_once glob|grep|walk|idle …")),
    }
    if has("--peak") {
        told(writeln!(stderr(), "{}", peak().unwrap_or_default()))?;
    }
    Ok(())
}

async fn glob(files: &Local, query: GlobQuery) -> Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    for (path, _) in files.glob(query).await?.files {
        told(writeln!(out, "{path}"))?;
    }
    told(out.flush())
}

async fn walk(files: &Local) -> Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    let mut entries = files.walk(&WorkspacePath::root(), WalkOptions::default()).await?;
    while let Some(entry) = entries.next().await {
        told(writeln!(out, "{}", entry?.path))?;
    }
    told(out.flush())
}

async fn grep(files: &Local, query: GrepQuery) -> Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    let answer = files.grep(query).await?;
    for at in answer.lines {
        told(writeln!(out, "{}:{}:{}:{}", at.path, at.line, at.column, at.text))?;
    }
    for path in answer.files {
        told(writeln!(out, "{path}"))?;
    }
    for file in answer.counts {
        told(writeln!(out, "{}:{}", file.path, file.count))?;
    }
    told(out.flush())
}

/// The most memory that this process has held, in KiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

fn told(written: std::io::Result<()>) -> Result<()> {
    written.map_err(|error| Error::new(ErrorKind::Io, "the answer cannot be written").because(error))
}
