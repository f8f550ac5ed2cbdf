//! What a command prints, on its way to whoever listens.

use std::pin::pin;

use tokio::sync::mpsc::Sender;
use workspace_core::{Event, Result};

use super::outputs::Outputs;

/// How many events may wait for the listener. With this, a command takes about
/// half a megabyte however much it prints; beyond it, the command itself waits.
pub(super) const WAITING_EVENTS: usize = 8;

/// Hands on outputs as events.
pub(super) struct Pump {
    outputs: Outputs,
    events: Sender<Result<Event>>,
}

impl Pump {
    pub(super) fn new(outputs: Outputs, events: Sender<Result<Event>>) -> Self {
        Self { outputs, events }
    }

    /// Does some work, and hands on what is printed meanwhile.
    pub(super) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = self.drain() => {}
        }
        work.await
    }

    /// Hands on all that is printed, up to the end of both outputs. Nothing is
    /// lost where it is dropped half-way.
    pub(super) async fn drain(&mut self) {
        loop {
            // First the place, then the piece: what is not read stays in the pipe and holds the command up.
            let place = self.events.reserve().await;
            let Some((stream, piece)) = self.outputs.next().await else { return };
            // Where nobody listens any more, reading goes on, so that the command can end.
            if let Ok(place) = place {
                place.send(Ok(Event::Output(stream, piece)));
            }
        }
    }

    /// Hands on what lies in the pipes by now.
    pub(super) async fn rest(&mut self) {
        for (stream, piece) in self.outputs.rest() {
            let _ = self.events.send(Ok(Event::Output(stream, piece))).await;
        }
    }

    /// Ends the events with this one, and gives the outputs back.
    pub(super) async fn finish(self, last: Result<Event>) -> Outputs {
        let _ = self.events.send(last).await;
        self.outputs
    }
}

/// Reads on for nobody, so that processes that were left alone can go on printing.
pub(super) async fn discard(mut outputs: Outputs) {
    while outputs.next().await.is_some() {}
}
