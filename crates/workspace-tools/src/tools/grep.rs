//! `grep`: lines by content.

use serde::{Deserialize, Serialize};
use workspace_core::{GrepAnswer, GrepMode, GrepQuery, Visible, WorkspacePath};
use workspace_search::FileTypes;

use super::answer::{Answer, with_notice};
use super::glob::{cap_notice, skip_notice};
use super::names::ToolName;
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, ToolError, ToolErrorKind, Workspace};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "grep",
    title: "Search in files",
    description: "Searches the lines of files by a regular expression (without look-around and back-references), or by \
                  plain text with `literal`. Files that .gitignore hides, binary files and directories such as .git \
                  and node_modules are passed by, unless `path` names them.",
    input: &[
        Field::new("pattern", Shape::Text, "The regular expression, or the plain text.").required(),
        Field::new(
            "path",
            Shape::Text,
            "File or directory to search in. Default: the root of the workspace.",
        )
        .aliases(&["file_path", "filePath"]),
        Field::new(
            "glob",
            Shape::Text,
            "Only files that match: *.rs by name at any depth, src/**/*.rs from path.",
        ),
        Field::new(
            "type",
            Shape::Text,
            "Only files of this type, as ripgrep calls it: rust, py, ts. Several with commas; !name leaves one out.",
        )
        .aliases(&["file_type", "fileType"]),
        Field::new("ignore_case", Shape::Boolean, "Ignore case. Default false.").aliases(&["ignoreCase"]),
        Field::new("literal", Shape::Boolean, "Take the pattern as plain text. Default false."),
        Field::new(
            "multiline",
            Shape::Boolean,
            "Let a match go over the ends of lines (\\n in the pattern, or (?s) for a dot that does). Default false.",
        ),
        Field::new(
            "context",
            Shape::Integer { min: 0, max: 10 },
            "Lines to show before and after each match. Default 0.",
        ),
        Field::new(
            "mode",
            Shape::Choice(&["content", "files", "count"]),
            "content (default) gives lines, files the files that have one, count the number in each.",
        ),
        Field::new(
            "max_results",
            Shape::Integer { min: 1, max: i64::MAX },
            "How many results at most. Default 200.",
        )
        .aliases(&["maxResults"]),
        Field::new("no_ignore", Shape::Boolean, "Search files that .gitignore hides, too. Default false.")
            .aliases(&["noIgnore"]),
    ],
    output: &[
        Field::new(
            "matches",
            Shape::List(&Shape::Object(&[
                Field::new("path", Shape::Text, "The file.").required(),
                Field::new("line", Shape::COUNT, "The line, from 1.").required(),
                Field::new("last_line", Shape::COUNT, "The last line, where the match goes over several."),
                Field::new("column", Shape::COUNT, "The first character of the match, from 1.").required(),
                Field::new("text", Shape::Text, "The line, or the lines.").required(),
                Field::new("before", Shape::TEXTS, "Lines before it."),
                Field::new("after", Shape::TEXTS, "Lines after it."),
                Field::new("line_truncated", Shape::Boolean, "Whether the line is longer than shown."),
            ])),
            "The lines found, in mode content.",
        ),
        Field::new("files", Shape::TEXTS, "The files, in mode files."),
        Field::new(
            "counts",
            Shape::List(&Shape::Object(&[
                Field::new("path", Shape::Text, "The file.").required(),
                Field::new("count", Shape::COUNT, "How many of its lines match.").required(),
            ])),
            "The counts, in mode count.",
        ),
        Field::new("truncated", Shape::Boolean, "Whether results were left out.").required(),
        Field::new("files_scanned", Shape::COUNT, "How many files were searched.").required(),
        Field::new(
            "skipped",
            Shape::Object(&[
                Field::new("binary", Shape::COUNT, "Binary files.").required(),
                Field::new("too_large", Shape::COUNT, "Files over the limit of size.").required(),
                Field::new("unreadable", Shape::COUNT, "Files that could not be read.").required(),
                Field::new("long_lines", Shape::COUNT, "Lines over the limit of length.").required(),
            ]),
            "What was not searched.",
        )
        .required(),
        Field::new("notice", Shape::Text, "What to know about this answer."),
    ],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

/// What `grep` answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GrepShow {
    /// The lines.
    #[default]
    Content,
    /// The files.
    Files,
    /// The number of lines in each file.
    Count,
}

