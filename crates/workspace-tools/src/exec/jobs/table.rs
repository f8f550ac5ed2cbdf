//! The background commands of a workspace.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};
use workspace_core::{Process, Visible};

use super::job::{Job, JobEnd, JobStatus, Start};
use crate::output::Log;
use crate::{Limit, Result, ToolError, ToolErrorKind};

/// So many jobs that ended stay readable: the newest.
const READABLE: usize = 16;

/// The jobs of a workspace, of all its clones and projections. Dropping it ends them.
#[derive(Debug, Default)]
pub(crate) struct Jobs(Arc<Table>);

type Table = Mutex<Listed>;

#[derive(Debug, Default)]
struct Listed {
    /// How many ids were given.
    given: u64,
    /// Jobs that are about to start.
    starting: u64,
    /// All that can be read, in the order in which they started.
    jobs: BTreeMap<u64, Entry>,
    /// Those that ended, the first first.
    ended: VecDeque<u64>,
}

#[derive(Debug)]
struct Entry {
    job: Arc<Job>,
    /// While it runs.
    follower: Option<Follower>,
}

/// The task that follows a job. Dropping it ends the task, which drops the events, which kills.
#[derive(Debug)]
struct Follower(AbortHandle);

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The right to start one job. Dropped, it can be given to another.
#[derive(Debug)]
pub(crate) struct Slot<'a>(Option<&'a Table>);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if let Some(table) = self.0 {
            lock(table).starting -= 1;
        }
    }
}

impl Jobs {
    /// Takes a place for one more job.
    ///
    /// # Errors
    /// `too-many-jobs`, with `max_jobs` and the ids of those that run.
    pub(crate) fn reserve(&self, max_jobs: Limit) -> Result<Slot<'_>> {
        let mut listed = lock(&self.0);
        let running: Vec<&str> = listed.running().map(|job| job.id.as_str()).collect();
        let taken = running.len() as u64 + listed.starting;
        if let Some(max) = max_jobs.0.filter(|&max| taken >= max) {
            let message = format!("{taken} of {max} background commands run already; nothing has started");
            return Err(ToolError::new(ToolErrorKind::TooManyJobs, message)
                .with("max_jobs", max)
                .with("known_ids", running));
        }
        listed.starting += 1;
        Ok(Slot(Some(&self.0)))
    }

    /// Follows a process from now on.
    pub(crate) fn follow(&self, mut slot: Slot<'_>, process: Process, start: Start, log: Log) -> Arc<Job> {
        let Process { events, control, .. } = process;
        let mut listed = lock(&self.0);
        // From one to the other in one step: nobody may count it twice.
        slot.0 = None;
        listed.starting -= 1;
        listed.given += 1;
        let number = listed.given;
        let job = Arc::new(Job::new(format!("job-{number}"), start, control, log));
        let (own, table) = (Arc::clone(&job), Arc::downgrade(&self.0));
        let task = tokio::spawn(async move {
            let end = own.follow(events).await;
            match table.upgrade() {
                Some(table) => lock(&table).ended(number, end),
                None => own.ended(end),
            }
        });
        let follower = Some(Follower(task.abort_handle()));
        listed.jobs.insert(number, Entry { job: Arc::clone(&job), follower });
        job
    }

    /// The job of this id.
    ///
    /// # Errors
    /// `job-not-found`, with the ids that are known.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<Job>> {
        let listed = lock(&self.0);
        if let Some(entry) = listed.jobs.values().find(|entry| entry.job.id == id) {
            return Ok(Arc::clone(&entry.job));
        }
        let known: Vec<&str> = listed.jobs.values().map(|entry| entry.job.id.as_str()).collect();
        let hint = match known.as_slice() {
            [] => "no background command was started in this workspace".to_owned(),
            known => format!("the ids are {}; the oldest that ended are forgotten", known.join(", ")),
        };
        Err(ToolError::new(
            ToolErrorKind::JobNotFound,
            format!("there is no background command `{}`", Visible(id)),
        )
        .with("id", id)
        .with("known_ids", known)
        .hint(hint))
    }

    /// All jobs that can be read, in the order in which they started.
    pub(crate) fn all(&self) -> Vec<Arc<Job>> {
        lock(&self.0).jobs.values().map(|entry| Arc::clone(&entry.job)).collect()
    }

    /// Kills all that run and waits for their ends, for each no longer than given.
    pub(crate) async fn kill_all(&self, longest: Duration) {
        let mut killing = JoinSet::new();
        for job in self.all() {
            // What cannot be killed is told by its state, which stays as it is.
            killing.spawn(async move { drop(job.kill(longest).await) });
        }
        killing.join_all().await;
    }

    /// Lets go of all that run: their events are dropped, and nothing is waited for.
    pub(crate) fn abandon(&self) {
        let mut listed = lock(&self.0);
        let running: Vec<u64> = listed
            .jobs
            .iter()
            .filter(|(_, entry)| entry.follower.is_some())
            .map(|(number, _)| *number)
            .collect();
        for number in running {
            listed
                .ended(number, JobEnd::untold(JobStatus::Killed, "it was killed and had not ended in time"));
        }
    }
}

impl Listed {
    fn running(&self) -> impl Iterator<Item = &Job> {
        self.jobs.values().filter(|entry| entry.follower.is_some()).map(|entry| &*entry.job)
    }

    /// Notes the end of a job and forgets the oldest that ended.
    fn ended(&mut self, number: u64, end: JobEnd) {
        let Some(entry) = self.jobs.get_mut(&number) else { return };
        if entry.follower.take().is_none() {
            return;
        }
        entry.job.ended(end);
        self.ended.push_back(number);
        while self.ended.len() > READABLE {
            if let Some(oldest) = self.ended.pop_front() {
                self.jobs.remove(&oldest);
            }
        }
    }
}

fn lock(table: &Table) -> MutexGuard<'_, Listed> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
