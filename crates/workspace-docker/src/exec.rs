//! A process inside the container, as the engine starts it.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::task::Poll;

use bollard::container::LogOutput;
use bollard::errors::Error as Theirs;
use bollard::exec::{CreateExecOptions, StartExecOptions, StartExecResults};
use futures_util::Stream as Streamed;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use workspace_core::{Control, Error, ErrorKind, Event, Feed, Process, Result, Stream};
use workspace_posix::Sessions;

use crate::brand::Branded;
use crate::container::{Container, SharedContainer};
use crate::error;

/// Bytes of either output, as they come.
pub(crate) type Output = Pin<Box<dyn Streamed<Item = Result<LogOutput, Theirs>> + Send>>;
/// The standard input.
pub(crate) type Input = Pin<Box<dyn AsyncWrite + Send>>;

/// What begins the output of each process: it has its brand.
const BEGUN: &[u8] = b"+\n";
/// How many bytes of output are read from the engine at once: several of its frames.
const READ_AT_ONCE: usize = 128 << 10;
/// How often a start is tried again that was ended by mistake.
const TRIES: u32 = 5;

/// A process that runs and has its brand.
pub(crate) struct Running {
    pub(crate) id: String,
    pub(crate) output: Output,
    pub(crate) input: Input,
    /// What it printed after its begin.
    pub(crate) first: Vec<u8>,
    /// What its standard error held by then: the two outputs keep no order between them.
    pub(crate) complaint: Vec<u8>,
    pub(crate) branded: Branded,
}

impl Container {
    /// Starts `sh -c SCRIPT` as the user of the sandbox, without a terminal.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) where the container is gone, stopped or paused, and
    /// where no process can be added to it; [`TimedOut`](ErrorKind::TimedOut).
    pub(crate) async fn run_sh(&self, script: &str, stdin: bool) -> Result<Running> {
        for _ in 0..TRIES {
            let before = self.purges.load(Ordering::Acquire);
            let started = self.run_sh_once(script, stdin).await;
            // A process that has no brand yet looks like one that has thrown it away.
            if started.is_ok() || before == self.purges.load(Ordering::Acquire) {
                return started;
            }
        }
        self.run_sh_once(script, stdin).await
    }

    async fn run_sh_once(&self, script: &str, stdin: bool) -> Result<Running> {
        let _turn = match tokio::time::timeout(self.engine.deadline(), self.starts.acquire()).await {
            Ok(Ok(turn)) => turn,
            Ok(Err(_)) => return Err(error::gone()),
            Err(_) => return Err(error::silent()),
        };
        let branded = self.brands.take();
        let script = format!("ulimit -m {} 2>/dev/null; echo +; {script}", branded.brand);
        let options = CreateExecOptions {
            attach_stdin: Some(stdin),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            user: Some(self.user.spelled()),
            cmd: Some(vec!["/bin/sh".to_owned(), "-c".to_owned(), script]),
            ..CreateExecOptions::default()
        };
        let client = self.engine.client();
        let made = self.engine.raw(client.create_exec(&self.id, options)).await;
        let id = made
            .map_err(|theirs| match error::status(&theirs) {
                Some(404) => error::gone().because(theirs),
                // Podman says so where Docker says 409.
                Some(500) => error::ours(Theirs::DockerResponseServerError {
                    status_code: 409,
                    message: String::new(),
                })
                .because(theirs),
                _ => error::ours(theirs),
            })?
            .id;
        let options = StartExecOptions { output_capacity: Some(READ_AT_ONCE), ..StartExecOptions::default() };
        let started = self.engine.call(client.start_exec(&id, Some(options))).await?;
        let StartExecResults::Attached { mut output, input } = started else {
            return Err(Error::new(ErrorKind::Io, "the engine let go of a process that was to be held"));
        };
        let (mut first, mut complaint) = (Vec::new(), Vec::new());
        while !first.starts_with(BEGUN) {
            match tokio::time::timeout(self.engine.deadline(), next(&mut output)).await {
                Err(_) => return Err(error::silent()),
                Ok(Some(Ok(LogOutput::StdOut { message }))) => {
                    first.extend_from_slice(&message);
                    if !first.starts_with(BEGUN) && first.len() >= BEGUN.len() {
                        return Err(not_started(&first));
                    }
                }
                Ok(Some(Ok(other))) => complaint.extend(told(other).1),
                Ok(Some(Err(theirs))) => return Err(error::ours(theirs)),
                Ok(None) => return Err(not_started(&first)),
            }
        }
        first.drain(..BEGUN.len());
        Ok(Running { id, output, input, first, complaint, branded })
    }
}