/// What `grep` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)] // Switches of the tool, each by itself, as models send them.
pub struct GrepInput {
    /// The regular expression, or plain text.
    pub pattern: String,
    /// The file or directory; empty for the root.
    pub path: String,
    /// Only files of this glob.
    pub glob: Option<String>,
    /// Whether case is ignored.
    pub ignore_case: bool,
    /// Whether the pattern is plain text.
    pub literal: bool,
    /// Whether a match may go over the ends of lines.
    pub multiline: bool,
    /// Only files of these types, by ripgrep's names, with commas between them; `!name` leaves one out.
    #[serde(rename = "type")]
    pub file_type: Option<String>,
    /// Lines before and after each match, at most 10.
    pub context: u64,
    /// What to answer with.
    pub mode: GrepShow,
    /// How many results at most; by default `search.max_results`.
    pub max_results: Option<u64>,
    /// Whether ignore files are passed over.
    pub no_ignore: bool,
}

impl GrepInput {
    /// Searches the whole workspace.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }

    /// Searches in a file or directory.
    #[must_use]
    pub fn within(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }
}

/// One line found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrepMatch {
    /// The file.
    pub path: String,
    /// The line, from 1; of several the first.
    pub line: u64,
    /// The last line, where the match goes over several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_line: Option<u64>,
    /// The first character of the match, from 1.
    pub column: u64,
    /// The line, or the lines with `\n` between them.
    pub text: String,
    /// Lines before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Lines after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Whether the line is longer than shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub line_truncated: bool,
}

/// How many lines match in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrepCount {
    /// The file.
    pub path: String,
    /// How many of its lines match.
    pub count: u64,
}

/// What `grep` did not search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GrepSkipped {
    /// Binary files.
    pub binary: u64,
    /// Files over `search.max_file_bytes`, 8 MiB by default.
    pub too_large: u64,
    /// Files and directories that could not be read.
    pub unreadable: u64,
    /// Lines over 2,000 characters, where the policy passes them by.
    pub long_lines: u64,
}

/// What `grep` gives: one of the three lists, by the mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrepOutput {
    /// The lines found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<GrepMatch>>,
    /// The files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// The counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<GrepCount>>,
    /// Whether results were left out.
    pub truncated: bool,
    /// How many files were searched.
    pub files_scanned: u64,
    /// What was not searched.
    pub skipped: GrepSkipped,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Answer for GrepOutput {
    fn text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        let mut shown_to: Option<(&str, u64)> = None;
        for found in self.matches.iter().flatten() {
            let path = Visible(&found.path);
            let first = found.line - found.before.len() as u64;
            let has_context = !found.before.is_empty() || !found.after.is_empty();
            if has_context && shown_to.is_some_and(|(path, to)| path != found.path || to + 1 < first) {
                lines.push("--".into());
            }
            lines.extend(
                (first..).zip(&found.before).map(|(number, text)| format!("{path}-{number}- {text}")),
            );
            let last = found.last_line.unwrap_or(found.line);
            if found.line_truncated && last > found.line {
                // What is left of the lines may begin in any of them.
                lines.push(format!("{path}:{}-{last}: {}", found.line, found.text));
            } else {
                lines.extend(
                    (found.line..)
                        .zip(found.text.split('\n'))
                        .map(|(number, text)| format!("{path}:{number}: {text}")),
                );
            }
            lines.extend(
                (last + 1..).zip(&found.after).map(|(number, text)| format!("{path}-{number}- {text}")),
            );
            shown_to = Some((&found.path, last + found.after.len() as u64));
        }
        lines.extend(self.files.iter().flatten().map(|path| Visible(path).to_string()));
        lines.extend(
            self.counts.iter().flatten().map(|file| format!("{}: {}", Visible(&file.path), file.count)),
        );
        let nothing = lines.is_empty();
        if nothing {
            lines.push(format!("no match in {} searched file(s)", self.files_scanned));
        }
        with_notice(lines.join("\n"), self.notice.as_deref())
    }
}

impl Workspace {
    /// Searches the lines of files.
    ///
    /// The time grows with the text and the pattern and no faster. At most
    /// `search.max_results` over all files, 200 by default; each cap is told.
    ///
    /// # Errors
    /// `invalid-pattern` with the position; `unsafe-pattern` for one that is too
    /// large; `not-found` for the base; those of the path rules.
    pub async fn grep(&self, input: GrepInput) -> Result<GrepOutput> {
        self.or_cancelled(self.find_lines(&input)).await?
    }

