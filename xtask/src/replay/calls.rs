//! One change of a commit as calls of tools, and what came of it.

use std::collections::BTreeMap;
use std::fmt;

use workspace_core::{
    Body, FileKind, FsProvider, PathRules, ReadOptions, RemoveOptions, SharedFs, WalkOptions, WorkspacePath,
    WriteMode, WriteOptions,
};
use workspace_tools::{MultiEditInput, ReadFileInput, RemoveInput, ToolErrorKind, Workspace, WriteFileInput};

use super::edits;
use super::git::{Blob, Change, Repository};

/// What was called, and how the files compare.
#[derive(Debug, Default)]
pub(super) struct Played {
    reads: u64,
    writes: u64,
    multi_edits: u64,
    edits: u64,
    removes: u64,
    /// Files that are no text, and links, which no tool writes.
    by_hand: u64,
    equal: u64,
    pub(super) different: u64,
}

impl Played {
    pub(super) fn calls(&self) -> u64 {
        self.reads + self.writes + self.multi_edits + self.removes
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} reads, {} writes, {} multi_edits of {} edits, {} removes, {} files laid by hand; {} equal, {} different",
            self.reads,
            self.writes,
            self.multi_edits,
            self.edits,
            self.removes,
            self.by_hand,
            self.equal,
            self.different
        )
    }
}

/// The files below the tools, for what no tool does: laying out and looking.
pub(super) struct Stage {
    files: SharedFs,
    rules: PathRules,
}

impl Stage {
    pub(super) fn new(files: impl FsProvider) -> Self {
        Self { rules: files.path_rules(), files: SharedFs::new(files) }
    }

    /// Lays out the tree of a commit; links and submodules are left out.
    pub(super) async fn lay(&self, repository: &Repository, commit: Option<&str>) -> Result<(), String> {
        let Some(commit) = commit else { return Ok(()) };
        for (path, blob) in repository.tree(commit)?.iter().filter(|(_, blob)| blob.is_file()) {
            self.put(path, repository.content(blob)?, blob.permissions()).await?;
        }
        Ok(())
    }

    async fn put(&self, path: &str, content: Vec<u8>, mode: u32) -> Result<(), String> {
        let options = WriteOptions::default().with_create_parents(true).with_mode(WriteMode::Set(mode));
        let options = options.with_durability(workspace_core::Durability::None);
        self.files
            .write(&self.path(path)?, Body::from(content), options)
            .await
            .map(drop)
            .map_err(|error| error.to_string())
    }

    async fn look(&self, path: &WorkspacePath) -> Result<(Vec<u8>, u32), String> {
        let file = self.files.read(path, ReadOptions::default()).await.map_err(|error| error.to_string())?;
        let bytes = file.body.collect(u64::MAX).await.map_err(|error| error.to_string())?;
        Ok((bytes, file.stat.mode.unwrap_or(0) & 0o777))
    }

    fn path(&self, path: &str) -> Result<WorkspacePath, String> {
        WorkspacePath::parse(path, &self.rules).map_err(|error| error.to_string())
    }

    /// Holds every file of the workspace against a commit.
    pub(super) async fn compare_tree(
        &self,
        repository: &Repository,
        commit: &str,
        played: &mut Played,
    ) -> Result<(), String> {
        let mut wanted: BTreeMap<_, _> =
            repository.tree(commit)?.into_iter().filter(|(_, blob)| blob.is_file()).collect();
        let mut entries = self
            .files
            .walk(&WorkspacePath::root(), WalkOptions::default())
            .await
            .map_err(|error| error.to_string())?;
        while let Some(entry) = entries.next().await {
            let entry = entry.map_err(|error| error.to_string())?;
            if entry.kind != FileKind::File {
                continue;
            }
            match wanted.remove(entry.path.as_str()) {
                Some(blob) => {
                    let (content, _) = self.look(&entry.path).await?;
                    played.count(
                        content == repository.content(&blob)?,
                        entry.path.as_str(),
                        "its bytes differ in the end",
                    );
                }
                None => played.count(false, entry.path.as_str(), "it is not in the commit"),
            }
        }
        for path in wanted.keys() {
            played.count(false, path, "it is missing in the end");
        }
        Ok(())
    }
}

impl Played {
    fn count(&mut self, equal: bool, path: &str, why: &str) {
        if equal {
            self.equal += 1;
        } else {
            self.different += 1;
            println!("`{path}`: {why}");
        }
    }
}

