//! Both outputs of a command, read in turn.

use std::future::poll_fn;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::task::{Context, Poll};

use rustix::buffer::spare_capacity;
use rustix::io::ioctl_fionread;
use tokio::net::unix::pipe::Receiver;
use workspace_core::Stream;

/// What is read at once: what a pipe holds.
const PIECE_BYTES: usize = 64 * 1024;

/// The reading ends of a command's pipes. The one that was read last is asked
/// last, so that neither drowns the other.
pub(super) struct Outputs([Output; 2]);

struct Output {
    stream: Stream,
    /// `None` once all writing ends are closed.
    pipe: Option<Receiver>,
}

impl Outputs {
    /// Takes the reading ends.
    ///
    /// # Errors
    /// Where the runtime cannot watch them.
    pub(super) fn new(stdout: OwnedFd, stderr: OwnedFd) -> io::Result<Self> {
        let output =
            |stream, pipe| Receiver::from_owned_fd(pipe).map(|pipe| Output { stream, pipe: Some(pipe) });
        Ok(Self([output(Stream::Stdout, stdout)?, output(Stream::Stderr, stderr)?]))
    }

    /// The next piece of either; `None` at the end of both. Nothing is lost where it is dropped half-way.
    pub(super) async fn next(&mut self) -> Option<(Stream, Vec<u8>)> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<(Stream, Vec<u8>)>> {
        for (turn, output) in self.0.iter_mut().enumerate() {
            if let Poll::Ready(Some(piece)) = output.poll_next(cx) {
                let stream = output.stream;
                if turn == 0 {
                    self.0.reverse();
                }
                return Poll::Ready(Some((stream, piece)));
            }
        }
        if self.0.iter().all(|output| output.pipe.is_none()) { Poll::Ready(None) } else { Poll::Pending }
    }

    /// The pieces that lie in the pipes by now. What is printed from here on is not waited for.
    pub(super) fn rest(&self) -> Vec<(Stream, Vec<u8>)> {
        let mut pieces = Vec::new();
        for output in &self.0 {
            let Some(pipe) = &output.pipe else { continue };
            let mut left = ioctl_fionread(pipe.as_fd()).unwrap_or(0);
            while left > 0 {
                let mut piece = Vec::with_capacity(PIECE_BYTES);
                // Past the runtime, which may not have heard yet that there is something.
                let Ok(length @ 1..) = rustix::io::read(pipe, spare_capacity(&mut piece)) else { break };
                left = left.saturating_sub(length as u64);
                pieces.push((output.stream, piece));
            }
        }
        pieces
    }
}

impl Output {
    /// The next piece; `None` at the end.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        while let Some(pipe) = &self.pipe {
            let piece = match pipe.poll_read_ready(cx) {
                Poll::Ready(ready) => ready.and_then(|()| read(pipe)),
                Poll::Pending => return Poll::Pending,
            };
            match piece {
                Ok(piece) if !piece.is_empty() => return Poll::Ready(Some(piece)),
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                // A pipe has no other failure than that of a runtime that shuts down.
                Ok(_) | Err(_) => self.pipe = None,
            }
        }
        Poll::Ready(None)
    }
}

/// Reads what is there, up to a piece; nothing at the end.
fn read(pipe: &Receiver) -> io::Result<Vec<u8>> {
    let mut piece = Vec::with_capacity(PIECE_BYTES);
    pipe.try_read_buf(&mut piece)?;
    // A short piece may wait long for its listener.
    piece.shrink_to_fit();
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use rustix::io::write;
    use rustix::pipe::pipe;

    use super::*;

    #[tokio::test]
    async fn the_outputs_take_turns() {
        let ((stdout, printing), (stderr, complaining)) = (pipe().unwrap(), pipe().unwrap());
        let mut outputs = Outputs::new(stdout, stderr).unwrap();
        write(&printing, b"one").unwrap();
        write(&complaining, b"two").unwrap();
        assert_eq!(outputs.next().await, Some((Stream::Stdout, b"one".to_vec())));
        // There is more of the first, and it is the other's turn.
        write(&printing, b"three").unwrap();
        assert_eq!(outputs.next().await, Some((Stream::Stderr, b"two".to_vec())));
        assert_eq!(outputs.next().await, Some((Stream::Stdout, b"three".to_vec())));
        drop((printing, complaining));
        assert_eq!(outputs.next().await, None);
    }

    #[tokio::test]
    async fn the_rest_is_what_lies_there_and_no_more() {
        let ((stdout, printing), (stderr, _held)) = (pipe().unwrap(), pipe().unwrap());
        let outputs = Outputs::new(stdout, stderr).unwrap();
        assert_eq!(outputs.rest(), []);
        write(&printing, b"last words").unwrap();
        assert_eq!(outputs.rest(), [(Stream::Stdout, b"last words".to_vec())]);
        assert_eq!(outputs.rest(), []);
    }
}
