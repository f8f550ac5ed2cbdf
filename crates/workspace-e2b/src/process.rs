//! A process of the sandbox, as its stream tells of it.

use std::time::Duration;

use reqwest::Response;
use tokio::time::timeout;

use crate::connect::{Code, Frame, Frames, Refusal, Told, ending, read};
use crate::error;
use crate::failure::Failure;

/// How long the end of an answer is waited for after its last word, so that its
/// connection can serve the next call.
const LAST: Duration = Duration::from_millis(500);

/// Where a stream stands. Its events come in one order; what comes in another was
/// doubled or lost on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Fresh,
    Runs,
    Ended,
    Over,
}

/// A process that runs. Dropping it lets go of the stream; the process runs on.
#[derive(Debug)]
pub(crate) struct Running {
    response: Response,
    frames: Frames,
    stage: Stage,
    /// How long nothing at all may come.
    silence: Duration,
}

/// What a stream tells.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// An event of the process.
    Told(Told),
    /// All was told.
    Over,
}

impl Running {
    /// Reads up to the word that the process runs.
    pub(crate) async fn begin(response: Response, silence: Duration) -> Result<Self, Failure> {
        let mut running = Self { response, frames: Frames::default(), stage: Stage::Fresh, silence };
        match running.next().await? {
            Next::Told(Told::Started) => Ok(running),
            _ => Err(Failure::broken(Some("a stream does not begin with its process".into()))),
        }
    }

    /// The next event. It may be dropped while it waits, and nothing is lost.
    pub(crate) async fn next(&mut self) -> Result<Next, Failure> {
        if self.stage == Stage::Over {
            return Ok(Next::Over);
        }
        loop {
            match self.frames.next()? {
                Some(Frame::Message(message)) => {
                    let told = read(&message)?;
                    self.stage = after(self.stage, &told)?;
                    return Ok(Next::Told(told));
                }
                Some(Frame::End(message)) => {
                    self.end(&message)?;
                    return Ok(Next::Over);
                }
                None => {}
            }
            match timeout(self.silence, self.response.chunk()).await {
                Ok(Ok(Some(bytes))) => self.frames.take(&bytes),
                Ok(Ok(None)) => return Err(Failure::broken(Some("a stream has no end".into()))),
                Ok(Err(cause)) => return Err(Failure::of_transport(cause)),
                Err(_) => return Err(Failure::broken(Some("a stream fell silent".into()))),
            }
        }
    }

    fn end(&mut self, message: &[u8]) -> Result<(), Failure> {
        match ending(message) {
            Some(Ok(())) if self.stage == Stage::Ended => {
                self.stage = Stage::Over;
                Ok(())
            }
            Some(Ok(())) => Err(Failure::broken(Some("a stream ended before its process".into()))),
            Some(Err(refusal)) => Err(failed(self.stage, &refusal)),
            None => Err(Failure::garbled("the end of a stream cannot be read".into())),
        }
    }

    /// Reads on behind the last word, so that the connection is free for the next call.
    pub(crate) async fn finish(mut self) {
        while let Ok(Ok(Some(_))) = timeout(LAST, self.response.chunk()).await {}
    }
}

fn after(stage: Stage, told: &Told) -> Result<Stage, Failure> {
    match (stage, told) {
        (_, Told::Alive) => Ok(stage),
        (Stage::Fresh, Told::Started) | (Stage::Runs, Told::Stdout(_) | Told::Stderr(_)) => Ok(Stage::Runs),
        (Stage::Runs, Told::Ended { .. }) => Ok(Stage::Ended),
        _ => Err(Failure::garbled("the events of a process are doubled or out of order".into())),
    }
}

/// A stream that ends with an error.
fn failed(stage: Stage, refusal: &Refusal) -> Failure {
    // A process that was started is not refused any more: it is lost.
    if stage != Stage::Fresh && refusal.code != Code::DeadlineExceeded {
        return Failure::broken(Some(refusal.text.clone()));
    }
    error::refused(refusal, 200, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_come_twice_are_noticed() {
        let ended = || Told::Ended { code: Some(0), signal: None };
        assert_eq!(after(Stage::Fresh, &Told::Started).unwrap(), Stage::Runs);
        assert_eq!(after(Stage::Runs, &ended()).unwrap(), Stage::Ended);
        assert_eq!(after(Stage::Ended, &Told::Alive).unwrap(), Stage::Ended);
        assert!(after(Stage::Runs, &Told::Started).is_err());
        assert!(after(Stage::Ended, &ended()).is_err());
        assert!(after(Stage::Fresh, &Told::Stdout(Vec::new())).is_err());
    }
}
