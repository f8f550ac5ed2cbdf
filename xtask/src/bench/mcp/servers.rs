//! The servers that are measured, and how each says the same.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::files::{CHANGE, Sized};

/// Whose server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Maker {
    Ours,
    /// npm's `@modelcontextprotocol/server-filesystem`.
    Npm,
    /// crates.io's `rust-mcp-filesystem`.
    Rust,
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) maker: Maker,
    program: PathBuf,
    /// Ours alone has one: searches without limits, since the others have none.
    policy: PathBuf,
}

/// What is asked of every server.
#[derive(Debug)]
pub(super) enum Work<'a> {
    Read(Sized),
    /// Changes one line in the middle.
    Edit(Sized),
    Glob {
        pattern: &'a str,
    },
    Grep {
        literal: &'a str,
    },
}

impl Server {
    pub(super) fn new(maker: Maker, program: &Path, policy: &Path) -> Self {
        Self { maker, program: program.to_owned(), policy: policy.to_owned() }
    }

    pub(super) fn name(&self) -> &'static str {
        match self.maker {
            Maker::Ours => "workspace",
            Maker::Npm => "npm",
            Maker::Rust => "rust-mcp-filesystem",
        }
    }

    /// The words that start it over a directory.
    pub(super) fn words(&self, root: &Path) -> Vec<String> {
        let (program, root) = (self.program.display().to_string(), root.display().to_string());
        match self.maker {
            Maker::Ours => {
                let policy = self.policy.display().to_string();
                [program, "mcp".into(), "--root".into(), root, "--policy".into(), policy].to_vec()
            }
            Maker::Npm => ["node".into(), program, root].to_vec(),
            Maker::Rust => [program, "--allow-write".into(), root].to_vec(),
        }
    }

    /// The call in its own words; `None` where it cannot do the work.
    pub(super) fn call(&self, root: &Path, work: &Work<'_>) -> Option<(&'static str, Value)> {
        let (root, [old, new]) = (root.display(), CHANGE);
        Some(match (self.maker, work) {
            (Maker::Ours, Work::Read(file)) => ("read_file", json!({"path": file.name})),
            (_, Work::Read(file)) => ("read_text_file", json!({"path": format!("{root}/{}", file.name)})),
            (Maker::Ours, Work::Edit(file)) => {
                ("edit_file", json!({"path": file.name, "old_string": old, "new_string": new}))
            }
            (_, Work::Edit(file)) => (
                "edit_file",
                json!({"path": format!("{root}/{}", file.name), "edits": [{"oldText": old, "newText": new}]}),
            ),
            (Maker::Ours, Work::Glob { pattern }) => ("glob", json!({"pattern": pattern, "no_ignore": true})),
            (_, Work::Glob { pattern }) => {
                ("search_files", json!({"path": root.to_string(), "pattern": pattern}))
            }
            (Maker::Ours, Work::Grep { literal }) => {
                ("grep", json!({"pattern": literal, "literal": true, "no_ignore": true}))
            }
            (Maker::Rust, Work::Grep { literal }) => (
                "search_files_content",
                json!({"path": root.to_string(), "pattern": "**/*", "query": literal, "is_regex": false}),
            ),
            (Maker::Npm, Work::Grep { .. }) => return None,
        })
    }
}

/// How many results an answer tells: lines that name a file, however they are written.
pub(super) fn results(work: &Work<'_>, answer: &Value) -> usize {
    let text = answer["content"][0]["text"].as_str().unwrap_or_default();
    match work {
        Work::Glob { .. } => text
            .lines()
            .filter(|line| line.rsplit_once('.').is_some_and(|(_, extension)| extension == "rst"))
            .count(),
        Work::Grep { literal } => text.lines().filter(|line| line.contains(literal)).count(),
        Work::Read(_) | Work::Edit(_) => 1,
    }
}
