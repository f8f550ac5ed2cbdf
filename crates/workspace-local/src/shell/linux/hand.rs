//! The caller's hand on a running command.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe::Sender;
use tokio::sync::{Mutex, Notify, watch};
use workspace_core::{Control, Error, ErrorKind, Result};

/// What the hand and the task that watches the command share.
#[derive(Debug)]
pub(super) struct Grip {
    kill: Notify,
    over: watch::Sender<bool>,
    /// Open while it can be written to. Writes take turns, in the order of their calls.
    stdin: Mutex<Option<Sender>>,
}

impl Grip {
    /// A grip on a command, with the writing end of its standard input where that is open.
    ///
    /// # Errors
    /// Where the runtime cannot watch it.
    pub(super) fn new(stdin: Option<OwnedFd>) -> io::Result<Arc<Self>> {
        let stdin = stdin.map(Sender::from_owned_fd).transpose()?;
        Ok(Arc::new(Self { kill: Notify::new(), over: watch::Sender::new(false), stdin: Mutex::new(stdin) }))
    }

    /// Waits until the caller wants the command killed.
    pub(super) async fn kill_wanted(&self) {
        self.kill.notified().await;
    }

    /// The command is over: nothing is written to it any more.
    pub(super) async fn release(&self) {
        self.over.send_replace(true);
        self.stdin.lock().await.take();
    }
}

/// The hand itself.
#[derive(Debug)]
pub(super) struct Hand(pub(super) Arc<Grip>);

impl Control for Hand {
    async fn kill(&self) -> Result<()> {
        self.0.kill.notify_one();
        Ok(())
    }

    async fn write_stdin(&self, bytes: Vec<u8>) -> Result<()> {
        let mut over = self.0.over.subscribe();
        let mut stdin = self.0.stdin.lock().await;
        let Some(pipe) = stdin.as_mut() else { return Err(closed()) };
        let written = tokio::select! {
            written = pipe.write_all(&bytes) => written,
            // What the command has left behind may hold the other end open without reading.
            _ = over.wait_for(|over| *over) => Err(io::ErrorKind::BrokenPipe.into()),
        };
        written.map_err(|error| {
            *stdin = None;
            closed().because(error)
        })
    }

    async fn close_stdin(&self) -> Result<()> {
        match self.0.stdin.lock().await.take() {
            Some(_) => Ok(()),
            None => Err(closed()),
        }
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::Unsupported, "the standard input of this command is closed")
        .hint("start the command with an open standard input, and write to it before it is closed")
}
