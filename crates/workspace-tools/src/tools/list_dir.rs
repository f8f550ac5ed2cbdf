//! `list_dir`: what a directory holds.

use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};
use workspace_core::{Entry, FileKind, FsProvider, ListOptions, Visible, WorkspacePath};

use super::answer::{Answer, with_notice};
use super::names::ToolName;
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, ToolError, ToolErrorKind, Workspace};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "list_dir",
    title: "List a directory",
    description: "Lists a directory, by default one level deep, in the order of names. Directories end in `/` in the \
                  text. Links are shown and not followed. Large directories such as node_modules are shown and not \
                  entered unless they are named as `path`.",
    input: &[
        Field::new(
            "path",
            Shape::Text,
            "Directory to list, relative to the root of the workspace. Default: the root.",
        )
        .aliases(&["file_path", "filePath"]),
        Field::new(
            "depth",
            Shape::Integer { min: 1, max: i64::MAX },
            "How many levels deep, at most 5. Default 1.",
        ),
        Field::new("ignore", Shape::TEXTS, "Globs of entries to leave out, such as *.log or target."),
    ],
    output: &[
        Field::new("path", Shape::Text, "The directory.").required(),
        Field::new(
            "entries",
            Shape::List(&Shape::Object(&[
                Field::new("path", Shape::Text, "Where it is, relative to the root of the workspace.")
                    .required(),
                Field::new("type", Shape::Choice(&["file", "dir", "symlink", "other"]), "What it is.")
                    .required(),
                Field::new("size", Shape::COUNT, "Bytes of a file."),
                Field::new("depth", Shape::COUNT, "Levels below the listed directory, from 1.").required(),
                Field::new(
                    "skipped",
                    Shape::Boolean,
                    "A directory that was not entered because of its name.",
                ),
                Field::new("unreadable", Shape::Boolean, "A directory that could not be listed."),
                Field::new("non_utf8", Shape::Boolean, "The name is not UTF-8 and cannot be used in a call."),
            ])),
            "What it holds.",
        )
        .required(),
        Field::new("truncated", Shape::Boolean, "Whether entries were left out.").required(),
        Field::new("hidden", Shape::COUNT, "How many entries `ignore` left out.").required(),
        Field::new("notice", Shape::Text, "What to know about this answer."),
    ],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

/// What `list_dir` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ListDirInput {
    /// The directory; empty for the root.
    pub path: String,
    /// How many levels deep, at most `list.max_depth`; 1 by default.
    pub depth: Option<u64>,
    /// Globs of entries to leave out: without `/` they match a name at any level.
    pub ignore: Vec<String>,
}

impl ListDirInput {
    /// Lists a directory.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Lists so many levels.
    #[must_use]
    pub fn levels(mut self, depth: u64) -> Self {
        self.depth = Some(depth);
        self
    }
}

/// One entry of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(clippy::struct_excessive_bools)] // Independent facts about one entry.
pub struct ListedEntry {
    /// Where it is, relative to the root of the workspace.
    pub path: String,
    /// `file`, `dir`, `symlink` or `other`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Bytes of a file, where the backend tells them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Levels below the listed directory, from 1.
    pub depth: u64,
    /// A directory that was not entered because of its name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    /// A directory that could not be listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
    /// The name is not UTF-8.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub non_utf8: bool,
}

/// What `list_dir` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListDirOutput {
    /// The directory.
    pub path: String,
    /// What it holds, in the order of the tree.
    pub entries: Vec<ListedEntry>,
    /// Whether entries were left out.
    pub truncated: bool,
    /// How many entries `ignore` left out.
    pub hidden: u64,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Answer for ListDirOutput {
    fn text(&self) -> String {
        let lines: Vec<_> = self
            .entries
            .iter()
            .map(|entry| {
                let mark = match entry.kind {
                    "dir" => "/",
                    "symlink" => "@",
                    _ => "",
                };
                let note = match (entry.skipped, entry.unreadable) {
                    (true, _) => " (not entered)",
                    (_, true) => " (unreadable)",
                    _ => "",
                };
                format!("{}{mark}{note}", Visible(&entry.path))
            })
            .collect();
        with_notice(lines.join("\n"), self.notice.as_deref())
    }
}

impl Workspace {
    /// Lists a directory.
    ///
    /// At most `list.max_entries`, 500 by default: the levels are filled one
    /// after the other, so that a cut loses the deepest entries.
    ///
    /// # Errors
    /// `not-found`, `not-a-directory`, `permission`, `invalid-pattern` for a
    /// glob of `ignore`, and those of the path rules.
    pub async fn list_dir(&self, input: ListDirInput) -> Result<ListDirOutput> {
        self.or_cancelled(self.list_tree(&input)).await?
    }

