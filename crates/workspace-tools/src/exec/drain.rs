//! Follows a command to its end.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use workspace_core::{Cancel, Cause, Error, ErrorKind, Event, Exit, Process, Result, Stream};

/// How long a command that was killed may take to tell of its end.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(5);

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What the backend told; `None` where it was stopped and did not tell.
    pub(crate) exit: Option<Exit>,
    /// Whether `stop` ended it.
    pub(crate) stopped: bool,
}

/// Reads a command's events until it is over, and gives what it prints to `output`.
///
/// When `stop` is ready the command is killed, and what it prints until its end
/// is read; a backend that cannot kill is left alone at once. Dropping the
/// future kills it as well.
///
/// # Errors
/// [`Unavailable`](ErrorKind::Unavailable) where the backend was lost before
/// the end was told: whether the command went on is then unknown.
pub(crate) async fn drain(
    process: Process,
    cancel: Cancel,
    mut output: impl FnMut(Stream, &[u8]),
    stop: impl Future<Output = ()>,
) -> Result<Ended> {
    let Process { mut events, control, .. } = process;
    let asked = AtomicBool::new(false);
    // Beside the events, not between them: a program that prints while it is being killed must not block.
    let mut stopping = pin!(async {
        stop.await;
        asked.store(true, Ordering::Relaxed);
        if cancel == Cancel::Kill {
            control.kill().await?;
            tokio::time::sleep(LAST_WORDS).await;
        }
        Ok(())
    });
    let exit = loop {
        let event = tokio::select! {
            biased;
            given_up = &mut stopping => {
                let () = given_up?;
                break None;
            }
            event = events.next() => event,
        };
        match event {
            Some(Ok(Event::Output(stream, bytes))) => output(stream, &bytes),
            Some(Ok(Event::Exit(exit))) => break Some(exit),
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(error),
            None => return Err(lost()),
        }
    };
    // Who ran out of time before the kill reached it has timed out: it is never both.
    let stopped = asked.load(Ordering::Relaxed) && exit.is_none_or(|exit| exit.cause != Cause::TimedOut);
    Ok(Ended { exit, stopped })
}

/// The error where a backend went away before it told the end of a command.
pub(super) fn lost() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "the backend was lost before the command ended; whether it went on is unknown",
    )
    .hint("look at what it may have changed before you run it again")
}
