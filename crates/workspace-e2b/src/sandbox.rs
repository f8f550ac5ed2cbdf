//! A sandbox: found, kept alive while it is used, ended at the end.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;
use workspace_core::{Error, ErrorKind, Result};

use crate::api::{Control, Wanted};
use crate::envd::{Access, Envd};
use crate::error;
use crate::failure::Failure;
use crate::litter::Litter;

/// A sandbox, with what our hand does in it.
#[derive(Debug)]
pub(crate) struct Sandbox {
    pub(crate) envd: Envd,
    /// Missing where an envd was named by its address.
    pub(crate) owner: Option<Owner>,
    pub(crate) litter: Litter,
    used: Mutex<Instant>,
    /// Commands that run.
    commands: AtomicUsize,
    /// It was ended by our hand.
    disposed: AtomicBool,
}

/// The right to end a sandbox, or to ask about it.
#[derive(Debug, Clone)]
pub(crate) struct Owner {
    pub(crate) control: Control,
    pub(crate) id: String,
    /// Made here, and so ended here; the metadata that marks it.
    pub(crate) ours: Option<BTreeMap<String, String>>,
    /// It was made by a call that makes a second one where it is delivered twice.
    pub(crate) twice: bool,
    pub(crate) timeout: Duration,
}

/// A sandbox that files and commands share.
pub(crate) type SharedSandbox = Arc<Sandbox>;

/// A command that runs, until it is dropped.
pub(crate) struct InUse(SharedSandbox);

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.commands.fetch_sub(1, Ordering::AcqRel);
        self.0.used();
    }
}

impl Sandbox {
    pub(crate) fn new(envd: Envd, owner: Option<Owner>) -> Self {
        Self {
            envd,
            owner,
            litter: Litter::default(),
            used: Mutex::new(Instant::now()),
            commands: AtomicUsize::new(0),
            disposed: AtomicBool::new(false),
        }
    }

    /// Notes that it is in use.
    pub(crate) fn used(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub(crate) fn in_use(self: &Arc<Self>) -> InUse {
        self.commands.fetch_add(1, Ordering::AcqRel);
        InUse(Arc::clone(self))
    }

    pub(crate) fn runs_commands(&self) -> bool {
        self.commands.load(Ordering::Acquire) > 0
    }

    /// What a failure means: where the proxy knows no sandbox, the service says why.
    pub(crate) async fn explain(&self, failure: Failure) -> Error {
        if !failure.absent {
            return failure.error;
        }
        if self.disposed.load(Ordering::Acquire) {
            return error::ended().because(failure.error);
        }
        let Some(owner) = &self.owner else { return failure.error };
        let known = match owner.control.get(&owner.id).await {
            Ok(found) if found.state.as_deref() == Some("paused") => error::paused(),
            Err(other) if other.error.kind() == ErrorKind::NotFound => error::ended(),
            _ => return failure.error,
        };
        known.because(failure.error)
    }

    fn owner(&self, operation: &'static str) -> Result<&Owner> {
        self.owner.as_ref().ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, "an envd by its address has no service that could do it")
                .hint("attach to the sandbox by its id")
                .during(operation)
        })
    }

    pub(crate) async fn pause(&self) -> Result<bool> {
        let owner = self.owner("pause")?;
        owner.control.pause(&owner.id).await.map_err(|failure| failure.error.during("pause"))
    }

    pub(crate) async fn resume(&self) -> Result<()> {
        let owner = self.owner("resume")?;
        let made = owner.control.connect(&owner.id, owner.timeout).await;
        let made = made.map_err(|failure| failure.error.during("resume"))?;
        self.used();
        self.envd.renew(&Access::of(&made)).map_err(|error| error.during("resume"))
    }

    pub(crate) async fn set_timeout(&self, timeout: Duration) -> Result<()> {
        let owner = self.owner("set_timeout")?;
        let set = owner.control.set_timeout(&owner.id, timeout).await;
        set.map_err(|failure| failure.error.during("set_timeout"))
    }

    /// Ends a sandbox that was made here; a second call does nothing.
    pub(crate) async fn dispose(&self) -> Result<()> {
        let Some(owner) = self.owner.as_ref().filter(|owner| owner.ours.is_some()) else { return Ok(()) };
        if self.disposed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        owner.end().await.map_err(|failure| {
            // Another call may try again.
            self.disposed.store(false, Ordering::Release);
            failure.error.hint("it ends by itself at its timeout").during("dispose")
        })
    }

    /// Puts the end off while the sandbox is in use, until the last handle is dropped.
    pub(crate) fn keep_alive(self: &Arc<Self>) {
        let Some(owner) = &self.owner else { return };
        let pause = (owner.timeout / 3).max(Duration::from_secs(1));
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                if !refresh(&weak, pause).await {
                    return;
                }
            }
        });
    }
}

/// One round of keeping alive; false once the sandbox is no longer held.
async fn refresh(weak: &Weak<Sandbox>, pause: Duration) -> bool {
    let owner = {
        let Some(sandbox) = weak.upgrade() else { return false };
        if sandbox.disposed.load(Ordering::Acquire) {
            return false;
        }
        let idle = sandbox.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
        let busy = sandbox.commands.load(Ordering::Acquire) > 0;
        if idle > pause && !busy {
            return true;
        }
        let Some(owner) = sandbox.owner.clone() else { return false };
        owner
    };
    // The next round tries again; a sandbox that has ended is told by the next call.
    if let Err(failure) = owner.control.refresh(&owner.id, owner.timeout).await {
        tracing::debug!(error = %failure.error, "the end of a sandbox could not be put off");
    }
    true
}

impl Owner {
    async fn end(&self) -> Result<(), Failure> {
        self.control.kill(&self.id).await?;
        match &self.ours {
            Some(mark) if self.twice => end_marked(&self.control, mark).await.map(drop),
            _ => Ok(()),
        }
    }
}

/// Ends all sandboxes that carry a mark, where it is not known how many were made; tells whether there was one.
pub(crate) async fn end_marked(control: &Control, mark: &BTreeMap<String, String>) -> Result<bool, Failure> {
    let wanted = Wanted { metadata: mark.clone(), paused: true };
    let found = control.list(&wanted).await?;
    for sandbox in &found {
        control.kill(&sandbox.sandbox_id).await?;
    }
    Ok(!found.is_empty())
}

impl Drop for Sandbox {
    /// Where no runtime is left, or the service cannot be reached, the timeout ends it.
    fn drop(&mut self) {
        if *self.disposed.get_mut() {
            return;
        }
        let Some(owner) = self.owner.take().filter(|owner| owner.ours.is_some()) else { return };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                if let Err(failure) = owner.end().await {
                    tracing::warn!(error = %failure.error, "a sandbox could not be ended; it ends by itself");
                }
            });
        }
    }
}
