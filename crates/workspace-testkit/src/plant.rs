//! What the contract has no call for, and a case needs all the same.

use std::future::Future;
use std::pin::Pin;

use workspace_core::{Error, ErrorKind, Result, WorkspacePath};

/// A backend's back door for the kit: it plants what no provider call can make
/// and looks at the real storage behind the provider.
///
/// # Implementing
/// Write `async fn`, for what the backend can have. Each method that is left
/// out is [`Unsupported`](ErrorKind::Unsupported), and the cases that need it
/// are skipped with that reason.
pub trait Plant: Send + Sync + 'static {
    /// Makes a symbolic link with exactly this text. Its directory exists.
    fn link(&self, path: &WorkspacePath, text: &str) -> impl Future<Output = Result<()>> + Send {
        let _ = (path, text);
        async { Err(unsupported("the plant makes no links")) }
    }

    /// Makes something that is neither a file, a directory nor a link: a FIFO
    /// that nobody writes to. Its directory exists.
    fn special(&self, path: &WorkspacePath) -> impl Future<Output = Result<()>> + Send {
        let _ = path;
        async { Err(unsupported("the plant makes no special files")) }
    }

    /// Makes a file in this directory whose name is not UTF-8: `bad`, one invalid byte, `name`.
    fn non_utf8(&self, directory: &WorkspacePath) -> impl Future<Output = Result<()>> + Send {
        let _ = directory;
        async { Err(unsupported("the plant makes no names that are not UTF-8")) }
    }

    /// Makes a file outside the root, and the directories it needs, and gives
    /// its absolute path on the backend.
    ///
    /// The name is relative to the directory that holds the root: from the
    /// root, `../NAME` leads to the file.
    fn outside(&self, name: &str, bytes: Vec<u8>) -> impl Future<Output = Result<String>> + Send {
        let _ = (name, bytes);
        async { Err(unsupported("the plant makes no files outside the root")) }
    }

    /// The bytes of a file outside the root, or `None` where there is none.
    fn read_outside(&self, name: &str) -> impl Future<Output = Result<Option<Vec<u8>>>> + Send {
        let _ = name;
        async { Err(unsupported("the plant reads no files outside the root")) }
    }

    /// The bytes that the storage holds for a file, or `None` where it has no such file.
    fn stored(&self, path: &WorkspacePath) -> impl Future<Output = Result<Option<Vec<u8>>>> + Send {
        let _ = path;
        async { Err(unsupported("the plant does not show the storage")) }
    }

    /// All names that the storage holds in a directory, those of temporary files included.
    fn stored_names(&self, directory: &WorkspacePath) -> impl Future<Output = Result<Vec<String>>> + Send {
        let _ = directory;
        async { Err(unsupported("the plant does not show the storage")) }
    }
}

fn unsupported(message: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, message)
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// The dispatchable twin of [`Plant`].
pub(crate) trait ErasedPlant: Send + Sync {
    fn link<'a>(&'a self, path: &'a WorkspacePath, text: &'a str) -> BoxFuture<'a, ()>;
    fn special<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, ()>;
    fn non_utf8<'a>(&'a self, directory: &'a WorkspacePath) -> BoxFuture<'a, ()>;
    fn outside<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> BoxFuture<'a, String>;
    fn read_outside<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<Vec<u8>>>;
    fn stored<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, Option<Vec<u8>>>;
    fn stored_names<'a>(&'a self, directory: &'a WorkspacePath) -> BoxFuture<'a, Vec<String>>;
}

impl<T: Plant> ErasedPlant for T {
    fn link<'a>(&'a self, path: &'a WorkspacePath, text: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(Plant::link(self, path, text))
    }

    fn special<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, ()> {
        Box::pin(Plant::special(self, path))
    }

    fn non_utf8<'a>(&'a self, directory: &'a WorkspacePath) -> BoxFuture<'a, ()> {
        Box::pin(Plant::non_utf8(self, directory))
    }

    fn outside<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> BoxFuture<'a, String> {
        Box::pin(Plant::outside(self, name, bytes))
    }

    fn read_outside<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<Vec<u8>>> {
        Box::pin(Plant::read_outside(self, name))
    }

    fn stored<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, Option<Vec<u8>>> {
        Box::pin(Plant::stored(self, path))
    }

    fn stored_names<'a>(&'a self, directory: &'a WorkspacePath) -> BoxFuture<'a, Vec<String>> {
        Box::pin(Plant::stored_names(self, directory))
    }
}
