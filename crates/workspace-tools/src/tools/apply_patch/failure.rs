//! Why a patch was not applied, in words for a model.

use workspace_core::{Visible, WorkspacePath};

use super::super::edit_file::edit_failure;
use super::undo::Lost;
use crate::edit::{self, Change, EditFailure, Replacement, Rules};
use crate::patch::{Hunk, HunkFailure, HunkFault, ParseFailure};
use crate::{ToolError, ToolErrorKind};

/// The most characters of a line of the patch that a message shows.
const SHOWN: usize = 80;

/// The text is no patch.
pub(crate) fn no_patch(failure: &ParseFailure) -> ToolError {
    ToolError::new(
        ToolErrorKind::InvalidInput,
        format!("line {} of the patch: {}; nothing was changed", failure.line, failure.message),
    )
    .with("field", "patch")
    .with("patch_line", failure.line as u64)
    .hint(failure.hint)
}

/// A file has two sections.
pub(super) fn named_twice(path: &WorkspacePath, line: usize) -> ToolError {
    ToolError::new(
        ToolErrorKind::InvalidInput,
        format!(
            "line {line} of the patch: `{}` is named before; nothing was changed",
            Visible(path.as_str())
        ),
    )
    .with("field", "patch")
    .with("path", path.to_string())
    .with("patch_line", line as u64)
    .hint("give each file one section with all its hunks from top to bottom")
}

/// Two paths of a patch lead to one file.
pub(super) fn same_file(path: &WorkspacePath, other: &WorkspacePath, line: usize) -> ToolError {
    ToolError::new(
        ToolErrorKind::InvalidInput,
        format!(
            "line {line} of the patch: `{}` is the same file as `{}`; nothing was changed",
            Visible(path.as_str()),
            Visible(other.as_str())
        ),
    )
    .with("field", "patch")
    .with("path", path.to_string())
    .hint("give each file one section with all its hunks from top to bottom")
}

/// Something stands where a file is to be made.
pub(super) fn taken(path: &WorkspacePath) -> ToolError {
    ToolError::new(
        ToolErrorKind::AlreadyExists,
        format!("`{}` exists already; nothing was changed", Visible(path.as_str())),
    )
    .with("path", path.to_string())
    .hint("change it by `*** Update File`, or choose another path")
}

/// A link would be removed or moved.
pub(super) fn not_a_plain_file(path: &WorkspacePath, how: &str) -> ToolError {
    ToolError::new(
        ToolErrorKind::NotAFile,
        format!("`{}` is a link and is not {how} by a patch; nothing was changed", Visible(path.as_str())),
    )
    .with("path", path.to_string())
    .hint("name the file that it leads to, or leave it as it is")
}

/// A file is not the one about which the owner was asked.
pub(super) fn changed_meanwhile(path: &str) -> ToolError {
    ToolError::new(
        ToolErrorKind::ChangedDuringEdit,
        format!(
            "`{}` was changed while the owner was asked; nothing of the patch was applied",
            Visible(path)
        ),
    )
    .with("path", path)
}

/// A hunk has no place in its file.
pub(super) fn no_place(
    path: &WorkspacePath,
    text: &str,
    hunks: &[Hunk],
    HunkFailure { index, fault }: HunkFailure,
    rules: &Rules,
) -> ToolError {
    let line = hunks.get(index).map_or(1, |hunk| hunk.line);
    let shown = Visible(path.as_str());
    let place = format!("`{shown}`: the hunk at line {line} of the patch");
    let error = match fault {
        HunkFault::NoHeader { header, from } => ToolError::new(
            ToolErrorKind::NoMatch,
            format!("{place} has the header `{}`, which is no line from line {from} on; nothing was changed", brief(&header)),
        )
        .hint("write a whole line of the file that stands above the change, or `@@` alone with more lines around it"),
        HunkFault::NotUnique { count, lines } => {
            let places: Vec<_> = lines.iter().map(u64::to_string).collect();
            let more = if count > lines.len() { ", …" } else { "" };
            ToolError::new(
                ToolErrorKind::NotUnique,
                format!("{place} fits {count} times, at lines {}{more}; nothing was changed", places.join(", ")),
            )
            .with("count", count as u64)
            .with("lines", lines)
            .hint("add lines around the change until it fits once, or a header: `@@ ` and a line that stands above it")
        }
        HunkFault::TooEarly { from } => ToolError::new(
            ToolErrorKind::NoMatch,
            format!("{place} fits only above line {from}, from which it is sought; nothing was changed"),
        )
        .hint("give the hunks of a file from top to bottom, and a header that stands above the change"),
        HunkFault::NotAtEnd => ToolError::new(
            ToolErrorKind::NoMatch,
            format!("{place} is not the end of the file, as `*** End of File` says; nothing was changed"),
        )
        .hint("leave `*** End of File` out, or give the last lines of the file"),
        HunkFault::NoMatch => no_match(path, text, hunks.get(index), &place, rules),
    };
    error.with("path", path.to_string()).with("hunk_line", line as u64)
}

/// The lines of a hunk are not in the file: what edit_file would say of them.
fn no_match(path: &WorkspacePath, text: &str, hunk: Option<&Hunk>, place: &str, rules: &Rules) -> ToolError {
    let old = hunk.map(|hunk| hunk.old().collect::<Vec<_>>().join("\n")).unwrap_or_default();
    let change = Change::Replace(Replacement { old: &old, new: "", replace_all: false });
    let plain = || {
        ToolError::new(
            ToolErrorKind::NoMatch,
            format!("{place} has lines that do not stand together in the file; nothing was changed"),
        )
        .hint("give whole lines as the file has them, one below the other and none left out")
    };
    let Err(failure @ EditFailure::NoMatch { .. }) = edit::edit(text, &change, rules) else { return plain() };
    let inner = edit_failure(failure, path.as_str()).with_word_replaced("`old_string`", "the hunk");
    let closest = inner.message().split_once('\n').map(|(_, rest)| format!("\n{rest}")).unwrap_or_default();
    let message = format!("{place} has lines that are not in the file; nothing was changed{closest}");
    let mut error = ToolError::new(ToolErrorKind::NoMatch, message);
    if let Some(causes) = inner.fields().get("causes") {
        error = error.with("causes", causes.clone());
    }
    error.hint(inner.next_step().unwrap_or("read the file again and copy the lines from it").to_owned())
}

/// A write failed and those before it were taken back, as far as they could be.
pub(super) fn taken_back(error: &ToolError, lost: &[Lost]) -> ToolError {
    let state = if lost.is_empty() {
        "nothing of the patch is left, every file is as it was".to_owned()
    } else {
        let files: Vec<_> =
            lost.iter().map(|lost| format!("`{}` ({})", Visible(&lost.path), lost.why)).collect();
        format!("the patch was taken back but for {}", files.join(", "))
    };
    let mut told = ToolError::new(error.kind(), format!("{}; {state}", error.message()));
    for (name, value) in error.fields() {
        told = told.with(name, value.clone());
    }
    if lost.is_empty() {
        return match error.next_step() {
            Some(hint) => told.hint(hint),
            None => told.hint("find out why that file cannot be written, then send the patch again"),
        };
    }
    let paths: Vec<_> = lost.iter().map(|lost| lost.path.as_str()).collect();
    told.with("not_restored", paths).hint("look at each file of `not_restored` before going on")
}

fn brief(line: &str) -> String {
    let text: String = line.chars().take(SHOWN).collect();
    let cut = if text.len() < line.len() { "…" } else { "" };
    format!("{}{cut}", Visible(&text))
}
