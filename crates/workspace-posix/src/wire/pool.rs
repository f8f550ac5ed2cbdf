//! Shells that stay open between calls.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;
use workspace_core::{Body, ErrorKind, Feed, Result};

use super::agent::{Agent, Asked};
use super::{Again, split_lines};
use crate::sessions::SharedSessions;
use crate::{error, quote, token};

/// Up to this many bytes travel with the script itself.
const WITH_THE_SCRIPT: usize = 48 << 10;
/// Up to this many bytes of a body are read at once, so that its shell is free again.
const AT_ONCE: usize = 4 << 20;

/// The shells of one workspace.
pub(crate) struct Pool {
    sessions: SharedSessions,
    /// What each shell is told first.
    greeting: Mutex<String>,
    idle: Mutex<Vec<Agent>>,
    permits: Semaphore,
    deadline: Duration,
    answer: usize,
}

/// A shell in use. It goes back with [`Lease::keep`] alone.
struct Lease<'a> {
    agent: Agent,
    fresh: bool,
    _permit: SemaphorePermit<'a>,
}

/// The begin of an answer, and the rest.
pub(crate) struct Streamed {
    pub(crate) head: Vec<u8>,
    pub(crate) body: Body,
}

impl Pool {
    pub(crate) fn new(
        sessions: SharedSessions,
        greeting: String,
        shells: usize,
        deadline: Duration,
        answer: usize,
    ) -> Self {
        Self {
            sessions,
            greeting: Mutex::new(greeting),
            idle: Mutex::default(),
            permits: Semaphore::new(shells),
            deadline,
            answer,
        }
    }

    /// Tells more to the one shell that is open, and to all that will be.
    pub(super) async fn greet(&self, more: &str) -> Result<()> {
        lock(&self.greeting).push_str(more);
        self.ask(more, Again::Yes).await.map(drop)
    }

    pub(super) async fn ask(&self, script: &str, again: Again) -> Result<Vec<u8>> {
        let mut lease = self.lease().await?;
        match self.asked(&mut lease.agent, script).await {
            Ok((answer, usable)) => {
                self.keep(lease, usable);
                Ok(answer)
            }
            // A shell that lay idle may have died in its sleep.
            Err(lost) if lost.kind() == ErrorKind::Unavailable && again == Again::Yes && !lease.fresh => {
                drop(lease);
                lock(&self.idle).clear();
                let mut lease = self.lease().await?;
                let (answer, usable) = self.asked(&mut lease.agent, script).await?;
                self.keep(lease, usable);
                Ok(answer)
            }
            Err(error) => Err(error),
        }
    }

    async fn asked(&self, agent: &mut Agent, script: &str) -> Result<(Vec<u8>, bool)> {
        let mut asked = agent.send(script).await?;
        agent.read_to(&mut asked, None, self.answer).await?;
        Ok(asked.finish())
    }

    /// Few bytes go along in the script; many follow raw, once the script says that it is ready for them.
    pub(super) async fn give(&self, script: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let mut lease = self.lease().await?;
        let agent = &mut lease.agent;
        if bytes.len() <= WITH_THE_SCRIPT {
            let script = format!("{}{script}", quote::taking(bytes));
            let (answer, usable) = self.asked(agent, &script).await?;
            self.keep(lease, usable);
            return Ok(answer);
        }
        let ready = token::mark();
        let length = bytes.len();
        let script = format!(
            "w_r=0 w_quick=0\nw_ready() {{ printf '%s' {ready}; w_r=1; }}\nw_in() {{ head -c {length}; }}\n{script}"
        );
        // A script that did not take all of the bytes would leave the rest to be read as commands.
        let mut asked = agent.send_taking(&script).await?;
        if !agent.read_to(&mut asked, Some(&ready), self.answer).await? {
            asked.held.truncate(asked.held.len().saturating_sub(ready.len()));
            agent.give(bytes.to_vec(), &mut asked, self.answer).await?;
        }
        let (answer, usable) = asked.finish();
        self.keep(lease, usable);
        Ok(answer)
    }

    pub(super) async fn stream(&self, script: &str, lines: usize) -> Result<Streamed> {
        let mut lease = self.lease().await?;
        let mut asked = match lease.agent.send(script).await {
            Ok(asked) => asked,
            Err(error) => return Err(error),
        };
        loop {
            if asked.is_whole() {
                let (answer, usable) = asked.finish();
                self.keep(lease, usable);
                let (head, rest) = split_lines(&answer, lines).ok_or_else(error::garbled)?;
                return Ok(Streamed { head: head.to_vec(), body: Body::from(rest.to_vec()) });
            }
            if asked.held.len() > AT_ONCE {
                break;
            }
            let bytes = match lease.agent.next().await {
                Ok(bytes) => bytes,
                // Nothing was given away yet, so it can be asked anew.
                Err(lost) if lost.kind() == ErrorKind::Unavailable && !lease.fresh => {
                    drop(lease);
                    lock(&self.idle).clear();
                    lease = self.lease().await?;
                    asked = lease.agent.send(script).await?;
                    continue;
                }
                Err(error) => return Err(error),
            };
            asked.take(bytes);
        }
        let (head, rest) = split_lines(&asked.held, lines).ok_or_else(error::garbled)?;
        let (head, rest) = (head.to_vec(), rest.to_vec());
        asked.held = rest;
        Ok(Streamed { head, body: body(lease.agent, asked) })
    }

    async fn lease(&self) -> Result<Lease<'_>> {
        let permit = match timeout(self.deadline, self.permits.acquire()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) => return Err(error::lost()),
            Err(_) => return Err(error::silent()),
        };
        loop {
            let Some(mut agent) = lock(&self.idle).pop() else { break };
            if agent.is_alive() {
                return Ok(Lease { agent, fresh: false, _permit: permit });
            }
        }
        let process = match timeout(self.deadline, self.sessions.open()).await {
            Ok(process) => process?,
            Err(_) => return Err(error::silent()),
        };
        let mut agent = Agent::new(process, self.deadline);
        let greeting = lock(&self.greeting).clone();
        let mut asked = agent.send(&greeting).await?;
        agent.read_to(&mut asked, None, self.answer).await?;
        Ok(Lease { agent, fresh: true, _permit: permit })
    }

    fn keep(&self, lease: Lease<'_>, usable: bool) {
        if usable {
            lock(&self.idle).push(lease.agent);
        }
    }
}

/// The rest of a long answer. Its shell ends with it.
fn body(agent: Agent, asked: Asked) -> Body {
    Feed::unfold((agent, asked, false), |(mut agent, mut asked, over)| async move {
        if over {
            return Ok(None);
        }
        loop {
            if asked.is_whole() {
                let mark = asked.mark.len() + 1;
                asked.held.truncate(asked.held.len().saturating_sub(mark));
                let rest = std::mem::take(&mut asked.held);
                return Ok((!rest.is_empty()).then_some((rest, (agent, asked, true))));
            }
            // The mark and the status before it may be cut anywhere.
            let safe = asked.held.len().saturating_sub(asked.mark.len() + 1);
            if safe > 0 {
                let after = asked.held.split_off(safe);
                let piece = std::mem::replace(&mut asked.held, after);
                return Ok(Some((piece, (agent, asked, false))));
            }
            let bytes = agent.next().await?;
            asked.take(bytes);
        }
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So that a pool can be told apart in logs without its script.
impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("idle", &lock(&self.idle).len()).finish_non_exhaustive()
    }
}