/// Makes one change of a commit by tools, and compares the file.
pub(super) async fn play(
    workspace: &Workspace,
    stage: &Stage,
    repository: &Repository,
    change: &Change,
    played: &mut Played,
) -> Result<(), String> {
    let old = change.old.as_ref().filter(|blob| blob.is_file());
    let Some(new) = change.new.as_ref().filter(|blob| blob.is_file()) else {
        if old.is_some() {
            played.removes += 1;
            workspace.remove(RemoveInput::new(&change.path)).await.map_err(|error| error.to_string())?;
        }
        return Ok(());
    };
    let content = repository.content(new)?;
    let path = stage.path(&change.path)?;
    match (old, std::str::from_utf8(&content)) {
        (Some(old), Ok(text)) => {
            rework(workspace, stage, repository, &change.path, old, text, played).await?;
        }
        (None, Ok(text)) => write(workspace, &change.path, text, played).await?,
        (_, Err(_)) => {
            played.by_hand += 1;
            stage.put(&change.path, content.clone(), new.permissions()).await?;
        }
    }
    let (found, mode) = stage.look(&path).await?;
    played.count(found == content, &change.path, "its bytes differ");
    let kept = old.map_or(mode, Blob::permissions);
    if old.is_some() && mode != kept {
        played.count(false, &change.path, &format!("its mode is {mode:o} and was {kept:o}"));
    }
    // A commit may change the mode alone, which no tool does.
    if mode != new.permissions() {
        stage.put(&change.path, content, new.permissions()).await?;
    }
    Ok(())
}

/// Makes the new text of the old one, by edits where that is possible.
async fn rework(
    workspace: &Workspace,
    stage: &Stage,
    repository: &Repository,
    path: &str,
    old: &Blob,
    new: &str,
    played: &mut Played,
) -> Result<(), String> {
    let was = repository.content(old)?;
    if was == new.as_bytes() {
        return Ok(());
    }
    let read = read_whole(workspace, path, played).await?;
    let Some(hash) = read.hash else { return write(workspace, path, new, played).await };
    let old_text =
        String::from_utf8(was).map_err(|_| "a file that is not UTF-8 was read as text".to_owned())?;
    if read.text != old_text.trim_start_matches('\u{feff}') {
        return Err("what `read_file` gave page by page is not the file".to_owned());
    }
    let same_endings = endings(&old_text) == endings(new) && endings(new) != Endings::Mixed;
    let same_mark = old_text.starts_with('\u{feff}') == new.starts_with('\u{feff}');
    if same_endings
        && same_mark
        && let Some(edits) = edits::between(&old_text, new)
    {
        played.multi_edits += 1;
        played.edits += edits.len() as u64;
        let input = MultiEditInput::new(path, edits).expecting(hash);
        return workspace.multi_edit(input).await.map(drop).map_err(|error| format!("{error:?}"));
    }
    if !same_mark {
        // A write keeps the mark that `read_file` does not show; a new file has none to keep.
        stage
            .files
            .remove(&stage.path(path)?, RemoveOptions::default())
            .await
            .map_err(|error| error.to_string())?;
        write(workspace, path, new, played).await?;
        return stage.put(path, new.as_bytes().to_vec(), old.permissions()).await;
    }
    write(workspace, path, new, played).await
}

async fn write(workspace: &Workspace, path: &str, text: &str, played: &mut Played) -> Result<(), String> {
    played.writes += 1;
    let input = WriteFileInput::new(path, text);
    workspace.write_file(input).await.map(drop).map_err(|error| format!("{error:?}"))
}

struct Read {
    text: String,
    /// `None` where the file is no text to the tools.
    hash: Option<String>,
}

/// Reads a file page by page, as an agent would.
async fn read_whole(workspace: &Workspace, path: &str, played: &mut Played) -> Result<Read, String> {
    let mut text = String::new();
    let mut input = ReadFileInput::new(path).raw();
    loop {
        played.reads += 1;
        let page = match workspace.read_file(input.clone()).await {
            Ok(page) => page,
            Err(error) if matches!(error.kind(), ToolErrorKind::Binary | ToolErrorKind::NotUtf8) => {
                return Ok(Read { text, hash: None });
            }
            Err(error) => return Err(format!("{error:?}")),
        };
        text.push_str(&page.content);
        match page.next_offset {
            None => return Ok(Read { text, hash: Some(page.hash) }),
            Some(offset) => {
                input.offset = Some(offset);
                input.byte = page.next_byte;
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Endings {
    Lf,
    Crlf,
    Mixed,
}

fn endings(text: &str) -> Endings {
    let pairs = text.matches("\r\n").count();
    match text.matches('\n').count() {
        all if pairs == 0 || all == 0 => Endings::Lf,
        all if all == pairs => Endings::Crlf,
        _ => Endings::Mixed,
    }
}
