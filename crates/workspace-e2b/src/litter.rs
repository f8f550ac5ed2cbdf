//! What requests leave in a sandbox, and when it is taken away.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::once::forget;

/// So long a request that was given up may still arrive.
const LATE: Duration = Duration::from_mins(2);
/// So many claims are taken away by one script.
const MOST: usize = 40;

/// The claims of requests that are over, and the outputs of commands that are.
#[derive(Debug, Default)]
pub(crate) struct Litter(Mutex<Left>);

#[derive(Debug, Default)]
struct Left {
    claims: VecDeque<(Instant, String)>,
    spools: Vec<String>,
}

impl Litter {
    fn left(&self) -> std::sync::MutexGuard<'_, Left> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A claim may go, once no request for it can be under way.
    pub(crate) fn drop_claim(&self, token: String) {
        self.left().claims.push_back((Instant::now(), token));
    }

    /// The output in this directory was read. The directory itself stays, for it is a claim.
    pub(crate) fn drop_spool(&self, directory: String) {
        self.left().spools.push(directory);
    }

    /// A line that takes away what may go, for the next script; often it is empty.
    pub(crate) fn sweep(&self) -> String {
        let mut left = self.left();
        let mut tokens = Vec::new();
        while tokens.len() < MOST
            && left.claims.front().is_some_and(|(since, _)| since.elapsed() > LATE)
            && let Some((_, token)) = left.claims.pop_front()
        {
            tokens.push(token);
        }
        let mut line = forget(&tokens);
        for directory in left.spools.drain(..) {
            line.push_str("rm -f ");
            line.push_str(&directory);
            line.push_str("/* 2>/dev/null\n");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_go_at_once_and_claims_when_nothing_can_be_under_way() {
        let litter = Litter::default();
        litter.drop_claim("ab".into());
        litter.drop_spool("/tmp/x".into());
        assert_eq!(litter.sweep(), "rm -f /tmp/x/* 2>/dev/null\n");
        assert_eq!(litter.sweep(), "");
    }
}
