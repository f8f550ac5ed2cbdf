//! One shell that stays open, and one question at a time.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::timeout;
use workspace_core::{Event, Process, Result, Stream};

use crate::{error, token};

/// A shell. Dropping it ends it; it is dropped whenever an answer was not read to its end.
pub(super) struct Agent {
    process: Process,
    deadline: Duration,
}

/// A question under way: what was read of its answer, up to the mark.
pub(super) struct Asked {
    /// A line end comes with it.
    pub(super) mark: String,
    pub(super) held: Vec<u8>,
}

impl Agent {
    pub(super) fn new(process: Process, deadline: Duration) -> Self {
        Self { process, deadline }
    }

    /// Whether it still runs, as far as can be told without a question.
    pub(super) fn is_alive(&mut self) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            match self.process.events.poll_next(&mut cx) {
                Poll::Pending => return true,
                Poll::Ready(Some(Ok(Event::Output(Stream::Stderr, _)))) => {}
                Poll::Ready(_) => return false,
            }
        }
    }

    /// Sends a script. An act of its own may say the end of the answer, together with what it has to say.
    ///
    /// The braces make it one command: the shell has read all of it before it
    /// begins, so that what is sent later is there for the script alone.
    pub(super) async fn send(&mut self, script: &str) -> Result<Asked> {
        let asked = Asked::new();
        let mark = &asked.mark;
        let end = format!("0{}", mark.trim_end());
        let text = format!(
            "{{\nw_h= w_end={end}\n{script}\n[ -z \"$w_end\" ] || printf '%s\\n' \"$w_h$w_end\"\n}} </dev/null\n"
        );
        self.write(text.into_bytes()).await?;
        Ok(asked)
    }

    /// Like [`send`](Self::send), for a script that reads the shell's own input;
    /// `$w_r` tells after it whether the shell can be used further.
    pub(super) async fn send_taking(&mut self, script: &str) -> Result<Asked> {
        let asked = Asked::new();
        let mark = asked.mark.trim_end();
        let text = format!("{{\nw_h= w_end=\n{script}\nprintf '%s\\n' \"$w_h${{w_r}}{mark}\"\n}}\n");
        self.write(text.into_bytes()).await?;
        Ok(asked)
    }

    pub(super) async fn write(&mut self, bytes: Vec<u8>) -> Result<()> {
        match timeout(self.deadline, self.process.control.write_stdin(bytes)).await {
            Ok(sent) => sent.map_err(|error| crate::error::lost().because(error)),
            Err(_) => Err(error::silent()),
        }
    }

    /// The next bytes that it prints.
    pub(super) async fn next(&mut self) -> Result<Vec<u8>> {
        loop {
            match timeout(self.deadline, self.process.events.next()).await {
                Err(_) => return Err(error::silent()),
                Ok(Some(Ok(Event::Output(Stream::Stdout, bytes)))) => return Ok(bytes),
                Ok(Some(Ok(Event::Output(Stream::Stderr, _)))) => {}
                Ok(Some(Err(lost))) => return Err(lost),
                Ok(Some(Ok(_)) | None) => return Err(error::lost()),
            }
        }
    }

    /// Reads on until the answer ends with its mark, or with `other`; tells which.
    pub(super) async fn read_to(
        &mut self,
        asked: &mut Asked,
        other: Option<&str>,
        limit: usize,
    ) -> Result<bool> {
        loop {
            if asked.is_whole() {
                return Ok(true);
            }
            if other.is_some_and(|other| asked.held.ends_with(other.as_bytes())) {
                return Ok(false);
            }
            if asked.held.len() > limit {
                return Err(error::too_much(limit));
            }
            let bytes = self.next().await?;
            asked.take(bytes);
        }
    }

    /// Sends bytes while it reads the answer: a script may print while it takes in.
    pub(super) async fn give(&mut self, bytes: Vec<u8>, asked: &mut Asked, limit: usize) -> Result<()> {
        let control = self.process.control.clone();
        let sending = async move { control.write_stdin(bytes).await };
        let mut sending = std::pin::pin!(sending);
        let mut sent = false;
        while !asked.is_whole() {
            if asked.held.len() > limit {
                return Err(error::too_much(limit));
            }
            tokio::select! {
                result = &mut sending, if !sent => {
                    result.map_err(|error| crate::error::lost().because(error))?;
                    sent = true;
                }
                bytes = self.next() => asked.take(bytes?),
            }
        }
        Ok(())
    }
}

impl Asked {
    fn new() -> Self {
        Self { mark: token::mark() + "\n", held: Vec::new() }
    }

    pub(super) fn take(&mut self, bytes: Vec<u8>) {
        if self.held.is_empty() {
            self.held = bytes;
        } else {
            self.held.extend_from_slice(&bytes);
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.held.ends_with(self.mark.as_bytes())
    }

    /// The answer, and whether its shell can be used further.
    pub(super) fn finish(mut self) -> (Vec<u8>, bool) {
        self.held.truncate(self.held.len().saturating_sub(self.mark.len()));
        let usable = self.held.pop() == Some(b'0');
        (self.held, usable)
    }
}
