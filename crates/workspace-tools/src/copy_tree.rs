//! A whole tree from one provider to another.

use workspace_core::{
    CreateDirOptions, Entry, FileKind, FsProvider, ReadOptions, Result, WalkOptions, WorkspacePath,
    WriteMode, WriteOptions,
};

/// What was copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// Regular files.
    pub files: u64,
    /// Directories, the root not among them.
    pub directories: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Links, pipes, devices and names that are not UTF-8, which stayed behind.
    pub passed_by: u64,
}

/// Copies all directories and regular files of one provider into another, with their permission bits.
///
/// Files that are there already are replaced. It seeds a workspace in memory or in a sandbox.
///
/// # Errors
/// The first error of either provider; what was copied before it stays.
pub async fn copy_tree(from: &impl FsProvider, to: &impl FsProvider) -> Result<Copied> {
    let mut copied = Copied::default();
    let mut entries = from.walk(&WorkspacePath::root(), WalkOptions::default()).await?;
    while let Some(entry) = entries.next().await {
        let Entry { path, kind, non_utf8, .. } = entry?;
        match kind {
            FileKind::Dir if !non_utf8 => {
                to.create_dir(&path, CreateDirOptions::default().with_parents(true)).await?;
                copied.directories += 1;
            }
            FileKind::File if !non_utf8 => {
                let file = from.read(&path, ReadOptions::default()).await?;
                let mode = file.stat.mode.map_or(WriteMode::Keep, WriteMode::Set);
                let options = WriteOptions::default().with_create_parents(true).with_mode(mode);
                copied.bytes += to.write(&path, file.body, options).await?.stat.size;
                copied.files += 1;
            }
            _ => copied.passed_by += 1,
        }
    }
    Ok(copied)
}
