//! The trait of a backend's files.

use std::future::Future;

use super::walk;
use crate::{
    Body, Capabilities, CreateDirOptions, Entry, Error, ErrorKind, Feed, FileBody, GlobAnswer, GlobQuery,
    GrepAnswer, GrepQuery, ListOptions, PathRules, ReadOptions, RemoveOptions, RenameOptions, ResolveOptions,
    Result, Stat, StatOptions, WalkOptions, WorkspacePath, WriteOptions, Written,
};

/// The files of a workspace.
///
/// # Contract
/// - Paths are checked already: relative, folded, inside by construction.
///   What lies behind links is the provider's to judge: a link is followed
///   where its target is inside the root and is
///   [`PathEscape`](ErrorKind::PathEscape) where it leaves. Absolute links are
///   read as paths of the backend, and followed where they point into the root.
///   A link whose target is missing is [`NotFound`](ErrorKind::NotFound) when
///   read and [`PathEscape`](ErrorKind::PathEscape) when written: nothing is
///   created through a link. A loop ends as [`PathEscape`](ErrorKind::PathEscape).
/// - Each option struct carries a [`PathFilter`](crate::PathFilter). It is
///   judged on the path as resolved, before anything is read or changed.
/// - Only regular files are read and written; anything else is
///   [`NotAFile`](ErrorKind::NotAFile) or
///   [`IsADirectory`](ErrorKind::IsADirectory) at once and never blocks.
/// - A failed operation has changed nothing, but for directories that
///   `create_parents` made on the way.
/// - Names for which [`is_temporary_name`](crate::is_temporary_name) holds are
///   left out of listings.
/// - Errors name the path as given, never one of the host.
///
/// # Implementing
/// Write `async fn`. Methods with a body are optional: override one when you
/// can do better, and say so in [`Capabilities`]. Run the conformance kit.
/// Holders use [`SharedFs`](crate::SharedFs).
pub trait FsProvider: Send + Sync + 'static {
    /// What these files can do, after every layer.
    fn capabilities(&self) -> Capabilities;

    /// How text becomes a path here.
    fn path_rules(&self) -> PathRules {
        PathRules::default()
    }

    /// Tells what stands at a path.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound), [`NotADirectory`](ErrorKind::NotADirectory) where a
    /// parent is a file, [`PathEscape`](ErrorKind::PathEscape), [`Permission`](ErrorKind::Permission).
    fn stat(&self, path: &WorkspacePath, options: StatOptions) -> impl Future<Output = Result<Stat>> + Send;

    /// Opens a file for reading. The attributes and the bytes are of one and the same file.
    ///
    /// # Errors
    /// As [`stat`](Self::stat), and [`IsADirectory`](ErrorKind::IsADirectory),
    /// [`NotAFile`](ErrorKind::NotAFile).
    fn read(
        &self,
        path: &WorkspacePath,
        options: ReadOptions,
    ) -> impl Future<Output = Result<FileBody>> + Send;

    /// Writes a whole file: old content or new content, never a mix.
    ///
    /// # Errors
    /// [`Conflict`](ErrorKind::Conflict) where the precondition fails,
    /// [`NotFound`](ErrorKind::NotFound) for a missing parent,
    /// [`IsADirectory`](ErrorKind::IsADirectory), [`NotAFile`](ErrorKind::NotAFile),
    /// [`Permission`](ErrorKind::Permission) also where the file itself is closed to its owner,
    /// [`NoSpace`](ErrorKind::NoSpace), [`ReadOnly`](ErrorKind::ReadOnly), and the body's own error.
    fn write(
        &self,
        path: &WorkspacePath,
        body: Body,
        options: WriteOptions,
    ) -> impl Future<Output = Result<Written>> + Send;

    /// Lists a directory, sorted bytewise by name.
    ///
    /// # Errors
    /// As [`stat`](Self::stat), and [`NotADirectory`](ErrorKind::NotADirectory).
    fn list(
        &self,
        path: &WorkspacePath,
        options: ListOptions,
    ) -> impl Future<Output = Result<Vec<Entry>>> + Send;

    /// Makes a directory; tells whether it is new. One that exists is no error.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) for a missing parent,
    /// [`AlreadyExists`](ErrorKind::AlreadyExists) where something else stands there,
    /// [`NotADirectory`](ErrorKind::NotADirectory) where a parent is a file.
    fn create_dir(
        &self,
        path: &WorkspacePath,
        options: CreateDirOptions,
    ) -> impl Future<Output = Result<bool>> + Send;

    /// Removes a file, a link (never its target), or a directory.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound), [`NotEmpty`](ErrorKind::NotEmpty) without `recursive`,
    /// [`InvalidInput`](ErrorKind::InvalidInput) for a root.
    fn remove(&self, path: &WorkspacePath, options: RemoveOptions)
    -> impl Future<Output = Result<()>> + Send;

    /// Renames a file, a link (never its target), or a directory.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) for the old path or the new path's directory,
    /// [`AlreadyExists`](ErrorKind::AlreadyExists),
    /// [`InvalidInput`](ErrorKind::InvalidInput) for a root, between roots, or into itself.
    fn rename(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        options: RenameOptions,
    ) -> impl Future<Output = Result<()>> + Send;

    /// The path with every link on it followed. Components that do not exist
    /// yet stay as they are, after the deepest directory that does.
    ///
    /// Two spellings of one file resolve to one path. By default, for a
    /// backend without links, it is the path itself.
    ///
    /// # Errors
    /// [`PathEscape`](ErrorKind::PathEscape), also for a link whose target is missing.
    fn resolve(
        &self,
        path: &WorkspacePath,
        options: ResolveOptions,
    ) -> impl Future<Output = Result<WorkspacePath>> + Send {
        let resolved = options.filter.check(path, crate::Access::See).map(|()| path.clone());
        async move { resolved }
    }

    /// Gives all entries below a directory: parents before what they hold,
    /// the content of a directory sorted bytewise, links never followed.
    ///
    /// By default it walks [`list`](Self::list). A directory that cannot be
    /// listed is marked [`unreadable`](Entry::unreadable) and does not end the walk.
    ///
    /// # Errors
    /// Those of [`list`](Self::list) for the directory itself.
    fn walk(
        &self,
        path: &WorkspacePath,
        options: WalkOptions,
    ) -> impl Future<Output = Result<Feed<Entry>>> + Send {
        walk::over_list(self, path, options)
    }

    /// Finds files by name. By default it is [`Unsupported`](ErrorKind::Unsupported)
    /// and the tools search over [`list`](Self::list) and [`read`](Self::read).
    ///
    /// # Errors
    /// [`InvalidPattern`](ErrorKind::InvalidPattern), and those of [`list`](Self::list) for the base.
    fn glob(&self, query: GlobQuery) -> impl Future<Output = Result<GlobAnswer>> + Send {
        drop(query);
        async { Err(unsupported("glob")) }
    }

    /// Finds lines by content. By default it is [`Unsupported`](ErrorKind::Unsupported)
    /// and the tools search over [`list`](Self::list) and [`read`](Self::read).
    ///
    /// # Errors
    /// [`InvalidPattern`](ErrorKind::InvalidPattern), [`UnsafePattern`](ErrorKind::UnsafePattern),
    /// and those of [`list`](Self::list) for the base.
    fn grep(&self, query: GrepQuery) -> impl Future<Output = Result<GrepAnswer>> + Send {
        drop(query);
        async { Err(unsupported("grep")) }
    }
}

fn unsupported(operation: &'static str) -> Error {
    Error::new(ErrorKind::Unsupported, "this backend has no search of its own").during(operation)
}
