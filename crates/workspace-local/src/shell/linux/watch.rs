//! The task that watches a command from its start to its end.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, timeout_at};
use workspace_core::{Cause, Error, ErrorKind, Event, Exit, Leftovers, Result};

use super::hand::Grip;
use super::pump::{Pump, discard};
use super::tree::Tree;

/// How long the outputs may stay open after the program has ended, as
/// processes that it has left behind hold them.
const DRAIN: Duration = Duration::from_millis(250);

/// A command under way.
pub(super) struct Watch {
    pub(super) tree: Tree,
    pub(super) pump: Pump,
    pub(super) grip: Arc<Grip>,
    pub(super) listener: Sender<Result<Event>>,
    pub(super) timeout: Option<Duration>,
    pub(super) kill_grace: Duration,
    pub(super) leftovers: Leftovers,
}

impl Watch {
    /// Sees the command to its end. Dropped before that, it kills the tree.
    pub(super) async fn run(mut self) {
        let cause = self.pump.during(until_over(&self.tree, &self.grip, &self.listener, self.timeout)).await;
        let killed = cause != Cause::Exited;
        if killed {
            self.pump.during(self.tree.kill(self.kill_grace)).await;
        }
        // The program is over now, whatever holds its pipes.
        let _ = timeout_at(Instant::now() + DRAIN, self.pump.drain()).await;
        let left_alone = !killed && self.leftovers == Leftovers::Leave;
        let mut leftovers_killed = 0;
        let reach = self.tree.reach();
        if left_alone {
            self.tree.release();
        } else if !killed {
            leftovers_killed = self.pump.during(self.tree.sweep(self.kill_grace)).await;
        }
        let end = self.tree.close().await.map_err(lost).map(|status| {
            let exit = Exit::new(status).with_cause(cause).with_leftovers_killed(leftovers_killed);
            Event::Exit(exit.with_kill_reach(reach))
        });
        self.grip.release().await;
        drop(self.listener);
        self.pump.rest().await;
        let outputs = self.pump.finish(end).await;
        if left_alone {
            discard(outputs).await;
        }
    }
}

/// Waits until the program has ended or must be ended.
async fn until_over(
    tree: &Tree,
    grip: &Grip,
    listener: &Sender<Result<Event>>,
    timeout: Option<Duration>,
) -> Cause {
    let late = async {
        match timeout {
            Some(timeout) => sleep(timeout).await,
            None => pending().await,
        }
    };
    tokio::select! {
        biased;
        () = tree.ended() => Cause::Exited,
        () = grip.kill_wanted() => Cause::Killed,
        // Nobody will hear of its end.
        () = listener.closed() => Cause::Killed,
        () = late => Cause::TimedOut,
    }
}

fn lost(errno: Errno) -> Error {
    Error::new(ErrorKind::Unavailable, "the command has ended, and its exit code is lost")
        .hint("the host must not wait for processes that it did not start")
        .because(std::io::Error::from(errno))
}
