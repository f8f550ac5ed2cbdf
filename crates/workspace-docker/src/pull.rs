//! A tree out of the container.

use std::fmt;
use std::sync::Arc;

use bollard::query_parameters::DownloadFromContainerOptionsBuilder;
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use workspace_core::{
    Body, CreateDirOptions, Error, ErrorKind, Feed, FsProvider, ReadOptions, Result, StatOptions,
    WorkspacePath, WriteMode, WriteOptions,
};

use crate::exec::next;
use crate::files::Files;
use crate::push::tar;
use crate::unpack::{Item, unpack};
use crate::{Docker, error};

/// Is told each file and the bytes so far.
pub(crate) type Progress = dyn Fn(&WorkspacePath, u64) + Send + Sync;

/// How a tree is pulled.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct PullOptions {
    /// Whether nothing is written, and the answer says what would be.
    pub look_only: bool,
    progress: Option<Arc<Progress>>,
}

impl PullOptions {
    /// Sets [`look_only`](Self::look_only).
    #[must_use]
    pub fn with_look_only(mut self, yes: bool) -> Self {
        self.look_only = yes;
        self
    }

    /// Is told each file when it is there, also one that was the same, and the bytes seen so far.
    #[must_use]
    pub fn with_progress(mut self, told: impl Fn(&WorkspacePath, u64) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(told));
        self
    }
}

impl fmt::Debug for PullOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PullOptions").field("look_only", &self.look_only).finish_non_exhaustive()
    }
}

/// What a pull found, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Pulled {
    /// Files that were not there.
    pub added: Vec<WorkspacePath>,
    /// Directories that were not there, with or without files in them.
    pub directories: Vec<WorkspacePath>,
    /// Files whose content was another.
    pub changed: Vec<WorkspacePath>,
    /// How many files were the same.
    pub unchanged: u64,
    /// What was not brought, by its name, and why: links, special files, odd names.
    pub passed: Vec<(String, &'static str)>,
    /// Bytes of all files.
    pub bytes: u64,
}

impl Docker {
    /// Copies the files of the root into a tree, in one transfer, and lists what changed.
    ///
    /// A file that is the same is not written, a directory that is missing is made. Nothing is removed. Links and special
    /// files are not brought, because the sandbox may have made them to lead astray.
    ///
    /// # Errors
    /// Those of writing to the target; [`Io`](ErrorKind::Io) for an archive that
    /// breaks off; [`Unavailable`](ErrorKind::Unavailable).
    pub async fn pull(&self, to: &impl FsProvider, options: PullOptions) -> Result<Pulled> {
        let prefix = match self.files() {
            Files::Shells(_) => "",
            Files::Archive(_) => self.root().rsplit('/').next().unwrap_or_default(),
        };
        let (bytes, items) = unpack(prefix);
        let taking = take(to, items, &options);
        let (sent, pulled) = tokio::join!(self.pack_there(bytes), taking);
        let pulled = pulled.map_err(|error| error.during("pull"))?;
        sent.map_err(|error| error.during("pull"))?;
        Ok(pulled)
    }

    /// Sends the archive of the root.
    async fn pack_there(&self, to: mpsc::Sender<Bytes>) -> Result<()> {
        let engine = &self.container().engine;
        if let Files::Archive(_) = self.files() {
            let options = DownloadFromContainerOptionsBuilder::default().path(self.root()).build();
            let mut pieces = Box::pin(engine.long().download_from_container(self.id(), Some(options)));
            while let Some(piece) =
                timeout(engine.deadline(), pieces.next()).await.map_err(|_| error::silent())?
            {
                if to.send(piece.map_err(error::ours)?).await.is_err() {
                    return Ok(());
                }
            }
            return Ok(());
        }
        let quoted = self.root().replace('\'', r"'\''");
        let script = format!("cd '{quoted}' || exit; exec 2>/dev/null; {} -cf - .", tar());
        let mut running = self.container().run_sh(&script, false).await?;
        let first = std::mem::take(&mut running.first);
        if !first.is_empty() && to.send(first.into()).await.is_err() {
            return Ok(());
        }
        while let Some(output) =
            timeout(engine.deadline(), next(&mut running.output)).await.map_err(|_| error::silent())?
        {
            if to.send(output.map_err(error::ours)?.into_bytes()).await.is_err() {
                return Ok(());
            }
        }
        let ended = engine.call(engine.client().inspect_exec(&running.id)).await?;
        match ended.exit_code {
            // 1: a file has changed while it was read; what was read of it is whole.
            Some(0 | 1) => Ok(()),
            _ => Err(Error::new(ErrorKind::Io, "the container could not pack all of the files")),
        }
    }
}

