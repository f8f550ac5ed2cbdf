//! Writing: bytes come in piece by piece and are staged until the last one.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use workspace_core::{Body, Result, WorkspacePath, WriteOptions, Written};

use super::staged::Staged;
use crate::blocking::off_thread;
use crate::error::Fault;
use crate::local::Inner;

/// How much of a body is gathered for one hop at least, in bytes. A body in one piece is written in one.
const GATHERED: usize = 256 * 1024;

/// Writes a body. Dropping the future leaves the old file and no temporary one,
/// unless its last step has begun, which then runs to its end.
pub(super) async fn write(
    files: &Arc<Inner>,
    path: &WorkspacePath,
    mut body: Body,
    options: WriteOptions,
) -> Result<Written> {
    let mut state = State::Asked(path.clone(), options);
    loop {
        let (bytes, is_last) = gather(&mut body).await?;
        let files = Arc::clone(files);
        let next = off_thread(move || {
            let mut staged = match state {
                State::Asked(path, options) => Box::new(Staged::begin(&files, &path, options)?),
                State::Staged(staged) => staged,
                State::Written(written) => return Ok(State::Written(written)),
            };
            staged.append(&bytes)?;
            if is_last { staged.commit(&files).map(State::Written) } else { Ok(State::Staged(staged)) }
        });
        state = match next.await?.map_err(|fault: Fault| fault.tell("write", path))? {
            State::Written(written) => return Ok(written),
            staged => staged,
        };
    }
}

/// How far a write has come.
enum State {
    Asked(WorkspacePath, WriteOptions),
    Staged(Box<Staged>),
    Written(Written),
}

/// The next pieces of a body, and whether they are the last.
async fn gather(body: &mut Body) -> Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    while bytes.len() < GATHERED {
        match body.next().await {
            None => return Ok((bytes, true)),
            Some(piece) if bytes.is_empty() => bytes = piece?,
            Some(piece) => bytes.extend_from_slice(&piece?),
        }
    }
    // A body that was whole says so without a wait, and is written in one hop.
    match poll_fn(|cx| Poll::Ready(body.poll_next(cx))).await {
        Poll::Ready(None) => return Ok((bytes, true)),
        Poll::Ready(Some(piece)) => bytes.extend_from_slice(&piece?),
        Poll::Pending => {}
    }
    Ok((bytes, false))
}
