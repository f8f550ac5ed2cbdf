//! The processes of a sandbox that calls can name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::config::Selector;
use super::one::Process;
use crate::connect::{Code, Problem};

/// Processes by pid: those that run, and for a while those that have ended.
#[derive(Debug)]
pub(crate) struct Table {
    processes: Mutex<BTreeMap<u32, Arc<Process>>>,
    end_kept: Duration,
}

impl Table {
    pub(crate) fn new(end_kept: Duration) -> Self {
        Self { processes: Mutex::default(), end_kept }
    }

    /// Those that run, as `List` shows them.
    pub(super) fn list(&self) -> Value {
        let processes = self.lock();
        let running = processes.values().filter(|process| !process.has_ended());
        let shown: Vec<_> = running
            .map(|process| {
                let mut shown = json!({ "config": process.config.json(), "pid": process.pid });
                if let Some(tag) = &process.tag {
                    shown["tag"] = json!(tag);
                }
                shown
            })
            .collect();
        if shown.is_empty() { json!({}) } else { json!({ "processes": shown }) }
    }

    /// One that runs.
    pub(super) fn running(&self, selector: &Selector) -> Result<Arc<Process>, Problem> {
        self.known(selector)
            .and_then(|process| if process.has_ended() { Err(unknown(selector)) } else { Ok(process) })
    }

    /// One that runs, or has ended a short while ago.
    pub(super) fn known(&self, selector: &Selector) -> Result<Arc<Process>, Problem> {
        let processes = self.lock();
        let found = match (selector.pid, &selector.tag) {
            (Some(pid), _) => processes.get(&pid),
            (None, Some(tag)) => processes.values().rev().find(|process| process.tag.as_ref() == Some(tag)),
            (None, None) => None,
        };
        found.cloned().ok_or_else(|| unknown(selector))
    }

    pub(super) fn insert(&self, process: &Arc<Process>) {
        self.lock().insert(process.pid, Arc::clone(process));
    }

    /// Forgets one that has ended, after the time for which its end is kept.
    pub(super) async fn forget(&self, process: &Arc<Process>) {
        if !self.end_kept.is_zero() {
            tokio::time::sleep(self.end_kept).await;
        }
        let mut processes = self.lock();
        // Its number may be another's by now.
        if processes.get(&process.pid).is_some_and(|other| Arc::ptr_eq(other, process)) {
            processes.remove(&process.pid);
        }
    }

    /// Lets those go on that follow a process which was stopped.
    pub(crate) fn wake(&self) {
        for process in self.lock().values() {
            process.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<Process>>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(selector: &Selector) -> Problem {
    let message = match (selector.pid, &selector.tag) {
        (Some(pid), _) => format!("process with pid {pid} not found"),
        (None, Some(tag)) => format!("process with tag {tag} not found"),
        (None, None) => return Problem::new(Code::Unimplemented, "invalid input type: <nil>"),
    };
    Problem::new(Code::NotFound, message)
}