    async fn list_tree(&self, input: &ListDirInput) -> Result<ListDirOutput> {
        let base = self.parse("path", &input.path)?;
        let ignore = Ignore::new(&input.ignore)?;
        self.approve_path(ToolName::ListDir, &base).await?;
        let policy = &self.policy().list;
        let max_depth = input.depth.unwrap_or(1).clamp(1, policy.max_depth.max(1));
        let max_entries = policy.max_entries.as_usize().unwrap_or(usize::MAX);
        let mut listing = Listing { base: &base, entries: Vec::new(), hidden: 0, truncated: false };

        let first = match self.files().list(&base, ListOptions::default()).await {
            Ok(entries) => entries,
            Err(error) => return Err(self.explain(error, &base).await),
        };
        let mut level = vec![first];
        for depth in 1..=max_depth {
            let mut next = Vec::new();
            for entry in level.into_iter().flatten() {
                if ignore.hides(&entry.path, &base) {
                    listing.hidden += 1;
                } else if listing.entries.len() == max_entries {
                    listing.truncated = true;
                } else {
                    listing.push(entry, depth);
                }
            }
            if depth == max_depth || listing.truncated {
                break;
            }
            for entry in listing.entries.iter_mut().filter(|listed| listed.enterable_at(depth)) {
                if entry.path.name().is_some_and(|name| policy.ignore.iter().any(|skip| skip == name)) {
                    entry.listed.skipped = true;
                    continue;
                }
                match self.files().list(&entry.path, ListOptions::default()).await {
                    Ok(entries) => next.push(entries),
                    Err(_) => entry.listed.unreadable = true,
                }
            }
            level = next;
        }
        // Directories of the last level that a deeper listing would not enter either.
        for entry in listing.entries.iter_mut().filter(|listed| listed.listed.kind == "dir") {
            entry.listed.skipped =
                entry.path.name().is_some_and(|name| policy.ignore.iter().any(|skip| skip == name));
        }
        Ok(listing.output(input.depth.is_some_and(|depth| depth > max_depth).then_some(max_depth)))
    }
}

struct Listed {
    path: WorkspacePath,
    listed: ListedEntry,
}

impl Listed {
    fn enterable_at(&self, depth: u64) -> bool {
        self.listed.kind == "dir" && self.listed.depth == depth && !self.listed.non_utf8
    }
}

struct Listing<'a> {
    base: &'a WorkspacePath,
    entries: Vec<Listed>,
    hidden: u64,
    truncated: bool,
}

impl Listing<'_> {
    fn push(&mut self, entry: Entry, depth: u64) {
        let listed = ListedEntry {
            path: entry.path.to_string(),
            kind: match entry.kind {
                FileKind::File => "file",
                FileKind::Dir => "dir",
                FileKind::Link => "symlink",
                _ => "other",
            },
            size: entry.size.filter(|_| entry.kind == FileKind::File),
            depth,
            skipped: false,
            unreadable: entry.unreadable,
            non_utf8: entry.non_utf8,
        };
        self.entries.push(Listed { path: entry.path, listed });
    }

    fn output(mut self, clamped: Option<u64>) -> ListDirOutput {
        self.entries.sort_by(|a, b| a.path.cmp(&b.path));
        let mut notices = Vec::new();
        if self.entries.is_empty() && !self.truncated {
            notices.push(match self.hidden {
                0 => "the directory exists and is empty".to_owned(),
                hidden => format!("all {hidden} entries are left out by `ignore`"),
            });
        }
        if self.truncated {
            notices.push(format!(
                "the first {} entries are shown and there are more; list a directory below, or leave some out by `ignore`",
                self.entries.len()
            ));
        }
        if let Some(depth) = clamped {
            notices.push(format!("the depth was lowered to {depth}, the most that this workspace gives"));
        }
        if self.entries.iter().any(|entry| entry.listed.non_utf8) {
            notices
                .push("names marked non_utf8 are shown with U+FFFD and cannot be used in a call".to_owned());
        }
        ListDirOutput {
            path: self.base.to_string(),
            entries: self.entries.into_iter().map(|entry| entry.listed).collect(),
            truncated: self.truncated,
            hidden: self.hidden,
            notice: (!notices.is_empty()).then(|| notices.join("; ")),
        }
    }
}

/// The extra globs of one call.
struct Ignore(Vec<(GlobMatcher, bool)>);

impl Ignore {
    fn new(globs: &[String]) -> Result<Self> {
        let read = |text: &String| {
            let glob = text.trim_start_matches("./").trim_end_matches('/');
            GlobBuilder::new(glob)
                .literal_separator(true)
                .backslash_escape(false)
                .build()
                .map(|glob| (glob.compile_matcher(), text.trim_end_matches('/').contains('/')))
                .map_err(|error| {
                    ToolError::new(
                        ToolErrorKind::InvalidPattern,
                        format!("`{}`: {}", Visible(text), error.kind()),
                    )
                    .with("field", "ignore")
                    .with("pattern", text.as_str())
                    .hint("globs know `*`, `**`, `?`, `[a-z]` and `{a,b}`")
                })
        };
        globs.iter().map(read).collect::<Result<_>>().map(Self)
    }

    /// A glob with a slash is held against the path below the base, another against the name.
    fn hides(&self, path: &WorkspacePath, base: &WorkspacePath) -> bool {
        let below = path.strip_prefix(base).unwrap_or_else(|| path.clone());
        self.0.iter().any(|(glob, has_slash)| {
            if *has_slash {
                glob.is_match(below.as_str())
            } else {
                path.name().is_some_and(|name| glob.is_match(name))
            }
        })
    }
}