    async fn find_lines(&self, input: &GrepInput) -> Result<GrepOutput> {
        let base = self.parse("path", &input.path)?;
        self.approve_path(ToolName::Grep, &base).await?;
        let policy = &self.policy().search;
        let mut query = GrepQuery::default();
        query.scope = self.search_scope(&base, input.no_ignore);
        query.pattern.clone_from(&input.pattern);
        query.literal = input.literal;
        query.ignore_case = input.ignore_case;
        query.multiline = input.multiline;
        query.types = input.file_type.as_deref().map(file_types).unwrap_or_default();
        if let Err(error) = FileTypes::new(&query.types) {
            let refusal = ToolError::new(error.kind().into(), error.message()).with("field", "type");
            return Err(refusal.hint(error.next_step().unwrap_or("name a type as ripgrep does")));
        }
        query.glob.clone_from(&input.glob);
        query.context = usize::try_from(input.context.min(10)).unwrap_or(10);
        query.mode = match input.mode {
            GrepShow::Content => GrepMode::Content,
            GrepShow::Files => GrepMode::Files,
            GrepShow::Count => GrepMode::Count,
        };
        query.max_file_bytes = policy.max_file_bytes.0;
        query.skip_long_lines = policy.skip_long_lines;
        query.limits = self.search_limits();
        query.progress = self.progress().clone();
        if let Some(wanted) = input.max_results {
            let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
            query.limits.max_results = Some(query.limits.max_results.map_or(wanted, |most| most.min(wanted)));
        }
        let found = match self.check_pattern(input) {
            Ok(()) => workspace_search::grep_any(self.files(), query).await,
            Err(error) => Err(error),
        };
        match found {
            Ok(answer) => Ok(output(answer, input)),
            Err(error) => Err(self.explain_search(error, &base, "pattern", &input.pattern).await),
        }
    }

    /// Refuses what the owner wants no engine to be given.
    fn check_pattern(&self, input: &GrepInput) -> workspace_core::Result<()> {
        if self.policy().search.redos_compat && !input.literal {
            workspace_search::check_backtracking(&input.pattern)?;
        }
        Ok(())
    }

    /// The error of a search: about its pattern, or about its base.
    pub(super) async fn explain_search(
        &self,
        error: workspace_core::Error,
        base: &WorkspacePath,
        field: &str,
        pattern: &str,
    ) -> ToolError {
        use workspace_core::ErrorKind;
        match error.kind() {
            ErrorKind::InvalidPattern | ErrorKind::UnsafePattern => {
                let ours = ToolError::new(error.kind().into(), error.message()).with("field", field);
                let ours = ours.with("pattern", error.path().unwrap_or(pattern));
                match error.next_step() {
                    Some(hint) => ours.hint(hint),
                    None => ours.hint("correct the pattern and call again"),
                }
            }
            ErrorKind::PathEscape if pattern.contains("..") => {
                ToolError::new(ToolErrorKind::PathEscape, error.message())
                    .with("field", field)
                    .with("pattern", pattern)
                    .hint("search below the root; name the directory to search in as `path`")
            }
            _ => self.explain(error, base).await,
        }
    }
}

/// The names in a list with commas.
fn file_types(list: &str) -> Vec<String> {
    list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn output(answer: GrepAnswer, input: &GrepInput) -> GrepOutput {
    let mode = input.mode;
    let tally = answer.tally;
    let shown = answer.lines.len() + answer.files.len() + answer.counts.len();
    let mut notices = Vec::new();
    if tally.truncated {
        notices
            .push(format!("the first {shown} results are shown and there are more; narrow `path` or `glob`"));
    }
    notices.extend(cap_notice(&tally));
    if shown == 0 {
        notices.extend(skip_notice(&tally));
    }
    if input.multiline && tally.skipped.too_large > 0 {
        notices.push(format!(
            "{} file(s) are too large to be searched over the ends of lines; search them without `multiline`",
            tally.skipped.too_large
        ));
    }
    if tally.skipped.unreadable > 0 {
        notices.push(format!("{} file(s) or directories could not be read", tally.skipped.unreadable));
    }
    let lines = answer.lines.into_iter().map(|line| GrepMatch {
        path: line.path.to_string(),
        line: line.line,
        last_line: (line.last_line > line.line).then_some(line.last_line),
        column: line.column,
        text: line.text,
        before: line.before,
        after: line.after,
        line_truncated: line.cut,
    });
    let counts =
        answer.counts.into_iter().map(|file| GrepCount { path: file.path.to_string(), count: file.count });
    GrepOutput {
        matches: (mode == GrepShow::Content).then(|| lines.collect()),
        files: (mode == GrepShow::Files).then(|| answer.files.iter().map(WorkspacePath::to_string).collect()),
        counts: (mode == GrepShow::Count).then(|| counts.collect()),
        truncated: tally.truncated,
        files_scanned: tally.files,
        skipped: GrepSkipped {
            binary: tally.skipped.binary,
            too_large: tally.skipped.too_large,
            unreadable: tally.skipped.unreadable,
            long_lines: tally.skipped.long_lines,
        },
        notice: (!notices.is_empty()).then(|| notices.join("; ")),
    }
}
