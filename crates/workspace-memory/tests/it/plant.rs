//! The back door of the kit to a tree in memory. The kit's own tests use this file too.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use workspace_core::{Result, WorkspacePath};
use workspace_memory::Memory;
use workspace_testkit::Plant;

/// Plants links and special files below a directory of a tree. A clone is the same plant.
///
/// Below the root, outside is what lies beside the directory. There is nothing
/// outside of the root itself: such files are kept here.
#[derive(Clone)]
pub(crate) struct MemoryPlant {
    memory: Memory,
    directory: WorkspacePath,
    outside: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

impl MemoryPlant {
    pub(crate) fn new(memory: Memory) -> Self {
        Self::below(memory, WorkspacePath::root())
    }

    pub(crate) fn below(memory: Memory, directory: WorkspacePath) -> Self {
        Self { memory, directory, outside: Arc::default() }
    }

    #[allow(dead_code)] // The kit's tests build on it.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    fn at(&self, path: &WorkspacePath) -> String {
        path.under(&self.directory).as_str().to_owned()
    }

    /// A name beside the directory as a path of the tree, where there is one.
    fn beside(&self, name: &str) -> Option<String> {
        let parent = self.directory.parent()?;
        Some(name.split('/').try_fold(parent, |path, name| path.child(name)).unwrap().as_str().to_owned())
    }
}

impl Plant for MemoryPlant {
    async fn link(&self, path: &WorkspacePath, text: &str) -> Result<()> {
        self.memory.create_link_now(&self.at(path), text)
    }

    async fn special(&self, path: &WorkspacePath) -> Result<()> {
        self.memory.create_special_now(&self.at(path))
    }

    async fn outside(&self, name: &str, bytes: Vec<u8>) -> Result<String> {
        if let Some(beside) = self.beside(name) {
            self.memory.write_now(&beside, bytes)?;
            return Ok(format!("/workspace/{beside}"));
        }
        self.outside.lock().unwrap().insert(name.to_owned(), bytes);
        Ok(format!("/{name}"))
    }

    async fn read_outside(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match self.beside(name) {
            Some(beside) => Ok(self.memory.read_now(&beside).ok()),
            None => Ok(self.outside.lock().unwrap().get(name).cloned()),
        }
    }

    async fn stored(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>> {
        Ok(self.memory.read_now(&self.at(path)).ok())
    }

    async fn stored_names(&self, directory: &WorkspacePath) -> Result<Vec<String>> {
        let directory = directory.under(&self.directory);
        let paths = self.memory.paths_now().into_iter();
        let entries = paths.filter(|path| path.parent().as_ref() == Some(&directory));
        Ok(entries.filter_map(|path| path.name().map(str::to_owned)).collect())
    }
}
