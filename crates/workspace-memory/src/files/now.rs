//! Calls for tests and scripts: paths as text, and no `await`.

use workspace_core::{CreateDirOptions, RemoveOptions, Result, WorkspacePath, WriteOptions};

use super::tree::Content;
use super::{labelled, look};
use crate::{Memory, error};

/// Changing and looking, at once.
impl Memory {
    /// The bytes of a file.
    ///
    /// # Errors
    /// Those of [`FsProvider::read`](workspace_core::FsProvider::read).
    pub fn read_now(&self, path: &str) -> Result<Vec<u8>> {
        let path = self.parse(path)?;
        let bytes = labelled("read", &path, || look::bytes(&self.tree(), &path, &self.0.rules))?;
        Ok(bytes.to_vec())
    }

    /// Writes a file, with the directories that it needs.
    ///
    /// # Errors
    /// Those of [`FsProvider::write`](workspace_core::FsProvider::write).
    pub fn write_now(&self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<()> {
        let path = self.parse(path)?;
        let options = WriteOptions::default().with_create_parents(true);
        labelled("write", &path, || self.change(|tree| tree.write(&path, bytes.into(), &options)))?;
        Ok(())
    }

    /// Makes a directory, with those that it needs.
    ///
    /// # Errors
    /// Those of [`FsProvider::create_dir`](workspace_core::FsProvider::create_dir).
    pub fn create_dir_now(&self, path: &str) -> Result<()> {
        let path = self.parse(path)?;
        let options = CreateDirOptions::default().with_parents(true);
        labelled("create_dir", &path, || self.change(|tree| tree.create_dir(&path, &options)))?;
        Ok(())
    }

    /// Makes a symbolic link with this text, which may lead anywhere, and the
    /// directories that it needs.
    ///
    /// A relative text is resolved from the directory of the link; an absolute
    /// one lies inside where it begins with the root
    /// ([`MemoryConfig::with_root`](crate::MemoryConfig::with_root)).
    ///
    /// # Errors
    /// [`AlreadyExists`](workspace_core::ErrorKind::AlreadyExists),
    /// [`InvalidInput`](workspace_core::ErrorKind::InvalidInput) for an empty text.
    pub fn create_link_now(&self, path: &str, text: &str) -> Result<()> {
        if text.is_empty() {
            return Err(error::invalid("a link without a text points nowhere").during("link").at(path));
        }
        self.plant("link", path, Content::Link(text.into()))
    }

    /// The text of the link that stands at a path, if one does. The links of its
    /// directory are not followed.
    pub fn link_text_now(&self, path: &str) -> Option<String> {
        let path = self.parse(path).ok()?;
        match self.tree().get(&path)?.content {
            Content::Link(ref text) => Some(text.to_string()),
            _ => None,
        }
    }

    /// Makes something that is neither a file nor a directory, like a pipe.
    ///
    /// # Errors
    /// [`AlreadyExists`](workspace_core::ErrorKind::AlreadyExists).
    pub fn create_special_now(&self, path: &str) -> Result<()> {
        self.plant("special", path, Content::Special)
    }

    /// Sets the permission bits (`0o7777`) of a file or directory.
    ///
    /// They hold for the owner: without `0o400` a file is not read and a
    /// directory not listed, without `0o200` neither is changed, without
    /// `0o100` a directory is not entered.
    ///
    /// # Errors
    /// [`NotFound`](workspace_core::ErrorKind::NotFound).
    pub fn set_mode_now(&self, path: &str, mode: u32) -> Result<()> {
        let path = self.parse(path)?;
        labelled("set_mode", &path, || self.change(|tree| tree.set_mode(&path, mode)))
    }

    /// Removes what stands at a path, with all that it holds.
    ///
    /// # Errors
    /// Those of [`FsProvider::remove`](workspace_core::FsProvider::remove).
    pub fn remove_now(&self, path: &str) -> Result<()> {
        let path = self.parse(path)?;
        let options = RemoveOptions::default().with_recursive(true);
        labelled("remove", &path, || self.change(|tree| tree.remove(&path, &options)))
    }

    /// The paths of all that the tree holds, temporary files included, parents first.
    pub fn paths_now(&self) -> Vec<WorkspacePath> {
        self.tree().below(&WorkspacePath::root()).map(|(path, _)| path.clone()).collect()
    }

    fn plant(&self, operation: &'static str, path: &str, content: Content) -> Result<()> {
        let path = self.parse(path)?;
        labelled(operation, &path, || self.change(|tree| tree.plant(&path, content)))
    }

    fn parse(&self, path: &str) -> Result<WorkspacePath> {
        WorkspacePath::parse(path, &self.0.rules)
    }
}

/// Filling a new tree. The paths are meant to be literals of a test.
impl Memory {
    /// Adds a file, with the directories that it needs.
    ///
    /// # Panics
    /// Where [`write_now`](Self::write_now) fails.
    #[must_use]
    #[track_caller]
    pub fn with_file(self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let done = self.write_now(path, bytes);
        self.seeded(done)
    }

    /// Adds a directory, with those that it needs.
    ///
    /// # Panics
    /// Where [`create_dir_now`](Self::create_dir_now) fails.
    #[must_use]
    #[track_caller]
    pub fn with_dir(self, path: &str) -> Self {
        let done = self.create_dir_now(path);
        self.seeded(done)
    }

    /// Adds a symbolic link, with the directories that it needs.
    ///
    /// # Panics
    /// Where [`create_link_now`](Self::create_link_now) fails.
    #[must_use]
    #[track_caller]
    pub fn with_link(self, path: &str, text: &str) -> Self {
        let done = self.create_link_now(path, text);
        self.seeded(done)
    }

    /// Adds something that is neither a file nor a directory.
    ///
    /// # Panics
    /// Where [`create_special_now`](Self::create_special_now) fails.
    #[must_use]
    #[track_caller]
    pub fn with_special(self, path: &str) -> Self {
        let done = self.create_special_now(path);
        self.seeded(done)
    }

    /// Sets the permission bits of a file or directory.
    ///
    /// # Panics
    /// Where [`set_mode_now`](Self::set_mode_now) fails.
    #[must_use]
    #[track_caller]
    pub fn with_mode(self, path: &str, mode: u32) -> Self {
        let done = self.set_mode_now(path, mode);
        self.seeded(done)
    }

    #[track_caller]
    fn seeded(self, done: Result<()>) -> Self {
        match done {
            Ok(()) => self,
            Err(error) => panic!("the tree cannot be filled: {error}"),
        }
    }
}
