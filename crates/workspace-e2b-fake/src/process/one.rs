//! One process and those who listen to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::mpsc;

use super::config::{Bytes, Config, Size};
use super::terminal::Terminal;
use crate::connect::{Code, Events, Problem};
use crate::sandbox::Namespace;

/// Events under way to one listener; one that stalls soon stalls the process.
const UNDER_WAY: usize = 1;

/// A process that was started by a call.
#[derive(Debug)]
pub(crate) struct Process {
    /// As the sandbox numbers it.
    pub(super) pid: u32,
    pub(super) tag: Option<String>,
    pub(super) config: Config,
    /// The program on the host that waits for it.
    waiter: Option<Pid>,
    stdin: tokio::sync::Mutex<Option<ChildStdin>>,
    terminal: Option<Terminal>,
    heard: Mutex<Heard>,
    /// Whether a call has asked it to end, after which its pipes are not waited for.
    signalled: AtomicBool,
}

#[derive(Debug, Default)]
struct Heard {
    listeners: Vec<mpsc::Sender<Value>>,
    end: Option<Value>,
}

impl Process {
    pub(super) fn new(
        (pid, waiter): (u32, Option<u32>),
        tag: Option<String>,
        config: Config,
        stdin: Option<ChildStdin>,
        terminal: Option<Terminal>,
    ) -> Self {
        let waiter = waiter.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        let stdin = tokio::sync::Mutex::new(stdin);
        let (heard, signalled) = (Mutex::default(), AtomicBool::new(false));
        Self { pid, tag, config, waiter, stdin, terminal, heard, signalled }
    }

    /// What it says from now on; at least its end.
    pub(super) fn listen(&self) -> Events {
        let (sender, events) = mpsc::channel(UNDER_WAY);
        let mut heard = self.lock();
        match &heard.end {
            // There is room for one.
            Some(end) => drop(sender.try_send(end.clone())),
            None => heard.listeners.push(sender),
        }
        events
    }

    /// Tells all listeners, at the pace of the slowest. What none hears is lost.
    pub(super) async fn tell(&self, event: Value) {
        let listeners = self.lock().listeners.clone();
        for listener in &listeners {
            // A listener that has left is told nothing.
            let _ = listener.send(event.clone()).await;
        }
        self.lock().listeners.retain(|listener| !listener.is_closed());
    }

    /// Tells the end, now and to all who ask later.
    pub(super) async fn tell_end(&self, end: Value) {
        let listeners = {
            let mut heard = self.lock();
            heard.end = Some(end.clone());
            std::mem::take(&mut heard.listeners)
        };
        for listener in listeners {
            let _ = listener.send(end.clone()).await;
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.lock().end.is_some()
    }

    pub(super) fn was_signalled(&self) -> bool {
        self.signalled.load(Ordering::Acquire)
    }

    /// Sends a signal to this process alone.
    pub(super) async fn signal(&self, namespace: &Namespace, signal: i32) {
        self.signalled.store(true, Ordering::Release);
        namespace.signal(i64::from(self.pid), signal).await;
    }

    /// Writes to its standard input or to its terminal.
    pub(super) async fn write(&self, bytes: &Bytes) -> Result<(), Problem> {
        let off =
            |what: &str, why: &str| Problem::new(Code::Internal, format!("error writing to {what}: {why}"));
        match bytes {
            Bytes::Stdin(bytes) => {
                let mut stdin = self.stdin.lock().await;
                let closed = || off("stdin", "stdin not enabled or closed");
                let stdin = stdin.as_mut().ok_or_else(closed)?;
                let written = stdin.write_all(bytes).await;
                written.map_err(|error| off("stdin", &error.to_string()))
            }
            Bytes::Pty(bytes) => {
                let terminal = self.terminal.as_ref();
                let terminal = terminal.ok_or_else(|| off("tty", "tty not assigned to process"))?;
                let written = terminal.write(bytes).await;
                written.map_err(|error| off("tty", &error.to_string()))
            }
        }
    }

    /// Ends its standard input; again is fine.
    pub(super) async fn close_stdin(&self) -> Result<(), Problem> {
        if self.terminal.is_some() {
            let message = "error closing stdin: cannot close stdin for PTY process";
            return Err(Problem::new(Code::Unknown, message));
        }
        drop(self.stdin.lock().await.take());
        Ok(())
    }

    pub(super) fn terminal(&self) -> Option<Terminal> {
        self.terminal.clone()
    }

    /// Gives its terminal another size.
    pub(super) fn resize(&self, size: Option<Size>) -> Result<(), Problem> {
        let failed = |why: &str| Problem::new(Code::Internal, format!("error resizing tty: {why}"));
        let Some(size) = size else { return Ok(()) };
        let terminal = self.terminal.as_ref();
        let terminal = terminal.ok_or_else(|| failed("tty not assigned to process"))?;
        terminal.resize(size).map_err(|error| failed(&error.to_string()))
    }

    /// The waiter stops with the process; this lets it go on with it too.
    pub(super) fn wake(&self) {
        if let Some(waiter) = self.waiter.filter(|_| !self.has_ended()) {
            // It may have ended since.
            let _ = kill_process(waiter, Signal::CONT);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
