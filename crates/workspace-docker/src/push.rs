//! A tree into the container.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;

use bollard::query_parameters::UploadToContainerOptionsBuilder;
use bytes::Bytes;
use futures_util::stream;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use workspace_core::{
    Error, ErrorKind, FsProvider, GlobQuery, PathFilter, ReadOptions, Result, WorkspacePath,
};

use crate::directories::empty_directories;
use crate::exec::next;
use crate::files::Files;
use crate::pack::{Packer, Taken};
use crate::pull::Progress;
use crate::{Docker, error};

/// What `tar` reads at once, in units of 512 bytes, where it can be told: its own 20 cost a third of the time.
const AT_ONCE: u32 = 256;
/// How many bytes of what `tar` says are kept.
const SAID: usize = 16 << 10;

/// How a tree is pushed.
#[derive(Clone)]
pub struct PushOptions {
    gitignore: bool,
    filter: PathFilter,
    progress: Option<Arc<Progress>>,
}

impl Default for PushOptions {
    fn default() -> Self {
        Self { gitignore: true, filter: PathFilter::default(), progress: None }
    }
}

impl PushOptions {
    /// Says whether the ignore files of the tree hold; true by default.
    #[must_use]
    pub fn with_gitignore(mut self, yes: bool) -> Self {
        self.gitignore = yes;
        self
    }

    /// Sets rules that files of the source must pass.
    #[must_use]
    pub fn with_filter(mut self, filter: PathFilter) -> Self {
        self.filter = filter;
        self
    }

    /// Is told each file when it is on its way, and the bytes sent so far.
    #[must_use]
    pub fn with_progress(mut self, told: impl Fn(&WorkspacePath, u64) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(told));
        self
    }
}

/// The begin of a line that packs or unpacks, in large pieces where the `tar` is one that knows them.
pub(crate) fn tar() -> String {
    format!(
        "LC_ALL=C; export LC_ALL; case $(tar --version 2>&1) in *GNU*) w_b='-b {AT_ONCE}' ;; *) w_b= ;; esac; exec tar $w_b"
    )
}

impl fmt::Debug for PushOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushOptions").field("gitignore", &self.gitignore).finish_non_exhaustive()
    }
}

/// What a push brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Pushed {
    /// Files.
    pub files: u64,
    /// Directories that hold none of the files.
    pub directories: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Entries that ignore files hide; a directory counts as one.
    pub ignored: u64,
}

impl Docker {
    /// Copies the files of a tree into the root, over what is there, in one transfer.
    ///
    /// They belong to the user of the sandbox and keep their permission bits. Links
    /// are brought as the files that they lead to; directories without files are made.
    /// `.git` is left out. Where it fails, part of the tree may be there.
    ///
    /// # Errors
    /// Those of the source; [`Conflict`](ErrorKind::Conflict) for a large file that changes while it
    /// is sent; [`NoSpace`](ErrorKind::NoSpace), [`Permission`](ErrorKind::Permission) or
    /// [`Io`](ErrorKind::Io) where the container cannot unpack all; [`Unavailable`](ErrorKind::Unavailable).
    pub async fn push(&self, from: &impl FsProvider, options: PushOptions) -> Result<Pushed> {
        self.bring(from, &options).await.map_err(|error| error.during("push"))
    }

