//! The scripts of files, each a request of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use workspace_core::{Body, Error, ErrorKind, Feed, Result};
use workspace_posix::{Request, Requests};

use crate::connect::Told;
use crate::error;
use crate::failure::{Again, Failure};
use crate::once::{BROKEN, UNCLAIMED, once};
use crate::process::{Next, Running};
use crate::retry::{Patience, Repeat, retry_within};
use crate::sandbox::SharedSandbox;
use crate::token::token;

/// Up to this many bytes of a long answer are read before any is given away: so far it
/// can be asked for again.
const AT_ONCE: usize = 4 << 20;
/// So many times the deadline is the longest that a call takes, however much data flows.
const LONGEST: u32 = 10;

/// Scripts in a sandbox.
#[derive(Clone)]
pub(crate) struct Scripts(pub(crate) SharedSandbox);

/// A script that runs, and when its call is given up.
struct Reading {
    running: Running,
    /// By when something must come.
    until: Instant,
    last: Instant,
    deadline: Duration,
}

impl Reading {
    /// The next bytes that it prints, or `None` at its end.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        loop {
            let next = match timeout_at(self.until.min(self.last), self.running.next()).await {
                Ok(next) => next?,
                Err(_) => return Err(Failure { again: Again::No, ..Failure::silent() }),
            };
            match next {
                Next::Told(Told::Stdout(bytes)) => {
                    self.until = Instant::now() + self.deadline;
                    return Ok(Some(bytes));
                }
                Next::Told(_) => {}
                Next::Over => return Ok(None),
            }
        }
    }
}

impl Scripts {
    fn patience(&self) -> Patience {
        self.0.envd.patience()
    }

    async fn begin(&self, script: &str, end: Instant) -> Result<Reading, Failure> {
        let deadline = self.patience().deadline;
        let longest = deadline.saturating_mul(LONGEST);
        let running = match timeout_at(end, self.0.envd.start(script, Some(longest))).await {
            Ok(running) => running?,
            Err(_) => return Err(Failure { again: Again::No, ..Failure::silent() }),
        };
        Ok(Reading { running, until: end, last: Instant::now() + longest, deadline })
    }

    /// All that a script prints, by one request.
    async fn collect(&self, script: &str, limit: usize, end: Instant) -> Result<Vec<u8>, Failure> {
        let mut reading = self.begin(script, end).await?;
        let mut answer = Vec::new();
        while let Some(bytes) = reading.next().await? {
            if answer.len() + bytes.len() > limit {
                let error =
                    Error::new(ErrorKind::TooLarge, format!("the answer has more than {limit} bytes"));
                return Err(Failure::told(
                    error.hint("ask for a part: a directory further down, or a window of the file"),
                ));
            }
            answer.extend(bytes);
        }
        reading.running.finish().await;
        Ok(answer)
    }

    /// A script that changes nothing, or does no harm a second time.
    pub(crate) async fn look(&self, script: &str, limit: usize) -> Result<Vec<u8>> {
        let answer = retry_within(self.patience(), Repeat::Harmless, |end| self.collect(script, limit, end));
        match answer.await {
            Ok(answer) => Ok(answer),
            Err(failure) => Err(self.0.explain(failure).await),
        }
    }

    /// A script that changes something: sent again without harm, for it knows itself.
    pub(crate) async fn change(&self, script: &str, limit: usize) -> Result<Vec<u8>> {
        let token = token();
        let claiming = format!("{}{}", self.0.litter.sweep(), once(script, &token, self.patience().deadline));
        let sent = AtomicBool::new(false);
        let answer = retry_within(self.patience(), Repeat::Harmless, |end| {
            let collecting = self.collect(&claiming, limit, end);
            let sent = &sent;
            async move {
                let answer = collecting.await;
                if answer.as_ref().is_err_and(may_have_run) {
                    sent.store(true, Ordering::Release);
                }
                answer
            }
        })
        .await;
        self.0.litter.drop_claim(token);
        let failure = match answer {
            Ok(answer) if answer == UNCLAIMED => return self.change_unclaimed(script, limit).await,
            Ok(answer) if answer == BROKEN => Failure::broken(None),
            Ok(answer) => return Ok(answer),
            Err(failure) => failure,
        };
        let unknown = sent.load(Ordering::Acquire);
        let error = self.0.explain(failure).await;
        Err(if unknown { error::unknown(error) } else { error })
    }

    /// Where there is no place for a claim: sent once, and not again.
    async fn change_unclaimed(&self, script: &str, limit: usize) -> Result<Vec<u8>> {
        let answer = retry_within(self.patience(), Repeat::Unsent, |end| self.collect(script, limit, end));
        match answer.await {
            Ok(answer) => Ok(answer),
            Err(failure) => {
                let unknown = may_have_run(&failure);
                let error = self.0.explain(failure).await;
                Err(if unknown { error::unknown(error) } else { error })
            }
        }
    }

    async fn open(&self, script: &str) -> Result<(Vec<Vec<u8>>, Option<Reading>), Failure> {
        retry_within(self.patience(), Repeat::Harmless, |end| async move {
            let mut reading = self.begin(script, end).await?;
            let (mut pieces, mut size) = (Vec::new(), 0);
            while size <= AT_ONCE {
                let Some(bytes) = reading.next().await? else {
                    reading.running.finish().await;
                    return Ok((pieces, None));
                };
                size += bytes.len();
                pieces.push(bytes);
            }
            // A caller may take its time between the pieces.
            reading.last += Duration::from_hours(24);
            Ok((pieces, Some(reading)))
        })
        .await
    }
}

/// Whether a request that failed in this way may have been carried out.
fn may_have_run(failure: &Failure) -> bool {
    match failure.again {
        Again::Unknown => true,
        Again::Unsent(_) => false,
        Again::No => failure.error.kind() == ErrorKind::TimedOut,
    }
}

impl Requests for Scripts {
    async fn run(&self, request: Request) -> Result<Vec<u8>> {
        self.0.used();
        let Request { script, repeatable, limit, .. } = &request;
        if *repeatable { self.look(script, *limit).await } else { self.change(script, *limit).await }
    }

    async fn stream(&self, script: String) -> Result<Body> {
        self.0.used();
        let (pieces, reading) = match self.open(&script).await {
            Ok(opened) => opened,
            Err(failure) => return Err(self.0.explain(failure).await),
        };
        let sandbox = Arc::clone(&self.0);
        Ok(Feed::unfold((pieces.into_iter(), reading), move |(mut pieces, reading)| {
            let sandbox = Arc::clone(&sandbox);
            async move {
                if let Some(piece) = pieces.next() {
                    return Ok(Some((piece, (pieces, reading))));
                }
                let Some(mut reading) = reading else { return Ok(None) };
                reading.until = Instant::now() + reading.deadline;
                match reading.next().await {
                    Ok(bytes) => Ok(bytes.map(|bytes| (bytes, (pieces, Some(reading))))),
                    Err(failure) => Err(sandbox.explain(failure).await),
                }
            }
        }))
    }

    fn uploads(&self) -> bool {
        self.0.envd.uploads()
    }

    async fn upload(&self, path: String, body: Body) -> Result<u64> {
        self.0.used();
        match self.0.envd.upload(&path, body).await {
            Ok(sent) => Ok(sent),
            Err(failure) => Err(self.0.explain(failure).await),
        }
    }
}