async fn take(
    to: &impl FsProvider,
    mut items: mpsc::Receiver<Result<Item>>,
    options: &PullOptions,
) -> Result<Pulled> {
    let mut pulled = Pulled::default();
    while let Some(item) = items.recv().await {
        match item? {
            Item::File { path, size, mode } => {
                pulled.bytes += size;
                items = file(to, items, path.clone(), (size, mode), options, &mut pulled).await?;
                if let Some(told) = &options.progress {
                    told(&path, pulled.bytes);
                }
            }
            Item::Directory(path) => {
                let missing = if options.look_only {
                    let looked = to.stat(&path, StatOptions::default()).await;
                    looked.is_err_and(|error| error.kind() == ErrorKind::NotFound)
                } else {
                    to.create_dir(&path, CreateDirOptions::default().with_parents(true)).await?
                };
                if missing {
                    pulled.directories.push(path);
                }
            }
            Item::Passed(name, why) => pulled.passed.push((name, why)),
            Item::Bytes(_) | Item::End => {}
        }
    }
    pulled.added.sort();
    pulled.directories.sort();
    pulled.changed.sort();
    pulled.passed.sort();
    Ok(pulled)
}

type Items = mpsc::Receiver<Result<Item>>;

/// Takes one file over, and gives the rest of the archive back.
async fn file(
    to: &impl FsProvider,
    mut items: Items,
    path: WorkspacePath,
    (size, mode): (u64, u32),
    options: &PullOptions,
    pulled: &mut Pulled,
) -> Result<Items> {
    let old = match to.stat(&path, StatOptions::default()).await {
        Ok(stat) => Some(stat.size),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (same, other) =
        if old == Some(size) { compare(to, &path, &mut items).await? } else { (0, Some(Vec::new())) };
    let Some(other) = other else {
        pulled.unchanged += 1;
        return Ok(items);
    };
    let list = if old.is_some() { &mut pulled.changed } else { &mut pulled.added };
    list.push(path.clone());
    if options.look_only {
        while !matches!(items.recv().await.ok_or_else(broken)??, Item::End) {}
        return Ok(items);
    }
    // What is there already comes from there; it is replaced at the end alone.
    let begin = to.read(&path, ReadOptions::default().with_length(Some(same)));
    let begin = if same == 0 { Body::empty() } else { begin.await?.body };
    let mode = if to.capabilities().modes { WriteMode::Set(mode) } else { WriteMode::Keep };
    let write = WriteOptions::default().with_create_parents(true).with_mode(mode);
    let (body, given_back) = rest(begin, other, items);
    to.write(&path, body, write).await?;
    given_back.await.map_err(|_| broken())
}

/// How many bytes are the same, and the bytes after them; none where all are.
async fn compare(
    to: &impl FsProvider,
    path: &WorkspacePath,
    items: &mut Items,
) -> Result<(u64, Option<Vec<u8>>)> {
    let mut there = to.read(path, ReadOptions::default()).await?.body;
    let mut held = Vec::new();
    let mut same = 0;
    loop {
        let piece = match items.recv().await.ok_or_else(broken)?? {
            Item::Bytes(piece) => piece,
            Item::End => return Ok((same, None)),
            _ => return Err(broken()),
        };
        while held.len() < piece.len() {
            match there.next().await {
                Some(more) => held.extend(more?),
                None => break,
            }
        }
        if !held.starts_with(&piece) {
            return Ok((same, Some(piece)));
        }
        held.drain(..piece.len());
        same += piece.len() as u64;
    }
}

/// The bytes of a file from three places. The archive comes back when the file has ended.
fn rest(begin: Body, middle: Vec<u8>, items: Items) -> (Body, oneshot::Receiver<Items>) {
    let (give_back, comes_back) = oneshot::channel();
    let state = (begin, Some(middle), items, give_back);
    let body = Feed::unfold(state, |(mut begin, middle, mut items, give_back)| async move {
        if let Some(piece) = begin.next().await {
            return Ok(Some((piece?, (begin, middle, items, give_back))));
        }
        if let Some(piece) = middle {
            return Ok(Some((piece, (begin, None, items, give_back))));
        }
        match items.recv().await.ok_or_else(broken)?? {
            Item::Bytes(piece) => Ok(Some((piece, (begin, None, items, give_back)))),
            Item::End => {
                // Nobody waits for it where the write has failed.
                let _ = give_back.send(items);
                Ok(None)
            }
            _ => Err(broken()),
        }
    });
    (body, comes_back)
}

fn broken() -> Error {
    Error::new(ErrorKind::Io, "the archive of the container breaks off")
}
