//! Progress of a call that takes long, for a client that asked for it.

use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;
use workspace_tools::{Progress, ToolName};

/// How long a call takes before the first report, and from one to the next.
const PACE: Duration = Duration::from_millis(250);

/// Tells a client how far its call has come.
pub(super) struct Reporter {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    unit: Unit,
    progress: Progress,
    cancel: CancellationToken,
}

/// What is counted. A number that a client is sent always grows.
enum Unit {
    /// Names that a search has looked at.
    Names,
    /// Seconds, for a command; the bytes that it has printed are in the message.
    Seconds,
}

impl Reporter {
    /// A reporter for a call whose client gave a token; `None` where it gave none.
    pub(super) fn of(tool: &str, context: &RequestContext<RoleServer>) -> Option<Self> {
        let unit = match ToolName::parse(tool) {
            Some(ToolName::Glob | ToolName::Grep) => Unit::Names,
            _ => Unit::Seconds,
        };
        Some(Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token()?,
            unit,
            progress: Progress::counted(),
            cancel: context.ct.clone(),
        })
    }

    /// What the call is to count with.
    pub(super) fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Waits for a call, and tells how far it has come. Nothing is sent after its end, nor once it
    /// is cancelled.
    pub(super) async fn during<T>(self, call: impl Future<Output = T>) -> T {
        let over = CancellationToken::new();
        let calling = async {
            let outcome = call.await;
            over.cancel();
            outcome
        };
        // A report on its way is waited for: the answer must not overtake it.
        let (outcome, ()) = tokio::join!(calling, self.report(&over));
        outcome
    }

    async fn report(self, over: &CancellationToken) {
        let begun = Instant::now();
        let mut ticks = interval_at(begun + PACE, PACE);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut told = 0.0;
        loop {
            tokio::select! {
                biased;
                () = over.cancelled() => return,
                () = self.cancel.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let (so_far, message) = self.so_far(begun.elapsed());
            if so_far <= told {
                continue;
            }
            told = so_far;
            let report = ProgressNotificationParam::new(self.token.clone(), so_far).with_message(message);
            if self.peer.notify_progress(report).await.is_err() {
                return;
            }
        }
    }

    #[allow(clippy::cast_precision_loss)] // No search looks at 2^53 names.
    fn so_far(&self, elapsed: Duration) -> (f64, String) {
        let count = self.progress.count();
        let seconds = elapsed.as_secs();
        match self.unit {
            Unit::Names => (count as f64, format!("{count} files looked at")),
            Unit::Seconds if count == 0 => (elapsed.as_secs_f64(), format!("running for {seconds} s")),
            Unit::Seconds => {
                (elapsed.as_secs_f64(), format!("running for {seconds} s, {count} bytes printed"))
            }
        }
    }
}
