//! `view`: a file with line numbers, or a directory two levels deep.

use std::fmt::Write;

use workspace_core::Visible;

use crate::{ListDirInput, ListDirOutput, ReadFileInput, Result, ToolError, ToolErrorKind, Workspace};

/// Levels of a directory that are shown.
const LEVELS: u64 = 2;

/// Lines of a file: the first and the last, or to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ViewRange {
    first: u64,
    last: Option<u64>,
}

impl ViewRange {
    /// Reads `[first, last]`, with -1 for the end.
    pub(super) fn read(range: &[i64]) -> Result<Self> {
        let lines = match range {
            [first, last] => (u64::try_from(*first).ok().filter(|first| *first > 0), *last),
            _ => (None, 0),
        };
        match lines {
            (Some(first), -1) => Ok(Self { first, last: None }),
            (Some(first), last) => match u64::try_from(last).ok().filter(|last| *last >= first) {
                Some(last) => Ok(Self { first, last: Some(last) }),
                None => Err(wrong_range()),
            },
            (None, _) => Err(wrong_range()),
        }
    }
}

fn wrong_range() -> ToolError {
    ToolError::new(ToolErrorKind::InvalidInput, "`view_range` is no range of lines")
        .with("field", "view_range")
        .hint("give the first and the last line, counted from 1, such as [1, 50], or [51, -1] for the rest")
}

/// What stands at a path, as the vendor's models are used to see it.
pub(super) struct View<'a> {
    pub(super) workspace: &'a Workspace,
    /// Relative to the root of the workspace; empty for the root.
    pub(super) path: &'a str,
    pub(super) range: Option<ViewRange>,
    /// The most characters of a file that are shown.
    pub(super) max_characters: Option<usize>,
}

impl View<'_> {
    /// A file, or a directory whose entries `name` spells.
    pub(super) async fn text(&self, name: impl Fn(&str) -> String) -> Result<String> {
        if self.path.is_empty() {
            return self.directory(name).await;
        }
        match self.file().await {
            Err(error) if error.kind() == ToolErrorKind::IsADirectory => self.directory(name).await,
            other => other,
        }
    }

    async fn file(&self) -> Result<String> {
        let mut input = ReadFileInput::new(self.path);
        if let Some(range) = self.range {
            input.offset =
                Some(range.first.saturating_sub(1 - self.workspace.policy().read.line_base.min(1)));
            input.limit = range.last.map_or(Some(u64::MAX), |last| Some(last - range.first + 1));
        }
        let page = self.workspace.read_file(input).await.map_err(|error| match error.kind() {
            ToolErrorKind::OutOfRange => error.hint("give a `view_range` within the file"),
            _ => error,
        })?;
        let mut text = page.content;
        let mut shown_to = page.end_line;
        let mut cut = page.bytes_capped;
        if let Some(max) = self.max_characters
            && let Some((end, _)) = text.char_indices().nth(max)
        {
            let end = text.get(..end).and_then(|head| head.rfind('\n')).unwrap_or(end);
            text.truncate(end);
            shown_to = page.start_line + text.matches('\n').count() as u64;
            cut = true;
        }
        let asked_for_less = self.range.is_some_and(|range| range.last.is_some_and(|last| last <= shown_to));
        if (cut || page.truncated) && !asked_for_less {
            let total = page.total_lines;
            let next = shown_to.min(total.saturating_sub(1)) + 1;
            // Writing to a string can't fail.
            let _ = write!(
                text,
                "\n\n[lines {} to {shown_to} of {total} are shown; give `view_range` [{next}, -1] for the rest]",
                page.start_line
            );
        }
        Ok(text)
    }

    async fn directory(&self, name: impl Fn(&str) -> String) -> Result<String> {
        if self.range.is_some() {
            return Err(ToolError::new(
                ToolErrorKind::InvalidInput,
                "`view_range` has no meaning for a directory",
            )
            .with("field", "view_range")
            .hint("call without it"));
        }
        let listed = self.workspace.list_dir(ListDirInput::new(self.path).levels(LEVELS)).await?;
        Ok(listing(&listed, &name(self.path), name))
    }
}

fn listing(listed: &ListDirOutput, base: &str, name: impl Fn(&str) -> String) -> String {
    let mut text = format!("{} holds, {LEVELS} levels deep:", Visible(base));
    for entry in &listed.entries {
        let mark = match entry.kind {
            "dir" => "/".to_owned(),
            "symlink" => "@".to_owned(),
            _ => entry.size.map(|size| format!("\t{size} bytes")).unwrap_or_default(),
        };
        let _ = write!(text, "\n{}{mark}", Visible(&name(&entry.path)));
    }
    if listed.entries.is_empty() {
        text.push_str("\nnothing");
    }
    if listed.truncated {
        text.push_str("\n\n[not all is shown; view a directory in it]");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_a_first_line_and_an_end() {
        assert_eq!(ViewRange::read(&[1, 1]).unwrap(), ViewRange { first: 1, last: Some(1) });
        assert_eq!(ViewRange::read(&[7, -1]).unwrap(), ViewRange { first: 7, last: None });
        for wrong in [&[][..], &[1], &[0, 3], &[-1, 3], &[3, 2], &[1, 2, 3], &[1, 0]] {
            assert!(ViewRange::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