/// The runtime says on standard output why it could not start a process.
fn not_started(said: &[u8]) -> Error {
    Error::new(ErrorKind::Unavailable, "no process could be started in the container")
        .hint("it may be out of processes or memory: end some of its commands, then try again")
        .because(String::from_utf8_lossy(said).into_owned())
}

pub(crate) async fn next(output: &mut Output) -> Option<Result<LogOutput, Theirs>> {
    std::future::poll_fn(|cx| output.as_mut().poll_next(cx)).await
}

/// Which output, and the bytes.
pub(crate) fn told(output: LogOutput) -> (Stream, Vec<u8>) {
    match output {
        LogOutput::StdErr { message } => (Stream::Stderr, message.into()),
        LogOutput::StdOut { message } | LogOutput::StdIn { message } | LogOutput::Console { message } => {
            (Stream::Stdout, message.into())
        }
    }
}

/// Shells for files.
pub(crate) struct Shells(Held);

/// How shells hold on to their container.
enum Held {
    /// It lives as long as they can be opened.
    Strong(SharedContainer),
    /// They belong to it.
    Weak(Weak<Container>),
}

impl Shells {
    pub(crate) fn of(container: &SharedContainer) -> Self {
        Self(Held::Strong(Arc::clone(container)))
    }

    pub(crate) fn weak(container: &SharedContainer) -> Self {
        Self(Held::Weak(Arc::downgrade(container)))
    }
}

impl Sessions for Shells {
    async fn open(&self) -> Result<Process> {
        let container = match &self.0 {
            Held::Strong(container) => Arc::clone(container),
            Held::Weak(container) => container.upgrade().ok_or_else(error::gone)?,
        };
        let Running { mut output, input, first, branded, .. } =
            container.run_sh("exec /bin/sh", true).await?;
        let mut first = Some(first).filter(|first| !first.is_empty());
        let hold = Hold { branded: Some(branded), container: Arc::downgrade(&container) };
        let events = Feed::from_poll_fn(move |cx| {
            let _ = &hold;
            if let Some(first) = first.take() {
                return Poll::Ready(Some(Ok(Event::Output(Stream::Stdout, first))));
            }
            output.as_mut().poll_next(cx).map(|item| {
                item.map(|item| match item {
                    Ok(bytes) => {
                        let (stream, bytes) = told(bytes);
                        Ok(Event::Output(stream, bytes))
                    }
                    Err(theirs) => Err(error::ours(theirs)),
                })
            })
        });
        Ok(Process::new(events, Hand(Mutex::new(Some(input)))))
    }
}

/// A shell that is given up may hang: it is ended by its brand.
struct Hold {
    branded: Option<Branded>,
    container: Weak<Container>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let (Some(branded), Some(container)) = (self.branded.take(), self.container.upgrade()) {
            container.end_later(branded);
        }
    }
}

/// The standard input of a process.
pub(crate) struct Hand(pub(crate) Mutex<Option<Input>>);

impl Hand {
    pub(crate) async fn send(&self, bytes: &[u8]) -> Result<()> {
        let mut input = self.0.lock().await;
        let Some(open) = input.as_mut() else {
            return Err(Error::new(ErrorKind::Unsupported, "the standard input of this command is closed"));
        };
        let sent = async {
            open.write_all(bytes).await?;
            open.flush().await
        };
        sent.await.map_err(|broken| {
            Error::new(ErrorKind::Unavailable, "the command takes no more input").because(broken)
        })
    }

    pub(crate) async fn close(&self) -> Result<()> {
        if let Some(mut input) = self.0.lock().await.take() {
            // A process that is gone has closed it already.
            let _ = input.shutdown().await;
        }
        Ok(())
    }
}

impl Control for Hand {
    async fn kill(&self) -> Result<()> {
        self.close().await
    }

    async fn write_stdin(&self, bytes: Vec<u8>) -> Result<()> {
        self.send(&bytes).await
    }

    async fn close_stdin(&self) -> Result<()> {
        self.close().await
    }
}
