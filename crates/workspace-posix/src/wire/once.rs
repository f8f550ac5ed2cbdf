//! One command a request, for vendors that can do no more.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use workspace_core::{Command, Finished, Result, RunOnce};

use crate::{error, quote, token};

/// A line for `sh -c` may have 128 KiB on Linux: the functions, and this many bytes in base64.
pub(super) const PIECE: usize = 64 << 10;
/// How many bytes of a file one answer holds.
pub(super) const WINDOW: u64 = 4 << 20;

/// The dispatchable twin of [`RunOnce`].
trait ErasedCommands: Send + Sync {
    fn run(&self, command: Command) -> Pin<Box<dyn Future<Output = Result<Finished>> + Send + '_>>;
}

impl<T: RunOnce> ErasedCommands for T {
    fn run(&self, command: Command) -> Pin<Box<dyn Future<Output = Result<Finished>> + Send + '_>> {
        Box::pin(RunOnce::run(self, command))
    }
}

/// Any [`RunOnce`], shared.
#[derive(Clone)]
pub(crate) struct SharedCommands(Arc<dyn ErasedCommands>);

impl SharedCommands {
    pub(crate) fn new(vendor: impl RunOnce) -> Self {
        Self(Arc::new(vendor))
    }

    pub(crate) async fn run(&self, command: Command) -> Result<Finished> {
        self.0.run(command).await
    }
}

/// A vendor that runs a line and collects its output, as text perhaps: answers come in base64.
pub(crate) struct Commands {
    vendor: SharedCommands,
    greeting: Mutex<String>,
    deadline: Duration,
    answer: usize,
}

impl Commands {
    pub(crate) fn new(vendor: SharedCommands, greeting: String, deadline: Duration, answer: usize) -> Self {
        Self { vendor, greeting: Mutex::new(greeting), deadline, answer }
    }

    /// Adds to what each command begins with.
    pub(super) fn greet(&self, more: &str) {
        self.greeting.lock().unwrap_or_else(PoisonError::into_inner).push_str(more);
    }

    pub(super) async fn ask(&self, script: &str) -> Result<Vec<u8>> {
        let mark = token::mark();
        let greeting = self.greeting.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let line = format!(
            "{{ {greeting}\nw_h= w_end=\n{script}\nprintf %s \"${{w_h}}{mark}\"\n}} 2>/dev/null </dev/null | base64"
        );
        let command = Command::sh(line).with_timeout(Some(self.deadline));
        let finished = match timeout(self.deadline.saturating_mul(2), self.vendor.run(command)).await {
            Ok(finished) => finished?,
            Err(_) => return Err(error::silent()),
        };
        if finished.stdout.len() / 4 * 3 > self.answer {
            return Err(error::too_much(self.answer));
        }
        let mut answer = quote::decoded(&finished.stdout).ok_or_else(error::garbled)?;
        if !answer.ends_with(mark.as_bytes()) {
            return Err(error::lost());
        }
        answer.truncate(answer.len() - mark.len());
        Ok(answer)
    }

    pub(super) async fn give(&self, script: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let script = format!("{}{script}", quote::taking(bytes));
        self.ask(&script).await
    }
}