    async fn bring(&self, from: &impl FsProvider, options: &PushOptions) -> Result<Pushed> {
        let mut query = GlobQuery::default();
        query.pattern = "**".into();
        query.scope.gitignore = options.gitignore;
        query.scope.skip_dirs = vec![".git".into()];
        query.filter = options.filter.clone();
        (query.limits.max_results, query.limits.max_files, query.limits.max_time) = (None, None, None);
        let found = workspace_search::glob_any(from, query).await?;
        let mut pushed = Pushed { ignored: found.tally.skipped.ignored, ..Pushed::default() };
        let files = found.files.iter().map(|(path, _)| path);
        let empty = empty_directories(from, files.clone(), options.gitignore, &options.filter).await?;

        let (mut packer, archive) = Packer::new(self.container().user);
        let sending = self.unpack_there(archive);
        let packing = async {
            for path in &empty {
                if packer.directory(path).await? == Taken::No {
                    return Ok(());
                }
                pushed.directories += 1;
            }
            for path in files {
                let read = ReadOptions::default().with_filter(options.filter.clone());
                let (size, taken) = packer.file(path, from.read(path, read).await?).await?;
                // What happened there is told by the other side.
                if taken == Taken::No {
                    return Ok(());
                }
                pushed.files += 1;
                pushed.bytes += size;
                if let Some(told) = &options.progress {
                    told(path, pushed.bytes);
                }
            }
            packer.finish().await
        };
        let (sent, given): (Result<()>, Result<()>) = tokio::join!(sending, packing);
        given.and(sent)?;
        Ok(pushed)
    }

    /// Unpacks an archive below the root: as the user of the sandbox where there is
    /// a shell, and else, where no process can have planted a link, by the engine.
    async fn unpack_there(&self, mut archive: mpsc::Receiver<Bytes>) -> Result<()> {
        let engine = &self.container().engine;
        if let Files::Archive(_) = self.files() {
            let options = UploadToContainerOptionsBuilder::default()
                .path(self.root())
                .no_overwrite_dir_non_dir("1")
                .build();
            let pieces = stream::poll_fn(move |cx| archive.poll_recv(cx));
            let body = bollard::body_stream(pieces);
            let sent = engine.long().upload_to_container(self.id(), Some(options), body).await;
            return sent.map_err(error::ours);
        }
        let quoted = self.root().replace('\'', r"'\''");
        let script = format!("cd '{quoted}' || exit; exec 2>&1; {} -xf -", tar());
        let mut running = self.container().run_sh(&script, true).await?;
        let mut input = running.input;
        let sending = async move {
            while let Some(piece) = archive.recv().await {
                match timeout(engine.deadline(), input.write_all(&piece)).await {
                    Err(_) => return Err(error::silent()),
                    // It has ended early; what it said tells why.
                    Ok(Err(_)) => break,
                    Ok(Ok(())) => {}
                }
            }
            let _ = input.shutdown().await;
            Ok(())
        };
        let mut sending = pin!(sending);
        let mut sent = false;
        let mut said = running.first;
        // The engine takes input for a process that has ended, and then no more: its output tells the end.
        loop {
            tokio::select! {
                outcome = &mut sending, if !sent => {
                    outcome?;
                    sent = true;
                }
                output = next(&mut running.output) => match output {
                    None => break,
                    // A word for each file may come; the first ones say why.
                    Some(output) => {
                        let more = output.map_err(error::ours)?.into_bytes();
                        let room = SAID.saturating_sub(said.len());
                        said.extend_from_slice(more.get(..room).unwrap_or(&more));
                    }
                },
                () = sleep(engine.deadline()), if sent => return Err(error::silent()),
            }
        }
        let ended = engine.call(engine.client().inspect_exec(&running.id)).await?;
        if ended.exit_code == Some(0) {
            return Ok(());
        }
        Err(unpacked_in_part(&said))
    }
}

/// Why `tar` has not unpacked all, by its own words: it has no other way to tell.
fn unpacked_in_part(said: &[u8]) -> Error {
    let said = String::from_utf8_lossy(said).into_owned();
    let error = if said.contains("No space left") {
        Error::new(ErrorKind::NoSpace, "the disk of the sandbox is full: part of the files is there")
            .hint("remove files that are not needed, then send them again")
    } else if said.contains("ermission denied") {
        Error::new(ErrorKind::Permission, "the sandbox refuses some of the files to its user")
            .hint("see who owns what is there already")
    } else {
        Error::new(ErrorKind::Io, "the container could not unpack all of the files")
            .hint("see whether a file stands where a directory is needed")
    };
    error.because(said)
}
