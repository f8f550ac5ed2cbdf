//! What requests leave in a sandbox, and when it is taken away.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::once::forget;

/// So long a request that was given up may still arrive.
const LATE: Duration = Duration::from_mins(2);
/// So many claims of a kind are taken away by one script.
const MOST: usize = 40;

/// The claims of requests that are over, and the outputs of commands that are.
#[derive(Debug, Default)]
pub(crate) struct Litter(Mutex<Left>);

#[derive(Debug, Default)]
struct Left {
    claims: VecDeque<(Instant, String)>,
    spools: Vec<String>,
    /// Spools that are empty, and still are claims.
    swept: VecDeque<(Instant, String)>,
}

impl Litter {
    fn left(&self) -> std::sync::MutexGuard<'_, Left> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A claim may go, once no request for it can be under way.
    pub(crate) fn drop_claim(&self, token: String) {
        self.left().claims.push_back((Instant::now(), token));
    }

    /// The output in these directories was read. They themselves stay for a time, for they are claims.
    pub(crate) fn drop_spools(&self, directories: impl IntoIterator<Item = String>) {
        self.left().spools.extend(directories);
    }

    /// A line that takes away what may go, for the next script; often it is empty.
    pub(crate) fn sweep(&self) -> String {
        self.sweep_at(Instant::now())
    }

    fn sweep_at(&self, now: Instant) -> String {
        let mut left = self.left();
        let mut line = forget(&old(&mut left.claims, now));
        let swept = old(&mut left.swept, now);
        if !swept.is_empty() {
            let _ = writeln!(line, "rm -rf {} 2>/dev/null", swept.join(" "));
        }
        for directory in std::mem::take(&mut left.spools) {
            let _ = writeln!(line, "rm -f {directory}/* 2>/dev/null");
            left.swept.push_back((now, directory));
        }
        line
    }
}

/// What has waited for long enough, as much as goes into one script.
fn old(waiting: &mut VecDeque<(Instant, String)>, now: Instant) -> Vec<String> {
    let is_old = |(since, _): &(Instant, String)| now.saturating_duration_since(*since) > LATE;
    let count = waiting.iter().take(MOST).take_while(|waits| is_old(waits)).count();
    waiting.drain(..count).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_go_at_once_and_claims_when_nothing_can_be_under_way() {
        let litter = Litter::default();
        litter.drop_claim("ab".into());
        litter.drop_spools(["/tmp/x".into()]);
        assert_eq!(litter.sweep(), "rm -f /tmp/x/* 2>/dev/null\n");
        assert_eq!(litter.sweep(), "");
        let late = Instant::now() + LATE + Duration::from_secs(1);
        let swept = litter.sweep_at(late);
        assert_eq!(swept, forget(&["ab".into()]) + "rm -rf /tmp/x 2>/dev/null\n");
        assert_eq!(litter.sweep_at(late), "");
    }
}
